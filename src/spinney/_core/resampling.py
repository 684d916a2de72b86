"""One function over many draws of rows: written down as they are finished, with any workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spinney._core.files import JsonLines
from spinney._core.progress import progress_bar
from spinney.exceptions import InputError
from spinney.scale.tasks import as_finished, on_cluster

KIND = "spinney resampling"
FILE_NAME = "resampling.jsonl"
"""Name of the file if a folder is given."""
AT_ONCE = 5
"""Draws of a task: more would be lost by an interrupt, fewer cost time."""


class Draw(NamedTuple):
    """One draw of rows: what kind it is, and its number from 0."""

    kind: str
    number: int

    def rng(self, seed: int) -> np.random.Generator:
        """Return the stream of this draw, which depends on nothing else."""
        key = (int.from_bytes(self.kind.encode()), self.number)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


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
    at_once: int = AT_ONCE,
    stop: Callable[[], bool] | None = None,
) -> list[dict[str, Any]]:
    """Learn from all draws, and return what was found, in their order.

    Parameters
    ----------
    function : callable
        ``function(draws, *shared)`` learns from some draws, and returns plain JSON for each, its
        ``kind`` and ``number`` included; a function of a module.
    draws : sequence of Draw
        Each once.
    settings : dict
        What the results depend on, as plain JSON, for the checkpoint.
    shared : sequence
        What all calls need.
    checkpoint : path, optional
        File, or existing folder, to which finished draws are written at once; those in it are not
        learned again.
    n_jobs : int, optional
        Processes; the numbers do not depend on it.
    progress : bool
        Whether to show a bar.
    label : str
        What is going on.
    at_once : int
        Draws of a task.
    stop : callable, optional
        Asked before every task; once it says True no other is begun. What is returned then ends at
        the first draw that is not finished.
    """
    done: dict[Draw, dict[str, Any]] = {}
    with ExitStack() as stack:
        file = None
        if checkpoint is not None:
            path = Path(checkpoint)
            file = JsonLines(path / FILE_NAME if path.is_dir() else path)
            done = _finished(file, settings)
        move = stack.enter_context(progress_bar(len(draws), label, progress))
        move(sum(draw in done for draw in draws))
        todo = [draw for draw in draws if draw not in done]
        parts = (todo[start : start + at_once] for start in range(0, len(todo), at_once))
        run = as_finished(
            function,
            takewhile(lambda _: stop is None or not stop(), parts),
            shared=shared,
            n_jobs=n_jobs,
            label=label,
            prefer="processes",
            # Batches would hold finished draws back from the checkpoint.
            batch="auto" if file is None else 1,
        )
        for _, found in stack.enter_context(closing(run)):
            for record in found:
                done[_draw_of(record)] = record
                if file is not None:
                    file.append(record)
            move(len(found))
            if on_cluster() and stop is not None and stop():
                break  # running fits are cancelled
    return [done[draw] for draw in takewhile(done.__contains__, draws)]


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
    stored = found[0]["settings"]
    for name in [*settings, *(name for name in stored if name not in settings)]:
        if stored.get(name) != settings.get(name):
            raise InputError(
                f"The checkpoint {file.path} belongs to another run: its {name} was "
                f"{stored.get(name)}, and is {settings.get(name)} now. Go back to those settings, "
                "choose another path or delete the file."
            )
    return {_draw_of(record): record for record in found[1:]}


def _checked(record: dict[str, Any]) -> dict[str, Any]:
    if record["kind"] != KIND:
        _draw_of(record)
    return record


def _draw_of(record: dict[str, Any]) -> Draw:
    return Draw(str(record["kind"]), int(record["number"]))
