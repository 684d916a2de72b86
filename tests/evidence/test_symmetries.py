"""What evidence does not depend on: order of rows and columns, units, and signs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spinney._pairs import n_pairs, pair_index, pair_nodes
from spinney.evidence import N_EVEN, measure
from spinney.tables import read_mixed

SETTINGS = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
SOME = {"rtol": 2e-3, "atol": 2e-3}
"""Differences that float32 and searches to a part of a standard error leave."""


def draw_table(seed, n, d, kinds=False, gaps=0.0):
    """Columns that depend on each other; every third with levels, every fourth nominal, if so."""
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + rng.normal(scale=0.4, size=(d, d))
    X = rng.standard_t(4, size=(n, d)) @ mixing
    columns = {}
    for k in range(d):
        x = X[:, k]
        if kinds and k % 3 == 1:
            x = np.digitize(x, np.quantile(x, [0.3, 0.6, 0.8]) if k % 2 else [np.median(x)])
        x = x.astype(float)
        x[rng.random(n) < gaps] = np.nan
        columns[f"c{k}"] = x
    if kinds:
        columns["kind"] = np.where(X[:, 0] > 0.5, "a", np.where(X[:, 2] > 0, "b", "c"))
    return pd.DataFrame(columns)


def evidence(frame):
    return measure(read_mixed(frame))


tables = st.builds(
    draw_table,
    st.integers(0, 10_000),
    st.integers(12, 60),
    st.integers(3, 6),
    st.booleans(),
    st.sampled_from([0.0, 0.1]),
)


@SETTINGS
@given(tables, st.integers(0, 100))
def test_the_order_of_rows_does_not_matter(frame, seed):
    shuffled = frame.sample(frac=1.0, random_state=seed)
    np.testing.assert_allclose(
        evidence(frame).values, evidence(shuffled).values, rtol=1e-5, atol=1e-5
    )


@SETTINGS
@given(tables, st.integers(0, 100))
def test_permuting_columns_permutes_pairs(frame, seed):
    order = np.random.default_rng(seed).permutation(frame.shape[1])
    there, here = evidence(frame.iloc[:, order]), evidence(frame)
    position = np.argsort(order)
    first, second = pair_nodes(len(order))
    pairs = [pair_index(position[u], position[v], len(order)) for u, v in zip(first, second)]
    np.testing.assert_allclose(there.values[pairs], here.values, **SOME)


@SETTINGS
@given(tables)
def test_monotone_transforms_of_continuous_columns_change_nothing(frame):
    bent = frame.copy()
    for k in range(0, frame.shape[1], 2):
        if read_mixed(frame).columns[k].kind == "continuous":
            bent.iloc[:, k] = np.sinh(frame.iloc[:, k] / 2)
    np.testing.assert_array_equal(evidence(frame).values, evidence(bent).values)


@SETTINGS
@given(tables, st.integers(0, 5))
def test_negating_a_column_changes_the_sign_of_odd_channels_only(frame, k):
    k = k % (frame.shape[1] - ("kind" in frame))
    negated = frame.copy()
    negated.iloc[:, k] = -frame.iloc[:, k]
    here, there = evidence(frame), evidence(negated)
    sign = np.where(np.equal(pair_nodes(frame.shape[1]), k).any(axis=0), -1.0, 1.0)
    np.testing.assert_allclose(there.even, here.even, **SOME)
    np.testing.assert_allclose(sign[:, None] * there.odd, here.odd, **SOME)
