"""Write the tables of accuracy on levels and gaps from the stored results.

``python -m scripts.make_real_table_accuracy [PAGE]``: means with standard errors and numbers of
repetitions, for the peers (``benchmarks/peers``) and for the package's own methods
(``benchmarks/results/accuracy/tables-reporting``). They replace what stands in `PAGE` between the
marks, or are printed. Methods of which nothing is stored are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from benchmarks._run import RESULTS
from benchmarks.accuracy.cells import TABLE_CELLS
from benchmarks.peers.stored import read_cell

from spinney.reproduce.store import Store

BEGIN, END = "<!-- accuracy begin -->", "<!-- accuracy end -->"
METHODS = {
    "rooted-forests": "RootedForests",
    "shared-forest": "SharedForest",
    "ef-lambda": "ForestsLambda",
    "et": "EnsembleOfTrees",
    "complete-cases": "complete rows, RootedForests",
    "mean-imputation": "means, RootedForests",
    "filled-glasso-ebic": "glasso of codes, eBIC",
    "filled-glasso-stars-0.1": "glasso of codes, StARS",
    "glasso-polychoric-ebic": "glasso, polychoric, eBIC",
    "glasso-polychoric-stars-0.1": "glasso, polychoric, StARS",
    "bdgraph-gcgm": "BDgraph gcgm",
    "huge-glasso-stars": "huge: glasso of codes, StARS",
    "huge-glasso-ebic": "huge: glasso of codes, eBIC",
    "huge-npn-ebic": "huge: npn of codes, eBIC",
}


def stored() -> pd.DataFrame:
    """All repetitions of peers and of the package's own methods that did not fail."""
    peers = [r for cell in TABLE_CELLS for r in read_cell(cell)["results"]]
    path = RESULTS / "accuracy" / "tables-reporting"
    ours = [r for r in Store(path).results().values() if "error" not in r] if path.exists() else []
    return pd.DataFrame(peers + ours)


def shown(values: pd.Series, digits: int) -> str:
    """Mean, standard error and, in brackets, the number of repetitions."""
    known = values.dropna()
    if known.empty:
        return "–"
    error = f" ± {known.sem():.{digits}f}" if len(known) > 1 else ""
    return f"{known.mean():.{digits}f}{error} ({len(known)})"


def table(frame: pd.DataFrame, metric: str, digits: int) -> list[str]:
    """Lay out cells down, methods across."""
    names = {key: label for key, label in METHODS.items() if key in set(frame.method)}
    lines = ["| | n | " + " | ".join(names.values()) + " |", "|---|---|" + "---|" * len(names)]
    kind = ""
    for cell in TABLE_CELLS.values():
        part = frame[frame.cell == cell.name]
        values = [shown(pd.to_numeric(part[part.method == key][metric]), digits) for key in names]
        first = cell.kind if cell.kind != kind else ""
        kind = cell.kind
        lines.append(f"| {first} | {cell.n} | " + " | ".join(values) + " |")
    return [*lines, ""]


def iterations() -> str:
    """Say where BDgraph ran for fewer iterations than elsewhere."""
    told = {
        name: methods["bdgraph-gcgm"]["iterations"]
        for name in TABLE_CELLS
        if "bdgraph-gcgm" in (methods := read_cell(name)["methods"])
    }
    usual = max(told.values(), default=0)
    fewer = [f"{name} ({number:,})" for name, number in told.items() if number < usual]
    said = f"BDgraph with {usual:,} iterations"
    return f"{said}, and fewer on {', '.join(fewer)}." if fewer else f"{said}."


def main() -> None:
    """Replace what stands between the marks, or print."""
    frame = stored()
    text = [
        "Wrong edges, mean ± standard error (repetitions). " + iterations(),
        "",
        *table(frame, "hamming", 1),
        "Average precision:",
        "",
        *table(frame, "average_precision", 2),
        "Seconds of a fit:",
        "",
        *table(frame, "seconds", 1),
    ]
    if len(sys.argv) < 2:
        print("\n".join(text))
        return
    page = Path(sys.argv[1])
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(before + BEGIN + "\n" + "\n".join(text) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
