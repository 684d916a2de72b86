"""Draw what the world draws: ``python -m scripts.make_world``.

Three pictures for ``docs/images``: graphs (``world-graphs.png``), pairs of columns
(``world-pairs.png``) and how sizes, edges, strengths and kinds are spread
(``world-numbers.png``).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import special, stats
from training.world.motifs import MOTIFS

from spinney._core.pairs import pair_nodes
from spinney.exceptions import DataWarning
from spinney.graph.plots.layout import lay_out_graph
from spinney.graph.plots.style import DATA, INK, LINES, quiet
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import Simulated
from training.world import World

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FIRST_SEED = 9_900_000
"""Seeds of the validation of training: nothing is learned from them."""
N_COUNTED = 3000
"""Tables behind the distributions."""
N_MEASURED = 600
"""Tables among them whose pairs are measured."""
PAIRS_PER_TABLE = 6
N_LOOKED = 15
"""Tables in which a pair is sought that shows something."""
COLUMNS = 4
PALE = "#9DB9CC"
WORDS = {"gaps": "missing values"}


def tables(first: int = FIRST_SEED) -> Iterator[Simulated]:
    """Draw one table after the other."""
    world = World()
    return (drawn(world, seed) for seed in count(first))


@lru_cache(maxsize=8000)
def drawn(world: World, seed: int) -> Simulated:
    """Draw a table once."""
    return world.draw(seed)


# ---- graphs ------------------------------------------------------------------------------------


def graphs() -> Figure:
    """Draw the first table of every kind of graph."""
    chosen = _one_of_each()
    rows = -(-len(chosen) // COLUMNS)
    figure = Figure(figsize=(8.0, 1.9 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS).ravel()
    for axes, table in zip(panels, chosen, strict=False):
        _graph(axes, table)
    for axes in panels[len(chosen) :]:
        axes.axis("off")
    return figure


def _one_of_each() -> list[Simulated]:
    """Take the first table of each kind that a small picture can hold; motifs are other kinds."""
    seen: dict[str, Simulated] = {}
    for table in islice(tables(), 600):
        kind = table.parameters["graph"]
        if 6 <= table.X.shape[1] <= 40 and table.n_edges and kind not in MOTIFS:
            seen.setdefault(kind, table)
    return [seen[kind] for kind in sorted(seen)]


def _graph(axes: Axes, table: Simulated) -> None:
    d = table.X.shape[1]
    graph = nx.from_numpy_array(table.adjacency.astype(int))
    place = lay_out_graph(graph).positions
    u, v = np.nonzero(np.triu(table.adjacency))
    width = 1.1 if len(u) < 90 else 0.6
    for a, b in zip(u, v, strict=True):
        axes.plot(*place[[a, b]].T, color=LINES, linewidth=width, alpha=0.75, zorder=1)
    alone = ~table.adjacency.any(axis=1)
    size = float(np.clip(600 / d, 7, 26))
    axes.scatter(*place.T, s=size, c=np.where(alone, DATA, INK), linewidths=0, zorder=2)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.axis("off")
    axes.set_title(table.parameters["graph"], fontsize=9, color=INK, fontweight="bold", pad=3)
    words = f"{d} columns, {len(table.X):,} rows"
    axes.text(0.5, -0.02, words, transform=axes.transAxes, ha="center", va="top", fontsize=8)


# ---- pairs -------------------------------------------------------------------------------------


class Example(NamedTuple):
    """What a pair of columns should show, which tables and pairs do, and whether by scores."""

    title: str
    fits: Callable[[dict[str, Any]], bool]
    interest: Callable[[NDArray[np.float64]], float]
    scores: bool = False


def _strength(pair: NDArray[np.float64]) -> float:
    """Prefer pairs that are clearly but not perfectly dependent."""
    return -abs(abs(_moments(pair)[0]) - 0.75)


def _moments(pair: NDArray[np.float64]) -> tuple[float, float, float]:
    """Correlation of scores, of squared scores beyond it, and of scores with squares."""
    scores = special.ndtri(pseudo_observations(pair))
    squares = scores**2
    r = float(np.corrcoef(scores.T)[0, 1])
    bends = [np.corrcoef(scores[:, a], squares[:, 1 - a])[0, 1] for a in (0, 1)]
    return r, float(np.corrcoef(squares.T)[0, 1]) - r**2, float(np.abs(bends).max())


def _bend(pair: NDArray[np.float64]) -> float:
    """Prefer pairs whose dependence is not one of order."""
    r, _, bend = _moments(pair)
    return bend - abs(r)


def _corner(pair: NDArray[np.float64]) -> float:
    r, _, bend = _moments(pair)
    return bend - abs(abs(r) - 0.6)


def _corners(pair: NDArray[np.float64]) -> float:
    r, squares, bend = _moments(pair)
    return squares - bend - abs(abs(r) - 0.5)


def _no_corner(pair: NDArray[np.float64]) -> float:
    r, squares, bend = _moments(pair)
    return -squares - bend - 0.3 * abs(abs(r) - 0.8)


def _mixed(told: dict[str, Any]) -> bool:
    return told["density"] == "copulas" and bool(told["details"].get("mixed"))


def _starts(law: str, spoils: Sequence[str] = ()) -> Callable[[dict[str, Any]], bool]:
    """Tables of a law with these spoils; signs and gaps do not show in a picture."""
    return lambda told: (
        told["density"].startswith(law) and set(told["spoils"]) - _HARMLESS == set(spoils)
    )


_HARMLESS = {"negation", "gaps"}
EXAMPLES = (
    Example("Gaussian", _starts("gaussian"), _strength),
    Example("Student values", _starts("student ("), _strength),
    Example("copulas: one corner", _starts("copulas"), _corner, scores=True),
    Example("copulas: both corners", _starts("copulas"), _corners, scores=True),
    Example("copulas: no corner", _starts("copulas"), _no_corner, scores=True),
    Example("a mixture of copulas", _mixed, _strength, scores=True),
    Example("curved causes", _starts("curved"), _strength),
    Example("curved, not monotone", _starts("curved"), _bend),
    Example("hidden causes", _starts("gaussian (hidden"), _strength),
    Example("with a floor", _starts("gaussian", ["floor"]), _strength),
    Example("with swelling", _starts("gaussian", ["swelling"]), _strength),
    Example("with outliers", _starts("gaussian", ["outliers"]), _strength),
    Example("with rounding", _starts("gaussian", ["rounding"]), _strength),
    Example("with bent margins", _starts("gaussian", ["margins"]), _strength),
    Example("cut into levels", _starts("gaussian", ["levels"]), _strength),
    Example("an Ising field", _starts("ising"), _strength),
)


def pairs() -> Figure:
    """Draw one pair of joined columns for each way of drawing and spoiling values."""
    rows = len(EXAMPLES) // COLUMNS
    figure = Figure(figsize=(8.0, 1.9 * rows), layout="constrained")
    for axes, example in zip(figure.subplots(rows, COLUMNS).flat, EXAMPLES, strict=True):
        _pair(axes, example, *_find(example))
    return figure


def _find(example: Example) -> tuple[Simulated, NDArray[np.float64]]:
    """Find the best pair among the first few tables that fit."""
    best: tuple[float, Simulated, NDArray[np.float64]] | None = None
    fitting = (t for t in islice(tables(), N_COUNTED) if 120 <= len(t.X) <= 2000 and t.n_edges)
    for table in islice((t for t in fitting if example.fits(t.parameters)), N_LOOKED):
        for u, v in zip(*np.nonzero(np.triu(table.adjacency)), strict=True):
            pair = table.X[:, [u, v]]
            whole = pair[~np.isnan(pair).any(axis=1)]
            if len(whole) < 100 or (whole.std(axis=0) == 0).any():
                continue
            if example.scores:
                whole = special.ndtri(pseudo_observations(whole))
            score = example.interest(whole)
            if best is None or score > best[0]:
                best = (score, table, whole)
    if best is None:
        raise SystemExit(f"No table of the world shows '{example.title}'.")
    return best[1], best[2]


def _pair(axes: Axes, example: Example, table: Simulated, pair: NDArray[np.float64]) -> None:
    shown = pair.copy()
    rng = np.random.default_rng(0)
    for k in range(2):
        if len(np.unique(pair[:, k])) <= 12:  # levels: spread points that would hide each other
            step = np.diff(np.unique(pair[:, k])).min()
            shown[:, k] += rng.uniform(-0.28, 0.28, len(pair)) * step
    axes.scatter(*shown.T, s=3.5, color=LINES, alpha=0.45, linewidths=0, rasterized=True)
    low, high = shown.min(axis=0), shown.max(axis=0)
    pad = 0.07 * (high - low)
    axes.set_xlim(low[0] - pad[0], high[0] + pad[0])
    axes.set_ylim(low[1] - pad[1], high[1] + pad[1])
    axes.set_xticks([])
    axes.set_yticks([])
    quiet(axes)
    axes.set_title(example.title, fontsize=9, color=INK, fontweight="bold", pad=3)
    tau = stats.kendalltau(*pair.T).statistic
    axes.set_xlabel(f"{len(pair):,} rows, tau = {tau:+.2f}", fontsize=8, color=INK, labelpad=2)


# ---- numbers -----------------------------------------------------------------------------------


def numbers() -> Figure:
    """Draw how sizes, edges, strengths, graphs, values and spoils are spread."""
    sample = list(islice(tables(), N_COUNTED))
    figure = Figure(figsize=(8.6, 7.4), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.75])
    d = np.array([table.X.shape[1] for table in sample])
    n = np.array([len(table.X) for table in sample])
    edges = np.array([table.n_edges for table in sample])
    size, per_node, strength = upper.subplots(1, 3)
    _sizes(size, d, n)
    _edges_per_node(per_node, edges / d)
    _strengths(strength, sample[:N_MEASURED])
    graphs, values, spoiled = lower.subplots(1, 3)
    told = [table.parameters for table in sample]
    _bars(graphs, Counter(t["graph"] for t in told), len(sample), "kind of graph")
    laws = Counter(_short_law(t["density"]) for t in told)
    _bars(values, laws, len(sample), "how values are drawn")
    spoils = Counter(WORDS.get(name, name) for t in told for name in t["spoils"])
    spoils["nothing"] = sum(not t["spoils"] for t in told)
    _bars(spoiled, spoils, len(sample), "what happens to values")
    return figure


def _short_law(law: str) -> str:
    """Two laws in one table are one kind, and so are rows that depend; details are left out."""
    if " and " in law:
        return "two laws"
    return "dependent rows" if ": " in law else law.split(" (")[0]


def _sizes(axes: Axes, d: NDArray[np.int64], n: NDArray[np.int64]) -> None:
    jitter = np.random.default_rng(0).uniform(-0.35, 0.35, len(d))
    axes.scatter(d + jitter, n, s=4, color=LINES, alpha=0.35, linewidths=0, rasterized=True)
    axes.set_xscale("log")
    axes.set_yscale("log")
    columns = [2, 5, 10, 25, 50, 100, 300]
    axes.set_xticks(columns, labels=[str(d) for d in columns])
    rows = [10, 100, 1000, 10_000]
    axes.set_yticks(rows, labels=[f"{n:,}" for n in rows])
    axes.minorticks_off()
    _name(axes, "sizes of tables", "columns d", "rows n")


def _edges_per_node(axes: Axes, ratio: NDArray[np.float64]) -> None:
    bins = np.linspace(0, 5, 41)
    axes.hist(np.minimum(ratio, bins[-1]), bins=bins.tolist(), color=PALE, linewidth=0)
    ticks = [0, 1, 2, 3, 4, 5]
    axes.set_xticks(ticks, labels=[*map(str, ticks[:-1]), "5+"])
    _name(axes, "edges", "edges per node", "tables")


def _strengths(axes: Axes, sample: list[Simulated]) -> None:
    """Draw tau of joined and of other pairs, a few of each table."""
    rng = np.random.default_rng(1)
    found: dict[bool, list[float]] = {True: [], False: []}
    for table in sample:
        u, v = pair_nodes(table.X.shape[1])
        joined = table.adjacency[u, v]
        for kind in found:
            places = np.flatnonzero(joined == kind)
            chosen = rng.choice(places, min(PAIRS_PER_TABLE, len(places)), replace=False)
            found[kind] += [_tau(table.X[:, [u[k], v[k]]]) for k in chosen]
    bins = np.linspace(0, 1, 41).tolist()
    for kind, color, words in ((False, DATA, "other pairs"), (True, LINES, "pairs with an edge")):
        taus = np.abs(np.array(found[kind]))
        taus = taus[np.isfinite(taus)]
        axes.hist(taus, bins, density=True, color=color, alpha=0.3, linewidth=0)
        axes.hist(
            taus, bins, density=True, color=color, histtype="step", linewidth=1.3, label=words
        )
    axes.set_yscale("log")
    axes.legend(fontsize=8, frameon=False)
    _name(axes, "strengths in the table", "absolute value of Kendall's tau", "density")


def _tau(pair: NDArray[np.float64]) -> float:
    whole = pair[~np.isnan(pair).any(axis=1)]
    if len(whole) < 2 or (np.ptp(whole, axis=0) == 0).any():
        return float("nan")
    return float(stats.kendalltau(*whole.T).statistic)


def _bars(axes: Axes, counts: Counter[str], total: int, title: str) -> None:
    names = [name for name, _ in counts.most_common()]
    shares = np.array([counts[name] for name in names]) / total
    axes.barh(names, shares, color=PALE, height=0.72)
    for place, share in enumerate(shares):
        axes.text(
            share,
            place,
            f" {share:.0%}" if share >= 0.01 else f" {share:.1%}",
            va="center",
            fontsize=7,
            color=INK,
        )
    axes.invert_yaxis()
    axes.set_xlim(0, shares.max() * 1.18)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    _name(axes, title, "", "")
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=8)


def _name(axes: Axes, title: str, x: str, y: str) -> None:
    quiet(axes)
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    axes.set_xlabel(x, fontsize=8.5, color=INK)
    axes.set_ylabel(y, fontsize=8.5, color=INK)


def main() -> None:
    """Write the three pictures."""
    warnings.simplefilter("ignore", DataWarning)  # ties, in columns of levels
    for name, draw in (("graphs", graphs), ("pairs", pairs), ("numbers", numbers)):
        draw().savefig(IMAGES / f"world-{name}.png", dpi=130)
        print("wrote", f"world-{name}.png", flush=True)


if __name__ == "__main__":
    main()
