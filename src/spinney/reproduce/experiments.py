"""The figures as experiments: which truth, which sizes, which methods, and doing one task."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spinney._core.pairs import to_pairs
from spinney.datasets import PBMC_CELL_TYPES, PBMC_STIMULI, load_pbmc, pbmc_counts
from spinney.exceptions import InputError
from spinney.models import ForestsLambda
from spinney.pairs.copulas import PairCopulas
from spinney.reproduce.judging import judge, judge_ranking
from spinney.reproduce.methods import METHODS, PAPER_FAMILIES, fit_by, rank_by
from spinney.reproduce.runner import Task, evaluate_fit
from spinney.reproduce.store import Record
from spinney.reproduce.truths import REPORTING, TRUTHS

__all__ = ["EXPERIMENTS", "FEWEST_CELLS", "Experiment", "evaluate", "parse_cell", "plan"]

FEWEST_CELLS = 50
"""Wells with fewer cells are left out of figure 6."""
RUNNABLE = tuple(name for name in METHODS if name != "bdgraph")


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper that needs computing.

    Attributes
    ----------
    name : str
        Such as ``"figure2"``.
    truth : str
        Key of :data:`spinney.reproduce.truths.TRUTHS`; ``"pbmc"`` for the data of figure 6.
    family : str
        Copula family of the truth, which EF and ET are told, as in the paper.
    sizes : tuple of int
        Numbers of rows.
    methods : tuple of str
        Keys of :data:`spinney.reproduce.methods.METHODS` that are run.
    quick_sizes : tuple of int
        Numbers of rows of a quick run.
    """

    name: str
    truth: str
    family: str
    sizes: tuple[int, ...]
    methods: tuple[str, ...]
    quick_sizes: tuple[int, ...]


_SIZES = (25, 50, 100, 250, 500)
_WITHOUT_NONPARANORMAL = tuple(name for name in RUNNABLE if name != "nonparanormal")
_WITHOUT_CUTS = tuple(name for name in RUNNABLE if name != "ef-cuts")

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e
    for e in (
        Experiment("figure2", "connected", "gaussian", _SIZES, RUNNABLE, (50, 250)),
        Experiment("figure3", "two-components", "gaussian", _SIZES, RUNNABLE, (50, 250)),
        Experiment("figure4", "t-cliques", "student", _SIZES, _WITHOUT_CUTS, (50, 250)),
        Experiment(
            "figure5",
            "wide",
            "gaussian",
            (20, 30, 40, 50),
            ("ef-lambda", "glasso", "rooted-forests", "shared-forest"),
            (50,),
        ),
        Experiment("figure6", "pbmc", "any", (500,), ("ef-lambda",), (100,)),
    )
}
"""The figures that need computing; the first is drawn from formulas."""


def plan(
    experiment: Experiment,
    repetitions: int,
    *,
    sizes: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    limit: Callable[[str, int], int] | None = None,
) -> list[Task]:
    """List the tasks of a figure, repetition by repetition, so that a run cut short is balanced.

    Parameters
    ----------
    experiment : Experiment
        The figure.
    repetitions : int
        Tables per size; repetition k has the seed 200000 + k.
    sizes, methods : sequence, optional
        A choice; by default all of the figure. Methods that the figure has not are left out.
    limit : callable, optional
        Most repetitions of a method, by its name, at a number of rows.
    """
    if not 1 <= repetitions <= len(REPORTING):
        raise InputError(f"There are 1 to {len(REPORTING)} repetitions, not {repetitions}.")
    chosen = [m for m in experiment.methods if methods is None or m in methods]
    return [
        Task(cell, method, REPORTING[k])
        for k in range(repetitions)
        for cell in _cells(experiment, experiment.sizes if sizes is None else sizes)
        for method in chosen
        if limit is None or k < limit(method, parse_cell(cell)["n"])
    ]


def _cells(experiment: Experiment, sizes: Sequence[int]) -> list[str]:
    for n in sizes:
        if n < 10:
            raise InputError(f"A table needs at least 10 rows, not {n}.")
    if experiment.truth != "pbmc":
        return [f"{experiment.truth}-{n}" for n in sizes]
    counts = pbmc_counts()
    return [
        f"pbmc-{n}/{stimulus}/{cell_type}"
        for n in sizes
        for stimulus in PBMC_STIMULI
        for cell_type in PBMC_CELL_TYPES
        if counts[stimulus][cell_type] >= FEWEST_CELLS
    ]


def parse_cell(cell: str) -> dict[str, Any]:
    """Read a cell's name: truth and rows, and for figure 6 stimulus and cell type.

    Examples
    --------
    >>> parse_cell("two-components-50")
    {'truth': 'two-components', 'n': 50}
    >>> parse_cell("pbmc-500/BCR/FcR-XL/nk")["stimulus"]
    'BCR/FcR-XL'
    """
    head, _, well = cell.partition("/")
    truth, n = head.rsplit("-", 1)
    found: dict[str, Any] = {"truth": truth, "n": int(n)}
    if well:
        found["stimulus"], found["cell_type"] = well.rsplit("/", 1)
    return found


def evaluate(task: Task) -> Record:
    """Do one repetition of one method."""
    where = parse_cell(task.cell)
    if where["truth"] == "pbmc":
        return _evaluate_well(task, where)
    experiment = next(e for e in EXPERIMENTS.values() if e.truth == where["truth"])
    data = TRUTHS[experiment.truth][1](where["n"], task.seed)
    if experiment.name == "figure5":
        return evaluate_fit(task, data, rank_by(task.method, experiment.family), judge_ranking)
    return evaluate_fit(task, data, fit_by(task.method, experiment.family), judge)


def _evaluate_well(task: Task, where: dict[str, Any]) -> Record:
    """Learn the graph of one well of cells, or of as many of them as are asked for."""
    X = load_pbmc(where["cell_type"], where["stimulus"]).X
    rng = np.random.default_rng(task.seed)
    rows = np.sort(rng.permutation(len(X))[: where["n"]])
    record: Record = {
        "cell": task.cell,
        "method": task.method,
        "seed": task.seed,
        "n_cells": len(X),
        "n_rows": len(rows),
    }
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of ties, which are few, and of the solver's stopping
        start = time.perf_counter()
        potentials = PairCopulas(families=list(PAPER_FAMILIES), random_state=task.seed)
        model = ForestsLambda(potentials=potentials).fit(X.iloc[rows])
    families = model.potentials_.table_["family"].to_numpy()
    edges = to_pairs(model.adjacency_) > 0
    return record | {
        "seconds": round(time.perf_counter() - start, 4),
        "n_components": model.n_components_,
        "n_edges": int(edges.sum()),
        "n_non_gaussian_edges": int((edges & (families != "gaussian")).sum()),
        "penalty": model.penalty_,
    }
