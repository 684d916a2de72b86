"""The demonstration that ``make demo`` runs: all pairs of the Sachs table.

A later version learns the whole graph; for now it shows the pair copulas that a graph is learned
from.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from spinney._files import whole_file
from spinney.copulas.pair_copulas import PairCopulas
from spinney.datasets import load_sachs
from spinney.marginals import pseudo_observations
from spinney.plotting import describe, plot_pairs

__all__ = ["main"]

FOLDER = Path("demo")
STRONGEST = 12


def main(folder: Path = FOLDER) -> None:
    """Fit all pairs of the Sachs table, print the strongest and draw them on one page."""
    console = Console()
    X = load_sachs().X
    console.print(
        f"Sachs et al. (2005): {len(X)} cells, {X.shape[1]} signalling proteins.\n"
        "Fitting a copula to each of the "
        f"{X.shape[1] * (X.shape[1] - 1) // 2} pairs."
    )
    U = pseudo_observations(X)
    with console.status("Compiling kernels (some twenty seconds, the first time only) …"):
        PairCopulas().fit(U.iloc[:, :2])
    start = perf_counter()
    pairs = PairCopulas(n_jobs=-1).fit(U)
    took = perf_counter() - start

    strongest = pairs.table_.nlargest(STRONGEST, "held_out_log_density")
    table = Table(title="Strongest pairs, by held-out log-density per cell")
    for heading in ("pair", "copula", "Kendall's tau", "held-out log-density"):
        table.add_column(heading, justify="right" if heading[0] in "Kh" else "left")
    chosen = list(zip(strongest.u, strongest.v, strict=True))
    for (u, v), density in zip(chosen, strongest.held_out_log_density, strict=True):
        copula = pairs.copula(u, v)
        name = describe(copula, tau=False)
        table.add_row(f"{u} – {v}", name, f"{copula.tau:+.2f}", f"{density:.3f}")
    console.print(table)
    independent = int((pairs.table_.family == "independence").sum())
    console.print(
        f"{independent} of {len(pairs.table_)} pairs are best left independent. "
        f"Fitted in {took:.2f} s."
    )

    picture, csv = folder / "pairs.png", folder / "pairs.csv"
    figure = plot_pairs(pairs, U, chosen, columns=4, title="Sachs proteins: fitted pair copulas")
    with whole_file(picture) as temporary:
        figure.savefig(temporary)
    with whole_file(csv) as temporary:
        pairs.table_.to_csv(temporary, index=False)
    console.print(
        f"\nLook at [bold]{picture}[/bold] (one page of contours over the data)\n"
        f"and at  [bold]{csv}[/bold] (every pair with family, parameters and tau).",
        soft_wrap=True,  # a path must stay in one piece to be copied
    )


if __name__ == "__main__":
    main()
