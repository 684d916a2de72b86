"""GraphLearner: the evidence of all pairs, judged together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.choices import read_device, read_random_state
from spinney._core.graph import EdgeShare, GraphMixin
from spinney._core.pairs import (
    both_required_and_forbidden,
    n_pairs,
    pair_ends,
    pair_numbers,
    read_pairs,
    to_matrix,
    to_pairs,
)
from spinney._core.progress import progress_bar
from spinney.evidence import CHANNELS, Evidence, measure
from spinney.exceptions import InputError
from spinney.judge.choice import expected_false, expected_missed, keep_above, keep_by_fdr
from spinney.judge.judge import (
    Judge,
    JudgeReference,
    find_judge,
    judge_probabilities,
    unlike_training,
)
from spinney.judge.strength import edge_strengths
from spinney.notices import Notice, warn
from spinney.tables import Kinds, Missing, ReadsKindsMixin, RowsToUse, Table, check_rows

if TYPE_CHECKING:
    from spinney.pairs.pair_fit import PairFit
    from spinney.scale.screening import Screened

__all__ = ["FEWEST_ROWS", "WIDE", "GraphLearner", "is_wide", "seed_of"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Pairs = Sequence[Sequence[Any]]

FEWEST_ROWS = 10
"""Rows that a pair must have in common to be judged; the judge has never seen fewer."""
WIDE = 800
"""Columns beyond which neighbourhoods take less time than the whole (docs/large-tables.md)."""
AT_LEAST_WIDE = 300
"""Columns of a neighbourhood: a table with no more is always judged as a whole."""
LONG_AND_WIDE = 200_000_000
"""Rows times pairs beyond which the whole table would take more than some 6 GB."""
STEPS = ("evidence", "judge", "strengths")
"""What a fit is made of."""


class GraphLearner(ReadsKindsMixin, GraphMixin, BaseEstimator):
    r"""Graph of a table by the judge: one calibrated probability per edge.

    Of every pair the evidence is measured (:func:`spinney.evidence.measure`: correlations and
    partial correlations of scores, and what else ranks and classes show). A small network, trained
    once on simulated and on real tables, looks at the evidence of all pairs together and gives each
    the probability that it is an edge (:class:`spinney.judge.Judge`).

    Parameters
    ----------
    judge : Judge, path or None
        The network. By default the one that comes with the package.
    cut : float
        Pairs with a larger probability are edges. One half makes the expected number of wrong
        pairs the smallest.
    target_fdr : float, optional
        Keep the most probable pairs while the expected share of false ones among them, the mean of
        :math:`1 - P`, is at most this; then `cut` is not used. See
        :func:`spinney.judge.keep_by_fdr`.
    min_strength : float
        Leave out edges whose strength is not surely above this, whatever its sign: the 95 %
        interval reaches down to it. With many rows everything depends on everything a little; 0.1
        keeps what matters. Required edges stay; the strengths of others do not change.
    required, forbidden : lists of pairs of columns
        Edges that are in the graph in any case, and edges that are not; columns by name or
        position. Their probabilities are set to 1 and 0, and the expected numbers of false and of
        missed edges leave them out. What is judged of other pairs does not change.
    kinds : dict, optional
        What columns are, by name or position; see :mod:`spinney.tables`.
    missing : {"pairwise", "drop", "error"}
        What is done where values are missing.
    precision : float, optional
        Standard error that a correlation near 0 may have: as many rows are learned from as that
        needs (0.01: 10,001 rows), drawn at random if there are more.
    rows : int or "all", optional
        How many rows are learned from, in place of `precision`. By default all up to 20,000; of a
        longer table so many are drawn at random, without replacement. See docs/large-tables.md.
    units : name or position of a column, or one label for each row, optional
        The unit, such as a patient, that each row belongs to. The column is not learned from, and
        rows of a unit count as fewer (:mod:`spinney.scores.dependent_rows`). Without units,
        neighbouring rows that are alike are taken as a series.
    random_state : int, Generator or None
        Seed of the rows that are drawn from a long table. Nothing else is left to chance.
    n_jobs : int, optional
        Threads; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show a progress bar.
    screen : "auto", bool or float
        Whether pairs are screened first, and only those that pass are fitted and judged, in
        neighbourhoods of a few hundred columns; see the notes. By default that is done with more
        than 800 columns, and with more than 300 if there are many rows, too (rows times pairs
        above 2 · 10⁸). A number is the share of independent pairs that may pass.
    device : str
        Where the judge is computed: "cpu", or "cuda" for a GPU (``pip install "spinney[cuda]"``).
        Without a GPU, a warning is shown and the processor is used.

    Attributes
    ----------
    edge_probabilities_ : array of shape (d, d)
        Probability that the pair is an edge, given the evidence of the whole table. Calibrated on
        tables kept apart: of pairs with 0.8, eight in ten are edges. NaN where fewer than ten rows
        have both values: of those nothing is known. Zero where a pair did not pass a screening.
    adjacency_ : bool array of shape (d, d)
        The edges.
    edge_weights_ : array of shape (d, d)
        Strength of each edge given the neighbours of both columns: the partial correlation of
        their scores, or with a nominal column Cramér's V, from 0 to 1
        (:mod:`spinney.judge.strength`). Zero off the graph, NaN where fewer than ten rows are left.
        It is weak where a dependence is not monotone, however sure the edge is.
    edge_intervals_ : array of shape (n_edges, 2)
        95 % interval of each strength, edges in the order of ``np.nonzero(np.triu(adjacency_))``.
    edge_signs_ : int array of shape (d, d)
        Signs of the strengths: of the dependence that is left given the neighbours, which need not
        be that of Kendall's tau in `edges_`. Zero where the sign is open: the interval holds 0, a
        column is nominal, or strengths within the classes of a neighbour have different signs.
    edge_ranking_ : array of shape (d, d)
        The probabilities, required edges above all others; zero where nothing is known.
    judged_probabilities_ : array of shape (n_pairs,)
        What the judge said of every pair, before required and forbidden pairs were set.
    evidence_ : Evidence
        What was measured; ``evidence_.why(u, v)`` tells it of one pair.
    screened_ : Screened or None
        The pairs that passed the screening; None if there was none.
    expected_false_, expected_missed_ : float
        Expected number of kept edges that are false, :math:`\sum (1 - P)`, and of edges among the
        pairs that were not kept, :math:`\sum P`; required, forbidden and unknown pairs left out.
    left_out_ : Notice or None
        How many edges `min_strength` left out, if any; they do not count as missed.
    out_of_distribution_ : tuple of Notice
        In what the table is unlike those that the judge was trained on; usually empty.
    judge_ : JudgeReference
        Name and fingerprint of the judge.
    why_no_edges_ : Notice or None
        Why there are none, if so.
    potentials_ : PairCopulas or PairFit
        Pair densities, fitted when first asked for: the graph does not need them. After a
        screening, those of the pairs in ``potentials_.pairs_``.
    pair_fit_ : PairFit
        The same with the table, likewise.
    table_ : spinney.tables.Table
        The table as it was read: kinds of the columns, which were left out, and in ``drawn`` of
        how many rows it is a part.
    labels_, n_components_, edges_, graph_, unknown_pairs_
        As in :class:`spinney.SharedForest`; ``edges_`` has the strength as ``weight``, and its
        interval from ``strength_low`` to ``strength_high``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The probability is that of an edge in the Markov graph of the columns, two columns being joined
    if they depend on each other given all others. It holds as far as the table is like those of
    its training (docs/world.md). Rows that depend on each other, in their order or in `units`, are
    counted as fewer (docs/limits.md).
    Edges have no direction, and a common cause that is not in the table joins what it drives.

    **Many columns.** The pairs of a wide table are screened
    (:func:`spinney.scale.screening.screen`,
    :func:`spinney.scale.screening.add_co_parents`).
    Columns that belong together form neighbourhoods of about 300, each with its strongest partners
    outside; each neighbourhood is judged as a table of its own, and what is said of a pair is
    brought together (:mod:`spinney.scale.wide`). Pairs that did not pass have probability 0.

    When interrupted, `fit` raises KeyboardInterrupt; there is no part of a result to keep.

    References
    ----------
    .. [1] E. Belilovsky, K. Kastner, G. Varoquaux and M. Blaschko (2017). Learning to discover
       sparse graphical models. ICML.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 5, random_state=0)
    >>> model = GraphLearner().fit(data.X)
    >>> bool((model.adjacency_ == data.adjacency).all())
    True
    >>> model.edge_probabilities_.round(1)
    array([[0., 0., 0., 1., 1.],
           [0., 0., 1., 0., 0.],
           [0., 1., 0., 0., 1.],
           [1., 0., 0., 0., 0.],
           [1., 0., 1., 0., 0.]])
    >>> GraphLearner(forbidden=[(0, 4)]).fit(data.X).edge_probabilities_[0, 4]
    np.float64(0.0)
    """

    judged_probabilities_: Floats
    edge_probabilities_: Floats
    edge_intervals_: Floats
    edge_signs_: NDArray[np.int64]
    out_of_distribution_: tuple[Notice, ...]
    judge_: JudgeReference
    why_no_edges_: Notice | None
    evidence_: Evidence
    screened_: Screened | None
    _few: Bools | None

    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_probabilities_", "probability", "probability"
    )
    _stored: ClassVar[tuple[str, ...]] = (
        *("n_features_in_", "feature_names_in_", "node_names_"),
        *("judged_probabilities_", "edge_weights_", "edge_intervals_", "adjacency_"),
        "edge_signs_",
        *(
            "evidence_",
            "screened_",
            "out_of_distribution_",
            "judge_",
            "why_no_edges_",
            "_required",
            "_forbidden",
        ),
    )

    def __init__(
        self,
        judge: Judge | str | Path | None = None,
        *,
        cut: float = 0.5,
        target_fdr: float | None = None,
        min_strength: float = 0.0,
        required: Pairs = (),
        forbidden: Pairs = (),
        kinds: Kinds | None = None,
        missing: Missing = "pairwise",
        precision: float | None = None,
        rows: RowsToUse = None,
        units: Any = None,
        random_state: int | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        progress: bool = False,
        screen: bool | float | Literal["auto"] = "auto",
        device: str = "cpu",
    ) -> None:
        self.judge = judge
        self.cut = cut
        self.target_fdr = target_fdr
        self.min_strength = min_strength
        self.required = required
        self.forbidden = forbidden
        self.kinds = kinds
        self.missing = missing
        self.precision = precision
        self.rows = rows
        self.units = units
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.screen = screen
        self.device = device

    @property
    def _reads_kinds(self) -> bool:
        return True

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        self._check_parameters()
        # Until the new graph is there the model is not fitted: an old one fits no new columns.
        for name in ("edge_weights_", "evidence_", "_pair_fit"):
            self.__dict__.pop(name, None)
        judge = find_judge(self.judge)
        seed = seed_of(self.random_state)
        device = read_device(self.device)  # so that it warns once
        table = self._read_to_learn(X, self.rows, self.precision, seed, self.units)
        self.node_names_ = table.names
        self._required, self._forbidden = self._read_knowledge(table.names)
        self.judge_ = JudgeReference.to(judge)
        wide = self._is_wide(table)
        # Of a wide table each step has a bar of its own.
        with progress_bar(len(STEPS), ", ".join(STEPS), self.progress and not wide) as advance:
            judge_table = self._judge_wide if wide else self._judge_whole
            self.evidence_ = judge_table(table, judge, (seed, device), advance)
            self._few = None
            strengths = self._keep_edges()
            advance(1)
        if self.out_of_distribution_:
            facts = {"notices": self.out_of_distribution_}
            warn(Notice("unlike-training", "warning", facts=facts))
        self.edge_weights_ = strengths
        self._rebuild()
        return self

    def at(
        self,
        cut: float = 0.5,
        *,
        target_fdr: float | None = None,
        min_strength: float | None = None,
    ) -> Self:
        """Keep other edges of what was judged: those above another cut, or by another target.

        Returns
        -------
        GraphLearner
            Another one, as if fitted with this `cut` or `target_fdr`, and with another
            `min_strength` if one is given; nothing is learned again.
        """
        check_is_fitted(self)
        other = copy(self).set_params(cut=cut, target_fdr=target_fdr)
        if min_strength is not None:
            other.set_params(min_strength=min_strength)
        other._check_parameters()
        other.edge_weights_ = other._keep_edges()
        other._rebuild()
        return other

    def _keep_edges(self) -> Floats:
        """Choose the edges, and return their strengths."""
        self.adjacency_ = to_matrix(self._choose()) > 0.0
        found = edge_strengths(self.evidence_.table, self.adjacency_)
        self.edge_intervals_ = found.intervals
        strengths = np.zeros(self.adjacency_.shape)
        self.edge_signs_ = np.zeros(self.adjacency_.shape, dtype=np.int64)
        u, v = np.nonzero(np.triu(self.adjacency_, 1))
        strengths[u, v] = strengths[v, u] = found.values
        self.edge_signs_[u, v] = self.edge_signs_[v, u] = found.signs
        if self.min_strength > 0.0:
            self._leave_out_weak(strengths)
        self.why_no_edges_ = self._explain_empty()
        return strengths

    def _leave_out_weak(self, strengths: Floats) -> None:
        """Leave out, in place, edges that are not surely strong."""
        u, v = np.nonzero(np.triu(self.adjacency_, 1))
        low, high = self.edge_intervals_.T
        weak = np.maximum(low, -high) <= self.min_strength  # of NaN nothing is known
        weak &= ~np.isin(pair_numbers(u, v, len(strengths)), self._required)
        ends = np.concatenate([u[weak], v[weak]]), np.concatenate([v[weak], u[weak]])
        self.adjacency_[ends], strengths[ends], self.edge_signs_[ends] = False, 0.0, 0
        self.edge_intervals_ = self.edge_intervals_[~weak]

    def _judge_whole(
        self,
        table: Table,
        judge: Judge,
        how: tuple[int, str],
        advance: Callable[[int], None],
    ) -> Evidence:
        """Measure and judge all pairs at once; `how` is the seed and the device."""
        _, device = how
        evidence = measure(table, missing=self.missing)
        advance(1)
        self.screened_ = None
        self.out_of_distribution_ = unlike_training(judge, evidence)
        self.judged_probabilities_ = judge_probabilities(judge, evidence, self.n_jobs, device)
        advance(1)
        return evidence

    def _judge_wide(
        self,
        table: Table,
        judge: Judge,
        how: tuple[int, str],
        advance: Callable[[int], None],
    ) -> Evidence:
        """Screen the pairs, and measure and judge what passes in neighbourhoods."""
        from spinney.scale.wide import learn_wide

        seed, device = how
        evidence, judged = learn_wide(
            table,
            judge,
            level=self.screen if isinstance(self.screen, float) else None,
            required=self._required,
            random_state=seed,
            n_jobs=self.n_jobs,
            device=device,
            progress=self.progress,
        )
        advance(2)
        self.screened_ = judged.screened
        self.out_of_distribution_ = judged.unlike_training
        self.judged_probabilities_ = np.zeros(n_pairs(len(table.columns)))
        self.judged_probabilities_[judged.pairs] = judged.probabilities
        return evidence

    # From the parameters

    def _check_parameters(self) -> None:
        for name in ("cut", "target_fdr", "min_strength"):
            value = getattr(self, name)
            if value is None and name == "target_fdr":
                continue
            sound = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not sound or not 0.0 <= float(value) <= 1.0:
                raise InputError(f"{name} must be a number between 0 and 1, not {value!r}.")
        sound = self.screen == "auto" or isinstance(self.screen, bool | np.bool_)
        if not sound and not (isinstance(self.screen, float) and 0.0 < self.screen < 1.0):
            raise InputError(
                "screen must be 'auto', True, False, or the share of independent pairs that may "
                f"pass, a number between 0 and 1; it is {self.screen!r}."
            )
        check_rows(self.rows, self.precision)
        if self.n_jobs == 0:
            raise InputError("n_jobs must be a number of threads, or -1 for all cores; it is 0.")

    def _is_wide(self, table: Table) -> bool:
        if self.screen == "auto":
            return is_wide(len(table), len(table.columns))
        return bool(self.screen)

    def _read_knowledge(self, names: tuple[str, ...]) -> tuple[Any, Any]:
        required = read_pairs(self.required, names, "required")
        forbidden = read_pairs(self.forbidden, names, "forbidden")
        for pair in np.intersect1d(required, forbidden):
            raise both_required_and_forbidden(int(pair), names)
        return required, forbidden

    def _stored_parameters(self) -> dict[str, Any]:
        """Parameters for a model file: the name of a judge stands there for the judge."""
        parameters = dict(self.get_params(deep=False))
        if isinstance(self.judge, Judge):
            parameters["judge"] = JudgeReference.to(self.judge)
        elif isinstance(self.judge, Path):
            parameters["judge"] = str(self.judge)
        if not isinstance(self.units, str | int | None):
            parameters["units"] = None  # the table has them
        return parameters

    # From probabilities to a graph

    @property
    def _unknown(self) -> Bools:
        """Pairs with too few rows in common, or too few independent ones."""
        few = self.__dict__.get("_few")
        if few is None:
            few = self._few = self._n_effective_rows < FEWEST_ROWS
        return np.array(few)

    @property
    def _n_effective_rows(self) -> Floats:
        """Independent rows that each pair's rows are worth."""
        shares = np.exp(-self.evidence_.channel("dependent_rows"))
        return self._n_rows * self.evidence_.index.spread(shares, absent=1.0)

    @property
    def _n_rows(self) -> NDArray[np.int64]:
        """Rows that have both values of each pair."""
        return Evidence(self.evidence_.values[:0], self.evidence_.table).n_rows

    @property
    def _free(self) -> Bools:
        """Pairs that are neither required, forbidden nor unknown."""
        free = ~self._unknown
        free[self._required] = free[self._forbidden] = False
        return free

    def _choose(self) -> Bools:
        P = np.where(self._free, self.judged_probabilities_, np.nan)
        if self.target_fdr is None:
            kept = keep_above(P, self.cut)
        else:
            kept = keep_by_fdr(P, float(self.target_fdr))
        kept[self._required] = True
        return kept

    def _explain_empty(self) -> Notice | None:
        if self.adjacency_.any():
            return None
        free = self._free
        if self.left_out_:
            return self.left_out_
        if not free.any():
            return Notice("no-pair-to-judge", "note", facts={"fewest": FEWEST_ROWS})
        P = np.where(free, self.judged_probabilities_, -1.0)
        best = int(np.argmax(P))
        pair = tuple(self.node_names_[int(u)] for u in pair_ends(best, len(self.node_names_)))
        facts = {"probability": float(P[best]), "cut": self.cut, "target_fdr": self.target_fdr}
        return Notice("no-edge-kept", "note", columns=pair, facts=facts)

    def _restore(self) -> None:
        """Refuse parts from a model file that do not fit together, and rebuild the rest."""
        d = len(self.node_names_)
        count = n_pairs(d)
        values, names = self.evidence_.values, tuple(self.node_names_)
        if self.table_.names != names:
            raise InputError("its GraphLearner and its evidence differ in columns")
        if len(values) != len(self.evidence_.index):
            raise InputError("its GraphLearner lacks the evidence of some pairs")
        if values.shape[1] != len(CHANNELS):
            raise InputError("it was stored by a version of spinney that measured other evidence")
        judged = self.judged_probabilities_
        if judged.shape != (count,) or not ((judged >= 0.0) & (judged <= 1.0)).all():
            raise InputError("its GraphLearner lacks the probability of some pairs")
        for name in ("adjacency_", "edge_weights_", "edge_signs_"):
            found = getattr(self, name)
            if found.shape != (d, d) or not np.array_equal(
                found, found.T, equal_nan=name == "edge_weights_"
            ):
                raise InputError(f"its {name} is not a symmetric table with a row for each column")
        if self.edge_intervals_.shape != (int(np.triu(self.adjacency_, 1).sum()), 2):
            raise InputError("its edge_intervals_ are not two numbers for each edge")
        for known in (self._required, self._forbidden):
            if known.ndim != 1 or not ((known >= 0) & (known < count)).all():
                raise InputError("its required or forbidden pairs are not pairs of its columns")
        self._few = None
        self._rebuild()

    def _rebuild(self) -> None:
        """Put together what follows from what was judged and required."""
        judged = self.judged_probabilities_
        P = np.where(self._unknown, np.nan, judged)
        P[self._required], P[self._forbidden] = 1.0, 0.0
        self.edge_probabilities_ = to_matrix(P)
        ranking = np.nan_to_num(P)
        ranking[self._required] += judged[self._required]
        self.edge_ranking_ = to_matrix(ranking)

    # What is known of the fitted graph

    @property
    def pair_fit_(self) -> PairFit:
        """The table and the densities of its pairs, fitted when first asked for."""
        check_is_fitted(self)
        fit: PairFit | None = self.__dict__.get("_pair_fit")
        if fit is None:
            from spinney.pairs.copulas import PairCopulas
            from spinney.pairs.margins import Margins
            from spinney.pairs.pair_fit import PairFit

            copulas = PairCopulas(criterion="aic", random_state=0, n_jobs=self.n_jobs)
            fit = PairFit(copulas, margins=Margins(random_state=0))
            self._pair_fit = fit.fit(self.table_, pairs=self.evidence_.numbers)
        return fit

    @property
    def potentials_(self) -> Any:
        """The pair densities, fitted when first asked for."""
        return self.pair_fit_.potentials

    @property
    def table_(self) -> Table:
        """The table as it was read."""
        check_is_fitted(self)
        return self.evidence_.table

    @property
    def n_rows_counted_(self) -> int:
        """Independent rows that say as much as all rows do of the pair that suffers most."""
        check_is_fitted(self)
        if self.evidence_ is None:
            return len(self.table_)
        lost = self.evidence_.channel("dependent_rows").max(initial=0.0)
        return round(len(self.table_) * float(np.exp(-lost)))

    @property
    def expected_false_(self) -> float:
        """Expected number of kept edges that are false, required ones left out."""
        check_is_fitted(self)
        P = np.where(self._free, self.judged_probabilities_, np.nan)
        return expected_false(P, to_pairs(self.adjacency_) > 0.0)

    @property
    def expected_missed_(self) -> float:
        """Expected number of edges that were not kept, forbidden and unknown ones left out."""
        check_is_fitted(self)
        P = np.where(self._free, self.judged_probabilities_, np.nan)
        return expected_missed(P, self._choose())

    @property
    def left_out_(self) -> Notice | None:
        """How many edges `min_strength` left out, if any."""
        count = int(self._choose().sum()) - int(np.triu(self.adjacency_, 1).sum())
        facts = {"count": count, "min_strength": self.min_strength}
        return Notice("weak-edges", "note", facts=facts) if count else None

    @property
    def unknown_pairs_(self) -> pd.DataFrame:
        """Pairs with fewer than ten effective rows: their absence from the graph means nothing."""
        check_is_fitted(self)
        names = np.array(self.node_names_, dtype=object)
        chosen = np.flatnonzero(self._unknown)
        first, second = pair_ends(chosen, len(names))
        rows = self._n_effective_rows[chosen].astype(np.int64)
        return pd.DataFrame({"source": names[first], "target": names[second], "rows": rows})


def is_wide(n: int, d: int) -> bool:
    """Whether a table of n rows and d columns is screened unless it is asked for otherwise.

    Examples
    --------
    >>> is_wide(200, 800), is_wide(200, 801), is_wide(20_000, 310), is_wide(20_000, 140)
    (False, True, True, False)
    """
    return d > WIDE or (d > AT_LEAST_WIDE and n * n_pairs(d) > LONG_AND_WIDE)


def seed_of(random_state: int | np.random.Generator | None) -> int:
    """Return a seed as a whole number, drawn at random where none is given."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(read_random_state(random_state).integers(2**31))
