"""Fits to random halves of a table, and a record of the finished ones."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney._core.files import JsonLines
from spinney._core.pairs import pair_index, pair_nodes
from spinney._core.progress import progress_bar
from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.notices import recorded_warnings
from spinney.scale.tasks import as_finished, on_cluster
from spinney.tables import Table

__all__ = [
    "Checkpoint",
    "Half",
    "Note",
    "Selected",
    "check_halves_vary",
    "complementary_halves",
    "fit_half",
    "fit_halves",
    "half_seed",
    "recorded_notes",
    "settings_of",
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
    """The result of one fit: the numbers of the selected pairs, and the warnings."""

    where: Half
    pairs: NDArray[np.intp]
    notes: list[Note]


def complementary_halves(n: int, n_splits: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Split n rows at random into two halves of ⌊n/2⌋, many times.

    The two halves of a split have no row in common; if n is odd, one row is in neither. Each split
    has its own stream, so the first ones do not depend on how many follow.

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
    """Return the seed of the estimator on one half; it depends on the place alone."""
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


def fit_halves(
    fit: Callable[..., Selected],
    table: Table,
    settings: dict[str, Any],
    *,
    shared: Sequence[Any] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    stop: Callable[[], bool] | None = None,
) -> list[Selected]:
    """Fit to both halves of many splits, and return what was selected, in the order of the halves.

    Parameters
    ----------
    fit : callable
        ``fit((where, rows, seed), *shared)`` fits to one half; a function of a module.
    table : Table
        All rows.
    settings : dict
        From :func:`settings_of`: what is written to the checkpoint, seed and splits included.
    shared : sequence
        What all fits need.
    checkpoint : path, optional
        File, or existing folder, to which each finished half is written at once. Halves that are in
        it are not fitted again.
    n_jobs : int, optional
        Workers of joblib, each with one half at a time; on a cluster it is not used.
    progress : bool
        Whether to show a bar.
    stop : callable, optional
        Asked before each fit; once it says True no other is begun. What is returned then ends at
        the first half that is not finished, as in a run without other workers.
    """
    seed, n_splits = settings["random_state"], settings["n_splits"]
    halves = complementary_halves(len(table.values), n_splits, seed)
    places = [Half(split, half) for split in range(n_splits) for half in (0, 1)]
    done: dict[Half, Selected] = {}
    with ExitStack() as stack:
        file = None
        if checkpoint is not None:
            file = Checkpoint(checkpoint, settings, len(table.names))
            done = {selected.where: selected for selected in file.finished()}
        move = stack.enter_context(progress_bar(len(places), "fits on half of the rows", progress))
        move(len(done))
        todo = [where for where in places if where not in done]
        tasks = (
            (where, halves[where.split][where.half], half_seed(seed, where))
            for where in takewhile(lambda _: stop is None or not stop(), todo)
        )
        run = as_finished(
            fit,
            tasks,
            shared=shared,
            n_jobs=n_jobs,
            label="halves",
            prefer="processes",
            # Batches would hold finished halves back from the checkpoint.
            batch="auto" if checkpoint is None else 1,
        )
        for _, selected in stack.enter_context(closing(run)):
            done[selected.where] = selected
            if file is not None:
                file.add(selected)
            move(1)
            if on_cluster() and stop is not None and stop():
                break  # running fits are cancelled
    return [done[where] for where in takewhile(done.__contains__, places)]


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

    Warnings of threads that do not record go to the first recorder.
    """
    notes: list[Note] = []
    with recorded_warnings() as caught:
        yield notes
    for warning in caught:
        kind = next(name for name, kind in KINDS.items() if issubclass(warning.category, kind))
        notes.append((kind, warning.message))


def show_notes(notes: list[Note], n_fits: int, stacklevel: int) -> None:
    """Show each kind of warning once, with its count."""
    for kind, category in KINDS.items():
        texts = [text for name, text in notes if name == kind]
        if texts:
            times = "once" if len(texts) == 1 else f"{len(texts)} times"
            warnings.warn(
                f"{kind} {times} in {n_fits} fits on half of the rows; first: {texts[0]}",
                category,
                stacklevel=stacklevel + 1,
            )


