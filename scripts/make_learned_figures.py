"""Pictures of docs/accuracy.md: wrong edges over the cells, and reliability diagrams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.accuracy import report
from benchmarks.learned import cells
from benchmarks.learned.calibration import table
from matplotlib.figure import Figure
from scripts.make_learned_words import GROUPS

from benchmarks import _run
from spinney._core.files import whole_file
from spinney.graph.plots import plot_reliability
from spinney.graph.plots.style import INK

DRAWN = {
    "learned": "judge",
    "bdgraph-ggm": "BDgraph",
    "shared-forest": "SharedForest",
    "rooted-forests": "RootedForests",
    "chow-liu-gaussian": "Chow–Liu",
    "huge-mb-ric": "huge: mb, RIC",
    "ef-lambda": "ForestsLambda",
}
FEWEST = 20
"""Pairs that a bin must have to be drawn."""
COLUMNS = 5


def draw(sections: dict[str, Any], folder: Path) -> None:
    """Draw what there are results for."""
    if "truths" in sections.get("cells", {}):
        _save(wrong_edges(), folder / "judge_cells.png")
    if "truths" in sections.get("calibration", {}):
        _save(diagrams(sections["calibration"]), folder / "judge_reliability.png")


def wrong_edges() -> Figure:
    """Draw wrong edges of a few methods over the continuous cells."""
    frame = cells.records("truths", _run.RESULTS)
    drawn = frame[frame.method.isin(DRAWN)].assign(kind="result")
    means = report.summary(report.tidy(drawn.to_dict("records")), "hamming")
    order = {name: place for place, name in enumerate(DRAWN)}
    means = means.sort_values("method", key=lambda names: names.map(order), kind="stable")
    return report.draw(means.replace({"method": DRAWN}), "hamming")


def diagrams(found: dict[str, Any]) -> Figure:
    """Draw one diagram for each group, kind, number of rows and of columns."""
    panels = {}
    for group, words in GROUPS.items():
        part = found.get(group)
        if part:
            panels[words] = part["all"]
            for by in ("by_n", "by_d", "by_kind"):
                if len(part.get(by, ())) < 2:
                    continue  # one would be the panel of all again
                short = "" if group == "truths" else f" ({group})"
                panels |= {f"{label}{short}": one for label, one in part[by].items()}
    lines = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(2.6 * COLUMNS, 2.7 * lines), dpi=130, layout="constrained")
    axes = figure.subplots(lines, COLUMNS, squeeze=False).ravel()
    for axis, (label, one) in zip(axes, panels.items(), strict=False):
        bins = table(one["bins"])
        plot_reliability(bins[bins["count"] >= FEWEST], axis)
        axis.set(xlabel="", ylabel="")
        axis.set_title(f"{label}: {one['error']:.4f}", fontsize=8, color=INK)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    figure.supxlabel("mean probability of the pairs", fontsize=9, color=INK)
    figure.supylabel("share that are edges", fontsize=9, color=INK)
    return figure


def _save(figure: Figure, path: Path) -> None:
    with whole_file(path) as temporary:
        figure.savefig(temporary, format="png")
