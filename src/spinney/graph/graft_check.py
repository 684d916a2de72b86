"""Columns with known edges are added to a table, to see how many of these edges are found."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtri
from sklearn.base import clone

from spinney._core.arrays import average_ranks
from spinney.evidence.matrices import unit_columns
from spinney.exceptions import InputError
from spinney.judge.learner import Learner
from spinney.scale.tasks import parallel_map
from spinney.scores import read_scores
from spinney.scores.dependent_rows import free_of_order, sorted_columns
from spinney.simulate import graft
from spinney.tables import Table, decode, read_table

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

Floats = NDArray[np.float64]
Rng = np.random.Generator

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares of a graft's variance that its parent explains; tables take them in turn."""
MOST_COLUMNS = 25
"""Columns of the table that grafts are added to at a time; others are drawn each time."""
MOST_GRAFTS = 5
REPETITIONS = 30
"""How often columns are grown, by default."""
FEWEST_ROWS = 20
JUMP = 2.0
"""How many times the largest step of normal columns a jump of all columns must be."""
FEWEST_JUMPS = 3


@dataclass(frozen=True, eq=False, repr=False)
class GraftCheck:
    """What became of columns that were added to a table.

    Attributes
    ----------
    pairs : pandas.DataFrame
        Every pair of which the truth is known: ``repetition``, ``source``, ``target``, ``edge``
        (whether it is one), ``kept`` (whether it was taken for one), ``probability`` (of the judge
        only), and ``explained``, the share of the graft's variance that its parent explains.
    n_repetitions : int
        How often columns were grown.
    by_unit : bool
        Whether rows belong to units that are known.
    """

    pairs: pd.DataFrame
    n_repetitions: int
    by_unit: bool = False

    @property
    def found(self) -> pd.DataFrame:
        """Edges by the share that they explain: ``explained``, ``edges``, ``found``, ``share``."""
        edges = self.pairs[self.pairs.edge]
        table = edges.groupby("explained").kept.agg(edges="size", found="sum").reset_index()
        return table.assign(share=table.found / table.edges)

    def summary(self) -> str:
        """Say what was found, what was not, what was found by mistake, and what cannot be seen."""
        edges, others = (self.pairs[self.pairs.edge == is_edge] for is_edge in (True, False))
        each = ", ".join(
            f"{row['found']:.0f} of {row['edges']:.0f} at {100 * row['explained']:.0f} %"
            for row in self.found.to_dict("records")
        )
        wrong = int(others.kept.sum())
        words = (
            f"{edges.kept.sum():,} of {len(edges):,} edges of added columns were found (by the "
            f"share of a column's variance that they explain: {each}). {wrong:,} of "
            f"{len(others):,} pairs without an edge were taken for edges"
        )
        if "probability" in self.pairs:
            expected = float((1.0 - self.pairs.probability[self.pairs.kept]).sum())
            words += f"; the probabilities predict {expected:.1f}"
            if wrong > expected + 2.0 * max(expected, 1.0) ** 0.5:
                words += ". So doubt the edges of this table as well"
            if lost := int(self.pairs.probability.isna().sum()):
                words += f". {lost:,} pairs could not be judged: effective sample size too small"
        if self.by_unit:
            return f"{words}. Rows of one unit are as alike in these columns as in the table's own."
        return (
            f"{words}. Neighbouring rows are as alike in these columns as in the table's own. The "
            "check cannot detect rows that belong together without being neighbours, such as those "
            "of one patient (name their unit), nor causes that are not in the table."
        )

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
    another share of the grafts' variance. A graft has an edge to its parent and to its own
    grafts, and no other, whatever the table is like. Its noise has the table's own dependence of
    rows: it has the order of a column of the table that was shifted along the rows, freed of what
    the rows are sorted by; or, with units, of a column in which each unit takes the values of
    another. The graph is learned with the settings and the weights of rows that it has, without
    pairs that are required or forbidden.

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
    >>> graph = learn(copula_forest(200, 5, random_state=0).X)
    >>> check_by_grafts(graph, 6).found.edges.sum() > 10
    np.True_
    """
    table, given, weights = graph.table, graph.as_given, None
    if table is None:
        raise InputError("The estimator does not keep its table, so no column can be added to it.")
    if table.weighted:
        weights = np.unique(np.asarray(table.units), return_counts=True)[1]
        table = table.once
    elif given is not None and len(given) == len(table):
        table = given  # whose rows are in their order
    if len(table) < FEWEST_ROWS:
        raise InputError(f"A check needs {FEWEST_ROWS} rows or more; the table has {len(table)}.")
    n_repetitions = REPETITIONS if n_repetitions is None else n_repetitions
    if n_repetitions < 1:
        raise InputError(f"n_repetitions must be 1 or more, not {n_repetitions}.")
    plain: dict[str, Any] = {"required": (), "forbidden": (), "rows": "all", "precision": None}
    plain |= {"progress": False, "kind": None, "unit": None, "weights": weights}
    shared = _fresh(graph.learner, **plain), table, _rows_like(table)
    tasks = [(k, random_state) for k in range(n_repetitions)]
    how: Any = {"n_jobs": n_jobs, "label": "growing columns", "progress": progress}
    found = pd.concat(parallel_map(_repeat, tasks, shared=shared, **how), ignore_index=True)
    return GraftCheck(found, n_repetitions, table.units is not None)


def _fresh(learner: Any, **changed: Any) -> Any:
    """Copy an estimator, not fitted, with other parameters; a judge is large, and shared."""
    copied = clone(learner)
    if hasattr(learner, "judge"):
        copied.judge = learner.judge
    for name in changed.keys() & copied.get_params():
        setattr(copied, name, changed[name])
    return copied


def _rows_like(table: Table) -> Callable[[Rng], Floats]:
    """Make a function that draws numbers whose rows depend on each other as the table's do."""
    scores = read_scores(table, degree=1)
    order = sorted_columns(scores.codes)
    facts = scores.owners, order, scores.codes, scores.ranks
    free = free_of_order(scores.values, *facts)[:, ~order[scores.owners]]
    values = free if free.shape[1] else scores.values
    codes = np.unique(_blocks(table), return_inverse=True)[1]
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])

    def draw(rng: Rng) -> Floats:
        column = values[:, rng.integers(values.shape[1])]
        drawn = np.empty(len(values))
        for own in members:
            other = members[int(rng.integers(len(members)))]
            # In their order, which may matter, and far enough that a slow column does not meet
            # itself.
            start = int(rng.integers(other.size // 4, other.size - other.size // 4))
            drawn[own] = column[np.resize(np.roll(other, start), own.size)]
        return drawn

    return draw


def _blocks(table: Table) -> NDArray[Any]:
    """Return the unit of each row, or the block of rows between which all columns jump together.

    Steps of a column's ranks from one row to the next have a scale; the sum of their
    squares over the columns, in that scale, is compared with the largest that normal steps would
    give. Columns that depend on each other take steps together, so they count as fewer.
    """
    one = np.zeros(len(table), dtype=np.int64)
    if table.units is not None:
        return np.asarray(table.units)
    steps = np.nan_to_num(np.diff(average_ranks(table.values[:, ~table.nominal]), axis=0))
    scales = np.median(steps**2, axis=0)
    steps = steps[:, scales > 0.0] / np.sqrt(scales[scales > 0.0])
    d = steps.shape[1]
    if not d:
        return one
    correlations = unit_columns(steps).T @ unit_columns(steps)
    freedom = d**2 / (correlations**2).sum()
    total = (steps**2).sum(axis=1) * chdtri(1, 0.5) * freedom / d
    jumps = total > JUMP * chdtri(freedom, 1.0 / len(table))
    one[1:] = np.cumsum(jumps) if jumps.sum() >= FEWEST_JUMPS else 0
    return one


def _repeat(
    task: tuple[int, int], learner: Any, table: Table, rows_like: Callable[[Rng], Floats]
) -> pd.DataFrame:
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
        rows_like=rows_like,
        random_state=rng,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would be of the grafts
        new = read_table(grown.X[list(grown.parents)], min_columns=1)
        grown = grown.keep([*frame, *new.names])
        values, columns = np.hstack([some.values, new.values]), (*some.columns, *new.columns)
        model = _fresh(learner).fit(replace(some, values=values, columns=columns))
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
