"""A density on a learned graph: forests of its edges and of no others."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from spinney.judge.learner import Learner
from spinney.models import RootedForests
from spinney.pairs.explained import Explained


def density_on_graph(learner: Learner, **parameters: Any) -> RootedForests:
    """Fit a mixture of the forests that a learned graph contains.

    It can score rows (``score_samples``), draw new ones (``sample``) and fill missing values
    (``impute``). The pair densities are those that the learner fits when asked for them. Each
    forest of the mixture has some of the edges of a loop, so that the density contains every edge,
    but the loop as a whole only on average.

    Parameters
    ----------
    learner : Learner
        Fitted.
    parameters
        Of :class:`spinney.RootedForests`, such as ``n_jobs``.

    Returns
    -------
    RootedForests
        Fitted, with the graph's own edges.
    """
    first, second = learner.pair_fit_.index.ends
    edges = learner.adjacency_[first, second]
    ends = zip(first[edges].tolist(), second[edges].tolist(), strict=True)
    fit = copy(learner.pair_fit_)
    fit._by_columns = True  # weights are fitted to the densities that new rows will have
    # Every edge counts, also those that forests alone would take for explained by others.
    explained = fit.explained_.pairs & ~edges
    fit.explained_ = Explained(explained, np.where(explained, fit.explained_.through, -1))
    given: dict[str, Any] = {"n_penalties": 1, **parameters}  # the ranking does not matter
    given |= {"required": list(ends), "penalty_weights": np.where(learner.adjacency_, 1.0, np.inf)}
    found = RootedForests(**given).fit(fit)
    if not hasattr(learner, "feature_names_in_"):
        # The table that was read has names of its own, which new rows need not have.
        del found.feature_names_in_
    return found
