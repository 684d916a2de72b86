"""RootedForests: its path, its choice, what is known beforehand, and the density."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import comb
from sklearn.base import clone

from spinney import EnsembleOfTrees, RootedForests, load_model
from spinney._core.pairs import to_pairs
from spinney.exceptions import DataWarning, InputError
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import copula_forest, gaussian_mrf
from tests.models.cases import CROSS_FITTED


@pytest.fixture(scope="module")
def frame():
    X = gaussian_mrf(200, 7, 2, 2, random_state=4).X
    return pd.DataFrame(X, columns=[f"gene {k}" for k in range(7)])


@pytest.fixture(scope="module")
def model(frame):
    return RootedForests(CROSS_FITTED).fit(frame)


def test_finds_a_forest():
    data = copula_forest(400, 12, components=3, random_state=2)
    model = RootedForests().fit(data.X)
    np.testing.assert_array_equal(model.adjacency_, data.adjacency)
    assert model.n_components_ == 3
    np.testing.assert_array_equal(model.labels_, data.labels)


def test_path_meets_the_optimality_conditions(frame, model):
    U = pseudo_observations(frame)
    evidence = PairDensities(clone(CROSS_FITTED).fit(U).log_density(U))
    assert len(model.path_) == 20
    assert (model.path_.max_kkt_violation <= 0.01).all()
    ratio = model.path_.penalty.iloc[-1] / model.path_.penalty.iloc[0]
    assert ratio == pytest.approx(0.01 ** (19 / 20))
    top = model.path_.penalty.iloc[0] / 0.01 ** (1 / 20)
    assert top == pytest.approx(2 * (evidence.W.mean(axis=0).max() - 1))
    assert model.path_.expected_trees.is_monotonic_decreasing


def test_the_choice_has_the_best_criterion(frame, model):
    refits = model.refits_
    n_edges = int(model.adjacency_.sum()) // 2
    assert refits.n_edges[refits.criterion.idxmin()] == n_edges
    # One copula parameter each, and so many graphs of 21 pairs to choose from.
    cost = refits.n_edges * np.log(len(frame)) + 2 * np.log(comb(21, refits.n_edges))
    np.testing.assert_allclose(refits.criterion, -2 * len(frame) * refits.log_likelihood + cost)
    assert refits.log_likelihood.iloc[0] == 0.0
    assert (np.diff(refits.log_likelihood) >= -1e-5).all()
    assert (refits.gap <= 1e-3).all()


def test_chosen_weights_are_refitted_without_penalty(frame, model):
    U = pseudo_observations(frame)
    log_density = model.potentials_.log_density(U)
    columns = np.flatnonzero(to_pairs(model.edge_weights_))
    beta = to_pairs(model.edge_weights_)[columns]
    evidence = PairDensities(log_density[:, columns])
    objective = NegativeLogLikelihood(Rooted(7).restrict(columns), evidence)
    _, gradient = objective.evaluate(beta)
    assert np.abs(beta * gradient).max() <= 1e-3
    ratio = Rooted(7).log_likelihood_ratio(to_pairs(model.edge_weights_), log_density)
    assert model.log_likelihood_ == pytest.approx(ratio.mean())


def test_a_larger_gamma_is_sparser(frame):
    sparse = RootedForests(CROSS_FITTED, gamma=30.0).fit(frame)
    default = RootedForests(CROSS_FITTED).fit(frame)
    assert sparse.adjacency_.sum() < default.adjacency_.sum()


def test_what_is_known_beforehand(frame, model):
    edges = [(u, v) for u, v in model.graph_.edges]
    kept, dropped = edges[0], edges[1]
    absent = next(
        (u, v)
        for u in frame
        for v in frame
        if u != v and not model.graph_.has_edge(u, v) and (v, u) not in edges
    )
    informed = RootedForests(CROSS_FITTED, required=[absent], forbidden=[dropped]).fit(frame)
    assert informed.graph_.has_edge(*absent)
    assert not informed.graph_.has_edge(*dropped)
    penalty_factors = np.ones((7, 7))
    i, j = (list(frame).index(name) for name in kept)
    penalty_factors[i, j] = penalty_factors[j, i] = np.inf
    priced = RootedForests(CROSS_FITTED, penalty_weights=penalty_factors).fit(frame)
    assert not priced.graph_.has_edge(*kept)
    by_position = RootedForests(CROSS_FITTED, forbidden=[(i, j)]).fit(frame.to_numpy())
    np.testing.assert_array_equal(by_position.adjacency_, priced.adjacency_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"required": [("a", "z")]}, "required names a column 'z'"),
        ({"forbidden": ["ab"]}, "forbidden must list pairs of columns; 'ab' is not one"),
        ({"forbidden": [("a", "a")]}, "forbidden joins column 'a' to itself"),
        ({"required": [("a", "b")], "forbidden": [("b", "a")]}, "both required and forbidden"),
        ({"penalty_weights": np.ones((2, 2))}, r"symmetric matrix of shape \(3, 3\)"),
        ({"penalty_weights": -np.ones((3, 3))}, "must not be negative"),
        ({"penalties": [0.1, 0.0]}, "penalties must be positive"),
        ({"penalty_ratio": 1.0}, "'penalty_ratio' parameter"),
        ({"n_penalties": "many"}, "'n_penalties' parameter"),
        ({"gamma": -1}, "'gamma' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
    ],
)
def test_bad_input_is_named(options, message, rng):
    table = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "c"])
    with pytest.raises(InputError, match=message):
        RootedForests(CROSS_FITTED, **options).fit(table)


def test_pairs_that_say_nothing_are_no_edges():
    nothing = RootedForests().fit(PairDensities(np.zeros((10, 6))))
    assert not nothing.adjacency_.any()
    assert nothing.log_likelihood_ == 0.0
    np.testing.assert_allclose(nothing.tree_count_distribution_, [0, 0, 0, 0, 1], atol=1e-12)


# At a penalty of 1e-10 nothing holds weights back.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The path violates its optimality")
def test_a_small_penalty_tends_to_trees(frame):
    """The path at λ → 0 reaches the best likelihood of trees."""
    U = pseudo_observations(frame)
    densities = PairDensities(clone(CROSS_FITTED).fit(U).log_density(U))
    trees = EnsembleOfTrees().fit(densities)
    objective = NegativeLogLikelihood(trees._ensemble(), densities)

    def value(log_weights):
        value, gradient = objective.evaluate(np.exp(log_weights))
        return value, gradient * np.exp(log_weights)

    # The estimator stops early, as in the paper, so the optimum is scipy's.
    start = np.log(np.clip(trees.result_.beta, 1e-3, None))
    bounds = [(-21.0, np.log(1e6))] * len(start)
    oracle = minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12)
    best = -oracle.fun
    values = []
    for small in (1e-1, 1e-3, 1e-5):
        model = RootedForests(penalties=small * np.geomspace(1.0, 1e-5, 6))
        values.append(model.fit(densities).path_.log_likelihood.iloc[-1])
    assert values[-1] == pytest.approx(best, abs=5e-3)
    assert abs(values[-1] - best) <= abs(values[0] - best) + 1e-6


def test_perfect_dependence_and_few_rows(rng):
    x = rng.normal(size=30)
    table = np.column_stack([x, 2 * x, rng.normal(size=30)])
    model = RootedForests(CROSS_FITTED).fit(table)
    assert model.adjacency_[0, 1]
    assert np.isfinite(model.score(table))
    with pytest.warns(DataWarning, match="4 rows are few for 1 pair of columns"):
        tiny = RootedForests(CROSS_FITTED).fit(rng.normal(size=(4, 2)))
    assert tiny.adjacency_.shape == (2, 2)


def test_samples_save_and_pickle(frame, model, tmp_path):
    drawn = model.sample(4000, random_state=1)
    assert list(drawn.columns) == list(frame.columns)
    # Where an edge is in nearly every forest, the pair is distributed by its own copula.
    certain = [(u, v) for u, v, p in model.graph_.edges(data="probability") if p > 0.97]
    assert len(certain) >= 2
    tau = drawn.corr("kendall")
    for u, v in certain:
        assert tau.loc[u, v] == pytest.approx(model.potentials_.copula(u, v).tau, abs=0.05)
    twin = load_model(model.save(tmp_path / "model.spinney"))
    pd.testing.assert_frame_equal(twin.sample(5, 3), model.sample(5, 3))
    pd.testing.assert_frame_equal(twin.path_, model.path_)
