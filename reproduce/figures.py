"""The paper's figures: a table of results in, a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduce.copula_gallery import plot_gallery
from reproduce.experiments import METHODS
from spinney._core.files import whole_file
from spinney.datasets import PBMC_CELL_TYPES, PBMC_STIMULI
from spinney.graph.plots.style import INK, LINES, new_page, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "methods_in", "repetitions_said", "save"]

GROUP = 0.5
"""Share of the distance between two numbers of samples over which methods are spread."""
TITLES = {
    "figure2": "Figure 2: connected GMRFs, 25 nodes, 2 neighbours each on average",
    "figure3": "Figure 3: GMRFs of two components, 25 nodes, 2 neighbours each on average",
    "figure4": "Figure 4: t copulas (df = 1) on cliques of 3 or 4 among 25 nodes",
    "figure5": "Figure 5: GMRFs, 80 nodes, 3 neighbours each on average",
}
POTENTIALS = {
    "figure2": "EF-λ, EF-cuts and ET Gaussian",
    "figure3": "EF-λ, EF-cuts and ET Gaussian",
    "figure4": "EF-λ and ET Student",
    "figure5": "EF-λ Gaussian",
}
"""Copula families of the methods that are given the true family."""
PANELS = {
    "hamming": "Hamming distance",
    "inter_component_false_positives": "inter-cluster false positives",
    "precision": "precision",
    "recall": "recall",
}
CONNECTED = {"inter_component_false_positives": "false_positives"}
"""What stands in its place where no edge can be between components."""
STYLES: dict[str, Any] = {"": "-", "_by_presence": (0, (3, 2))}
"""Lines of curves by how pairs are ranked."""
MOST = 14
"""Phosphorylation sites, hence the largest number of components."""


def draw(name: str, frame: pd.DataFrame | None = None) -> Figure:
    """Draw a figure; the first needs no results."""
    if name == "figure1" or frame is None:
        return plot_gallery()
    if name == "figure5":
        return _draw_figure_5(frame)
    if name == "figure6":
        return _draw_figure_6(frame)
    return _draw_figures_2_to_4(name, frame)


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


def methods_in(frame: pd.DataFrame) -> list[str]:
    """Name the methods of a table, in the order of the figures."""
    present = set(frame.method)
    return [name for name in METHODS if name in present]


def repetitions_said(frame: pd.DataFrame) -> str:
    """Say how many repetitions are behind a box, and for which methods there are fewer."""
    counts = frame.groupby(["method", "n"]).size().groupby("method").max()
    usual = int(counts.max())
    fewer = [f"{METHODS[m].label} {counts[m]}" for m in methods_in(frame) if counts[m] < usual]
    return f"{usual} repetition{'s' if usual != 1 else ''}" + (
        f" ({', '.join(fewer)})" if fewer else ""
    )


def _draw_means(axes: Axes, frame: pd.DataFrame, metric: str, methods: list[str]) -> None:
    """Draw means with standard errors: a line for each method over the numbers of samples."""
    sizes = sorted(set(frame.n))
    offsets = GROUP * (np.arange(len(methods)) - (len(methods) - 1) / 2) / max(len(methods), 1)
    for method, offset in zip(methods, offsets, strict=True):
        values = frame[frame.method == method].dropna(subset=[metric])
        by_size = values.astype({metric: float}).groupby("n")[metric]
        found = by_size.mean()
        axes.errorbar(
            [sizes.index(n) + offset for n in found.index],
            found,
            by_size.sem().fillna(0.0),
            color=METHODS[method].colour,
            marker="o",
            markersize=3.6,
            linewidth=1.0,
            elinewidth=1.0,
        )
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    _grid(axes, "y")


def _grid(axes: Axes, which: Any = "both") -> None:
    axes.grid(True, axis=which, color="#EEEEEE", linewidth=0.7)
    axes.set_axisbelow(True)
    quiet(axes)


def _said(axes: Axes, title: str = "", x: str = "", y: str = "", size: float = 10.5) -> None:
    """Write the title and the names of the axes, if any."""
    axes.set_title(title, fontsize=size, color=INK)
    axes.set_xlabel(x, fontsize=9, color=INK)
    axes.set_ylabel(y, fontsize=9, color=INK)


def _finish(figure: Figure, name: str, frame: pd.DataFrame) -> Figure:
    """Write the title, and name the colours below the panels."""
    from matplotlib.lines import Line2D

    figure.suptitle(f"{TITLES[name]}\n{repetitions_said(frame)}", fontsize=12, color=INK)
    handles = [
        Line2D([], [], color=METHODS[m].colour, marker="o", markersize=4, label=METHODS[m].label)
        for m in methods_in(frame)
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=4,
        fontsize=9,
        frameon=False,
        handlelength=1.6,
        columnspacing=1.4,
        title=f"Copulas: {POTENTIALS[name]}; RootedForests and SharedForest choose from the "
        "default families.",
        title_fontproperties={"size": 8},
    )
    return figure


def _draw_figures_2_to_4(name: str, frame: pd.DataFrame) -> Figure:
    """Draw figure 2, 3 or 4: means of Hamming distance, false edges, precision and recall.

    Parameters
    ----------
    name : str
        Which of the three.
    frame : pandas.DataFrame
        From :func:`reproduce.results.tidy`.
    """
    figure = new_page((9.0, 7.4), 150)
    grid = figure.subplots(2, 2).ravel()
    for axes, metric in zip(grid, PANELS, strict=True):
        if name == "figure2":
            metric = CONNECTED.get(metric, metric)
        _draw_means(axes, frame, metric, methods_in(frame))
        _said(axes, PANELS.get(metric, "false positive edges"), "samples")
        if metric in ("precision", "recall"):
            axes.set_ylim(0.25, 1.03)
        else:
            axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
    return _finish(figure, name, frame)


def _draw_figure_5(frame: pd.DataFrame) -> Figure:
    """Draw figure 5: ROC curves for each number of rows, and true edges before 1 % FDR."""
    sizes = sorted(set(frame.n))
    figure = new_page((9.0, 7.4), 150)
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.15, 1.0))
    top, bottom = parts
    panels = top.subplots(1, len(sizes), sharey=True, sharex=True, squeeze=False)[0]
    for axes, n in zip(panels, sizes, strict=True):
        _draw_to_false(axes, frame[frame.n == n], methods_in(frame))
        _said(axes, f"{n} samples", "false edges", "true edges" if n == sizes[0] else "")
        _grid(axes)
    panels[0].set_ylim(bottom=0)
    left, right = bottom.subplots(1, 2, sharey=True)
    of_paths = frame.dropna(subset=["edges_before_fdr_1_by_presence"])
    for axes, part, suffix, said in (
        (left, frame, "", "by strength or probability (solid above)"),
        (right, of_paths, "_by_presence", "by presence along the path (dashed above)"),
    ):
        _draw_means(axes, part, f"edges_before_fdr_1{suffix}", methods_in(part))
        height = "true edges before 1 % FDR" if axes is left else ""
        _said(axes, f"pairs ranked {said}", "samples", height, size=9.5)
        axes.tick_params(labelleft=True)
    left.set_ylim(bottom=-0.6)  # a mark at zero is whole
    return _finish(figure, "figure5", frame)


def _curves(part: pd.DataFrame, method: str, name: str) -> NDArray[np.float64] | None:
    """Stack the curves of a method, where it has some."""
    if name not in part:
        return None
    found = [c for c in part[part.method == method][name] if isinstance(c, list)]
    return np.array(found, dtype=float) if found else None


def _draw_to_false(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    for method in methods:
        for suffix, style in STYLES.items():
            curves = _curves(part, method, f"true_edges_before_false{suffix}")
            if curves is None:
                continue
            mean = curves.mean(axis=0)
            colour = METHODS[method].colour
            axes.plot(np.arange(len(mean)), mean, linestyle=style, color=colour, linewidth=1.4)


def _draw_figure_6(frame: pd.DataFrame) -> Figure:
    """Draw histograms of the number of components by stimulus, and its mean in every well.

    Only the largest subsamples are shown, where a folder holds a quick run too.
    """
    frame = frame[frame.n == frame.n.max()]
    stimuli = [s for s in PBMC_STIMULI if s in set(frame.stimulus)]
    figure = new_page((2.9 * len(stimuli) + 1.0, 8.2), 150)
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.0, 1.5))
    top, bottom = parts
    panels = top.subplots(1, len(stimuli), sharey=True, squeeze=False)[0]
    for axes, stimulus in zip(panels, stimuli, strict=True):
        _draw_histogram(axes, frame[frame.stimulus == stimulus].n_components)
        _said(axes, stimulus, "components", "share of fits" if stimulus == stimuli[0] else "")
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
    _grid(axes, "y")


def _draw_table(axes: Axes, frame: pd.DataFrame, stimuli: list[str]) -> None:
    types = [t for t in PBMC_CELL_TYPES if t in set(frame.cell_type)]
    values, cells = (
        frame.pivot_table(column, "cell_type", "stimulus")
        .reindex(index=types, columns=stimuli)
        .to_numpy(dtype=float)
        for column in ("n_components", "n_cells")
    )
    image = axes.imshow(values, cmap="YlGnBu", vmin=1, vmax=MOST, aspect="auto")
    for i in range(len(types)):
        for j in range(len(stimuli)):
            mean, count = values[i, j], cells[i, j]
            known = np.isfinite(mean)
            text = f"{mean:.1f}   ({count:,.0f} cells)" if known else "too few cells"
            ink = "white" if known and mean > 8 else INK
            axes.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
    axes.set_xticks(range(len(stimuli)), stimuli)
    axes.set_yticks(range(len(types)), types)
    _said(axes, "components, mean over subsamples, by cell type")
    quiet(axes)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.025, pad=0.01)
    bar.ax.tick_params(labelsize=8)
