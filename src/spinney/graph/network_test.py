r"""Whether the networks of two groups differ as wholes: a permutation test.

With the strengths :math:`s_{ge}` in group g of the edges that either group has, given the
neighbours in either graph, the statistics are the largest difference of strengths and the
difference of global strength,

.. math:: M = \max_e |s_{1e} - s_{2e}|, \qquad
          S = \Bigl|\sum_e |s_{1e}| - \sum_e |s_{2e}|\Bigr|,

and p is the share of permutations of the rows between the groups, the observed one included, that
reach the observed value [1]_. Numbers are replaced by their ranks within each group first: groups
that differ in means or spreads only are exchangeable then.

References
----------
.. [1] C. D. van Borkulo et al. (2023). Comparing network structures on three aspects: a permutation
   test. Psychological Methods 28, 1273-1285.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import average_ranks
from spinney._core.pairs import n_pairs, pair_ends
from spinney._core.resampling import Draw, run_draws
from spinney._core.text import counted
from spinney.exceptions import InputError
from spinney.graph.differences import strengths_of_pairs
from spinney.graph.resampling import Fit, failed, fingerprint, fit_rows
from spinney.judge.judge import find_judge
from spinney.judge.learner import Learner
from spinney.tables import CONTINUOUS, Table

Ints = NDArray[np.intp]

KIND = "permutation of groups"
TINY = 1e-12
"""Values that differ by less are the same."""


@dataclass(frozen=True)
class NetworkTest:
    """Whether two networks differ as wholes; see this module.

    Attributes
    ----------
    groups : pair of str
        The groups.
    largest_difference, largest_pair, largest_p : float, pair of str, float
        Largest difference of strengths, the pair of columns that has it, and its p.
    global_strengths, global_difference, global_p : pair of float, float, float
        Sum of the strengths in each group, signs left out, their difference (second less first),
        and its p.
    n_permutations : int
        How many there were.
    paired : bool
        Whether rows were swapped within persons.
    """

    groups: tuple[str, str]
    largest_difference: float
    largest_pair: tuple[str, str]
    largest_p: float
    global_strengths: tuple[float, float]
    global_difference: float
    global_p: float
    n_permutations: int
    paired: bool

    def sentence(self) -> str:
        """Say what the test found."""
        a, b = self.groups
        how = " within persons" if self.paired else ""
        where = f" ({' – '.join(self.largest_pair)})" if self.largest_difference else ""
        least = 1.0 / (self.n_permutations + 1)
        p = [f"p = {each:.3f}" if each > least else f"p ≤ {least:.3g}" for each in self.ps]
        return (
            f"{a} and {b} as whole networks ({counted(self.n_permutations, 'permutation')}{how}): "
            f"largest difference of strengths {self.largest_difference:.2f}{where}, {p[0]}; "
            f"global strength {self.global_strengths[0]:.2f} and {self.global_strengths[1]:.2f}, "
            f"{p[1]}."
        )

    @property
    def ps(self) -> tuple[float, float]:
        """Both p."""
        return self.largest_p, self.global_p


def compare_networks(
    table: Table,
    rows: Mapping[str, Ints],
    learner: Learner,
    n_permutations: int,
    *,
    persons: NDArray[Any] | None = None,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> dict[tuple[str, str], NetworkTest]:
    """Compare each two groups of rows as whole networks.

    Parameters
    ----------
    table : Table
        All rows.
    rows : mapping of int arrays
        Rows of each group, by name.
    learner : Learner
        The settings, with the judge that the groups were learned by.
    n_permutations : int
        How many.
    persons : int array of shape (n,), optional
        The person of each row of the table, for paired samples: a permutation swaps the rows of
        some persons between the groups. Persons with rows in one group stay where they are.
    seed, checkpoint, n_jobs, progress
        As in :func:`spinney.learn_stability`.

    Raises
    ------
    InputError
        If no person is in both of two groups, or a unit is in both without `persons`.
    """
    pairs = list(combinations(rows, 2))
    cases = [_Case.of(table, (rows[a], rows[b]), (a, b), persons) for a, b in pairs]
    draws = [Draw(f"{KIND} {k}", i) for i in range(n_permutations + 1) for k in range(len(pairs))]
    settings = {"table": fingerprint(table, learner), "random_state": seed}
    settings |= {"groups": list(rows), "paired": persons is not None}
    found = run_draws(
        _learn_draws,
        draws,
        settings,
        shared=(replace(learner), cases, seed),
        checkpoint=checkpoint,
        n_jobs=n_jobs,
        progress=progress,
        label="permutations of groups",
    )
    records: dict[tuple[str, str], list[dict[str, Any]]] = {two: [] for two in pairs}
    for record in found:
        records[pairs[int(record["kind"].rpartition(" ")[2])]].append(record)
    return {two: _tested(two, own, table, persons is not None) for two, own in records.items()}


class _Case(NamedTuple):
    """Two groups: their rows as one table, the group of each row, and what is moved as one."""

    table: Table
    second: NDArray[np.bool_]
    units: Ints
    swapped: bool

    @classmethod
    def of(
        cls,
        table: Table,
        rows: Sequence[Ints],
        names: tuple[str, str],
        persons: NDArray[Any] | None,
    ) -> _Case:
        places = np.concatenate(rows)
        second = np.arange(len(places)) >= len(rows[0])
        pooled = _ranked(table.take(places), second)
        labels = persons if persons is not None else table.units
        units = np.arange(len(places))
        if labels is not None:
            units = np.unique(labels[places], return_inverse=True)[1]
        in_both = np.bincount(units, second) * np.bincount(units, ~second) > 0
        if persons is None and in_both.any():
            raise InputError(
                f"{counted(int(in_both.sum()), 'unit')} of the rows are in group '{names[0]}' and "
                f"in '{names[1]}', so rows cannot be exchanged: name the column of the units in "
                "paired=..."
            )
        if persons is not None and not in_both.any():
            raise InputError(
                f"paired= identifies no person with rows in group '{names[0]}' and in "
                f"'{names[1]}': leave it out, or name the column that identifies persons."
            )
        return cls(pooled, second, units, persons is not None)

    def permuted(self, draw: Draw, seed: int) -> NDArray[np.bool_]:
        """Return which rows are in the second group; in draw 0 those that really are."""
        if draw.number == 0:
            return self.second
        rng, n_units = draw.rng(seed), int(self.units.max()) + 1
        if not self.swapped:
            first_row = np.unique(self.units, return_index=True)[1]
            return rng.permutation(self.second[first_row])[self.units]
        both = np.bincount(self.units, self.second) * np.bincount(self.units, ~self.second) > 0
        moved = both & (rng.random(n_units) < 0.5)
        return self.second ^ moved[self.units]


def _ranked(table: Table, second: NDArray[np.bool_]) -> Table:
    """Replace numbers by their ranks within each group, from 0 to 1."""
    values = table.values.copy()
    numbers = np.array([column.kind == CONTINUOUS for column in table.columns])
    for own in (second, ~second):
        part = values[np.ix_(own, numbers)]
        if part.size:
            counts = (~np.isnan(part)).sum(axis=0)
            values[np.ix_(own, numbers)] = (average_ranks(part) - 0.5) / counts
    return replace(table, values=values)


def _learn_draws(
    draws: list[Draw], learner: Learner, cases: list[_Case], seed: int
) -> list[dict[str, Any]]:
    """Learn both groups of some permutations, each as plain JSON."""
    learner = replace(learner, judge=find_judge(learner.judge))  # read once
    found = []
    for draw in draws:
        case = cases[int(draw.kind.rpartition(" ")[2])]
        second = case.permuted(draw, seed)
        try:
            fits = [
                fit_rows(learner, case.table, np.flatnonzero(rows)) for rows in (~second, second)
            ]
            strengths = _strengths(fits, len(case.table.names))
        except Exception as error:
            raise failed(f"Permutation {draw.number} of the groups", error) from error
        difference = np.abs(strengths[1] - strengths[0])
        largest = int(np.argmax(difference))
        told = {"largest": float(difference[largest]), "pair": largest}
        told["strengths"] = np.abs(strengths).sum(axis=1).tolist()
        found.append({**draw._asdict(), **told})
    return found


def _strengths(fits: Sequence[Fit | None], d: int) -> NDArray[np.float64]:
    """Strengths of the edges in either graph, given the neighbours in either, shape (2, n_pairs).

    0 of all other pairs, and where a strength cannot be measured.
    """
    either, found = np.zeros((d, d), dtype=bool), np.zeros((2, n_pairs(d)))
    for half in filter(None, fits):
        either[np.ix_(half.places, half.places)] |= half.model.adjacency_
    for own, fit in zip(found, fits, strict=True):
        if fit is not None:
            table, scores = fit.model.table_, fit.scores
            own[:] = np.nan_to_num(strengths_of_pairs(table, either, fit.places, scores)[0])
    return found


def _tested(
    groups: tuple[str, str], records: list[dict[str, Any]], table: Table, paired: bool
) -> NetworkTest:
    largest = np.array([record["largest"] for record in records])
    strengths = np.array([record["strengths"] for record in records])
    total = strengths[:, 1] - strengths[:, 0]
    u, v = (table.names[int(end)] for end in pair_ends(records[0]["pair"], len(table.names)))
    return NetworkTest(
        groups,
        float(largest[0]),
        (u, v),
        _p(largest),
        (float(strengths[0, 0]), float(strengths[0, 1])),
        float(total[0]),
        _p(np.abs(total)),
        len(records) - 1,
        paired,
    )


def _p(values: NDArray[np.float64]) -> float:
    """Return the share of permutations that reach the first, which is the observed one."""
    return float((values >= values[0] - TINY).mean())
