"""The graph that follows from the judged probabilities of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.graph import EdgeShare, FittedGraph, check_fitted
from spinney._core.pairs import pair_ends, pair_numbers, to_matrix, to_pairs
from spinney.evidence import Evidence
from spinney.judge.choice import expected_false, expected_missed, keep_above, keep_by_fdr
from spinney.judge.judge import JudgeReference
from spinney.judge.strength import edge_strengths
from spinney.notices import Notice
from spinney.scores import Scores
from spinney.tables import Table

if TYPE_CHECKING:
    from spinney.pairs.pair_fit import PairFit

__all__ = ["FEWEST_ROWS", "JudgedGraph"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST_ROWS = 10
"""Rows that a pair must have in common to be judged; the judge has never seen fewer."""


class JudgedGraph(FittedGraph):
    """The edges of judged pairs, their strengths, and what is known of both.

    From ``evidence_``, ``judged_probabilities_`` and the pairs that are required and forbidden.
    :class:`spinney.GraphLearner` describes the parameters and the attributes.
    """

    cut: float
    fdr: float | None
    min_strength: float
    sure: float
    n_jobs: int | None

    judged_probabilities_: Floats
    edge_probabilities_: Floats
    edge_intervals_: Floats
    edge_signs_: NDArray[np.int64]
    out_of_distribution_: tuple[Notice, ...]
    judge_: JudgeReference
    why_no_edges_: Notice | None
    evidence_: Evidence
    _few: Bools | None
    _required: NDArray[np.int64]
    _forbidden: NDArray[np.int64]

    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_probabilities_", "probability", "probability"
    )

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
        return self._n_rows * self.evidence_.index.spread(self.evidence_.row_shares, absent=1.0)

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
        kept = keep_above(P, self.cut) if self.fdr is None else keep_by_fdr(P, float(self.fdr))
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
                "No edge was kept, because no pair could be judged: each is forbidden, or its rows "
                f"count as fewer than {FEWEST_ROWS} independent ones."
            )
            return Notice("no-pair-to-judge", text, "note")
        P = np.where(free, self.judged_probabilities_, -1.0)
        best = int(np.argmax(P))
        pair = tuple(self.node_names_[int(u)] for u in pair_ends(best, len(self.node_names_)))
        rule = f"more than {self.cut:g} is asked for (cut)"
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

    @property
    def pair_fit_(self) -> PairFit:
        """The table and the densities of its pairs, fitted when first asked for."""
        check_fitted(self)
        fit: PairFit | None = self.__dict__.get("_pair_fit")
        if fit is None:
            from spinney.pairs.copulas import PairCopulas
            from spinney.pairs.margins import Margins
            from spinney.pairs.pair_fit import PairFit

            copulas = PairCopulas(criterion="aic", random_state=0, n_jobs=self.n_jobs)
            fit = PairFit(copulas, margins=Margins(random_state=0))
            fit._keeps_densities = True  # each comparison learns from them
            self._pair_fit = fit.fit(self.table_, pairs=self.evidence_.numbers)
        return fit

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
        """Independent rows that say as much as all rows do of the pair that suffers most."""
        check_fitted(self)
        if self.evidence_ is None:
            return len(self.table_)
        return round(len(self.table_) * float(self.evidence_.row_shares.min(initial=1.0)))

    @property
    def expected_false_(self) -> float:
        """Expected number of kept edges that are false, required ones left out."""
        check_fitted(self)
        P = np.where(self._free, self.judged_probabilities_, np.nan)
        return expected_false(P, to_pairs(self.adjacency_) > 0.0)

    @property
    def expected_missed_(self) -> float:
        """Expected number of edges that were not kept, forbidden and unknown ones left out."""
        check_fitted(self)
        P = np.where(self._free, self.judged_probabilities_, np.nan)
        return expected_missed(P, self._choose())

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
