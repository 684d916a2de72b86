"""The paper's figures: a table of results in, a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from spinney._core.files import whole_file
from spinney.graph.plots import plot_gallery
from spinney.reproduce.figures.boxes import draw_boxes
from spinney.reproduce.figures.curves import draw_curves
from spinney.reproduce.figures.wells import draw_wells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "save"]


def draw(name: str, frame: pd.DataFrame | None = None) -> Figure:
    """Draw a figure; the first needs no results."""
    if name == "figure1" or frame is None:
        return plot_gallery()
    if name == "figure5":
        return draw_curves(frame)
    if name == "figure6":
        return draw_wells(frame)
    return draw_boxes(name, frame)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and as SVG, the same bytes for the same numbers."""
    import matplotlib as mpl

    written = []
    for suffix in (".png", ".svg"):
        path = folder / f"{name}{suffix}"
        with whole_file(path) as temporary, mpl.rc_context({"svg.hashsalt": name}):
            metadata = {"Date": None} if suffix == ".svg" else None
            figure.savefig(temporary, metadata=metadata)
        written.append(path)
    return written
