"""The demonstration that ``make demo`` runs: the graph of the Sachs table, and its pair copulas."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from spinney import _registry
from spinney._files import whole_file
from spinney.cli import run
from spinney.copulas.pair_copulas import PairCopulas
from spinney.datasets import load_sachs
from spinney.marginals import pseudo_observations
from spinney.plotting import plot_pairs

__all__ = ["main"]

FOLDER = Path("demo")
STRONGEST = 12
JUDGED = """
What stands beside each edge:
  probability   the judge's: a small network over the evidence of all pairs,
                trained once on simulated tables whose graphs are known. Of
                pairs with 0.8, about eight in ten are edges on such tables.
  EF-λ          the founding paper's model: an average over forests of pair
                copulas, weak weights cut off by a penalty. Its number is the
                share of its forests that hold the edge.
  SharedForest  one forest for all rows, averaged over by its posterior; the
                number is a share of forests, too.
Forests are the evidence, the network is the judge, and each can be had alone:
  spinney learn TABLE --estimator forests-lambda
"""
"""What the demonstration says of the default, if that is the judge."""


def main(folder: Path = FOLDER) -> None:
    """Learn the graph of the Sachs table by the command line, and draw its strongest pairs."""
    console = Console(highlight=False)
    X = load_sachs().X
    path = folder / "sachs.csv"
    with whole_file(path) as temporary:
        X.to_csv(temporary, index=False, lineterminator="\n")
    words = ["learn", str(path), "--out", str(folder / "sachs-graph"), "--force"]
    console.print(
        f"Sachs et al. (2005): {len(X)} cells, {X.shape[1]} signalling proteins.\n"
        "The first run compiles kernels, which takes up to a minute; later runs do not.\n\n"
        f"$ spinney {' '.join(words)}",
        soft_wrap=True,
    )
    run(words)
    if _registry.DEFAULT == "GraphLearner":
        console.print(JUDGED, soft_wrap=True, markup=False)

    U = pseudo_observations(X)
    pairs = PairCopulas(n_jobs=-1).fit(U)
    best = pairs.table_.nlargest(STRONGEST, "held_out_log_density")
    chosen = list(zip(best.u, best.v, strict=True))
    picture = folder / "pairs.png"
    figure = plot_pairs(pairs, U, chosen, columns=4, title="Sachs proteins: fitted pair copulas")
    with whole_file(picture) as temporary:
        figure.savefig(temporary)
    console.print(
        f"{picture}  the {STRONGEST} strongest pairs, with the contours of their copulas\n\n"
        f"Look at [bold]{folder / 'sachs-graph' / 'graph.png'}[/bold] first, "
        f"then at [bold]{picture}[/bold].",
        soft_wrap=True,  # a path must stay in one piece to be copied
    )


if __name__ == "__main__":
    main()
