"""How many rows does an edge need? Simulated tables, by the strength of their edges.

``python docs/figures/rows_needed.py`` writes rows-needed.csv and rows-needed.png beside itself, for
docs/choosing.md; with ``draw`` it only draws the picture again. Tables are Gaussian with 20 columns
and 20 edges, whose partial correlations are drawn from 0.05 to 0.6 with random signs; an edge is
found if the judge gives it more than 1/2. The judge's fingerprint is stored with the numbers.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

from spinney import GraphLearner
from spinney.judge import Judge

HERE = Path(__file__).parent
COLUMNS, TABLES, SEED = 20, 60, 20261116
ROWS = (30, 50, 100, 200, 500, 1000, 2000)
STRENGTHS = (0.1, 0.2, 0.3, 0.4, 0.5)
HALF_WIDTH = 0.05


def precision_matrix(rng: np.random.Generator) -> np.ndarray:
    """Draw partial correlations on a random sparse graph until they belong to a distribution."""
    u, v = np.triu_indices(COLUMNS, 1)
    while True:
        at = rng.choice(len(u), COLUMNS, replace=False)
        partial = np.zeros((COLUMNS, COLUMNS))
        partial[u[at], v[at]] = rng.uniform(0.05, 0.6, len(at)) * rng.choice([-1, 1], len(at))
        precision = np.eye(COLUMNS) - partial - partial.T
        if np.linalg.eigvalsh(precision)[0] > 0.05:
            return precision


def simulate() -> pd.DataFrame:
    """Judge every table at every number of rows; one line per true edge, and the false ones."""
    lines = []
    for table in range(TABLES):
        rng = np.random.default_rng([SEED, table])
        precision = precision_matrix(rng)
        X = rng.standard_normal((max(ROWS), COLUMNS)) @ np.linalg.inv(np.linalg.cholesky(precision))
        u, v = np.triu_indices(COLUMNS, 1)
        strength = np.abs(precision[u, v])
        for n in ROWS:
            model = GraphLearner(n_jobs=1).fit(X[:n])
            kept = model.adjacency_[u, v]
            lines += [(table, n, s, bool(k)) for s, k in zip(strength, kept, strict=True) if s or k]
        print(f"table {table + 1} of {TABLES}", flush=True)
    return pd.DataFrame(lines, columns=["table", "rows", "strength", "kept"])


def summarise(lines: pd.DataFrame) -> pd.DataFrame:
    """Share of edges found near each strength, with its standard error over tables."""
    result = []
    for n, these in lines.groupby("rows"):
        found = {"rows": n}
        for s in STRENGTHS:
            near = these[(these["strength"] - s).abs() <= HALF_WIDTH]
            share = near["kept"].mean()
            # Edges of one table are not independent: residuals are summed by table.
            sums = (near["kept"] - share).groupby(near["table"]).sum()
            found[f"found_{s:g}"] = share
            found[f"error_{s:g}"] = np.sqrt((sums**2).sum()) / len(near)
            found[f"edges_{s:g}"] = len(near)
        kept = these[these["kept"]]
        found["false_share"] = (kept["strength"] == 0).mean() if len(kept) else np.nan
        found["kept_per_table"] = len(kept) / TABLES
        result.append(found)
    return pd.DataFrame(result)


def draw(summary: pd.DataFrame) -> None:
    """Draw found edges against rows, a line per strength."""
    mpl.use("agg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"font.size": 11, "svg.hashsalt": "spinney"})
    figure, ax = plt.subplots(figsize=(7.2, 4.0))
    colours = plt.get_cmap("viridis")(np.linspace(0.85, 0.1, len(STRENGTHS)))
    for s, colour in zip(STRENGTHS, colours, strict=True):
        share, error = summary[f"found_{s:g}"], summary[f"error_{s:g}"]
        ax.errorbar(
            *(summary["rows"], share, error),
            color=colour,
            marker="o",
            ms=4,
            capsize=2,
            label=f"{s:g}",
        )
    ax.set_xscale("log")
    ax.set_xticks(ROWS, [str(n) for n in ROWS])
    ax.minorticks_off()
    ax.set(xlabel="rows", ylabel="share of edges found", ylim=(-0.02, 1.04))
    ax.legend(title="partial correlation", reverse=True, frameon=False, bbox_to_anchor=(1.0, 0.9))
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "rows-needed.png", dpi=160, bbox_inches="tight")


if __name__ == "__main__":
    target = HERE / "rows-needed.csv"
    if "draw" not in sys.argv:
        found = summarise(simulate()).assign(judge=Judge.load().fingerprint)
        found.to_csv(target, index=False, float_format="%.4f", lineterminator="\n")
    draw(pd.read_csv(target))
