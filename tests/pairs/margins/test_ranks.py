import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from spinney.datasets import load_pbmc, load_sachs
from spinney.exceptions import DataWarning, InputError
from spinney.pairs.margins import canonical_order, order_rows, pseudo_observations
from spinney.pairs.margins.ranks import EmpiricalRanks

tables = arrays(
    float,
    array_shapes(min_dims=2, max_dims=2, min_side=4, max_side=12),
    elements=st.integers(-3, 3).map(float) | st.floats(-1e300, 1e300),
).filter(lambda X: (X[0] != X).any(axis=0).all())


def ranks_by_definition(x):
    """Mean rank: values below, and half of those equal, oneself included once."""
    below = (x[None, :] < x[:, None]).sum(axis=1)
    equal = (x[None, :] == x[:, None]).sum(axis=1)
    return below + (equal + 1) / 2


@given(tables)
@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
def test_average_ranks_are_those_of_the_definition(X):
    expected = np.column_stack([ranks_by_definition(x) for x in X.T]) / (len(X) + 1)
    np.testing.assert_array_equal(pseudo_observations(X), expected)


@given(tables, st.integers(0, 2**32))
@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
def test_random_ranks_use_every_rank_once_and_keep_the_order(X, seed):
    U = pseudo_observations(X, ties="random", random_state=seed)
    n = len(X)
    for x, u in zip(X.T, U.T, strict=True):
        assert np.array_equal(np.sort(u), np.arange(1, n + 1) / (n + 1))
        assert (np.diff(x[np.argsort(u)]) >= 0).all()


@given(tables, arrays(float, 20, elements=st.floats(allow_nan=False, allow_infinity=False)))
@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
def test_new_values_get_monotone_ranks_strictly_inside(X, new):
    for x in X.T:
        u = EmpiricalRanks.fit(x).transform(np.sort(new))
        assert (np.diff(u) >= 0).all()
        assert u.min() >= 1 / (len(x) + 1)
        assert u.max() <= len(x) / (len(x) + 1)


def test_new_values_are_interpolated():
    ranks = EmpiricalRanks.fit(np.array([0.0, 1.0, 1.0, 3.0]))
    u = ranks.transform(np.array([-9.0, 0.0, 0.5, 1.0, 2.0, 3.0, 99.0]))
    np.testing.assert_allclose(u * 5, [1, 1, 1.75, 2.5, 3.25, 4, 4], rtol=1e-15)


def test_random_ranks_depend_on_the_seed_alone():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    first = pseudo_observations(X, ties="random", random_state=1)
    assert np.array_equal(first, pseudo_observations(X, ties="random", random_state=1))
    assert not np.array_equal(first, pseudo_observations(X, ties="random", random_state=2))


def test_ties_between_columns_are_broken_independently(rng):
    x = rng.integers(0, 3, size=2000).astype(float)
    U = pseudo_observations(np.column_stack([x, x]), ties="random")
    inside = x == 1
    # Within a tied value nothing is known, so nothing may look dependent: |r| < 4 / sqrt(m).
    assert abs(np.corrcoef(U[inside].T)[0, 1]) < 4 / np.sqrt(inside.sum())


def test_data_frames_keep_index_and_columns():
    frame = pd.DataFrame({"b": [3, 1, 2, 9], 7: [1.0, 2.0, 3.0, 4.0]}, index=list("wxyz"))
    U = pseudo_observations(frame)
    assert isinstance(U, pd.DataFrame)
    assert U.index.equals(frame.index)
    assert U.columns.equals(frame.columns)
    assert U.loc["x", "b"] == 0.2
    assert isinstance(pseudo_observations(frame.to_numpy()), np.ndarray)
    assert isinstance(pseudo_observations(frame["b"]), pd.DataFrame)


def test_increasing_maps_change_nothing(rng):
    X = rng.normal(size=(50, 4))
    assert np.array_equal(pseudo_observations(X), pseudo_observations(np.exp(3 * X)))


def test_many_ties_are_warned_of_and_few_are_not():
    X = pd.DataFrame({"a": np.arange(40.0), "b": [0.0] * 24 + [*range(16)], "c": [5.0] * 39 + [1]})
    message = r"'b' \(and 1 more\) has 16 distinct values, and 38% of all pairs .* ties='random'"
    with pytest.warns(DataWarning, match=message):
        pseudo_observations(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pseudo_observations(X, ties="random")
        pseudo_observations(X[["a", "b"]][:29])
        pseudo_observations(np.repeat(np.arange(11.0), 20)[:, None])  # ties are just below a tenth
    with pytest.warns(DataWarning, match="'x0' has 9 distinct"):
        pseudo_observations(np.repeat(np.arange(9.0), 20)[:, None])


@pytest.mark.parametrize("load", [load_sachs, lambda: load_pbmc("cd4+", "Reference")])
def test_bundled_tables_pass_without_a_warning(load):
    U = pseudo_observations(load().X).to_numpy()
    assert U.min() > 0
    assert U.max() < 1


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0], [2.0], [3.0]], "too few rows"),
        (pd.DataFrame({"GDP": [1.0] * 5}), "'GDP' is constant over 5 rows"),
        (pd.DataFrame({"a": [1, 2, 3, np.inf]}), r"'a' has 1 infinite value.*row 3"),
        (pd.DataFrame({"a": [1, np.nan, 3, 4]}), r"'a' has 1 missing value.*row 1"),
        (pd.DataFrame({"a": [1, 2, "x", 4]}), r"'a' holds text \(first: 'x'\)"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "'a' occurs 2 times"),
    ],
)
def test_unusable_tables_are_refused_by_column_and_row(X, message):
    with pytest.raises(InputError, match=message):
        pseudo_observations(X)


def test_unknown_rule_for_ties_is_refused():
    with pytest.raises(InputError, match="ties must be 'average' or 'random', not 'min'"):
        pseudo_observations(np.eye(4), ties="min")


# Rows have an order of their own, whatever stands first, and whatever sign a column has


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_are_equally_far_out_are_told_apart(seed):
    rng = np.random.default_rng(seed)
    U = rng.integers(1, 6, size=(60, 3)) / 6  # five values: hundreds of rows at equal distances
    U = np.unique(U, axis=0)
    distance = np.sort(np.abs(U - 0.5).round(10), axis=1)
    assert len(np.unique(distance, axis=0)) < len(U)
    rows, columns = rng.permutation(len(U)), rng.permutation(3)
    sign = rng.choice([-1.0, 1.0], size=3)
    other = 0.5 + (U[rows][:, columns] - 0.5) * sign
    back = (other - 0.5)[canonical_order(other)] * sign
    expected = (U - 0.5)[canonical_order(U)][:, columns]
    np.testing.assert_allclose(back, expected, atol=1e-12)


def test_gaps_count_as_farthest_and_have_no_sign():
    z = np.array([[np.nan, 0.1], [0.4, 0.1], [0.1, np.nan], [-0.2, 0.3]])
    raw = np.nan_to_num(z, nan=9.0)
    order = order_rows(z, raw)
    assert (order[0], order[3]) == (1, 3)  # by the smallest number, then by the next
    negated = order_rows(z * [1.0, -1.0], raw * [1.0, -1.0])
    np.testing.assert_array_equal(order, negated)
