"""From a table to its graph by the judge, without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats
from spinney._core.choices import read_device, read_seed
from spinney._core.graph import EdgeShare, GraphMixin, check_fitted
from spinney._core.pairs import (
    both_required_and_forbidden,
    pair_ends,
    pair_numbers,
    read_pairs,
    to_matrix,
    to_pairs,
)
from spinney._core.progress import progress_bar
from spinney.evidence import Evidence, measure_scores
from spinney.exceptions import InputError
from spinney.judge.choice import (
    expected_false,
    expected_missed,
    keep_by_fdr,
    read_prior,
    with_prior,
)
from spinney.judge.judge import Judge, JudgeReference, find_judge, unlike_training
from spinney.judge.strength import edge_strengths
from spinney.notices import Notice, warn
from spinney.scores import Scores, read_scores
from spinney.tables import Kinds, Missing, ReadsKindsMixin, RowsToUse, Table, check_rows

if TYPE_CHECKING:
    from spinney.pairs.pair_fit import PairFit

Pairs = Sequence[Sequence[Any]]
Judged = tuple[Evidence, Floats, tuple[Notice, ...]]
"""Evidence, probabilities, and in what the table is unlike those of training."""

FEWEST_ROWS = 10
"""Rows that a pair must have in common to be judged; the judge has never seen fewer."""
WIDE = 800
"""Columns beyond which a table is judged in neighbourhoods (docs/large-tables.md)."""
N_STEPS = 3
"""Evidence, judge and strengths."""


def unlike_notice(notices: tuple[Notice, ...]) -> Notice:
    """Say in what a table is unlike those of the judge's training."""
    text = (
        "The table is unlike those that the judge was trained on, so doubt its probabilities "
        f"(.check() shows how well they do here). {' '.join(map(str, notices))}"
    )
    return Notice("unlike-training", text)


