"""Many tables, a round of seeds at a time: stored at once, stopped in time, gone on with later."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._run import RESULTS
from reproduce import runner
from reproduce.runner import Record, Store, Task
from spinney.models import RootedForests
from spinney.pairs.densities import PairDensities

Look = Callable[[str, int], dict[str, Any]]
Summary = list[Any]
"""Mean, standard error and number of values."""


@dataclass(frozen=True)
class Options:
    """How much is done, and where it is kept."""

    repetitions: int | None = None
    workers: int = 1
    seconds: float = np.inf
    quick: bool = False
    folder: Path = RESULTS / "tables"


def in_rounds(
    section: str, look: Look, cells: Sequence[str], seeds: Iterable[int], options: Options
) -> list[Record]:
    """Look at every cell with every seed, and return all that is stored of them.

    Each table is stored when it is done. After the time is up no further round begins; what is
    stored already is not done again.
    """
    store = Store(options.folder / section)
    evaluate = partial(_attempt, look)
    end, wanted = time.monotonic() + options.seconds, list(seeds)
    try:
        for k, seed in enumerate(wanted):
            if time.monotonic() > end:
                print(f"  time is up after {k} of {len(wanted)} seeds")
                break
            runner.run(
                [Task(cell, section, seed) for cell in cells], store, evaluate, options.workers
            )
    except KeyboardInterrupt:
        print("  stopped; the same command goes on")
    known = {(cell, seed) for cell in cells for seed in wanted}
    found = [r for r in store.results().values() if (r["cell"], r["seed"]) in known]
    failed = [record for record in found if "error" in record]
    for record in failed[:3]:
        print(f"  failed: {record['cell']}, seed {record['seed']}: {record['error']}")
    return [record for record in found if "error" not in record]


def ran_on(section: str, options: Options) -> dict[str, Any]:
    """Say which machine the latest round ran on: it need not be the one that sums up."""
    runs = [r for r in Store(options.folder / section).read() if r["kind"] == "run"]
    return {"machine": runs[-1]["machine"], "workers": runs[-1]["workers"]} if runs else {}


def _attempt(look: Look, task: Task) -> Record:
    record: Record = {"cell": task.cell, "method": task.method, "seed": task.seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return record | look(task.cell, task.seed)
        except Exception as error:  # one table must not lose the others
            return record | {"error": f"{type(error).__name__}: {error}"}


def fit_pairs(model: RootedForests, X: Any) -> PairDensities:
    """Fit what all estimators learn from, once for all."""
    model._check_parameters()
    return model._fit_pairs(X)


def learned(estimator: type, evidence: PairDensities) -> NDArray[np.bool_]:
    """Learn a graph from fitted pairs, as the estimator's ``fit`` does."""
    model = estimator()
    model.node_names_ = tuple(f"x{k}" for k in range(evidence.n_nodes))
    model._check_parameters()
    model._prepare()
    return np.asarray(model._learn(evidence) > 0)


def mean_and_error(values: Iterable[float]) -> Summary:
    """Mean, standard error (None of a single value) and number of values, to four digits.

    Examples
    --------
    >>> mean_and_error([1.0, 2.0, 3.0])
    [2.0, 0.5774, 3]
    """
    known = np.array(list(values), dtype=float)
    n = len(known)
    error = round(float(known.std(ddof=1) / np.sqrt(n)), 4) if n > 1 else None
    return [round(float(known.mean()), 4), error, n]


def shown(summary: Summary) -> str:
    """Write what :func:`mean_and_error` gives.

    Examples
    --------
    >>> shown([2.0, 0.5774, 3]), shown([4.0, None, 1])
    ('  2.00 ± 0.58', '  4.00')
    """
    mean, error, _ = summary
    return f"{mean:6.2f}" + ("" if error is None else f" ± {error:4.2f}")
