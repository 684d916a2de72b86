"""The graph learned again from other rows of its table: drawn, kept, resumed, with any workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from spinney._core.files import JsonLines
from spinney._core.pairs import named_pairs, pair_numbers, pairs_among
from spinney._core.progress import progress_bar
from spinney.exceptions import InputError, SpinneyError
from spinney.judge.judge import find_judge
from spinney.judge.learner import Learner
from spinney.scale.tasks import as_finished
from spinney.scores import Scores, read_scores
from spinney.tables import Table, part_of

__all__ = ["Draw", "Fit", "failed", "fingerprint", "fit_rows", "learn_rows", "rows_of", "run_draws"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

AT_ONCE = 5
"""Draws of a task: more would be lost by an interrupt, fewer cost time."""
KIND = "spinney resampling"


class Draw(NamedTuple):
    """One draw of rows: what kind it is, and its number from 0."""

    kind: str
    number: int

    def rng(self, seed: int) -> np.random.Generator:
        """Return the stream of this draw, which depends on nothing else."""
        key = (int.from_bytes(self.kind.encode()), self.number)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def rows_of(chosen: Ints, units: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the rows of the chosen units, one unit after the other, and the place of each.

    Examples
    --------
    >>> rows_of(np.array([1, 0, 1]), np.array([0, 1, 0, 1]))
    (array([1, 3, 0, 2, 1, 3]), array([0, 0, 1, 1, 2, 2]))
    """
    order, sizes = np.argsort(units, kind="stable"), np.bincount(units)
    counts = sizes[chosen]
    places = np.repeat(np.arange(len(chosen)), counts)
    within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat((np.cumsum(sizes) - sizes)[chosen], counts) + within], places


class Fit(NamedTuple):
    """A graph learned from some rows: the model, its places among all columns, its scores."""

    model: Learner
    places: Ints
    scores: Scores


def fit_rows(
    learner: Learner, table: Table, rows: Ints, shares: Floats | None = None
) -> Fit | None:
    """Learn from some rows: from scores to strengths, with no checks and no words.

    Parameters
    ----------
    learner : Learner
        The settings.
    table : Table
        All rows, read and checked.
    rows : int array
        Which; one may come several times.
    shares : array of shape (d, d), optional
        Share of each pair's rows that says as much if rows are independent, where the order of
        `rows` cannot tell it.

    Returns
    -------
    Fit, or None if fewer than two columns vary in these rows
    """
    part: Any = part_of(table, rows, "in this sample")
    if len(part.columns) < 2:
        return None
    names = table.names
    places = np.array([names.index(name) for name in part.names], dtype=np.intp)
    constraints: dict[str, Any] = {
        what: pairs_among(named_pairs(getattr(learner, what), names, what), part.names)
        for what in ("required", "forbidden")
    }
    scores = read_scores(part)
    if shares is not None:
        scores = replace(scores, row_shares=shares[np.ix_(places, places)])
    plain: dict[str, Any] = {"n_jobs": 1, "progress": False, "device": "cpu"}
    return Fit(replace(learner, **constraints, **plain).fit_read(part, scores), places, scores)


def learn_rows(learner: Learner, table: Table, rows: Ints, shares: Floats | None = None) -> Floats:
    """Learn from some rows as :func:`fit_rows`, and return the edges.

    Returns
    -------
    array of shape (2, n_edges)
        Numbers of the pairs of `table` that are edges, rising, and their strengths; 0 where one
        cannot be measured. A column that does not vary in these rows has no edges.
    """
    fit = fit_rows(learner, table, rows, shares)
    if fit is None:
        return np.empty((2, 0))
    u, v = np.nonzero(np.triu(fit.model.adjacency_, 1))
    numbers = pair_numbers(fit.places[u], fit.places[v], len(table.names))
    return np.stack([numbers.astype(float), np.nan_to_num(fit.model.edge_weights_[u, v])])


def fingerprint(table: Table, learner: Learner) -> str:
    """Name the table and the settings that the graphs of all draws depend on."""
    without = ("random_state", "n_jobs", "progress", "device", "judge", "units")
    told = {k: v for k, v in learner.get_params().items() if k not in without}
    columns = [(column.name, column.kind, len(column.levels)) for column in table.columns]
    values = np.ascontiguousarray(table.values)
    judge = find_judge(learner.judge).fingerprint
    return str(joblib.hash([values, table.units, columns, told, judge]))


def run_draws(
    function: Callable[..., list[dict[str, Any]]],
    draws: Sequence[Draw],
    settings: dict[str, Any],
    *,
    shared: Sequence[Any] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    label: str = "samples",
    stop: Callable[[], bool] | None = None,
) -> list[dict[str, Any]]:
    """Learn from all draws, and return what was found, in their order.

    Parameters
    ----------
    function : callable
        ``function(draws, *shared)`` learns from some draws, and returns plain JSON for each; a
        function of a module.
    draws : sequence of Draw
        Each once.
    settings : dict
        What the results depend on, for the checkpoint.
    shared : sequence
        What all calls need.
    checkpoint : path, optional
        File to which finished draws are written at once; those in it are not learned again.
    n_jobs : int, optional
        Processes; the numbers do not depend on it.
    progress : bool
        Whether to show a bar.
    label : str
        What is going on.
    stop : callable, optional
        Asked before every few draws; once it says True no other is begun. What is returned then
        ends at the first draw that is not finished.
    """
    file = None if checkpoint is None else JsonLines(Path(checkpoint))
    done = {} if file is None else _finished(file, settings)
    with ExitStack() as stack:
        move = stack.enter_context(progress_bar(len(draws), label, progress))
        move(sum(draw in done for draw in draws))
        todo = [draw for draw in draws if draw not in done]
        tasks = takewhile(lambda _: stop is None or not stop(), _in_parts(todo))
        run = as_finished(
            function, tasks, shared=shared, n_jobs=n_jobs, label=label, prefer="processes"
        )
        for _, found in stack.enter_context(closing(run)):
            for record in found:
                done[Draw(record["kind"], record["number"])] = record
                if file is not None:
                    file.append(record)
            move(len(found))
    return [done[draw] for draw in takewhile(done.__contains__, draws)]


def _in_parts(draws: list[Draw]) -> Iterator[list[Draw]]:
    for start in range(0, len(draws), AT_ONCE):
        yield draws[start : start + AT_ONCE]


def _finished(file: JsonLines, settings: dict[str, Any]) -> dict[Draw, dict[str, Any]]:
    """Return what was finished before; begin the file if there is nothing in it."""
    content = file.path.read_bytes() if file.path.exists() else b""
    start = f'{{"kind": "{KIND}"'.encode()
    # A file that is not ours is never cut, however it ends.
    if content[: len(start)] != start[: len(content)]:
        raise InputError(f"{file.path} is not a checkpoint of resampling. Choose another path.")
    found = file.read(_checked)
    if not found:
        file.append({"kind": KIND, "settings": settings})
        return {}
    if found[0]["settings"] != settings:
        raise InputError(
            f"The checkpoint {file.path} belongs to another run: to another table, graph or seed. "
            "Choose another path or delete the file."
        )
    return {Draw(record["kind"], record["number"]): record for record in found[1:]}


def _checked(record: dict[str, Any]) -> dict[str, Any]:
    if record["kind"] != KIND:
        int(record["number"])
    return record


def failed(what: str, error: Exception) -> SpinneyError:
    """Say which draw could not be learned."""
    kind = InputError if isinstance(error, ValueError) else SpinneyError
    return kind(f"{what} could not be learned: {error}")
