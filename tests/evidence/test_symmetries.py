"""What evidence does not depend on: order of rows and columns, units, and signs."""

import numpy as np
import pandas as pd
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from spinney._core.pairs import pair_index, pair_nodes
from spinney.evidence import CHANNELS, measure
from spinney.tables import read_table

SETTINGS = settings(
    max_examples=8, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
)
SOME = {"rtol": 1e-3, "atol": 1e-3}
"""What one other column leaves of a pair is computed in single precision."""
ODD = [channel.parity == "odd" for channel in CHANNELS]


def draw_table(seed, n, d, kinds=False, gaps=0.0):
    """Columns that depend on each other; if wanted every third with levels, and a nominal one."""
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
    kinds = {name: "nominal" for name in frame.columns if name == "kind"}
    return measure(read_table(frame, kinds))


tables = st.builds(
    draw_table,
    st.integers(0, 10_000),
    st.integers(40, 90),
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
    pairs = [
        pair_index(position[u], position[v], len(order)) for u, v in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(there.values[pairs], here.values, **SOME)


@SETTINGS
@given(tables)
def test_monotone_transforms_of_continuous_columns_change_nothing(frame):
    bent = frame.copy()
    for k in range(0, frame.shape[1], 2):
        if read_table(frame).columns[k].kind == "continuous":
            bent.iloc[:, k] = np.sinh(frame.iloc[:, k] / 2)
    np.testing.assert_array_equal(evidence(frame).values, evidence(bent).values)


@SETTINGS
@given(tables, st.integers(0, 5))
@example(draw_table(2, 48, 3, True), 0)  # beside a nominal column, ranks / 49 hit edges of the bins
@example(draw_table(3, 104, 3, True), 2)
def test_negating_a_column_changes_the_sign_of_odd_channels_only(frame, k):
    k = k % (frame.shape[1] - ("kind" in frame))
    negated = frame.copy()
    negated.iloc[:, k] = -frame.iloc[:, k]
    here, there = evidence(frame), evidence(negated)
    sign = np.where(np.equal(pair_nodes(frame.shape[1]), k).any(axis=0), -1.0, 1.0)
    there = np.where(ODD, sign[:, None], 1.0) * there.values
    np.testing.assert_allclose(there, here.values, **SOME)


def with_levels_renamed():
    """Measure a table of levels, and again with those of one column under other names."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 300)
    b, c = a.copy(), a.copy()
    for own in (b, c):
        noise = rng.random(300) < 0.5
        own[noise] = rng.integers(0, 4, noise.sum())
    letters = np.array(list("pqrs"))
    frame = pd.DataFrame({"a": letters[a], "b": letters[b], "c": letters[c]})
    frame["x"] = a + rng.normal(size=300)
    renamed = frame.assign(b=letters[np.array([2, 0, 3, 1])[b]])
    return [measure(read_table(table)).to_frame() for table in (frame, renamed)]


def test_names_of_levels_do_not_matter():
    here, there = (table.drop(columns=["source", "target"]) for table in with_levels_renamed())
    np.testing.assert_allclose(here, there, **SOME)


def test_nothing_but_levels_has_the_same_symmetries():
    rng = np.random.default_rng(5)
    latent = rng.normal(size=(80, 4)).cumsum(axis=1)
    frame = pd.DataFrame({f"c{k}": latent[:, k] > 0.3 * k for k in range(3)}).astype(int)
    frame["c3"] = np.digitize(latent[:, 3], [-1.0, 0.0, 2.0])
    here, there = evidence(frame), evidence(frame.assign(c1=-frame["c1"], c3=-frame["c3"]))
    sign = np.array([-1.0, 1.0, -1.0, -1.0, 1.0, -1.0])  # 01, 02, 03, 12, 13, 23
    there = np.where(ODD, sign[:, None], 1.0) * there.values
    np.testing.assert_allclose(there, here.values, **SOME)
    backwards = evidence(frame.iloc[::-1, ::-1]).values[::-1]  # 23, 13, 03, 12, 02, 01
    np.testing.assert_allclose(backwards[[0, 1, 3, 2, 4, 5]], here.values, **SOME)
