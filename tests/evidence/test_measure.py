"""Evidence is finite for every table that can be read, and is what its channels say."""

import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney._core.pairs import n_pairs, to_pairs
from spinney.evidence import CHANNELS, N_EVEN, N_ODD, conditional, judge_inputs, measure
from spinney.evidence.matrices import null_spread
from spinney.exceptions import InputError
from spinney.scores import read_scores
from spinney.tables import read_table

NAMES = [channel.name for channel in CHANNELS]


def normal(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d))))


def quiet(table, **settings):
    """Measure a table whose oddities need not be spoken of."""
    return measure(read_table(table, settings.pop("kind", None)), **settings)


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
    assert np.abs(judge_inputs(found.values)).max() < 20


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
    said = {channel.name for channel in CHANNELS if channel.group == "table"}
    assert all(pair[name] == 0 for name in NAMES if name not in said)
    assert (pair["rows"], pair["all_rows"]) == (0, pytest.approx(np.log(60)))


def test_nominal_columns_have_no_sign_but_a_strength():
    found = quiet(all_nominal())
    assert not found.values[:, N_EVEN:].any()
    frame = found.to_frame()
    assert frame["information"].argmax() == frame["partial_any"].argmax() == 0
    assert (frame["nominal"] == 2).all()


def test_there_are_at_most_32_channels_and_deviates_are_named_so():
    assert len(CHANNELS) == N_EVEN + N_ODD <= 32
    for channel in CHANNELS:
        assert (channel.unit == "deviate") == channel.name.endswith("_z")


