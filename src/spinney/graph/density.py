"""A density on a learned graph: forests of its edges and of no others."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal

import numpy as np

from spinney.exceptions import InputError
from spinney.judge.learner import Learner
from spinney.models import RootedForests, SharedForest
from spinney.pairs.explained import Explained
from spinney.pairs.pair_fit import PairFit

__all__ = ["DensityModel", "density_on_graph"]

DensityModel = Literal["RootedForests", "SharedForest"]


def density_on_graph(
    learner: Learner, model: DensityModel = "RootedForests", **parameters: Any
) -> RootedForests | SharedForest:
    """Fit a model over the forests that a learned graph contains.

    It can score rows (``score_samples``), draw new ones (``sample``) and fill gaps (``impute``).
    The pair densities are those that the learner fits when asked for them. It is a mixture of
    trees and forests: of a graph with loops each forest of the mixture has a part of the edges, so
    that the density knows all of them, but a loop as a whole only on average.

    Parameters
    ----------
    learner : Learner
        Fitted.
    model : {"RootedForests", "SharedForest"}
        A mixture with a forest of its own for each row, weights by maximum likelihood; or the
        posterior of one forest that all rows share.
    parameters
        Others of the model, such as ``n_jobs``.

    Returns
    -------
    RootedForests or SharedForest
        Fitted; :class:`spinney.RootedForests` has the graph's own edges, and
        :class:`spinney.SharedForest` those of them that it is sure of itself.
    """
    first, second = learner.pair_fit_.index.ends
    edges = learner.adjacency_[first, second]
    given = dict(parameters)
    if model == "RootedForests":
        ends = zip(first[edges], second[edges], strict=True)
        given["required"] = [(int(u), int(v)) for u, v in ends]
        given["penalty_weights"] = np.where(learner.adjacency_, 1.0, np.inf)
        given.setdefault("n_penalties", 1)  # the ranking does not matter: all edges are kept
        silent = learner.pair_fit_.explained_.pairs & ~edges
        fitted: Any = RootedForests(**given).fit(_speaking(learner.pair_fit_, silent))
    elif model == "SharedForest":
        fitted = SharedForest(**given).fit(_speaking(learner.pair_fit_, ~edges))
    else:
        raise InputError(f"model must be 'RootedForests' or 'SharedForest', not {model!r}.")
    if not hasattr(learner, "feature_names_in_"):
        # The table that was read has names of its own, which new rows need not have.
        del fitted.feature_names_in_
    return fitted


def _speaking(fit: PairFit, silent: Any) -> PairFit:
    """Let all pairs speak but some, also those that forests alone would take for explained."""
    speaking = copy(fit)
    speaking._by_columns = True  # weights are fitted to the densities that new rows will have
    speaking.explained_ = Explained(silent, np.where(silent, fit.explained_.through, -1))
    return speaking
