"""Write the tables of docs/accuracy.md from the stored results.

Means with standard errors, for the peers (``benchmarks/peers``) and for the package's own methods
(``benchmarks/results/accuracy/reporting``); run as ``python -m scripts.make_accuracy_tables``. It
also writes what the page says about levels and gaps (:mod:`scripts.make_accuracy_tables_real`).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from benchmarks._run import RESULTS
from benchmarks.accuracy import report
from benchmarks.accuracy.cells import CELLS, KINDS, ROWS
from benchmarks.peers.stored import read_cell
from scripts import make_accuracy_tables_real

from reproduce.runner import Store

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- tables begin -->", "<!-- tables end -->"

PICTURE = PAGE.parent / "images" / "accuracy.png"
DRAWN = {
    "rooted-forests": "RootedForests",
    "huge-glasso-stars": "huge: glasso, StARS",
    "shared-forest": "SharedForest",
    "et": "EnsembleOfTrees",
    "ef-lambda": "ForestsLambda",
    "huge-mb-stars": "huge: mb, StARS",
    "bdgraph-ggm": "BDgraph",
}

PEERS = {
    "huge-glasso-stars": "glasso, StARS 0.1",
    "huge-glasso-stars-0.05": "glasso, StARS 0.05",
    "huge-glasso-ric": "glasso, RIC",
    "huge-glasso-ebic": "glasso, eBIC",
    "huge-npn-stars": "npn, StARS",
    "huge-mb-stars": "mb, StARS",
    "huge-mb-ric": "mb, RIC",
    "bdgraph-ggm": "BDgraph ggm",
    "bdgraph-gcgm": "BDgraph gcgm",
}
OURS = {
    "ef-lambda": "ForestsLambda",
    "et": "EnsembleOfTrees",
    "rooted-forests": "RootedForests",
    "shared-forest": "SharedForest",
    "glasso-stars-0.1": "glasso, StARS 0.1",
    "nonparanormal-stars-0.1": "npn, StARS 0.1",
    "neighbourhood-stars-0.1": "neighbourhood, StARS",
    "chow-liu-copulas": "Chow–Liu, copulas",
    "partial-correlation-fdr": "partial correlation",
}


def peers() -> pd.DataFrame:
    """All repetitions of the peers."""
    return pd.DataFrame([r for cell in CELLS for r in read_cell(cell)["results"]])


def ours() -> pd.DataFrame:
    """All repetitions of the package's own methods."""
    return pd.DataFrame(Store(RESULTS / "accuracy" / "reporting").results().values())


def mean_and_error(values: pd.Series, digits: int = 1) -> str:
    """Write a mean with its standard error."""
    if not len(values.dropna()):
        return "–"
    return f"{values.mean():.{digits}f} ± {values.sem():.{digits}f}"


def table(frame: pd.DataFrame, names: dict[str, str], metric: str, digits: int) -> list[str]:
    """Lay out cells down, methods across."""
    lines = ["| | n | " + " | ".join(names.values()) + " |", "|---|---|" + "---|" * len(names)]
    for kind in KINDS:
        for n in ROWS[kind]:
            part = frame[frame.cell == f"{kind}-{n}"]
            values = [
                mean_and_error(pd.to_numeric(part[part.method == name][metric]), digits)
                for name in names
            ]
            lines.append(
                f"| {kind if n == ROWS[kind][0] else ''} | {n} | " + " | ".join(values) + " |"
            )
    return [*lines, ""]


def times(frame: pd.DataFrame) -> list[str]:
    """Seconds of the peers as a user waits for them, and BDgraph's on all repetitions."""
    as_users = frame[frame.collect_garbage]
    lines = [
        "| | 25 nodes, n = 50 | n = 100 | n = 500 | 80 nodes, n = 50 |",
        "|---|---|---|---|---|",
    ]
    for name, label in PEERS.items():
        part = as_users[as_users.method == name]
        cells = [
            part[part.cell.isin([f"{k}-{n}" for k in KINDS if k != "wide"])] for n in (50, 100, 500)
        ]
        shown = [mean_and_error(c.seconds) for c in cells]
        wide = part[part.cell == "wide-50"].seconds
        lines.append(f"| {label} | " + " | ".join(shown) + f" | {wide.mean():.1f} |")
    return [*lines, ""]


def draw(known: pd.DataFrame, own: pd.DataFrame) -> None:
    """Draw wrong edges of a few methods over all cells."""
    everything = pd.concat([own, known.assign(kind="result", run="")])
    records = everything[everything.method.isin(DRAWN)].to_dict("records")
    means = report.summary(report.tidy(records), "hamming")
    order = {name: place for place, name in enumerate(DRAWN)}
    means = means.sort_values("method", key=lambda names: names.map(order), kind="stable")
    report.draw(means.replace({"method": DRAWN}), "hamming").savefig(PICTURE)


def main() -> None:
    """Replace what stands between the marks."""
    known, own = peers(), ours()
    draw(known, own)
    versions = read_cell("connected-50")["versions"]
    said = ", ".join(f"{name} {number}" for name, number in versions.items())
    n_peers = known.groupby(["cell", "method"]).size()
    n_ours = own[own.method.isin(OURS)].groupby("method").seed.nunique()
    text = [
        f"**R packages** ({said}): wrong edges, mean ± standard error of {n_peers.min()} "
        "repetitions (`benchmarks/peers/*.json`). StARS with 10 subsamples, RIC with 20 rotations, "
        "eBIC with γ = 0.5, BDgraph with 5,000 iterations and a cut at ½.",
        "",
        *table(known, PEERS, "hamming", 1),
        "Average precision of their rankings (posterior probabilities; mean strength along the "
        "path):",
        "",
        *table(
            known,
            {
                k: PEERS[k]
                for k in (
                    "huge-glasso-stars",
                    "huge-npn-stars",
                    "huge-mb-stars",
                    "bdgraph-ggm",
                    "bdgraph-gcgm",
                )
            },
            "average_precision",
            2,
        ),
        "Seconds of a fit, R as a user has it, on the first repetition of each cell (9 tables a "
        "column, one of 80 nodes), two processes on two cores with other work beside them:",
        "",
        *times(known),
        f"**The package's own methods**, default families, on the same tables: wrong edges, mean ± "
        f"standard error of {n_ours.min()} (baselines) or {n_ours.max()} (forests) repetitions.",
        "",
        *table(own, OURS, "hamming", 1),
        "Average precision:",
        "",
        *table(own, OURS, "average_precision", 2),
    ]
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(text) + END + after, encoding="utf-8")
    make_accuracy_tables_real.main([])


if __name__ == "__main__":
    main()
