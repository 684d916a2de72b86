"""The tidy table of all repetitions, a summary of means, and one picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from rich.table import Table

from benchmarks.accuracy.cells import ALL_CELLS, ALL_KINDS
from reproduce.runner import Record
from spinney._core.files import whole_file
from spinney.exceptions import InputError
from spinney.graph.plots.style import INK, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS = {
    "hamming": "wrong edges",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "false_positives": "false edges",
    "inter_component_false_positives": "false edges between components",
    "n_components": "components",
    "average_precision": "average precision",
    "edges_before_fdr_1": "true edges before 1 % FDR",
    "edges_before_fdr_10": "true edges before 10 % FDR",
    "best_cut_hamming": "wrong edges at the best cut",
    "calibration_error": "expected calibration error",
    "seconds": "seconds",
}
"""What can be drawn and summarised, with its name on an axis."""

# Okabe and Ito (2008), without the yellow that is lost on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#222222")
MARKERS = "os^Dv<>"


def tidy(records: Iterable[Record]) -> pd.DataFrame:
    """Make one row per finished repetition; failures are left out.

    Raises
    ------
    InputError
        If methods saw different tables for the same cell and seed, because a simulator has
        changed between runs.
    """
    rows = [
        {"kind_of_truth": ALL_CELLS[r["cell"]].kind, "n": ALL_CELLS[r["cell"]].n, **r}
        for r in records
        if r["kind"] == "result" and "error" not in r
    ]
    if not rows:
        return pd.DataFrame(columns=["cell", "kind_of_truth", "n", "method", "seed", *METRICS])
    frame = pd.DataFrame(rows).drop(columns=["kind", "warnings"], errors="ignore")
    tables = frame.groupby(["cell", "seed"])["table"].nunique()
    if (tables > 1).any():
        cell, seed = tables.index[tables.argmax()]
        raise InputError(
            f"Results of cell '{cell}', seed {seed}, are on different tables: the simulator has "
            "changed. Run the older methods again with --fresh."
        )
    first = ["cell", "kind_of_truth", "n", "method", "seed"]
    frame = frame[first + [name for name in frame.columns if name not in first]]
    order = {name: k for k, name in enumerate(ALL_CELLS)}
    frame = frame.sort_values(
        first[:1] + first[3:], key=lambda c: c.map(order) if c.name == "cell" else c
    )
    return frame.reset_index(drop=True)


def summary(frame: pd.DataFrame, metric: str = "hamming") -> pd.DataFrame:
    """Mean, standard error and number of repetitions by cell and method."""
    if metric not in METRICS:
        raise InputError(f"There is no metric '{metric}'. Choose from: {', '.join(METRICS)}.")
    values = frame.assign(value=pd.to_numeric(frame[metric]))
    grouped = values.groupby(["cell", "kind_of_truth", "n", "method"], sort=False)["value"]
    return grouped.agg(mean="mean", standard_error="sem", repetitions="count").reset_index()


def summary_table(means: pd.DataFrame, metric: str) -> Table:
    """Lay means ± standard errors out for the terminal: cells down, methods across."""
    names = list(dict.fromkeys(means.method))
    table = Table(title=f"{METRICS[metric]}: mean ± standard error")
    table.add_column("cell")
    for name in names:
        table.add_column(name, justify="right")
    for cell in dict.fromkeys(means.cell):
        rows = means[means.cell == cell].set_index("method")
        table.add_row(cell, *(_shown(rows, name) for name in names))
    return table


def _shown(rows: pd.DataFrame, name: str) -> str:
    if name not in rows.index or rows.repetitions[name] == 0:
        return "–"
    error = rows.standard_error[name]
    return f"{rows['mean'][name]:.3g}" + (f" ± {error:.2g}" if np.isfinite(error) else "")


def draw(means: pd.DataFrame, metric: str) -> Figure:
    """Draw one panel per kind of truth: mean ± standard error against rows, a line per method."""
    from matplotlib.figure import Figure  # here: only a run with results needs it

    means = means[means.repetitions > 0]
    kinds = [kind for kind in ALL_KINDS if kind in set(means.kind_of_truth)]
    columns = min(5, max(len(kinds), 1))
    lines = max(-(-len(kinds) // columns), 1)
    size = (1.2 + 2.3 * columns, 0.9 + 2.1 * lines)
    figure = Figure(figsize=size, dpi=160, layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    names = list(dict.fromkeys(means.method))
    for axes, kind in zip(panels, kinds, strict=False):
        for k, name in enumerate(names):
            part = means[(means.kind_of_truth == kind) & (means.method == name)].sort_values("n")
            axes.errorbar(
                part.n,
                part["mean"],
                yerr=part.standard_error.fillna(0.0),
                color=COLOURS[k % len(COLOURS)],
                marker=MARKERS[k % len(MARKERS)],
                markersize=4,
                linewidth=1.2,
                capsize=2,
                label=name,
            )
        rows = sorted(set(means[means.kind_of_truth == kind].n))
        axes.set_xscale("log")
        axes.set_xticks(rows, [str(n) for n in rows])
        axes.minorticks_off()
        axes.set_xlim(rows[0] / 1.4, rows[-1] * 1.4)
        axes.set_ylim(bottom=0)
        axes.set_title(kind, fontsize=9, color=INK)
        quiet(axes)
    for axes in panels[len(kinds) :]:
        axes.set_visible(False)
    figure.supxlabel("rows", fontsize=9, color=INK)
    figure.supylabel(METRICS[metric], fontsize=9, color=INK)
    if kinds:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=4, fontsize=8, frameon=False
        )
    return figure


def write(frame: pd.DataFrame, folder: Path, metric: str = "hamming") -> tuple[Path, Path]:
    """Write the tidy table and the picture beside the records."""
    table, picture = folder / "results.csv", folder / f"{metric}.png"
    with whole_file(table) as temporary:
        frame.to_csv(temporary, index=False)
    with whole_file(picture) as temporary:
        draw(summary(frame, metric), metric).savefig(temporary)
    return table, picture
