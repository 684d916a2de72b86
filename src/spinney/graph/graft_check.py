"""Would an edge be found in this table? Columns with known edges are grown on it, to see."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from spinney.exceptions import InputError
from spinney.judge.learner import Learner
from spinney.scale.tasks import over
from spinney.simulate import graft
from spinney.tables import Table, decode, read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spinney.graph.graph import LearnedGraph

__all__ = ["GraftCheck", "check_by_grafts"]

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares of a graft's variance that its parent explains; tables take them in turn."""
MOST_COLUMNS = 25
"""Columns of the table that grafts are grown on at a time; others are drawn each time."""
MOST_GRAFTS = 5
REPETITIONS = 30
"""How often columns are grown, by default."""
FEWEST_ROWS = 20


@dataclass(frozen=True, eq=False, repr=False)
class GraftCheck:
    """What became of columns that were grown on a table.

    Attributes
    ----------
    pairs : pandas.DataFrame
        Every pair of which the truth is known: ``repetition``, ``source``, ``target``, ``edge``
        (whether it is one), ``kept`` (whether it was taken for one), ``probability`` (of the judge
        only), and ``explained``, the share of the graft's variance that its parent explains.
    n_repetitions : int
        How often columns were grown.
    """

    pairs: pd.DataFrame
    n_repetitions: int

    @property
    def found(self) -> pd.DataFrame:
        """Edges by the share that they explain: ``explained``, ``edges``, ``found``, ``share``."""
        edges = self.pairs[self.pairs.edge]
        table = edges.groupby("explained").kept.agg(edges="size", found="sum").reset_index()
        return table.assign(share=table.found / table.edges)

    def summary(self) -> str:
        """Say in one paragraph what was found, what was not, and what was found by mistake."""
        edges, others = (self.pairs[self.pairs.edge == is_edge] for is_edge in (True, False))
        each = ", ".join(
            f"{found:.0f} of {total:.0f} at {100 * explained:.0f} %"
            for explained, total, found in self.found.to_numpy()[:, :3].tolist()
        )
        wrong = int(others.kept.sum())
        words = (
            f"Of {len(edges):,} edges grown on this table {edges.kept.sum():,} were found (by how "
            f"much of a column's variance they explain: {each}). Of {len(others):,} pairs without "
            f"an edge {wrong:,} {'was' if wrong == 1 else 'were'} taken for one"
        )
        if "probability" not in self.pairs:
            return f"{words}."
        expected = float((1.0 - self.pairs.probability[self.pairs.kept]).sum())
        return f"{words}; by the probabilities, {expected:.1f} were to be expected."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many edges are found, by the share of a column's variance that they explain."""
        from spinney.graph.plots.style import DATA, LINES, name_axes, new_axes, quiet

        ax = new_axes() if ax is None else ax
        table = self.found
        # Wilson's interval, which also holds near 0 and 1.
        z, n, p = 1.96, table.edges, table.share
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        ax.vlines(table.explained, middle - reach, middle + reach, color=LINES, linewidth=1.2)
        ax.plot(table.explained, p, "o-", color=LINES, linewidth=1.2, markersize=5)
        others = self.pairs[~self.pairs.edge]
        ax.axhline(others.kept.mean(), color=DATA, linewidth=0.8, linestyle=(0, (4, 3)))
        ax.annotate(
            f"taken for edges by mistake: {others.kept.mean():.1%}",
            (table.explained.max(), others.kept.mean()),
            xytext=(0, 4),
            textcoords="offset points",
            ha="right",
            fontsize=7,
            color=DATA,
        )
        ax.set(xscale="log", ylim=(-0.03, 1.03))
        ax.set_xticks(table.explained, [f"{x:.0%}" for x in table.explained])
        ax.minorticks_off()
        name_axes(ax, ("variance of a column that its neighbour explains", "share of edges found"))
        quiet(ax)
        return ax

    def __repr__(self) -> str:
        return f"<GraftCheck: {self.summary()}>"


