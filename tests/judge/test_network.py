import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.judge import Network, Settings, _formulas
from tests.judge.drawn import SMALL, WITHOUT, evidence, negated, network, reordered
from tests.judge.reference import reference_logits

DEFAULT = Settings(n_even=20, n_odd=6)


@pytest.mark.parametrize("settings", [SMALL, WITHOUT, DEFAULT])
@pytest.mark.parametrize("d", [2, 3, 4, 9])
def test_logits_are_those_of_the_formulas(settings, d):
    own, (even, odd) = network(settings), evidence(settings, d)
    expected = reference_logits(settings, own.arrays, even, odd)
    assert own.logits(even, odd).dtype == np.float32
    np.testing.assert_allclose(own.logits(even, odd), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize(("chunk", "full_bytes"), [(1, 1), (7, 4 * 11**2 * 3), (55, 2**20)])
def test_the_size_of_parts_does_not_matter(monkeypatch, chunk, full_bytes):
    own, (even, odd) = network(), evidence(SMALL, 11)
    expected = own.logits(even, odd)
    monkeypatch.setattr(_formulas, "CHUNK", chunk)
    monkeypatch.setattr(_formulas, "FULL_BYTES", full_bytes)
    np.testing.assert_allclose(own.logits(even, odd), expected, rtol=0, atol=2e-5)


@given(st.lists(st.sampled_from([-1, 1]), min_size=2, max_size=8), st.integers(0, 99))
def test_negating_columns_changes_nothing_at_all(signs, seed):
    even, odd = evidence(SMALL, len(signs), seed)
    own = network(seed=seed)
    turned = own.logits(even, negated(odd, np.array(signs)))
    assert np.array_equal(turned, own.logits(even, odd))


def test_one_pairs_sign_alone_does_matter():
    even, odd = evidence(SMALL, 5)
    other = odd.copy()
    other[0] *= -1  # no column was negated: loops through this pair change their sign
    own = network()
    assert abs(own.logits(even, odd) - own.logits(even, other)).max() > 1e-2


@given(st.integers(2, 8).flatmap(lambda d: st.permutations(range(d))), st.integers(0, 99))
def test_reordering_columns_reorders_logits(order, seed):
    even, odd = evidence(SMALL, len(order), seed)
    own = network(seed=seed)
    moved = own.logits(reordered(even, order), reordered(odd, order))
    expected = reordered(own.logits(even, odd)[:, None], order)[:, 0]
    np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-4)


def test_evidence_is_cut_to_the_range_of_training():
    own, (even, odd) = network(), evidence(SMALL, 5, size=8)
    assert (abs(even) > 8).any()
    assert (abs(odd) > 8).any()
    cut = own.logits(even.clip(-8, 8), odd.clip(-8, 8))
    assert np.array_equal(own.logits(even, odd), cut)
    assert not np.array_equal(own.logits(even.clip(-7, 7), odd.clip(-7, 7)), cut)


def test_large_gates_neither_overflow_nor_warn():
    arrays = dict(network().arrays)
    for name in ("Ga", "Gt", "Gz", "Gy"):
        arrays[name] = 1000 * arrays[name]
    even, odd = evidence(SMALL, 6)
    own = Network(SMALL, arrays)
    with np.errstate(over="ignore"):  # the formulas' own exp
        expected = reference_logits(SMALL, own.arrays, even, odd)
    np.testing.assert_allclose(own.logits(even, odd), expected, rtol=0, atol=2e-3)


def test_a_table_of_one_column_has_no_pairs():
    assert network().logits(np.empty((0, 5)), np.empty((0, 3))).shape == (0,)


def test_arrays_are_kept_read_only_and_apart_from_what_was_given():
    given_arrays = {name: array.copy() for name, array in network().arrays.items()}
    own = Network(SMALL, given_arrays)
    given_arrays["w"][:] = 0
    assert own.arrays["w"].any()
    with pytest.raises(ValueError, match="read-only"):
        own.arrays["w"][0] = 1


def test_pickles_hold_arrays_once_and_judge_alike():
    own, (even, odd) = network(), evidence(SMALL, 4)
    before = len(pickle.dumps(own))
    logits = own.logits(even, odd)
    text = pickle.dumps(own)
    assert len(text) == before
    assert np.array_equal(pickle.loads(text).logits(even, odd), logits)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": None}, "'A' is missing"),
        ({"extra": np.zeros(3)}, "'extra' belongs to no network"),
        ({"w": np.zeros(5)}, r"'w' has shape \(5,\), not \(12,\)"),
        ({"w0": np.array(np.nan)}, "'w0' holds numbers that are not finite"),
        ({"w0": np.array(np.inf)}, "'w0' holds numbers that are not finite"),
        ({"even_low": np.full(5, np.nan)}, "'even_low' holds numbers that are not finite"),
    ],
)
def test_wrong_arrays_are_refused(change, message):
    arrays = {**network().arrays, **change}
    with pytest.raises(InputError, match=message):
        Network(SMALL, {k: v for k, v in arrays.items() if v is not None})


def test_bounds_may_be_infinite():
    arrays = {**network().arrays, "odd_bound": np.full(3, np.inf)}
    assert np.isfinite(Network(SMALL, arrays).logits(*evidence(SMALL, 4))).all()


@pytest.mark.parametrize(
    ("even", "odd", "message"),
    [
        (np.zeros((3, 4)), np.zeros((3, 3)), r"even evidence has shape \(3, 4\).*\(pairs, 5\)"),
        (np.zeros((3, 5)), np.zeros(3), r"odd evidence has shape \(3,\).*\(pairs, 3\)"),
        (np.zeros((3, 5)), np.zeros((6, 3)), "3 rows of even evidence, 6 of odd"),
        (np.zeros((4, 5)), np.zeros((4, 3)), "4 is not d"),
        (np.zeros((3, 5)), np.full((3, 3), np.nan), "channel 0 of pair 0 is nan"),
        (np.full((3, 5), np.inf), np.zeros((3, 3)), "channel 0 of pair 0 is inf"),
    ],
)
def test_wrong_evidence_is_refused(even, odd, message):
    with pytest.raises(InputError, match=message):
        network().logits(even, odd)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="width must be at least 1, not 0"):
        Settings(n_even=3, n_odd=1, width=0)
