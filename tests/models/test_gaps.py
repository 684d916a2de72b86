"""Missing values through the estimators: what each rule does, and what is said about it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from spinney import PairCopulas, RootedForests, StabilitySelection, load_model
from spinney._core.pairs import to_pairs
from spinney.exceptions import DataWarning, InputError
from spinney.forests.posterior import log_evidence
from spinney.models.baselines import ChowLiu
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations
from spinney.tables import common_rows, read_table
from tests.models.real_tables import (
    LEARNERS,
    QUICK,
    WITHOUT_SPANNING,
    edges_of,
    few_rows,
    left_out,
    mixed_frame,
)


def holed(n=200, seed=2, share=0.15):
    """A chain a - b - c and a lonely d, with gaps by chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] += 2.0 * X[:, 0]
    X[:, 2] += X[:, 1]
    X[rng.uniform(size=X.shape) < share] = np.nan
    return pd.DataFrame(X, columns=list("abcd"))


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_with_gaps_are_dropped_on_demand(name):
    X = holed()
    dropped = clone(LEARNERS[name]).set_params(missing="drop").fit(X)
    complete = clone(LEARNERS[name]).fit(X.dropna())
    np.testing.assert_array_equal(dropped.edge_weights_, complete.edge_weights_)
    np.testing.assert_array_equal(dropped.edge_ranking_, complete.edge_ranking_)
    assert len(dropped.table_) == len(X.dropna())
    assert (dropped.edges_["rows"] == len(X.dropna())).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_gaps_are_refused_on_demand(name):
    X = holed()
    refusing = clone(LEARNERS[name]).set_params(missing="error")
    with pytest.raises(InputError, match=r"Column 'a' has \d+ missing value\(s\)"):
        refusing.fit(X)
    np.testing.assert_array_equal(
        refusing.fit(X.dropna()).adjacency_, clone(LEARNERS[name]).fit(X.dropna()).adjacency_
    )
    with pytest.raises(InputError, match="option for missing values 'mean'"):
        refusing.set_params(missing="mean").fit(X)


@pytest.mark.parametrize("name", LEARNERS)
def test_each_pair_is_learned_from_its_own_rows(name):
    X = holed()
    model = clone(LEARNERS[name]).fit(X)
    assert edges_of(model) >= {frozenset("ab"), frozenset("bc")}
    expected = common_rows(read_table(X))
    np.testing.assert_array_equal(model.potentials_.n_rows_, expected)
    for row in model.edges_.itertuples():
        assert row.rows == X[[row.source, row.target]].dropna().shape[0]
    # Each pair's copula is that of the pair alone.
    alone = clone(LEARNERS["chow-liu"]).fit(X[["a", "b"]])
    tau = model.edges_.set_index(["source", "target"])["tau"]
    assert tau["a", "b"] == pytest.approx(alone.edges_.tau[0], abs=0.01)


@pytest.mark.parametrize("name", LEARNERS)
def test_tags_say_whether_gaps_may_be_given(name):
    model = clone(LEARNERS[name])
    assert get_tags(model).input_tags.allow_nan
    assert get_tags(model).input_tags.string
    assert get_tags(StabilitySelection(model)).input_tags.allow_nan
    assert not get_tags(model.set_params(missing="error")).input_tags.allow_nan
    if name != "chow-liu":
        with pytest.raises(InputError, match="missing value"):
            model.fit(PairDensities(holed().to_numpy()[:, :3]))
        return
    tags = get_tags(model.set_params(missing="pairwise", potentials="gaussian")).input_tags
    assert not tags.allow_nan
    assert not tags.string
    with pytest.raises(InputError, match="missing value"):
        model.fit(holed().to_numpy())


