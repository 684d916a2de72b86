"""Complementary halves of a table, and what an estimator selects on one of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney._core.pairs import pair_nodes
from spinney._core.warned import recorded_warnings
from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.tables import Table

__all__ = [
    "Half",
    "Note",
    "Selected",
    "check_halves_vary",
    "complementary_halves",
    "fit_half",
    "half_seed",
    "recorded_notes",
    "show_notes",
]

Rows = NDArray[np.intp]
Note = tuple[str, str]
"""Kind and text of a warning."""

KINDS: dict[str, type[Warning]] = {
    kind.__name__: kind
    for kind in (ConvergenceWarning, DataWarning, RuntimeWarning, UserWarning, Warning)
}
"""What warnings are counted as, the narrow kinds first."""


class Half(NamedTuple):
    """Which half of which split, both counted from 0."""

    split: int
    half: int


class Selected(NamedTuple):
    """What came of one fit: the pairs selected, by number, and the warnings on the way."""

    where: Half
    pairs: NDArray[np.intp]
    notes: list[Note]


def complementary_halves(n: int, n_splits: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Split n rows at random into two halves of ⌊n/2⌋, many times.

    The two halves of a split have no row in common; if n is odd, one row is in neither. Each split
    has a stream of its own, so the first ones do not depend on how many follow.

    Examples
    --------
    >>> [tuple(half.tolist() for half in halves) for halves in complementary_halves(5, 2, 0)]
    [([0, 3], [1, 2]), ([3, 4], [0, 2])]
    """
    size = n // 2
    halves = []
    for split in range(n_splits):
        stream = np.random.SeedSequence(seed, spawn_key=(split,))
        order = np.random.default_rng(stream).permutation(n)
        halves.append((np.sort(order[:size]), np.sort(order[size : 2 * size])))
    return halves


def half_seed(seed: int, where: Half) -> int:
    """Seed of the estimator on one half, a function of nothing but its place."""
    stream = np.random.SeedSequence(seed, spawn_key=(where.split, 1 + where.half))
    return int(stream.generate_state(1)[0])


def check_halves_vary(table: Table, halves: list[tuple[Rows, Rows]]) -> None:
    """Refuse a table with a column that is constant within a half, before anything is fitted.

    Columns with levels may be: an estimator that knows their kinds then learns nothing from them.
    """
    ranked = table.n_levels == 0
    for split, both in enumerate(halves):
        for half, rows in enumerate(both):
            values = table.values[rows]
            constant = np.flatnonzero((values == values[0]).all(axis=0) & ranked)
            if constant.size:
                where = half_in_words(Half(split, half), len(halves))
                raise InputError(
                    f"Column '{table.names[constant[0]]}' is constant within the {where}: all of "
                    f"its {len(rows)} rows hold "
                    f"{values[0, constant[0]]:.6g}. Drop the column, or collect rows in which it "
                    "varies."
                )


def half_in_words(where: Half, n_splits: int) -> str:
    """Name a half in a message."""
    return f"{('first', 'second')[where.half]} half of split {where.split + 1} of {n_splits}"


def fit_half(
    estimator: Any,
    X: NDArray[np.float64] | pd.DataFrame | Table,
    where: Half,
    n_splits: int,
    seed: int,
    alone: bool,
) -> Selected:
    """Fit a clone to rows of one half.

    Parameters
    ----------
    estimator : estimator
        Not fitted; it is cloned.
    X : array, data frame or Table of m rows and d columns
        The rows.
    where, n_splits : Half, int
        For the message, if the fit fails.
    seed : int
        For every parameter named ``random_state``, nested ones too.
    alone : bool
        Whether nothing runs beside it. If not, every parameter named ``n_jobs`` is set to 1.
    """
    m, d = X.values.shape if isinstance(X, Table) else X.shape
    model = clone(estimator)
    for name in sorted(model.get_params(deep=True)):
        last = name.rpartition("__")[2]
        if last == "random_state":
            model.set_params(**{name: seed})
        elif last == "n_jobs" and not alone:
            model.set_params(**{name: 1})
        elif last == "progress":
            model.set_params(**{name: False})  # one bar, over all halves
    with recorded_notes() as notes:
        try:
            pairs = _selected_pairs(model.fit(X), d)
        except Exception as error:
            kind = InputError if isinstance(error, ValueError) else SpinneyError
            raise kind(
                f"{type(estimator).__name__} failed on the {half_in_words(where, n_splits)} "
                f"({m} rows): {type(error).__name__}: {error}"
            ) from error
    return Selected(where, pairs, notes)


def _selected_pairs(model: Any, d: int) -> NDArray[np.intp]:
    adjacency = np.asarray(getattr(model, "adjacency_", None))
    if adjacency.shape != (d, d) or (adjacency != adjacency.T).any():
        raise SpinneyError(
            f"after fit it must have a symmetric adjacency_ of shape ({d}, {d}), and has not"
        )
    return np.flatnonzero(adjacency[pair_nodes(d)])


@contextmanager
def recorded_notes() -> Iterator[list[Note]]:
    """Collect warnings instead of showing them, each thread its own.

    What is said by threads that do not record goes to whoever began first.
    """
    notes: list[Note] = []
    with recorded_warnings() as caught:
        yield notes
    for warning in caught:
        kind = next(name for name, kind in KINDS.items() if issubclass(warning.category, kind))
        notes.append((kind, warning.message))


def show_notes(notes: list[Note], n_fits: int, stacklevel: int) -> None:
    """Show each kind of warning once, with how often it came."""
    for kind, category in KINDS.items():
        texts = [text for name, text in notes if name == kind]
        if texts:
            times = "once" if len(texts) == 1 else f"{len(texts)} times"
            warnings.warn(
                f"{kind} {times} in {n_fits} fits on half of the rows; first: {texts[0]}",
                category,
                stacklevel=stacklevel + 1,
            )
