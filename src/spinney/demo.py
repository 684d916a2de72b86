"""The demonstration that ``make demo`` runs: from the Sachs table to its graph and its report."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from spinney._core import registry as _registry
from spinney.cli import run

__all__ = ["main"]

FOLDER = Path("demo")
JUDGED = """
The columns of the table above:
  probability   by the judge, a small network trained once on simulated tables
                and on real ones to which columns with known neighbours were
                added. Of pairs with 0.8, about 80 in 100 are edges on tables
                like those.
  EF-λ          the founding paper's model, an average over forests of pair
                copulas: the share of its forests that contain the edge.
  SharedForest  one forest for all rows: again a share of forests.
Without --compare only the judge runs, in about two seconds. The founding paper's model alone:
  spinney learn TABLE --estimator forests-lambda
"""
"""What the demonstration says about the default, if it is the judge."""


def main(folder: Path = FOLDER) -> None:
    """Learn the graph of the Sachs table by the command line, and point to its report."""
    console = Console(highlight=False)
    path, results = folder / "sachs.csv", folder / "sachs-graph"
    console.print("Sachs et al. (2005): 853 cells, 11 signalling proteins.\n")
    judged = _registry.DEFAULT == "GraphLearner"
    for words in (
        ["example", "sachs", "--out", str(path), "--quiet", "--force"],
        ["learn", str(path), *(["--compare"] if judged else []), "--out", str(results), "--force"],
    ):
        console.print(f"$ spinney {' '.join(words)}", soft_wrap=True)
        run(words)
    if judged:
        console.print(JUDGED, soft_wrap=True, markup=False)
    # A path must stay in one piece to be copied.
    console.print(f"Open [bold]{results / 'report.html'}[/bold] in a browser.", soft_wrap=True)


if __name__ == "__main__":
    main()