def apart(n=200, seed=3):
    """Columns b and c of which no row has both, though both depend on a."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    X["b"] += X["a"]
    X["c"] += X["a"]
    X.loc[: n // 2, "b"] = np.nan
    X.loc[n // 2 + 1 :, "c"] = np.nan
    return X


@pytest.mark.parametrize("name", WITHOUT_SPANNING)
def test_pairs_without_common_rows_are_not_known(name):
    X = apart()
    model = clone(LEARNERS[name]).fit(X)
    expected = pd.DataFrame({"source": ["b"], "target": ["c"], "rows": [0]})
    pd.testing.assert_frame_equal(model.unknown_pairs_, expected, check_dtype=False)
    assert edges_of(model) == {frozenset("ab"), frozenset("ac")}
    assert np.isfinite(model.score_samples(X)).all()


@pytest.mark.parametrize(("common", "known"), [(9, False), (10, True)])
def test_a_few_common_rows_are_not_enough(common, known):
    X = apart()
    X.loc[: common - 1, "b"] = X.loc[: common - 1, "a"] + np.linspace(-1.0, 1.0, common)
    model = clone(LEARNERS["rooted"]).fit(X)
    assert model.unknown_pairs_["rows"].tolist() == ([] if known else [9])
    assert model.potentials_.n_rows_.tolist()[2] == common
    assert known or not model.adjacency_[1, 2]


def test_gaps_that_speak_get_a_warning():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    X.loc[X["a"] + 0.5 * rng.normal(size=200) > 0.5, "b"] = np.nan
    with pytest.warns(DataWarning, match="whether 'b' is missing depends on 'a'"):
        RootedForests(QUICK, n_penalties=4).fit(X)


def test_gaps_by_chance_get_none(recwarn):
    RootedForests(QUICK, n_penalties=4).fit(holed())
    assert not [w for w in recwarn if issubclass(w.category, DataWarning)]


def test_a_table_on_its_side_is_asked_about():
    rng = np.random.default_rng(5)
    genes = 3.0 * rng.normal(size=(6, 1)) + rng.normal(size=(6, 80)) * 0.3
    frame = pd.DataFrame(genes, columns=[f"sample {k}" for k in range(80)])
    frame.index = ["Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk"]
    with pytest.warns(DataWarning) as caught:
        ChowLiu(potentials=PairCopulas(["gaussian"], criterion="bic")).fit(frame)
    messages = [str(warning.message) for warning in caught]
    assert any(message.startswith("Are the variables in the rows?") for message in messages)
    assert any("6 rows are few for 3,160 pairs of columns" in message for message in messages)


@pytest.mark.parametrize("name", ["lambda", "rooted", "shared"])
def test_an_empty_graph_is_explained(name, tmp_path):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(40, 6))
    model = clone(LEARNERS[name]).fit(x)
    assert not model.adjacency_.any()
    assert model.why_no_edges_.code.startswith("no-pair")
    assert load_model(model.save(tmp_path / "model")).why_no_edges_ == model.why_no_edges_
    x[:, 1] += 3.0 * x[:, 0]
    assert model.fit(x).why_no_edges_ is None


def test_what_is_needed_for_an_edge_is_in_the_explanation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 8))
    x[:, 1] += 0.55 * x[:, 0]
    pairs = PairCopulas(["gaussian"], margin=0.0)
    model = RootedForests(pairs).fit(x)
    assert not model.adjacency_.any()
    frame = pd.DataFrame(x, columns=model.node_names_)
    gains = model.potentials_.log_density(pseudo_observations(frame)).sum(axis=0)
    assert gains.max() > 1.0
    needed = 0.5 * np.log(40) + np.log(28)
    assert f"needs a gain of about {needed:.1f}" in str(model.why_no_edges_)
    assert "from 40 rows" in str(model.why_no_edges_)


# Each pair's own n in every price


def test_prices_are_of_the_rows_that_a_pair_has():
    rng = np.random.default_rng(7)
    n, parameters, rows = 60, np.array([1.0, 2.0, 4.0]), np.array([60.0, 30.0, 12.0])
    log_density = rng.normal(size=(n, 3))
    evidence = PairDensities(log_density, parameters, rows)
    by_hand = [
        log_density[:, e].sum() - 0.5 * parameters[e] * np.log(rows[e]) + np.log(0.2)
        for e in range(3)
    ]
    found = log_evidence(PairDensities(log_density, parameters, rows), edge_weight=0.2)
    np.testing.assert_allclose(found, by_hand)
    # In a part of the table a pair has its share of rows.
    part = np.arange(20)
    densities = PairDensities(log_density, parameters, rows)
    (found,) = log_evidence(densities, [part], edge_weight=0.2)
    by_hand = [
        log_density[part, e].sum() - 0.5 * parameters[e] * np.log(20 * rows[e] / n) + np.log(0.2)
        for e in range(3)
    ]
    np.testing.assert_allclose(found, by_hand)
    # One parameter each, but for a pair with a nominal column that has many.
    chosen = np.array([False, True, True])
    assert evidence.edge_cost(chosen) == pytest.approx(np.log(30) + 4 * np.log(12))


def test_the_prices_reach_the_estimators():
    """Pairs of BIC's forest: gain less ½ log n for each parameter, by hand."""
    X = holed()
    model = ChowLiu(potentials=QUICK).fit(X)
    pairs = model.potentials_
    gains = pairs.fitted_log_density_.sum(axis=0)
    gains[pairs.explained_.pairs] = 0.0
    parameters = np.where(pairs.explained_.pairs, 0.0, pairs.n_parameters_)
    by_hand = gains - 0.5 * parameters * np.log(pairs.n_rows_)
    np.testing.assert_allclose(model.gains_, by_hand)
    shared = clone(LEARNERS["shared"]).set_params(edge_weight=0.3).fit(X)
    found = to_pairs(shared.log_weights_)
    known = parameters > 0
    np.testing.assert_allclose(found[known], by_hand[known] + np.log(0.3), atol=1e-7)
    assert (found[~known] == -np.inf).all()