def test_measuring_imports_nothing_that_compiles():
    code = (
        "import sys, numpy as np; from spinney.evidence import measure; "
        "measure(np.random.default_rng(0).normal(size=(40, 3))); "
        "sys.exit(sum(name in sys.modules for name in ('numba', 'llvmlite', 'torch')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_chain_and_its_ends():
    X = np.random.default_rng(0).normal(size=(300, 3)).cumsum(axis=1)
    found = measure(X)
    ends = found.why("x2", 0).set_index("channel")["value"]
    link = found.why(0, 1).set_index("channel")["value"]
    assert abs(ends["least_z"]) < 3 < 5 < link["least_z"]
    assert ends["score_z"] > 5
    assert abs(ends["partial_free_z"]) < 3 < link["partial_free_z"]


def test_a_bend_is_seen_by_shapes_alone():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    y = x**2 + 0.5 * rng.normal(size=400)
    frame = measure(pd.DataFrame({"x": x, "y": y, "z": z})).to_frame()
    assert frame["shapes_z"].iloc[0] > 6 > 3 > frame["shapes_z"].iloc[1:].max()
    assert frame["partial_any_z"].iloc[0] > 6
    assert frame["information"].iloc[0] > 0.5
    assert abs(frame["score_z"].iloc[0]) < 2.5


def test_a_common_scale_is_seen_by_shapes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    X[:, :2] *= rng.gamma(0.7, size=(400, 1)) + 0.05
    frame = measure(X).to_frame()
    assert frame["shapes_z"].iloc[0] > 4 > 3 > frame["shapes_z"].iloc[1:].abs().max()
    assert abs(frame["score_z"].iloc[0]) < 3


def test_the_frame_holds_the_values():
    found = measure(normal(30, 4))
    frame = found.to_frame()
    row = frame[(frame["source"] == "1") & (frame["target"] == "3")]
    np.testing.assert_array_equal(row[NAMES].to_numpy(dtype=np.float32)[0], found.values[4])


def test_a_column_that_is_not_there_is_refused():
    found = measure(normal(30, 3))
    with pytest.raises(InputError, match="names a column 'nix'"):
        found.why("nix", 0)
    with pytest.raises(InputError, match="two different columns"):
        found.why(1, 1)


def test_what_was_computed_is_kept():
    found = quiet(everything())
    assert len(found.table) == found.n_samples == 90
    assert len(found.index) == len(found.values)
    assert found.scores.first.shape == (90, found.n_nodes) == (90, 7)
    assert found.table.names == found.names
    first, second = found.index.ends
    both = found.table.present[:, first] & found.table.present[:, second]
    np.testing.assert_array_equal(found.n_rows, both.sum(axis=0))


def test_evidence_of_plain_tables_is_what_its_formulas_say():
    X = np.random.default_rng(2).normal(size=(70, 4)).cumsum(axis=1)
    frame = measure(X).to_frame()
    ends = stats.norm.ppf(np.arange(71) / 70)
    means = np.array([stats.truncnorm.mean(a, b) for a, b in pairwise(ends)])
    Z = means[stats.rankdata(X, axis=0).astype(int) - 1]
    R = np.corrcoef(Z.T)
    assert frame["score"].to_numpy() == pytest.approx(to_pairs(R), abs=1e-6)
    assert frame["latent"].to_numpy() == pytest.approx(to_pairs(R), abs=1e-6)
    z = np.sqrt(67) * np.arctanh(to_pairs(R))
    assert frame["score_z"].to_numpy() == pytest.approx(z, abs=1e-4)
    for name, worth in (("partial_free", 0.4), ("partial", 4.0)):
        x = worth / (70 + worth)
        omega = np.linalg.inv((1 - x) * R + x * np.eye(4))
        scale = np.sqrt(np.diag(omega))
        expected = to_pairs(-omega / np.outer(scale, scale))
        assert frame[name].to_numpy() == pytest.approx(expected, abs=1e-5)
        spread = null_spread(np.array([70.0]), worth, 4)
        z = np.sqrt(67) * np.arctanh(expected) / spread
        assert frame[f"{name}_z"].to_numpy() == pytest.approx(z, abs=1e-4)


def test_information_is_that_of_the_canonical_correlations():
    """Less its bias: the mean over permutations of the sum of their squares, halved."""
    X = np.random.default_rng(3).normal(size=(150, 2)).cumsum(axis=1)
    table = read_table(X)
    own = [read_scores(table).values[:, k : k + 4] for k in (0, 4)]
    canonical = np.linalg.svd(own[0].T @ own[1] / 150, compute_uv=False)
    nats = -0.5 * np.log1p(-(canonical**2)).sum() - 16.0 / 149.0 / 2.0
    expected = np.arctanh(np.sqrt(1.0 - np.exp(-2.0 * nats)))
    assert measure(table).channel("information")[0] == pytest.approx(expected, abs=1e-5)


def test_evidence_of_mixed_tables_says_what_columns_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) @ (np.eye(5) + 0.5 * rng.normal(size=(5, 5)))
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["c"] = np.digitize(frame["c"], [-1.0, 0.5])
    frame["d"] = (frame["d"] > 0.3).astype(int)
    frame["kind"] = np.where(X[:, 0] > 0.5, "x", np.where(X[:, 4] > 0, "y", "z"))
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    found = measure(read_table(frame)).to_frame().set_index(["source", "target"])
    present = frame.notna().to_numpy(dtype=float)
    common = to_pairs(present.T @ present)
    assert np.expm1(found["rows"].to_numpy()) == pytest.approx(common, rel=1e-5)
    assert found["nominal"].sum() == 5
    assert found.loc[("c", "d"), "tied"] > found.loc[("c", "d"), "tied_least"] > 0.3
    assert found.loc[("a", "b"), ["shown_least", "shown_most", "tied"]].tolist() == [1, 1, 0]
    assert found.loc[("a", "d"), "shown_least"] == pytest.approx(2 / np.pi, abs=0.05)
    assert found["all_rows"].to_numpy() == pytest.approx(np.log(120), rel=1e-6)
    assert found["columns"].to_numpy() == pytest.approx(np.log(6), rel=1e-6)


def test_tables_whose_columns_are_given_in_parts_have_the_same_evidence(monkeypatch):
    table = read_table(everything())
    whole = measure(table).values
    monkeypatch.setattr(conditional, "AT_ONCE", 1)  # each column by itself
    np.testing.assert_allclose(measure(table).values, whole, rtol=1e-4, atol=1e-4)
    monkeypatch.setattr(conditional, "NARROW", 2)  # and as in wide tables, all partners
    monkeypatch.setattr(conditional, "MOST_PARTNERS", table.values.shape[1] - 1)
    np.testing.assert_allclose(measure(table).values, whole, rtol=1e-4, atol=1e-4)
