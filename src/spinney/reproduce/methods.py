"""The methods of the figures: the paper's, ours, and those whose results are stored."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import to_matrix
from spinney._core.registry import REGISTRY
from spinney.models import ForestsLambda
from spinney.models.baselines import GraphicalLasso
from spinney.pairs.copulas import PairCopulas
from spinney.reproduce.runner import Fit

__all__ = ["METHODS", "PAPER_FAMILIES", "Method", "fit_by", "rank_by"]

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
        Okabe and Ito's, so that colour-blind readers can tell methods apart.
    in_paper : bool
        Whether the founding paper compares it.
    potentials : {"truth", "default", "none"}
        Copula families: the one that the truth has, as in the paper; all that the package offers
        by default; or no copulas at all.
    """

    label: str
    colour: str
    in_paper: bool
    potentials: str


_REGISTERED = {entry.key: entry for entry in REGISTRY}


def _registered(key: str, colour: str, in_paper: bool, potentials: str) -> dict[str, Method]:
    return {key: Method(_REGISTERED[key].label, colour, in_paper, potentials)}


METHODS: dict[str, Method] = {
    **_registered("ef-lambda", "#0072B2", True, "truth"),
    **_registered("ef-cuts", "#56B4E9", True, "truth"),
    **_registered("et", "#009E73", True, "truth"),
    **_registered("glasso", "#E69F00", True, "none"),
    "nonparanormal": Method("nonparanormal", "#F0E442", True, "none"),
    **_registered("rooted-forests", "#D55E00", False, "default"),
    **_registered("shared-forest", "#CC79A7", False, "default"),
    "bdgraph": Method("BDgraph", "#999999", False, "none"),
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
        return lambda X, seed: _rank_along_ef_path(fit(X, seed))
    if name == "glasso":
        return lambda X, seed: _rank_along_path(
            GraphicalLasso(selection="ebic", n_penalties=PATH_LENGTH, random_state=seed)
            .fit(X)
            .path_.weights
        )
    return fit


def _rank_along_ef_path(model: ForestsLambda) -> SimpleNamespace:
    return _rank_along_path(to_matrix(model.path_weights_.toarray()))


def _rank_along_path(weights: NDArray[np.float64]) -> SimpleNamespace:
    """Rank pairs by what a path of weights, shape (n_penalties, d, d), says of them."""
    strength = np.abs(weights).mean(axis=0)
    presence = (weights != 0).mean(axis=0)
    # Less than one graph of the path, so that it only breaks ties.
    tie_break = 0.5 / len(weights) * strength / max(float(strength.max()), 1e-300)
    return SimpleNamespace(edge_ranking_=strength, edge_presence_=presence + tie_break)
