"""Estimators end at an optimum, say so if they do not, and heed units and threads."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney import ExactForests, ForestsCuts, PairCopulas, RootedForests
from spinney._core.pairs import to_pairs
from spinney._core.threads import run_in_threads
from spinney.forests import _lanes
from spinney.models import selection
from spinney.models.objectives import NegativeLogLikelihood
from spinney.simulate import copula_forest, gaussian_mrf
from tests.models.real_tables import FORESTS, LEARNERS


def test_exact_forests_do_not_stop_because_weights_are_large():
    # Projected gradients once stopped at 2.08: gradients fall as weights grow.
    X = copula_forest(30, 5, 1, random_state=0).X
    model = ExactForests(2).fit(X)
    assert -model.result_.value > 2.42
    assert model.result_.converged


TABLES = [(40, 6, 2, 0), (40, 6, 2, 2), (60, 8, 2, 2), (80, 7, 1, 1), (80, 7, 1, 2)]


@pytest.mark.parametrize("estimator", [ForestsCuts(8), ExactForests(2)], ids=["cuts", "exact"])
@pytest.mark.parametrize(("n", "d", "components", "seed"), TABLES)
def test_default_tolerances_reach_the_optimum(estimator, n, d, components, seed):
    # Once up to 1.1 nats short: the curvature that is learned promises too little at first, and
    # edges that had to come back from zero were tried all together only.
    X = copula_forest(n, d, components, random_state=seed).X
    model = estimator.set_params(potentials=PairCopulas(families=["gaussian"])).fit(X)
    objective = NegativeLogLikelihood(model._ensemble(), model.pair_fit_.densities_)

    def value(log_weights):
        value, gradient = objective.evaluate(np.exp(log_weights))
        return n * value, n * gradient * np.exp(log_weights)

    # Faint weights come back from 1e-3: at 1e-9 no slope is steep enough to be followed.
    for beta in (model.result_.beta, model.start_.beta):
        start = np.log(np.clip(beta, 1e-3, 1e6))
        bounds = [(-21.0, np.log(1e6))] * len(start)
        oracle = minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds)
        assert n * model.result_.value <= oracle.fun + 0.05


def test_cuts_warn_when_they_stop_early():
    X = copula_forest(40, 6, 2, random_state=0).X
    with pytest.warns(ConvergenceWarning, match="ForestsCuts stopped by max_iter"):
        ForestsCuts(8, max_iter=2).fit(X)


def test_no_edge_has_next_to_no_weight():
    for seed in range(6):
        model = RootedForests(gamma=0.0).fit(gaussian_mrf(40, 8, 2, 1, seed).X)
        kept = to_pairs(model.edge_probabilities_)[to_pairs(model.adjacency_) > 0]
        assert (kept > 1e-6).all()


def test_an_edge_that_is_required_stays_whatever_the_table_says():
    rng = np.random.default_rng(0)
    model = RootedForests(required=[(0, 1)]).fit(rng.normal(size=(200, 3)))
    assert model.adjacency_[0, 1]
    assert model.adjacency_.sum() == 2


@pytest.mark.parametrize("name", FORESTS)
def test_one_job_is_one_thread(name, monkeypatch):
    asked = []

    def watched(jobs, threads=None):
        asked.append(threads)
        run_in_threads(jobs, threads)

    monkeypatch.setattr(_lanes, "WORTH_A_THREAD", 0.0)  # even of a table as small as this
    monkeypatch.setattr(_lanes, "run_in_threads", watched)
    X = gaussian_mrf(40, 6, 2, 1, 0).X
    pairs = PairCopulas(families=["gaussian"])
    estimator = clone(LEARNERS[name]).set_params(n_jobs=1, potentials=pairs).fit(X)
    estimator.score(X)
    if name != "exact":  # its sum over subsets runs on one in any case
        assert set(asked) == {1}
    else:
        assert set(asked) <= {1}


def test_a_path_that_ends_early_is_told(monkeypatch):
    monkeypatch.setattr("spinney.models.selection.MOST_ROUNDS", 1)
    with pytest.warns(ConvergenceWarning, match="violates its optimality conditions"):
        RootedForests(tol=1e-4).fit(gaussian_mrf(80, 12, 3, 1, 5).X)


def test_refits_that_end_early_are_told(monkeypatch):
    solve = selection.log_newton
    monkeypatch.setattr(selection, "log_newton", lambda *a, **k: solve(*a, **k, max_iter=1))
    with pytest.warns(ConvergenceWarning, match="A refit ran out of steps"):
        RootedForests().fit(gaussian_mrf(80, 8, 2, 1, 5).X)
