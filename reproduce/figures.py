"""The paper's figures: a table of results in, a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduce.experiments import METHODS
from reproduce.judging import FALSE_EDGES, FDR, mean_curve
from spinney._core.files import whole_file
from spinney.datasets import PBMC_CELL_TYPES, PBMC_STIMULI
from spinney.graph.plots import plot_gallery
from spinney.graph.plots.style import DATA, INK, LINES, new_page, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "methods_in", "repetitions_said", "save"]

GROUP = 0.86
"""Share of the distance between two groups of boxes that the boxes take."""
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
    "false_positives": "false positive edges",
    "inter_component_false_positives": "inter-cluster false positives",
    "precision": "precision",
    "recall": "recall",
    "n_components": "connected components",
}
TRUE_COMPONENTS = {"figure3": (2, 2), "figure4": (7, 8)}
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


def _group_boxes(axes: Axes, frame: pd.DataFrame, metric: str, methods: list[str]) -> None:
    """Draw boxes of a metric: a group for each number of rows, a box for each method."""
    if metric not in frame:
        return
    sizes = sorted(set(frame.n))
    width = GROUP / len(methods)
    for k, method in enumerate(methods):
        offset = (k - (len(methods) - 1) / 2) * width
        places, values = [], []
        for position, n in enumerate(sizes):
            chosen = frame[(frame.method == method) & (frame.n == n)][metric].dropna()
            if len(chosen):
                places.append(position + offset)
                values.append(chosen.to_numpy(dtype=float))
        if values:
            _draw_boxes(axes, places, values, 0.88 * width, METHODS[method].colour)
    for position in range(1, len(sizes)):
        axes.axvline(position - 0.5, color="#E4E4E4", linewidth=0.7, zorder=0)
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    _grid(axes, "y")
    axes.tick_params(axis="x", length=0)


def _draw_boxes(
    axes: Axes, places: list[float], values: list[Any], width: float, colour: str
) -> None:
    point: dict[str, Any] = {"markerfacecolor": colour, "markeredgecolor": INK}
    axes.boxplot(
        values,
        positions=places,
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": colour, "edgecolor": INK, "linewidth": 0.6},
        whiskerprops={"color": INK, "linewidth": 0.7},
        capprops={"linewidth": 0},
        medianprops={"color": INK, "linewidth": 1.5, "solid_capstyle": "butt"},
        flierprops={"marker": "o", "markersize": 1.8, "markeredgewidth": 0.3, **point},
        zorder=2,
    )
    # A box without height is a line that does not show its method; a square in its colour does.
    quartiles = [np.percentile(v, [25, 50, 75]) for v in values]
    flat = [(x, q[1]) for x, q in zip(places, quartiles, strict=True) if q[0] == q[2]]
    if flat:
        axes.plot(*zip(*flat, strict=True), "s", markersize=3.2, markeredgewidth=0.5, **point)


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
    from matplotlib.patches import Patch

    figure.suptitle(f"{TITLES[name]}\n{repetitions_said(frame)}", fontsize=12, color=INK)
    handles = [
        Patch(facecolor=METHODS[m].colour, edgecolor=INK, linewidth=0.6, label=METHODS[m].label)
        for m in methods_in(frame)
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=len(handles),
        fontsize=9,
        frameon=False,
        handlelength=1.1,
        columnspacing=1.4,
        title=f"Copulas: {POTENTIALS[name]}; RootedForests and SharedForest choose from the "
        "default families.",
        title_fontproperties={"size": 8},
    )
    return figure


def _draw_figures_2_to_4(name: str, frame: pd.DataFrame) -> Figure:
    """Draw the panels of figure 2, 3 or 4: Hamming distance, false edges, precision, recall.

    Parameters
    ----------
    name : str
        Which of the three.
    frame : pandas.DataFrame
        From :func:`reproduce.results.tidy`.
    """
    panels = dict(PANELS)
    if name == "figure2":  # one component: no edge is between components
        del panels["inter_component_false_positives"], panels["n_components"]
    columns = len(panels) // 2
    figure = new_page((5.4 * columns, 7.4), 150)
    methods = methods_in(frame)
    grid = figure.subplots(2, columns).ravel()
    for axes, (metric, label) in zip(grid, panels.items(), strict=True):
        _group_boxes(axes, frame, metric, methods)
        _said(axes, label, "samples")
        if metric in ("precision", "recall"):
            axes.set_ylim(-0.02, 1.03)
        else:
            axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
    if name in TRUE_COMPONENTS:
        low, high = TRUE_COMPONENTS[name]
        grid[-1].axhspan(low - 0.15, high + 0.15, color="#D8D8D8", zorder=1)
        said = f"connected components (truth: {low if low == high else f'{low} or {high}'})"
        _said(grid[-1], said, "samples")
    return _finish(figure, name, frame)


def _draw_figure_5(frame: pd.DataFrame) -> Figure:
    """Draw figure 5: curves for each number of rows in two readings, and boxes of where they end.

    The first row ends, as the paper says, where one in a hundred of the edges found is false; the
    second where one in a hundred of the pairs without an edge has been taken for one.
    """
    sizes = sorted(set(frame.n))
    methods = methods_in(frame)
    figure = new_page((max(3.1 * len(sizes), 9.0), 10.6), 150)
    parts: Any = figure.subfigures(3, 1, height_ratios=(1.15, 1.15, 1.0))
    top, middle, bottom = parts
    for row, draw, said in (
        (top, _draw_to_fdr, "mean over tables, as far as 1 % of the edges found are false"),
        (middle, _draw_to_false, f"mean over tables, as far as {FALSE_EDGES} false edges"),
    ):
        panels = row.subplots(1, len(sizes), sharey=True, sharex=True, squeeze=False)[0]
        for axes, n in zip(panels, sizes, strict=True):
            draw(axes, frame[frame.n == n], methods)
            _said(axes, f"{n} samples", "false edges", "true edges" if n == sizes[0] else "")
            _grid(axes)
        panels[0].set_ylim(bottom=0)
        panels[0].set_xlim(left=-0.015 * panels[0].get_xlim()[1])
        row.suptitle(f"ROC curves, {said}", fontsize=9.5, color=INK)
    left, right = bottom.subplots(1, 2, sharey=True)
    of_paths = frame.dropna(subset=["edges_before_fdr_1_by_presence"])
    for axes, part, suffix, said in (
        (left, frame, "", "by strength along the path, or by probability (solid)"),
        (right, of_paths, "_by_presence", "by presence along the path (dashed)"),
    ):
        _group_boxes(axes, part, f"edges_before_fdr_1{suffix}", methods_in(part))
        height = "true edges before 1 % FDR, each table" if axes is left else ""
        _said(axes, f"pairs ranked {said}", "samples", height, size=9.5)
        axes.tick_params(labelleft=True)
    left.set_ylim(bottom=-0.02 * left.get_ylim()[1])
    return _finish(figure, "figure5", frame)


def _curves(part: pd.DataFrame, method: str, name: str) -> NDArray[np.float64] | None:
    """Stack the curves of a method, where it has some."""
    if name not in part:
        return None
    found = [c for c in part[part.method == method][name] if isinstance(c, list)]
    return np.array(found, dtype=float) if found else None


def _width(k: int) -> float:
    """Make lines that come later thinner, so that one that lies on another hides no colour."""
    return max(4.0 - 0.85 * k, 1.2)


def _draw_to_fdr(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    furthest, highest = 0.05, 0.0
    for k, method in enumerate(methods):
        for suffix, style in STYLES.items():
            curves = _curves(part, method, f"true_edges_by_rank{suffix}")
            if curves is None:
                continue
            false, true = mean_curve(curves)
            furthest, highest = max(furthest, false[-1]), max(highest, true[-1])
            if true[-1] == 0:
                continue  # a dot on the corner would only hide the others
            axes.plot(
                false,
                true,
                linestyle=style,
                color=METHODS[method].colour,
                linewidth=_width(k),
                marker="o",
                markevery=[len(true) - 1],
                markersize=1.5 + 1.5 * _width(k),
                clip_on=False,
            )
    edge = np.array([0.0, furthest * 1.15])
    axes.plot(edge, edge * (1 - FDR) / FDR, color=DATA, linewidth=0.9, linestyle=":", zorder=0)
    axes.annotate(
        "1 % FDR",
        (edge[1] * 0.93, edge[1] * 0.93 * (1 - FDR) / FDR),
        textcoords="offset points",
        xytext=(-4, 4),
        ha="right",
        fontsize=7.5,
        color=DATA,
    )
    if highest == 0:
        axes.text(
            0.97,
            0.04,
            "of the first pairs on the tables\nmore than 1 % are false,\nwhatever the method",
            transform=axes.transAxes,
            ha="right",
            va="bottom",
            fontsize=8,
            color=DATA,
        )


def _draw_to_false(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    for k, method in enumerate(methods):
        for suffix, style in STYLES.items():
            curves = _curves(part, method, f"true_edges_before_false{suffix}")
            if curves is None:
                continue
            mean = curves.mean(axis=0)
            colour = METHODS[method].colour
            false = np.arange(len(mean))
            axes.plot(false, mean, linestyle=style, color=colour, linewidth=0.7 * _width(k))


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