KIND = "stability selection"
FILE_NAME = "stability.jsonl"
"""Name of the file if a folder is given."""

_BEGINNING = f'{{"kind": "{KIND}"'.encode()
_WITHOUT_EFFECT = {"random_state", "n_jobs", "progress", "verbose"}
"""Parameters of the estimator that are set for each half, or change no result."""


def settings_of(table: Table, estimator: Any, seed: int, n_splits: int) -> dict[str, Any]:
    """Describe everything that the selected edges depend on, as plain text and numbers.

    Examples
    --------
    >>> from sklearn.covariance import GraphicalLasso
    >>> table = Table.plain(np.eye(3), ("a", "b", "c"))
    >>> settings_of(table, GraphicalLasso(0.2), 0, 50)["estimator"].split()[0]
    'GraphicalLasso'
    """
    n, d = table.values.shape
    # Classes by name: one that is defined in a function cannot be hashed.
    parameters = {
        name: type(value).__qualname__ if hasattr(value, "get_params") else value
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] not in _WITHOUT_EFFECT
    }
    return {
        "table": f"{n} rows, {d} columns, {joblib.hash(np.ascontiguousarray(table.values))}",
        "columns": joblib.hash(table.names),
        "kinds": [f"{column.kind} {len(column.levels)}" for column in table.columns],
        "estimator": f"{type(estimator).__name__} {joblib.hash(parameters)}",
        "random_state": seed,
        "n_splits": n_splits,
    }


class Checkpoint(JsonLines):
    """A file with one line of settings and one line per finished half.

    Parameters
    ----------
    path : path
        The file, or an existing folder to hold it.
    settings : dict
        From :func:`settings_of`. A file with other settings is refused and left alone.
    d : int
        Number of columns.
    """

    def __init__(self, path: str | os.PathLike[str], settings: dict[str, Any], d: int) -> None:
        given = Path(path)
        super().__init__(given / FILE_NAME if given.is_dir() else given)
        self.settings, self.d = settings, d
        self._nodes = pair_nodes(d)

    def finished(self) -> list[Selected]:
        """Return what was finished before; begin the file if there is nothing in it."""
        content = self.path.read_bytes() if self.path.exists() else b""
        # A file that is not ours is never cut, however it ends.
        if content[: len(_BEGINNING)] != _BEGINNING[: len(content)]:
            raise InputError(
                f"{self.path} is not a checkpoint of stability selection. Choose another path."
            )
        found = self.read(self._parse)
        if not found:
            self.append({"kind": KIND, "settings": self.settings})
            return []
        stored, now = found[0], self.settings
        for name in [*now, *(name for name in stored if name not in now)]:
            if stored.get(name) != now.get(name):
                raise InputError(
                    f"The checkpoint {self.path} belongs to another run: its {name} was "
                    f"{stored.get(name)}, and is {now.get(name)} now. Go back to those settings, "
                    "choose another path or delete the file."
                )
        return found[1:]

    def add(self, selected: Selected) -> None:
        """Keep a finished half for good."""
        first, second = (nodes[selected.pairs].tolist() for nodes in self._nodes)
        edges = list(zip(first, second, strict=True))
        self.append({**selected.where._asdict(), "edges": edges, "warnings": selected.notes})

    def _parse(self, record: dict[str, Any]) -> Any:
        if "settings" in record:
            return record["settings"]
        where = Half(int(record["split"]), int(record["half"]))
        if where.half not in (0, 1) or not 0 <= where.split < self.settings["n_splits"]:
            raise ValueError(where)
        pairs = [pair_index(int(u), int(v), self.d) for u, v in record["edges"]]
        notes = [(str(kind), str(text)) for kind, text in record["warnings"]]
        return Selected(where, np.array(pairs, dtype=np.intp), notes)
