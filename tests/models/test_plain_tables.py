"""Tables of continuous columns without gaps: the same numbers as by hand, whatever else is read."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from spinney import PairCopulas, RootedForests
from spinney._core.pairs import n_pairs
from spinney.exceptions import DataWarning
from spinney.models.baselines import ChowLiu
from spinney.models.baselines.chow_liu import best_forest
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import Margins, canonical_order, pseudo_observations
from spinney.pairs.pair_fit import PairFit
from spinney.simulate import copula_forest, independent
from tests.models.real_tables import FORESTS, LEARNERS, QUICK


@pytest.fixture(scope="module")
def table():
    X = copula_forest(150, 5, components=2, random_state=1).X
    return pd.DataFrame(np.asarray(X), columns=list("abcde"))


def by_hand(table):
    """The way of a table before there were kinds: ranks, canonical order, pair copulas."""
    U = pseudo_observations(table)
    U = U.iloc[canonical_order(U.to_numpy())].reset_index(drop=True)
    return U, clone(QUICK).fit(U)


@pytest.mark.parametrize("name", FORESTS)
def test_potentials_are_those_of_the_ranks_to_the_bit(table, name):
    model = clone(LEARNERS[name]).fit(table)
    assert model.pair_fit_.is_plain_
    U, pairs = by_hand(table)
    assert isinstance(model.potentials_, PairCopulas)
    assert model.potentials_.family_.tolist() == pairs.family_.tolist()
    for attribute in ("parameters_", "rotation_", "fold_parameters_", "log_likelihood_"):
        np.testing.assert_array_equal(
            getattr(model.potentials_, attribute), getattr(pairs, attribute)
        )
    densities = PairDensities(pairs.log_density(U), pairs.n_parameters_)
    again = clone(LEARNERS[name]).fit(densities)
    np.testing.assert_array_equal(again.edge_weights_, model.edge_weights_)


@pytest.mark.parametrize("name", FORESTS)
def test_scores_are_margins_and_forests_to_the_bit(table, name):
    model = clone(LEARNERS[name]).fit(table)
    marginals = Margins().fit(table.iloc[canonical_order(pseudo_observations(table).to_numpy())])
    U = marginals.cdf(table)
    ratio = model._ensemble().log_likelihood_ratio(model._beta, model.potentials_.log_density(U))
    np.testing.assert_array_equal(model.log_likelihood_ratio(table), ratio)
    expected = marginals.log_density(table).to_numpy().sum(axis=1) + ratio
    np.testing.assert_array_equal(model.score_samples(table), expected)


def test_chow_liu_is_the_forest_of_the_copulas(table):
    model = ChowLiu(potentials=QUICK).fit(table)
    pairs = by_hand(table)[1]
    likelihood = pairs.table_["log_likelihood"].to_numpy()
    gains = likelihood - 0.5 * np.log(len(table)) * pairs.n_parameters_
    np.testing.assert_allclose(model.gains_, gains, rtol=1e-12)
    np.testing.assert_array_equal(model.adjacency_, best_forest(gains))
    assert model.table_.is_plain


@pytest.mark.parametrize("name", LEARNERS)
def test_all_potentials_and_texts_of_numbers_are_plain(table, name):
    model = clone(LEARNERS[name]).fit(table)
    for other, X in (
        (clone(LEARNERS[name]).set_params(potentials=PairFit(QUICK)), table),
        (clone(LEARNERS[name]), table.astype(str)),
        (clone(LEARNERS[name]), table.astype("Float64")),
    ):
        np.testing.assert_array_equal(other.fit(X).edge_weights_, model.edge_weights_)


@pytest.mark.parametrize("name", LEARNERS)
def test_plain_models_score_rows_with_gaps(table, name):
    model = clone(LEARNERS[name]).fit(table)
    rows = table.head(3).copy()
    whole = model.score_samples(rows)
    rows.iloc[1] = np.nan
    rows.iloc[2, 1:] = np.nan
    scores = model.score_samples(rows)
    assert scores[0] == whole[0]
    assert scores[1] == pytest.approx(0.0, abs=1e-12)
    # One value alone has its margin.
    marginals = Margins().fit(table.iloc[canonical_order(pseudo_observations(table).to_numpy())])
    expected = marginals.log_density(table.head(3)).to_numpy()[2, 0]
    assert scores[2] == pytest.approx(expected, abs=1e-9)


# Rounded values


def rounded(seed, distinct, d=6, n=200):
    """An independent table, and the same with each column rounded to so many values."""
    X = pd.DataFrame(independent(n, d, random_state=seed).X, columns=list("abcdef")[:d])
    step = X.apply(np.ptp) / distinct
    return X, (X / step).round() * step


@pytest.mark.parametrize("distinct", [5, 10, 20])
@pytest.mark.parametrize("ties", ["auto", "levels"])
def test_rounding_makes_no_edges(distinct, ties):
    learner = RootedForests(QUICK, n_penalties=8, ties=ties)
    for seed in range(3):
        X, coarse = rounded(seed, distinct)
        kinds = dict.fromkeys(coarse, "continuous")  # few values, but not a scale
        fine_edges = clone(learner).fit(X).adjacency_.sum() // 2
        model = clone(learner).set_params(kind=kinds).fit(coarse)
        # Of twenty values some have fewer than a tenth of the rows each: those are continuous.
        assert model.marginals_.grouped_.all() or (distinct, ties) == (20, "auto")
        assert model.adjacency_.sum() // 2 <= fine_edges


def test_average_ranks_warn_as_before():
    _, coarse = rounded(0, 5)
    learner = RootedForests(QUICK, n_penalties=4, kind=dict.fromkeys(coarse, "continuous"))
    with pytest.warns(DataWarning, match=r"Column 'a' \(and 5 more\) has \d distinct values"):
        model = learner.set_params(ties="average").fit(coarse)
    assert model.pair_fit_.is_plain_
    # Margins that draw an order have settled it: nothing to warn of, and no levels.
    settled = learner.set_params(ties="auto", marginals=Margins(ties="random")).fit(coarse)
    assert settled.pair_fit_.is_plain_


def test_random_order_is_drawn_by_chow_liu_too():
    _, coarse = rounded(1, 5)
    kinds = dict.fromkeys(coarse, "continuous")
    model = ChowLiu(potentials=QUICK, ties="random", kind=kinds).fit(coarse)
    assert model.pair_fit_.is_plain_  # with levels it would not be
    assert len(model.gains_) == n_pairs(6)
