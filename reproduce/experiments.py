"""The figures as experiments: truths, sizes and methods; and doing one repetition.

The truths are those of the founding paper's simulations, the methods the paper's, ours, and some
whose results are stored.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reproduce.judging import judge, judge_ranking
from reproduce.runner import Fit, Record, Task, evaluate_fit
from spinney._core.pairs import to_matrix, to_pairs
from spinney._core.registry import REGISTRY
from spinney.datasets import PBMC_CELL_TYPES, PBMC_STIMULI, load_pbmc, pbmc_counts
from spinney.exceptions import InputError
from spinney.models import ForestsLambda
from spinney.models.baselines import GraphicalLasso
from spinney.pairs.copulas import PairCopulas
from spinney.simulate import Simulated, gaussian_mrf, t_cliques

__all__ = [
    "EXPERIMENTS",
    "FEWEST_CELLS",
    "METHODS",
    "REPORTING",
    "TRUTHS",
    "Experiment",
    "Method",
    "Simulator",
    "evaluate",
    "fit_by",
    "parse_cell",
    "plan",
    "rank_by",
]

REPORTING = range(200_000, 201_000)
"""Seeds from which figures are reported; nothing is ever chosen by them."""

Simulator = Callable[[int, int], Simulated]

TRUTHS: dict[str, tuple[str, Simulator]] = {
    "connected": (
        "GMRF, 25 nodes, 25 edges, connected",
        lambda n, seed: gaussian_mrf(n, 25, 2, 1, seed),
    ),
    "two-components": (
        "GMRF, 25 nodes, 25 edges, two components",
        lambda n, seed: gaussian_mrf(n, 25, 2, 2, seed),
    ),
    "t-cliques": (
        "t copula, 1 df, cliques of 3 or 4, 25 nodes",
        lambda n, seed: t_cliques(n, 25, 1.0, seed),
    ),
    "wide": (
        "GMRF, 80 nodes, 120 edges, connected",
        lambda n, seed: gaussian_mrf(n, 80, 3, 1, seed),
    ),
}
"""What the truth looks like, and how a table of n rows is drawn from it by a seed.

The same seed gives the same graph at every n, and the rows of a smaller table are the first of a
larger one, as in the paper.
"""

PAPER_FAMILIES = ("gaussian", "student", "clayton", "gumbel", "frank")
"""The five families of the paper's last figure."""
PATH_LENGTH = 30
"""Penalties of the graphical lasso where its path, and not one graph of it, is compared."""


@dataclass(frozen=True)
class Method:
    """A method as the figures show it.

    Attributes
    ----------
    label : str
        Name in figures and tables.
    colour : str
        Okabe and Ito's or Tol's, so that colour-blind readers can tell methods apart; the same
        as on the page on accuracy.
    potentials : {"truth", "default", "none"}
        Copula families: the one that the truth has, as in the paper; all that the package offers
        by default; or no copulas at all.
    """

    label: str
    colour: str
    potentials: str


_REGISTERED = {entry.key: entry for entry in REGISTRY}


_LABELS = {"nonparanormal": "nonparanormal", "bdgraph": "BDgraph"} | {
    key: entry.label for key, entry in _REGISTERED.items()
}

METHODS: dict[str, Method] = {
    key: Method(_LABELS[key], colour, potentials)
    for key, colour, potentials in (
        ("ef-lambda", "#882255", "truth"),
        ("ef-cuts", "#AA4499", "truth"),
        ("et", "#999933", "truth"),
        ("glasso", "#E69F00", "none"),
        ("nonparanormal", "#F0E442", "none"),
        ("rooted-forests", "#009E73", "default"),
        ("shared-forest", "#56B4E9", "default"),
        ("bdgraph", "#D55E00", "none"),
    )
}
"""Methods by name, in the order in which figures show them."""

_DEPENDENCE: dict[str, Any] = {"glasso": "pearson", "nonparanormal": "shrinkage"}


def fit_by(name: str, family: str) -> Fit:
    """Return the function that fits a method to a table, by a seed.

    Parameters
    ----------
    name : str
        Key of :data:`METHODS`, other than those whose results are stored.
    family : str
        Copula family of the truth.
    """
    if name in _DEPENDENCE:
        dependence = _DEPENDENCE[name]
        # The defaults are those of the R package huge: StARS at 0.1, ten penalties.
        return lambda X, seed: GraphicalLasso(
            selection="stars", dependence=dependence, random_state=seed
        ).fit(X)
    families: Any = [family] if METHODS[name].potentials == "truth" else "default"
    estimator: Any = _REGISTERED[name].load()
    return lambda X, seed: estimator(
        potentials=PairCopulas(families=families, random_state=seed)
    ).fit(X)


def rank_by(name: str, family: str) -> Fit:
    """Return the function that fits a method and ranks all pairs, as curves need it.

    The paper does not say how its curves are traced. Methods with a path of penalties rank the
    pairs in two ways here. By *strength*: edge weights (EF-λ) or absolute partial correlations
    (graphical lasso), averaged along the path, so that early and strong edges lead. By *presence*:
    the share of the graphs along the path that hold the pair, which is the order in which edges
    enter if they stay; ties are broken by strength. The other models rank by `edge_ranking_`.
    """
    fit = fit_by(name, family)
    if name == "ef-lambda":
        return lambda X, seed: _rank_along_path(to_matrix(fit(X, seed).path_weights_.toarray()))
    if name == "glasso":
        return lambda X, seed: _rank_along_path(
            GraphicalLasso(selection="ebic", n_penalties=PATH_LENGTH, random_state=seed)
            .fit(X)
            .path_.weights
        )
    return fit


def _rank_along_path(weights: NDArray[np.float64]) -> SimpleNamespace:
    """Rank pairs by a path of weights of shape (n_penalties, d, d)."""
    strength = np.abs(weights).mean(axis=0)
    presence = (weights != 0).mean(axis=0)
    # Less than one graph of the path, so that it only breaks ties.
    tie_break = 0.5 / len(weights) * strength / max(float(strength.max()), 1e-300)
    return SimpleNamespace(edge_ranking_=strength, edge_presence_=presence + tie_break)


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
        Key of :data:`TRUTHS`; ``"pbmc"`` for the data of figure 6.
    family : str
        Copula family of the truth, which EF and ET are given, as in the paper.
    sizes : tuple of int
        Numbers of rows.
    methods : tuple of str
        Keys of :data:`METHODS` that are run.
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
    record: Record = {**asdict(task), "n_cells": len(X), "n_rows": len(rows)}
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
