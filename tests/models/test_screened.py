"""Models of wide tables: the same as those of all pairs, as far as pairs are fitted."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from sklearn.base import clone

from spinney import EnsembleOfTrees, PairCopulas, RootedForests, SharedForest, load_model
from spinney._core.pairs import n_pairs, pair_ends, pair_numbers, to_pairs
from spinney.exceptions import InputError
from spinney.models import _base
from spinney.models.baselines import ChowLiu
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit
from spinney.scale.partners import Partners
from spinney.simulate import copula_forest
from spinney.tables import read_table

D = 9
COPULAS = PairCopulas(families=["gaussian", "clayton"], cv=3)
MODELS = {
    "shared": SharedForest(COPULAS, n_subsets=6),
    "rooted": RootedForests(COPULAS, n_penalties=6),
    "chow-liu": ChowLiu(potentials=COPULAS),
}


@pytest.fixture(scope="module")
def data():
    return copula_forest(120, D, components=2, random_state=3)


@pytest.fixture
def passing(monkeypatch):
    """Let the given pairs be fitted, and no others."""

    def let_pass(pairs):
        numbers = np.asarray(pairs, dtype=np.int64)

        def find_partners(scores):
            ends = pair_ends(numbers, len(scores.counts))
            return Partners(*ends, np.ones(len(numbers)))

        monkeypatch.setattr("spinney.scale.partners.find_partners", find_partners)

    return let_pass


def fit(name, X, screen=True, **options):
    return clone(MODELS[name]).set_params(screen=screen, **options).fit(X)


@pytest.mark.parametrize("name", MODELS)
def test_all_pairs_pass(name, data, passing):
    passing(np.arange(n_pairs(D)))
    found, expected = fit(name, data.X), fit(name, data.X, screen=False)
    np.testing.assert_array_equal(found.potentials_.pairs_, np.arange(n_pairs(D)))
    assert expected.potentials_.pairs_ is None
    np.testing.assert_array_equal(found.adjacency_, expected.adjacency_)
    # Refits end within 0.001 nats of their maximum, in another place each.
    tolerance = 2e-2 if name == "rooted" else 1e-9
    np.testing.assert_allclose(
        found.score_samples(data.X[:20]), expected.score_samples(data.X[:20]), atol=tolerance
    )
    np.testing.assert_allclose(found.edge_ranking_, expected.edge_ranking_, atol=1e-5)
    assert len(found.edges_) == len(expected.edges_) > 0


def test_paths_are_the_same(data, passing):
    passing(np.arange(n_pairs(D)))
    found, expected = fit("rooted", data.X), fit("rooted", data.X, screen=False)
    columns = ["penalty", "n_edges", "log_likelihood", "expected_trees"]
    pd.testing.assert_frame_equal(found.path_[columns], expected.path_[columns], rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_edges_are_among_the_pairs_that_pass(name, data, passing):
    true = np.flatnonzero(to_pairs(data.adjacency))
    left, right = true[::2], true[1::2]
    passing(left)
    found = fit(name, data.X)
    kept = np.flatnonzero(to_pairs(found.adjacency_))
    assert set(kept) <= set(left)
    assert len(kept) > 0
    assert not found.edge_ranking_[np.triu_indices(D, 1)][right].any() or name == "chow-liu"


@pytest.mark.parametrize("name", MODELS)
def test_nothing_passes(name, data, passing):
    passing([])
    model = fit(name, data.X)
    assert not model.adjacency_.any()
    np.testing.assert_allclose(model.log_likelihood_ratio(data.X[:5]), 0.0, atol=1e-12)
    if name != "chow-liu":
        assert model.why_no_edges_.code == "no-pair-gains"
        assert model.sample(3, random_state=0).shape == (3, D)


def test_two_columns(rng):
    X = rng.normal(size=(80, 1)) + 0.5 * rng.normal(size=(80, 2))
    for name in MODELS:
        model = fit(name, X)
        assert model.adjacency_[0, 1]
        assert model.potentials_.pairs_.tolist() == [0]


def test_required_edges_need_not_pass(data, passing):
    first, second = np.argwhere(np.triu(~data.adjacency, 1))[0]
    true = np.flatnonzero(to_pairs(data.adjacency))
    passing(true)
    model = fit("rooted", data.X, required=[(int(first), int(second))], forbidden=[(0, 5)])
    assert model.adjacency_[first, second]
    assert not model.adjacency_[0, 5]
    number = pair_numbers(first, second, D)
    assert number in model.potentials_.pairs_
    assert np.isfinite(model.score_samples(data.X[:3])).all()


def test_required_edges_of_fitted_densities(data):
    true = np.flatnonzero(to_pairs(data.adjacency))
    frame = pd.DataFrame(data.X).add_prefix("x")
    fitted = PairFit(COPULAS).fit(read_table(frame), pairs=true)
    first, second = (int(k) for k in np.argwhere(np.triu(~data.adjacency, 1))[0])
    model = RootedForests(n_penalties=6, required=[(first, second)]).fit(fitted)
    assert model.adjacency_[first, second]
    assert (model.adjacency_ & data.adjacency).sum() > 0
    scored = model.score_samples(frame[:3])
    gap = frame[:3].copy()
    gap.iloc[0, first] = np.nan
    assert np.isfinite(scored).all()
    assert np.isfinite(model.impute(gap, n_sweeps=2, random_state=0).to_numpy()).all()


def test_the_criterion_counts_all_pairs(data, passing):
    true = np.flatnonzero(to_pairs(data.adjacency))
    passing(true)
    refits = fit("rooted", data.X).refits_
    k = refits["n_edges"].to_numpy()
    n = len(data.X)
    cost = refits["criterion"] + 2 * n * refits["log_likelihood"]
    N = n_pairs(D)
    # Each of the chosen copulas has one parameter.
    expected = k * np.log(n) + 2 * (gammaln(N + 1) - gammaln(k + 1) - gammaln(N - k + 1))
    np.testing.assert_allclose(cost, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["shared", "rooted"])
def test_models_are_stored_with_their_pairs(name, data, passing, tmp_path):
    passing(np.arange(0, n_pairs(D), 2))
    model = fit(name, data.X)
    again = load_model(model.save(tmp_path / "model.npz"))
    np.testing.assert_array_equal(again.adjacency_, model.adjacency_)
    np.testing.assert_array_equal(again.score_samples(data.X[:9]), model.score_samples(data.X[:9]))
    np.testing.assert_array_equal(again.sample(4, random_state=1), model.sample(4, random_state=1))


@pytest.mark.parametrize("name", MODELS)
def test_columns_with_levels_and_gaps(name, data, passing, rng):
    frame = pd.DataFrame(data.X, columns=[f"v{k}" for k in range(D)])
    frame["v2"] = pd.cut(frame["v2"], 3, labels=["low", "middle", "high"])
    frame.loc[rng.random(len(frame)) < 0.1, "v4"] = np.nan
    passing(np.arange(n_pairs(D)))
    found = fit(name, frame)
    expected = fit(name, frame, screen=False)
    assert found.potentials_.pairs_ is not None
    # Paths over blurred columns, which explain a pair, are looked for among all pairs only.
    assert (found.adjacency_ >= expected.adjacency_).all()
    assert (found.adjacency_ != expected.adjacency_).sum() <= 4
    assert np.isfinite(found.score_samples(frame.head(6))).all()


@pytest.mark.parametrize("screen", ["auto", True])
def test_auto_screens_wide_tables_only(data, monkeypatch, screen):
    narrow = fit("shared", data.X, screen=screen)
    assert (narrow.potentials_.pairs_ is None) == (screen == "auto")
    monkeypatch.setattr(_base, "ALL_PAIRS_UP_TO", D - 1)
    assert fit("shared", data.X, screen=screen).potentials_.pairs_ is not None


def test_edge_probabilities_of_rows(data, passing):
    passing(np.arange(n_pairs(D)))
    for name in ("shared", "rooted"):
        found, expected = (
            fit(name, data.X, screen=screen).edge_probabilities(data.X[:4])
            for screen in (True, False)
        )
        assert found.shape == (4, D, D)
        np.testing.assert_allclose(found, expected, atol=2e-2 if name == "rooted" else 1e-9)


def test_given_densities_are_not_screened(data, monkeypatch):
    monkeypatch.setattr(_base, "ALL_PAIRS_UP_TO", 2)
    densities = PairDensities(np.random.default_rng(0).normal(size=(30, 6)))
    model = SharedForest(n_subsets=3).fit(densities)
    assert model.profile_.pairs is None


@pytest.mark.parametrize(
    ("model", "cure"),
    [
        (EnsembleOfTrees(COPULAS), "Use SharedForest or RootedForests"),
        (SharedForest(COPULAS, screen=False), "Leave screen='auto'"),
        (ChowLiu(potentials=COPULAS, screen=False), "Leave screen='auto'"),
    ],
)
def test_models_that_hold_all_pairs_say_how_far(data, monkeypatch, model, cure):
    monkeypatch.setattr(_base, "MEANT_FOR", 5)
    words = r"meant for tables of up to 5 columns; 9 columns and 120 rows would take about 0.0 GiB"
    with pytest.raises(InputError, match=f"{words}. {cure}"):
        model.fit(data.X)


@pytest.mark.parametrize("name", MODELS)
def test_screen_must_be_yes_or_no(name, data):
    with pytest.raises(InputError, match=r"'screen' parameter .* Got 'yes'"):
        fit(name, data.X, screen="yes")


def test_no_warning_where_a_table_is_screened(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit("shared", data.X).adjacency_.any()
