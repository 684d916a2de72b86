"""The demonstration that ``make demo`` runs: from the Sachs table to its graph and its report."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from spinney.cli import run

__all__ = ["main"]

FOLDER = Path("demo")
EXPLAINED = """
The probability of an edge comes from the judge: small neural networks that were trained on
simulated tables, and on real tables to which columns with known neighbours were added. On such
tables, about 80 in 100 of the pairs with a probability of 0.8 are edges.
The founding paper's model:
  spinney learn TABLE --estimator forests-lambda
"""


def main(folder: Path = FOLDER) -> None:
    """Learn the graph of the Sachs table by the command line, and point to its report."""
    console = Console(highlight=False)
    path, results = folder / "sachs.csv", folder / "sachs-graph"
    console.print("Sachs et al. (2005): 853 cells, 11 signalling proteins.\n")
    for words in (
        ["example", "sachs", "--out", str(path), "--quiet", "--force"],
        ["learn", str(path), "--out", str(results), "--force"],
    ):
        console.print(f"$ spinney {' '.join(words)}", soft_wrap=True)
        run(words)
    console.print(EXPLAINED, soft_wrap=True, markup=False)
    # A path must stay in one piece to be copied.
    console.print(f"Open [bold]{results / 'report.html'}[/bold] in a browser.", soft_wrap=True)


if __name__ == "__main__":
    main()
