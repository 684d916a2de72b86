"""What is done besides the graph, if there is time: other methods, and stability."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from spinney.cli._settings import Settings
from spinney.cli._shell import in_options
from spinney.cli._time_limit import Deadline, OutOfTimeError
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.graph import Comparisons, LearnedGraph, Stability

__all__ = ["CutShort", "checkpoint_in", "compare", "find_stability", "forget", "unfinished"]

QUICK_FIRST = ("chow_liu", "gaussian", "shared_forest", "ef_lambda")
"""The order in which methods are asked where there may not be time for all."""
NOT_ASKED = "Not asked: the time limit was near."


@dataclass(frozen=True)
class CutShort:
    """What a time limit has left out; an earlier run's, if it is done again.

    Attributes
    ----------
    comparisons : tuple of str
        Methods that were not asked.
    stability_fits : dict of int
        By group (``""`` without groups), the number of fits after which stability was stopped.
    """

    comparisons: tuple[str, ...] = ()
    stability_fits: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.comparisons or self.stability_fits)


def compare(
    graph: LearnedGraph,
    jobs: int,
    deadline: Deadline,
    reserve_s: float,
    earlier: CutShort | None = None,
) -> tuple[Comparisons, list[str]]:
    """Ask other methods; under a time limit the quick ones first, while it lasts.

    Returned are their answers, and the names of methods that were not asked for want of time (or
    because an `earlier` run did not).
    """
    from spinney._core.pairs import PairIndex
    from spinney.graph import METHODS, Comparisons, compare_methods

    skipped = () if earlier is None else earlier.comparisons
    if deadline.limit_s is None and not skipped:
        return _in_options(compare_methods(graph.evidence, n_jobs=jobs)), []
    parts: dict[str, Comparisons] = {}
    missed: list[str] = []
    for name in QUICK_FIRST:
        if name in skipped:
            missed.append(name)
            continue
        try:
            with deadline.enforced(reserve_s):
                parts[name] = _ask(graph, name, jobs)
        except OutOfTimeError:
            missed.append(name)
    found = Comparisons(pairs=PairIndex.of_model(graph.learner, len(graph.names)).numbers)
    for name in METHODS:  # in their own order, in which columns of results are
        part = parts.get(name, _nothing(graph, NOT_ASKED, name))
        found.kept.update(part.kept)
        found.shares.update(part.shares)
        found.notes.update(part.notes)
    return found, missed


def _in_options(found: Comparisons) -> Comparisons:
    """Give the advice of notes, which the report shows, in the words of the command line."""
    found.notes.update({name: in_options(note) for name, note in found.notes.items()})
    return found


def _ask(graph: LearnedGraph, name: str, jobs: int) -> Comparisons:
    """Ask one method, unless it would take minutes with so many columns."""
    from spinney.graph import compare_methods
    from spinney.graph.comparisons import MOST_COLUMNS

    most = MOST_COLUMNS.get(name)
    if most is not None and len(graph.names) > most:
        return _nothing(graph, f"Not run: with more than {most:,} columns it takes minutes.", name)
    return _in_options(compare_methods(graph.evidence, [name], n_jobs=jobs))


def _nothing(graph: LearnedGraph, note: str, name: str) -> Comparisons:
    import numpy as np

    from spinney._core.pairs import PairIndex
    from spinney.graph import Comparisons

    unknown = np.full(len(graph.evidence.values), np.nan)
    judged = PairIndex.of_model(graph.learner, len(graph.names))
    return Comparisons({name: unknown}, {}, {name: note}, judged.numbers)


# Stability


def unfinished(folder: Path) -> Path:
    """Name the folder that holds finished fits while others are to come; beside the results.

    Examples
    --------
    >>> unfinished(Path("some/cells-graph")).name
    'cells-graph-unfinished'
    """
    if folder.name in ("", ".."):  # as of '.', beside which there is nothing without its name
        folder = folder.resolve()
    if not folder.name:
        return folder / "results-unfinished"
    return folder.with_name(f"{folder.name}-unfinished")


def checkpoint_in(folder: Path, number: int) -> Path:
    """Name the file for the fits of one graph."""
    return unfinished(folder) / f"stability-{number + 1}.jsonl"


def forget(folder: Path) -> None:
    """Remove finished fits, when all is written that comes of them."""
    shutil.rmtree(unfinished(folder), ignore_errors=True)


def find_stability(
    graph: LearnedGraph,
    checkpoint: Path,
    settings: Settings,
    jobs: int,
    deadline: Deadline,
    reserve_s: float,
    n_fits: int | None = None,
) -> Stability:
    """Learn from halves of the rows, until all are done or the time limit is near.

    Finished fits are kept in `checkpoint`, from which the same command goes on. With `n_fits`,
    which an earlier run came to, so many are done.
    """
    from spinney.graph import learn_stability

    begun: list[float] = []

    def stop() -> bool:
        begun.append(monotonic())
        longest = max((b - a for a, b in pairwise(begun)), default=0.0)
        if n_fits is not None and len(begun) > n_fits:
            return True
        return deadline.left_s - reserve_s < longest

    options: Any = {"random_state": settings.seed, "n_jobs": jobs}
    splits = settings.stability or 0
    if n_fits is not None:
        return learn_stability(graph, splits, stop=stop, **options)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    try:
        with deadline.enforced(reserve_s):
            return learn_stability(graph, splits, checkpoint=checkpoint, stop=stop, **options)
    except OutOfTimeError:  # in the middle of a fit: those before it are there
        return learn_stability(graph, splits, checkpoint=checkpoint, stop=lambda: True, **options)
    except InputError:
        with suppress(OSError):  # nothing was begun, unless there is something in it
            checkpoint.parent.rmdir()
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"The fits that are finished are kept in '{checkpoint.parent}': the same command goes "
            "on from there."
        ) from None
