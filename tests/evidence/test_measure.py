"""Evidence is finite for every table that can be read, and is what its channels say."""

import warnings

import numpy as np
import pandas as pd
import pytest

from spinney._core.pairs import n_pairs
from spinney.evidence import CHANNELS, N_EVEN, N_ODD, measure
from spinney.exceptions import InputError
from spinney.tables import read_table

NAMES = [channel.name for channel in CHANNELS]


def normal(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d))))


def quiet(table, **settings):
    """Measure a table whose oddities need not be spoken of."""
    return measure(read_table(table, settings.pop("kinds", None)), **settings)


def few_rows():
    return normal(4, 2)


def more_columns_than_rows():
    return normal(12, 30)


def constant_column():
    return normal(30, 3).assign(flat=1.0)


def twins():
    frame = normal(40, 3)
    return frame.assign(same=frame[0], opposite=-frame[1])


def heavy_ties():
    return normal(60, 4).round(0)


def zeros_mostly():
    return normal(60, 4).clip(lower=1.0)


def all_nominal():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 50)
    b = np.where(rng.random(50) < 0.7, a, rng.integers(0, 3, 50))
    c = rng.integers(0, 5, 50)
    return pd.DataFrame({"a": a, "b": b, "c": c}).map(lambda code: f"level {code}")


def all_binary():
    return (normal(50, 5) > 0).astype(int)


def no_common_rows():
    frame = normal(60, 4)
    frame.iloc[:30, 0] = np.nan
    frame.iloc[30:, 1] = np.nan
    return frame


def everything():
    frame = normal(90, 6)
    frame.columns = list("abcdef")
    frame["b"] = frame["b"] > 0
    frame["c"] = np.digitize(frame["c"], [-1, 0, 1])
    frame["kind"] = np.where(frame["a"] > 0.5, "x", np.where(frame["d"] > 0, "y", "z"))
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.05)


TABLES = [
    few_rows,
    more_columns_than_rows,
    constant_column,
    twins,
    heavy_ties,
    zeros_mostly,
    all_nominal,
    all_binary,
    no_common_rows,
    everything,
]


@pytest.mark.parametrize("make", TABLES)
def test_evidence_is_finite_and_tame_for_every_table(make):
    found = quiet(make())
    assert found.values.shape == (n_pairs(found.n_nodes), len(CHANNELS))
    assert found.values.dtype == np.float32
    assert np.isfinite(found.values).all()
    assert np.abs(found.values).max() < 20


@pytest.mark.slow
def test_evidence_is_finite_for_300_columns_of_20_rows():
    found = quiet(normal(20, 300))
    assert np.isfinite(found.values).all()


def test_three_rows_are_refused():
    with pytest.raises(InputError, match="too few rows"):
        measure(normal(3, 2))


def test_a_table_is_spoken_of_unless_it_was_read_before():
    frame = constant_column()
    with pytest.warns(match="flat"):
        measure(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure(read_table(frame))


def test_channels_have_names_of_their_own_even_ones_first():
    assert len(set(NAMES)) == len(NAMES)
    assert [channel.parity for channel in CHANNELS] == ["even"] * N_EVEN + ["odd"] * N_ODD


def test_pairs_without_common_rows_have_nothing_but_facts_of_the_table():
    found = quiet(no_common_rows()).to_frame()
    pair = found.iloc[0]
    said = {channel.name for channel in CHANNELS if channel.group in ("ladder", "table")}
    assert all(pair[name] == 0 for name in NAMES if name not in said)
    assert (pair["rows"], pair["gaps"], pair["ladder_all"]) == (0, 1, -12)


def test_nominal_columns_have_no_sign_but_a_strength():
    found = quiet(all_nominal())
    assert not found.odd.any()
    frame = found.to_frame()
    assert frame["information"].argmax() == frame["partial_any"].argmax() == 0
    assert (frame["nominal"] == 2).all()


def test_neither_threads_nor_the_seed_change_a_number():
    table = read_table(everything())
    one, two = measure(table, n_jobs=1), measure(table, n_jobs=2, random_state=1)
    np.testing.assert_array_equal(one.values, two.values)


def test_a_chain_and_its_ends():
    X = np.random.default_rng(0).normal(size=(300, 3)).cumsum(axis=1)
    found = measure(X)
    ends = found.why("x2", 0).set_index("channel")["value"]
    link = found.why(0, 1).set_index("channel")["value"]
    assert ends["ladder_all"] < -5 < 5 < link["ladder_all"]
    assert ends["score_z"] > 5
    assert abs(ends["partial_free_z"]) < 3 < link["partial_free_z"]


def test_a_bend_is_seen_by_squares_alone():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    y = x**2 + 0.5 * rng.normal(size=400)
    frame = measure(pd.DataFrame({"x": x, "y": y, "z": z})).to_frame()
    assert frame["bends"].iloc[0] > 6 > 3 > frame["bends"].iloc[1:].max()
    assert frame["partial_bends"].iloc[0] > 6
    assert abs(frame["score_z"].iloc[0]) < 2.5


def test_a_common_scale_is_seen_by_squares():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    X[:, :2] *= rng.gamma(0.7, size=(400, 1)) + 0.05
    frame = measure(X).to_frame()
    assert frame["squares"].iloc[0] > 4 > 3 > frame["squares"].iloc[1:].abs().max()
    assert frame["student"].iloc[0] > 3


def test_the_tensor_and_the_frame_hold_the_same_numbers():
    found = measure(normal(30, 4))
    tensor = found.tensor()
    assert tensor.shape == (4, 4, len(CHANNELS))
    np.testing.assert_array_equal(tensor, tensor.swapaxes(0, 1))
    assert not tensor[np.arange(4), np.arange(4)].any()
    frame = found.to_frame()
    row = frame[(frame["source"] == "1") & (frame["target"] == "3")]
    np.testing.assert_array_equal(row[NAMES].to_numpy(dtype=np.float32)[0], tensor[3, 1])
    np.testing.assert_array_equal(found.even, found.values[:, :N_EVEN])
    assert found.odd.shape[1] == N_ODD


def test_a_column_that_is_not_there_is_refused():
    found = measure(normal(30, 3))
    with pytest.raises(InputError, match="names a column 'nix'"):
        found.why("nix", 0)
    with pytest.raises(InputError, match="two columns"):
        found.why(1, 1)


def test_what_was_computed_is_kept():
    found = quiet(everything())
    assert found.ladder.n_samples == found.n_samples == 90
    assert found.densities.n_pairs == len(found.values)
    assert found.potentials.n_features_in_ == found.n_nodes == 7
    assert found.pair_fit.table_.names == found.names
