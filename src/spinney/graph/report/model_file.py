"""The whole model as a file, ``graph.spinney``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spinney._core.state import save_model

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["write_model"]


def write_model(path: Path, view: GraphView) -> None:
    """Write what :func:`spinney.load_model` reads back; it holds the table, too."""
    save_model(view.model if view.learned is None else view.learned, path)
