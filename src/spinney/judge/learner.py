"""From a table to its graph by the judge, without scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from spinney._core.choices import read_device, read_random_state
from spinney._core.graph import check_fitted
from spinney._core.pairs import both_required_and_forbidden, read_pairs
from spinney._core.progress import progress_bar
from spinney.evidence import Evidence, measure_scores
from spinney.exceptions import InputError
from spinney.judge.judge import (
    Judge,
    JudgeReference,
    find_judge,
    judge_probabilities,
    unlike_training,
)
from spinney.judge.judged_graph import JudgedGraph
from spinney.judge.prior import read_prior, with_prior
from spinney.notices import Notice, warn
from spinney.scores import Scores, read_scores
from spinney.tables import Kinds, Missing, ReadsKindsMixin, RowsToUse, Table, check_rows

__all__ = ["WIDE", "Learner", "Pairs", "seed_of"]

Pairs = Sequence[Sequence[Any]]

WIDE = 800
"""Columns beyond which a table is judged in neighbourhoods (docs/large-tables.md)."""
STEPS = ("evidence", "judge", "strengths")
"""What a fit is made of."""


def unlike_notice(notices: tuple[Notice, ...]) -> Notice:
    """Say in what a table is unlike those of the judge's training."""
    text = (
        "The table is unlike those that the judge was trained on, so doubt its probabilities "
        f"(.check() shows how well they do here). {' '.join(map(str, notices))}"
    )
    return Notice("unlike-training", text, facts={"notices": notices})


@dataclass(eq=False, repr=False)
class Learner(ReadsKindsMixin, JudgedGraph):
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
        for name in ("edge_weights_", "evidence_", "_pair_fit"):
            self.__dict__.pop(name, None)
        judge, seed = find_judge(self.judge), seed_of(self.random_state)
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
        self._required, self._forbidden = self._read_knowledge(table.names)
        self.judge_ = JudgeReference.to(judge)
        wide = len(table.columns) > WIDE
        # Of a wide table each step has a bar of its own.
        with progress_bar(len(STEPS), ", ".join(STEPS), self.progress and not wide) as advance:
            scores = read_scores(table) if scores is None else scores
            judge_scores = self._judge_wide if wide else self._judge_whole
            self.evidence_ = judge_scores(table, scores, judge, device, advance)
            if self.prior is not None:
                self.judged_probabilities_ = with_prior(
                    self.judged_probabilities_, self.prior, table.names, judge.card
                )
            self._few = None
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
        if min_strength is not None:
            other.min_strength = min_strength
        if sure is not None:
            other.sure = sure
        other._check_parameters()
        other.edge_weights_ = other._keep_edges()
        other._rebuild()
        return other

    def _judge_whole(
        self,
        table: Table,
        scores: Scores,
        judge: Judge,
        device: str,
        advance: Callable[[int], None],
    ) -> Evidence:
        """Measure and judge all pairs at once."""
        evidence = Evidence(measure_scores(scores), table)
        advance(1)
        seen = evidence.as_independent() if table.weighted else evidence
        self.out_of_distribution_ = ()
        self.judged_probabilities_ = judge_probabilities(judge, seen, self.n_jobs, device)
        advance(1)
        return evidence

    def _judge_wide(
        self,
        table: Table,
        scores: Scores,
        judge: Judge,
        device: str,
        advance: Callable[[int], None],
    ) -> Evidence:
        """Measure and judge pairs in neighbourhoods."""
        from spinney.scale.wide import learn_wide

        judged = learn_wide(
            table,
            scores,
            judge,
            required=self._required,
            n_jobs=self.n_jobs,
            device=device,
            progress=self.progress,
        )
        advance(2)
        self.out_of_distribution_ = judged.unlike_training
        self.judged_probabilities_ = judged.evidence.index.spread(judged.probabilities)
        return judged.evidence

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

    def _read_knowledge(self, names: tuple[str, ...]) -> tuple[Any, Any]:
        required = read_pairs(self.required, names, "required")
        forbidden = read_pairs(self.forbidden, names, "forbidden")
        for pair in np.intersect1d(required, forbidden):
            raise both_required_and_forbidden(int(pair), names)
        return required, forbidden


def seed_of(random_state: int | np.random.Generator | None) -> int:
    """Return a seed as a whole number, drawn at random where none is given."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(read_random_state(random_state).integers(2**31))
