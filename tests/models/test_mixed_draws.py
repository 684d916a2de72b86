"""Drawing rows and filling gaps: values of the original kinds, from the right distribution."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.base import clone

from spinney import PairCopulas, RootedForests, SharedForest
from spinney.exceptions import InputError
from spinney.pairs.densities import PairDensities
from tests.models.real_tables import (
    FORESTS,
    KINDS,
    LEARNERS,
    QUICK,
    all_cells,
    left_out,
    mixed_frame,
)

pytestmark = left_out


@pytest.fixture(scope="module")
def table():
    return mixed_frame()


@pytest.fixture(scope="module")
def fitted(table):
    return {name: clone(LEARNERS[name]).fit(table) for name in FORESTS}


@pytest.mark.parametrize("name", FORESTS)
def test_draws_are_of_the_original_kinds(fitted, table, name):
    drawn = fitted[name].sample(400, random_state=1)
    assert list(drawn.columns) == list(KINDS)
    assert not drawn.isna().any(axis=None)
    for column in ("weight", "height"):
        assert drawn[column].dtype == float
    assert drawn["weight"].min() > 0.0
    assert drawn["tested"].dtype == bool
    assert drawn["grade"].dtype == table["grade"].dtype
    assert not drawn["colour"].cat.ordered
    assert set(drawn["colour"]) == {"blue", "green", "red"}
    assert set(drawn["smoker"]) == {"no", "yes"}
    # What is drawn can be read again, and is not rare.
    assert np.isfinite(fitted[name].score_samples(drawn)).all()
    shares = drawn["smoker"].value_counts(normalize=True)
    assert shares["yes"] == pytest.approx((table["smoker"] == "yes").mean(), abs=0.1)


@pytest.mark.parametrize("name", FORESTS)
def test_drawn_columns_depend_as_the_fitted_do(fitted, table, name):
    drawn = fitted[name].sample(1500, random_state=2)
    tau = drawn["weight"].corr(drawn["grade"].cat.codes, "kendall")
    expected = table["weight"].corr(table["grade"].cat.codes, "kendall")
    assert tau == pytest.approx(expected, abs=0.12 if name != "trees" else 0.2)
    red = drawn["smoker"][drawn["colour"] == "red"].eq("yes").mean()
    blue = drawn["smoker"][drawn["colour"] == "blue"].eq("yes").mean()
    assert red > blue + 0.2


@pytest.mark.parametrize("name", FORESTS)
def test_what_is_present_stays(fitted, table, name):
    model, rows = fitted[name], table.head(60)
    filled = model.impute(rows, n_sweeps=3, random_state=4)
    assert list(filled.columns) == list(KINDS)
    assert not filled.isna().any(axis=None)
    for column in KINDS:
        there = rows[column].notna().to_numpy()
        assert filled[column][there].tolist() == rows[column][there].tolist()
    assert rows["weight"].isna().any()
    again = model.impute(rows, n_sweeps=3, random_state=4)
    pd.testing.assert_frame_equal(again, filled)
    other = model.impute(rows, n_sweeps=3, random_state=5)
    assert not other.equals(filled)


def test_rows_without_gaps_come_back_as_they_are(fitted, table):
    rows = table.dropna().head(5)
    filled = fitted["rooted"].impute(rows, random_state=0)
    for column in KINDS:
        assert filled[column].tolist() == rows[column].tolist()


def test_plain_models_fill_gaps_too(rng):
    x = rng.normal(size=(1000, 3))
    x[:, 1] += 3.0 * x[:, 0]
    model = RootedForests(QUICK).fit(x)
    rows = np.repeat([[2.0, np.nan, np.nan], [-2.0, np.nan, 0.5]], 200, axis=0)
    filled = model.impute(rows, random_state=0)
    assert isinstance(filled, np.ndarray)
    np.testing.assert_array_equal(filled[:, 0], rows[:, 0])
    np.testing.assert_array_equal(filled[200:, 2], 0.5)
    assert filled[:200, 1].mean() == pytest.approx(6.0, abs=0.6)
    assert filled[200:, 1].mean() == pytest.approx(-6.0, abs=0.6)
    assert abs(filled[:200, 2].mean()) < 0.3


@pytest.mark.slow
def test_gaps_are_filled_from_the_conditional_distribution(rng):
    """Of a mixture over forests of three binary columns, against the sum over all cells."""
    n, draws = 200, 800
    a = rng.uniform(size=n) < 0.4
    b = np.where(rng.uniform(size=n) < 0.5, a, rng.uniform(size=n) < 0.5)
    c = np.where(rng.uniform(size=n) < 0.4, b, rng.uniform(size=n) < 0.5)
    model = SharedForest(PairCopulas(["gaussian"], margin=0.0), edge_weight=1e-7).fit(
        pd.DataFrame({"a": a, "b": b, "c": c})
    )
    probabilities = model.edge_probabilities_
    assert ((probabilities > 0.1) & (probabilities < 0.9)).any()  # forests differ
    assert (probabilities > 0.9).any()  # and matter
    cells = all_cells(model.table_.columns)
    p = pd.Series(np.exp(model.score_samples(cells)))
    for known in ({"a": True}, {"b": False}, {"a": False, "c": True}):
        gaps = [name for name in "abc" if name not in known]
        rows = pd.DataFrame({name: [known.get(name)] * draws for name in "abc"}, dtype=object)
        filled = model.impute(rows, n_sweeps=8, random_state=7).astype(bool)
        match = np.logical_and.reduce([cells[name] == value for name, value in known.items()])
        expected = p[match] / p[match].sum()
        counts = filled.groupby(gaps).size()
        listed = cells.loc[match, gaps].to_numpy()
        order = [tuple(row) if len(gaps) > 1 else row[0] for row in listed]
        found = counts.reindex(order, fill_value=0).to_numpy()
        assert chisquare(found, draws * expected.to_numpy()).pvalue > 1e-3, known


def test_what_cannot_be_filled(fitted, table, rng):
    with pytest.raises(InputError, match="n_sweeps must be a whole number of at least 1, not 0"):
        fitted["rooted"].impute(table, n_sweeps=0)
    model = RootedForests().fit(PairDensities(rng.normal(scale=0.1, size=(40, 3))))
    with pytest.raises(InputError, match="cannot fill gaps"):
        model.impute(table)