# Stability selection


@left_out
@few_rows
def test_stability_selection_of_a_mixed_table():
    table = mixed_frame()
    options = {"n_splits": 4, "random_state": 2, "threshold": 0.75}
    model = StabilitySelection(ChowLiu(potentials=QUICK), **options).fit(table)
    assert edges_of(model) == {frozenset({"weight", "grade"}), frozenset({"smoker", "colour"})}
    assert model.node_names_ == model.estimator_.node_names_
    assert model.n_features_in_ == 9
    assert np.isfinite(model.estimator_.score_samples(table)).all()


def test_a_checkpoint_of_other_kinds_is_refused(tmp_path):
    """The same codes, but once with an order and once without."""
    rng = np.random.default_rng(8)
    codes = pd.DataFrame(rng.integers(0, 3, size=(80, 3)), columns=list("abc"))
    options = {"n_splits": 1, "checkpoint": tmp_path / "checkpoint"}
    StabilitySelection(ChowLiu(potentials=QUICK), **options).fit(codes)
    words = codes.replace({0: "a", 1: "b", 2: "c"})
    np.testing.assert_array_equal(read_table(words).values, read_table(codes).values)
    with pytest.raises(InputError, match="its kinds was"):
        StabilitySelection(ChowLiu(potentials=QUICK), **options).fit(words)


def test_stability_selection_of_plain_tables_by_any_door():
    """Read as kinds, or as numbers by an estimator that knows none: the same halves."""
    X = holed(share=0.0)
    pairs = PairCopulas(["gaussian"], criterion="bic")
    model = StabilitySelection(ChowLiu(potentials=pairs), n_splits=4).fit(X)
    assert {frozenset("ab"), frozenset("bc")} == edges_of(model)
    bare = StabilitySelection(ChowLiu(potentials=pairs), n_splits=4).fit(X.to_numpy())
    np.testing.assert_array_equal(bare.edge_frequencies_, model.edge_frequencies_)
    assert list(bare.graph_.nodes) == ["x0", "x1", "x2", "x3"]


def test_halves_in_which_a_column_has_no_value():
    rng = np.random.default_rng(9)
    X = holed(n=120, share=0.0)
    X["e"] = np.nan
    X.loc[rng.choice(120, size=12, replace=False), "e"] = rng.normal(size=12)
    model = StabilitySelection(
        ChowLiu(potentials=QUICK), n_splits=5, random_state=1, refit=False
    ).fit(X)
    assert not model.adjacency_[:, 4].any()
    assert model.adjacency_[0, 1]