def check_by_grafts(
    graph: LearnedGraph,
    n_repetitions: int | None = None,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> GraftCheck:
    """Grow columns with known edges on a graph's table, learn again, and see what is found.

    Every graft has one parent, a column of the table or an earlier graft, of which it is a random
    function and noise (:func:`spinney.simulate.graft`); in each repetition the parents explain
    another share of the grafts' variance. A graft is joined to its parent and to its own grafts,
    and to nothing else, whatever the table is like. The graph is learned with the settings that it
    has, without pairs that are required or forbidden.

    Parameters
    ----------
    graph : LearnedGraph
        Of any estimator that keeps its table.
    n_repetitions : int, optional
        How often; 30 by default.
    random_state : int
        Seed of the grafts.
    n_jobs : int, optional
        Threads.
    progress : bool
        Whether to show a bar.

    Raises
    ------
    InputError
        If the table is not kept, or has fewer than 20 rows.

    Examples
    --------
    >>> from spinney import learn
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(200, 5, random_state=0).X, compare=False)
    >>> check_by_grafts(graph, 6).found.edges.sum() > 10
    np.True_
    """
    table, given = graph.table, graph.as_given
    if table is None:
        raise InputError("The estimator does not keep its table, so nothing can be grown on it.")
    if given is not None and len(given) == len(table):
        table = given  # whose rows are in their order
    if len(table) < FEWEST_ROWS:
        raise InputError(f"A check needs {FEWEST_ROWS} rows or more; the table has {len(table)}.")
    n_repetitions = REPETITIONS if n_repetitions is None else n_repetitions
    if n_repetitions < 1:
        raise InputError(f"n_repetitions must be 1 or more, not {n_repetitions}.")
    learner = clone(graph.learner)
    plain: dict[str, Any] = {"required": (), "forbidden": (), "rows": "all", "precision": None}
    plain |= {"progress": False, "kinds": None, "units": None}
    for name in plain.keys() & learner.get_params():
        setattr(learner, name, plain[name])
    if hasattr(graph.learner, "judge"):
        learner.judge = graph.learner.judge
    tasks = [(k, random_state) for k in range(n_repetitions)]
    found = over(
        _repeat,
        tasks,
        shared=(learner, table),
        n_jobs=n_jobs,
        label="growing columns",
        progress=progress,
    )
    return GraftCheck(pd.concat(found, ignore_index=True), n_repetitions)


def _repeat(task: tuple[int, int], learner: Any, table: Table) -> pd.DataFrame:
    """Grow columns once, learn, and list the pairs of which the truth is known."""
    k, seed = task
    rng = np.random.default_rng([seed, k])
    share = SHARES[k % len(SHARES)]
    d = len(table.columns)
    some = table.take_columns(np.sort(rng.choice(d, min(d, MOST_COLUMNS), replace=False)))
    frame = decode(some)
    grown = graft(
        frame,
        n_grafts=min(MOST_GRAFTS, 1 + len(some.columns) // 3),
        n_parents=1,
        strangers=0,
        strength=(share / (1.0 - share)) ** 0.5,
        gaps=False,
        random_state=rng,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would be of the grafts
        new = read_table(grown.X[list(grown.parents)], min_columns=1)
        grown = grown.keep([*frame, *new.names])
        model = clone(learner)
        if hasattr(learner, "judge"):
            model.judge = learner.judge
        model.fit(
            replace(
                some,
                values=np.hstack([some.values, new.values]),
                columns=(*some.columns, *new.columns),
            )
        )
    first, second = np.nonzero(np.triu(grown.known, 1))
    names = np.array([*map(str, grown.X.columns)])
    pairs = pd.DataFrame(
        {
            "repetition": k,
            "source": names[first],
            "target": names[second],
            "edge": grown.adjacency[first, second],
            "kept": model.adjacency_[first, second],
            "explained": share,
        }
    )
    if isinstance(model, Learner):
        pairs["probability"] = model.edge_probabilities_[first, second]
    return pairs