@dataclass(eq=False, repr=False)
class Learner(ReadsKindsMixin, GraphMixin):
    """The graph of a table by the judge: one calibrated probability per edge.

    :func:`spinney.learn` works with it. :class:`spinney.GraphLearner`, which describes the
    parameters and the attributes, is the same as an estimator of scikit-learn, whose import takes
    longer than learning the graph of a small table.
    """

    judge: Judge | str | Path | None = None
    _: KW_ONLY
    cut: float = 0.5
    fdr: float | None = None
    sure: float = 0.9
    min_strength: float = 0.0
    required: Pairs = ()
    forbidden: Pairs = ()
    prior: Any = None
    kind: Kinds | None = None
    missing: Missing = "pairwise"
    precision: float | None = None
    rows: RowsToUse = None
    unit: Any = None
    weights: Any = None
    random_state: int | np.random.Generator | None = 0
    n_jobs: int | None = None
    progress: bool = False
    device: str = "cpu"

    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_probabilities_", "probability", "probability"
    )

    @property
    def _reads_kinds(self) -> bool:
        return True

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; none of them has parameters of its own."""
        return {name: getattr(self, name) for name in sorted(f.name for f in fields(self))}

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
        for name in ("edge_weights_", "evidence_", "pair_fit_"):
            self.__dict__.pop(name, None)
        judge, seed = find_judge(self.judge), read_seed(self.random_state, below=2**31)
        table = self._read_to_learn(X, self.rows, self.precision, seed, self.unit, self.weights)
        self.fit_read(table, judge=judge)
        if self.evidence_.numbers is None:
            seen = self.evidence_.as_independent() if table.weighted else self.evidence_
            self.out_of_distribution_ = unlike_training(judge, seen)
        if self.out_of_distribution_:
            warn(unlike_notice(self.out_of_distribution_))
        return self

    def fit_read(
        self, table: Table, scores: Scores | None = None, judge: Judge | None = None
    ) -> Self:
        """Learn the graph of a table that has been read and checked, without a word.

        Parameters
        ----------
        table : Table
            All of its columns vary.
        scores : Scores, optional
            Those of the table, if they are at hand.
        judge : Judge, optional
            The judge that the parameter means, if it is at hand.
        """
        judge = find_judge(self.judge) if judge is None else judge
        device = read_device(self.device)  # so that it warns once
        self.node_names_ = table.names
        self._required = read_pairs(self.required, table.names, "required")
        self._forbidden = read_pairs(self.forbidden, table.names, "forbidden")
        for pair in np.intersect1d(self._required, self._forbidden):
            raise both_required_and_forbidden(int(pair), table.names)
        self.judge_ = JudgeReference.to(judge)
        wide = len(table.columns) > WIDE
        with progress_bar(N_STEPS, "measuring and judging pairs", self.progress) as advance:
            scores = read_scores(table) if scores is None else scores
            judge_scores = self._judge_wide if wide else self._judge_whole
            self.evidence_, P, unlike = judge_scores(table, scores, judge, device)
            self.out_of_distribution_ = unlike
            advance(N_STEPS - 1)
            if self.prior is not None:
                P = with_prior(P, self.prior, table.names, judge.card)
            self.judged_probabilities_ = P
            self.__dict__.pop("_unknown", None)  # of an earlier fit
            strengths = self._keep_edges(scores)
            advance(1)
        self.edge_weights_ = strengths
        self._rebuild()
        return self

    def at(
        self,
        cut: float = 0.5,
        *,
        fdr: float | None = None,
        min_strength: float | None = None,
        sure: float | None = None,
    ) -> Self:
        """Keep other edges of what was judged: those above another cut, or by another target.

        Returns
        -------
        Learner
            Another one, as if fitted with this `cut` or `fdr`, and with another
            `min_strength` or `sure` if one is given; nothing is learned again.
        """
        check_fitted(self)
        other = copy(self)
        other.cut, other.fdr = cut, fdr
        other.min_strength = self.min_strength if min_strength is None else min_strength
        other.sure = self.sure if sure is None else sure
        other._check_parameters()
        other.edge_weights_ = other._keep_edges()
        other._rebuild()
        return other

    def _judge_whole(self, table: Table, scores: Scores, judge: Judge, device: str) -> Judged:
        """Measure and judge all pairs at once."""
        evidence = Evidence(measure_scores(scores), table)
        seen = evidence.as_independent() if table.weighted else evidence
        even, odd = judge.reads(seen)
        return evidence, judge.probabilities(even, odd, device=device, n_jobs=self.n_jobs), ()

    def _judge_wide(self, table: Table, scores: Scores, judge: Judge, device: str) -> Judged:
        """Measure and judge pairs in neighbourhoods."""
        from spinney.scale.wide import learn_wide

        how: Any = {"n_jobs": self.n_jobs, "device": device, "progress": self.progress}
        judged = learn_wide(table, scores, judge, required=self._required, **how)
        P = judged.evidence.index.spread(judged.probabilities)
        return judged.evidence, P, judged.unlike_training

    # From the parameters

    def _check_parameters(self) -> None:
        for name, least in {"cut": 0, "fdr": 0, "min_strength": 0, "sure": 0.5}.items():
            value = getattr(self, name)
            if value is None and name == "fdr":
                continue
            sound = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not sound or not least <= float(value) <= 1.0:
                raise InputError(f"{name} must be a number between {least} and 1, not {value!r}.")
        check_rows(self.rows, self.precision)
        if self.prior is not None:
            read_prior(self.prior)
        if self.n_jobs == 0:
            raise InputError("n_jobs must be a number of threads, or -1 for all cores; it is 0.")

    def _keep_edges(self, scores: Scores | None = None) -> Floats:
        """Choose the edges, and return their strengths; `scores` are those of the table."""
        self.adjacency_ = to_matrix(self._choose()) > 0.0
        found = edge_strengths(self.evidence_.table, self.adjacency_, scores)
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

    # From probabilities to a graph

    @cached_property
    def _unknown(self) -> Bools:
        """Pairs with too few rows in common, or too few independent ones."""
        return self._n_effective_rows < FEWEST_ROWS

    @property
    def _n_effective_rows(self) -> Floats:
        """Independent rows that each pair's rows are worth."""
        n_rows = Evidence(self.evidence_.values[:0], self.evidence_.table).n_rows
        return n_rows * self.evidence_.index.spread(self.evidence_.row_shares, absent=1.0)

    @property
    def _free(self) -> Bools:
        """Pairs that are neither required, forbidden nor unknown."""
        free = ~self._unknown
        free[self._required] = free[self._forbidden] = False
        return free

    @property
    def _open_probabilities(self) -> Floats:
        """Probabilities of the free pairs, NaN of the others."""
        return np.where(self._free, self.judged_probabilities_, np.nan)

    def _choose(self) -> Bools:
        known = self._open_probabilities
        kept = known > self.cut if self.fdr is None else keep_by_fdr(known, float(self.fdr))
        kept[self._required] = True
        return kept

    def _explain_empty(self) -> Notice | None:
        if self.adjacency_.any():
            return None
        free = self._free
        if self.left_out_:
            return self.left_out_
        if not free.any():
            text = (
                "No edge was kept, because no pair could be judged: each is forbidden, or its "
                f"effective sample size is below {FEWEST_ROWS}."
            )
            return Notice("no-pair-to-judge", text, "note")
        P = np.where(free, self.judged_probabilities_, -1.0)
        best = int(np.argmax(P))
        pair = tuple(self.node_names_[int(u)] for u in pair_ends(best, len(self.node_names_)))
        rule = f"an edge needs more than {self.cut:g} (cut)"
        if self.fdr is not None:
            rule = f"at most {self.fdr:g} of the edges may be false (fdr)"
        text = (
            f"No edge was kept. The most probable pair, '{pair[0]}' and '{pair[1]}', has a "
            f"probability of {P[best]:.2g}, and {rule}."
        )
        return Notice("no-edge-kept", text, "note", pair)

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

    @cached_property
    def pair_fit_(self) -> PairFit:
        """The table and the densities of its pairs, fitted when first asked for."""
        check_fitted(self)
        from spinney.pairs.copulas import PairCopulas
        from spinney.pairs.margins import Margins
        from spinney.pairs.pair_fit import PairFit

        copulas = PairCopulas(criterion="aic", random_state=0, n_jobs=self.n_jobs)
        fit = PairFit(copulas, margins=Margins(random_state=0))
        return fit.fit(self.table_, pairs=self.evidence_.numbers)

    @property
    def potentials_(self) -> Any:
        """The pair densities, fitted when first asked for."""
        return self.pair_fit_.potentials

    @property
    def table_(self) -> Table:
        """The table as it was read."""
        check_fitted(self)
        return self.evidence_.table

    @property
    def n_rows_counted_(self) -> int:
        """The smallest effective sample size of a pair."""
        check_fitted(self)
        return round(len(self.table_) * float(self.evidence_.row_shares.min(initial=1.0)))

    @property
    def expected_false_(self) -> float:
        """Expected number of kept edges that are false, required ones left out."""
        check_fitted(self)
        return expected_false(self._open_probabilities, to_pairs(self.adjacency_) > 0.0)

    @property
    def expected_missed_(self) -> float:
        """Expected number of edges that were not kept, forbidden and unknown ones left out."""
        check_fitted(self)
        return expected_missed(self._open_probabilities, self._choose())

    @property
    def left_out_(self) -> Notice | None:
        """How many edges `min_strength` left out, if any."""
        count = int(self._choose().sum()) - int(np.triu(self.adjacency_, 1).sum())
        which = "edge was left out: its" if count == 1 else "edges were left out: their"
        text = (
            f"{count:,} weak {which} strength is below {self.min_strength:g}, or may be "
            "(min_strength)."
        )
        return Notice("weak-edges", text, "note", facts={"count": count}) if count else None

    @property
    def unknown_pairs_(self) -> pd.DataFrame:
        """Pairs with fewer than ten effective rows: their absence from the graph means nothing."""
        check_fitted(self)
        names = np.array(self.node_names_, dtype=object)
        chosen = np.flatnonzero(self._unknown)
        first, second = pair_ends(chosen, len(names))
        rows = self._n_effective_rows[chosen].astype(np.int64)
        return pd.DataFrame({"source": names[first], "target": names[second], "rows": rows})
