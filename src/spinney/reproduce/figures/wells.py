"""Figure 6: how many components the graphs of blood cells have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from spinney.datasets import PBMC_CELL_TYPES, PBMC_STIMULI
from spinney.graph.plots.style import INK, LINES, quiet
from spinney.reproduce.figures._sheet import new_figure, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_wells"]

MOST = 14
"""Phosphorylation sites, hence the most components that there can be."""


def draw_wells(frame: pd.DataFrame) -> Figure:
    """Draw histograms of the number of components by stimulus, and its mean in every well.

    Only the largest subsamples are shown, where a folder holds a quick run too.
    """
    frame = frame[frame.n == frame.n.max()]
    stimuli = [s for s in PBMC_STIMULI if s in set(frame.stimulus)]
    figure = new_figure(2.9 * len(stimuli) + 1.0, 8.2)
    top, bottom = rows_of(figure, (1.0, 1.5))
    panels = top.subplots(1, len(stimuli), sharey=True, squeeze=False)[0]
    for axes, stimulus in zip(panels, stimuli, strict=True):
        _draw_histogram(axes, frame[frame.stimulus == stimulus].n_components)
        axes.set_title(stimulus, fontsize=10.5, color=INK)
    panels[0].set_ylabel("share of fits", fontsize=9, color=INK)
    _draw_table(bottom.subplots(), frame, stimuli)
    n = int(frame.n.max())
    repetitions = frame.groupby(["stimulus", "cell_type"]).size().max()
    figure.suptitle(
        "Figure 6: connected components among 14 phosphorylation sites, EF-λ with five copula "
        f"families;\nup to {n} cells of each well, {repetitions} random subsample"
        f"{'s' if repetitions > 1 else ''}",
        fontsize=12,
        color=INK,
    )
    return figure


def _draw_histogram(axes: Axes, counts: pd.Series[int]) -> None:
    shares = np.bincount(counts.to_numpy(dtype=int), minlength=MOST + 1)[1:] / max(len(counts), 1)
    axes.bar(np.arange(1, MOST + 1), shares, color=LINES, width=0.85)
    axes.set_xlim(0.3, MOST + 0.7)
    axes.set_xticks([1, 4, 7, 10, 14])
    axes.set_xlabel("components", fontsize=9, color=INK)
    axes.yaxis.grid(True, color="#EEEEEE", linewidth=0.7)
    axes.set_axisbelow(True)
    quiet(axes)


def _draw_table(axes: Axes, frame: pd.DataFrame, stimuli: list[str]) -> None:
    means = frame.pivot_table("n_components", "cell_type", "stimulus")
    types = [t for t in PBMC_CELL_TYPES if t in means.index]
    means = means.reindex(index=types, columns=stimuli)
    counts = frame.pivot_table("n_cells", "cell_type", "stimulus")
    cells = counts.reindex(index=types, columns=stimuli).to_numpy(dtype=float)
    values = means.to_numpy(dtype=float)
    image = axes.imshow(values, cmap="YlGnBu", vmin=1, vmax=MOST, aspect="auto")
    for i in range(len(types)):
        for j in range(len(stimuli)):
            mean, count = values[i, j], cells[i, j]
            known = np.isfinite(mean)
            axes.text(
                j,
                i,
                f"{mean:.1f}   ({count:,.0f} cells)" if known else "too few cells",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if known and mean > 8 else INK,
            )
    axes.set_xticks(range(len(stimuli)), stimuli)
    axes.set_yticks(range(len(types)), types)
    axes.set_title("components, mean over subsamples, by cell type", fontsize=10.5, color=INK)
    quiet(axes)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.025, pad=0.01)
    bar.ax.tick_params(labelsize=8)
