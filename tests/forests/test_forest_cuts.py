"""smallest_cuts against all 2^(d-1) - 1 cuts, and networkx's minimum cut."""

import sys
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from forest_oracles import random_weights
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney.exceptions import InputError


def all_cuts(W):
    """List every cut by weight, then by the word of the nodes that stay with node 0."""
    d = len(W)
    words = (np.arange(2 ** (d - 1) - 1)[:, None] >> np.arange(d - 2, -1, -1)) & 1
    words = np.column_stack([np.ones(len(words), dtype=int), words]).astype(bool)
    weights = np.array([W[np.ix_(word, ~word)].sum() for word in words])
    order = np.argsort(weights, kind="stable")  # words are already in increasing order
    return weights[order], ~words[order]


@given(d=st.integers(2, 12), k=st.integers(1, 100), seed=st.integers(0, 10**6), data=st.data())
def test_brute_force_with_ties(d, k, seed, data):
    """Small integers: every sum is exact and ties abound, so the order must match exactly."""
    top = data.draw(st.integers(1, 4))
    rng = np.random.default_rng(seed)
    W = np.triu(rng.integers(0, top + 1, (d, d)), 1).astype(float)
    W += W.T
    weights, sides = all_cuts(W)
    cuts = forests.smallest_cuts(W, k)
    assert len(cuts.weights) == min(k, 2 ** (d - 1) - 1)
    np.testing.assert_array_equal(cuts.weights, weights[:k])
    np.testing.assert_array_equal(cuts.sides, sides[:k])


@given(d=st.integers(2, 12), seed=st.integers(0, 10**6), spread=st.sampled_from([0.5, 3.0, 8.0]))
def test_brute_force_with_real_weights(d, seed, spread):
    W = random_weights(np.random.default_rng(seed), d, spread, density=0.8)
    weights, sides = all_cuts(W)
    cuts = forests.smallest_cuts(W, 60)
    # Rounding is relative to the largest cut seen on the way: equal within that.
    slack = 1e-13 * W.sum()
    np.testing.assert_allclose(cuts.weights, weights[:60], rtol=1e-12, atol=slack)
    clear = np.diff(weights[:60], prepend=-1, append=np.inf) > 4 * slack
    alone = clear[:-1] & clear[1:]
    np.testing.assert_array_equal(cuts.sides[alone], sides[:60][alone])
    assert len(np.unique(cuts.sides, axis=0)) == len(cuts.sides)


def test_all_cuts_of_a_small_graph(rng):
    W = random_weights(rng, 8)
    cuts = forests.smallest_cuts(W, 10_000)
    weights, sides = all_cuts(W)
    np.testing.assert_allclose(cuts.weights, weights, rtol=1e-12)
    np.testing.assert_array_equal(cuts.sides, sides)


@pytest.mark.parametrize("d", [25, 40, 80])
def test_large_graphs(rng, d):
    W = random_weights(rng, d, 1)
    cuts = forests.smallest_cuts(W, 100)
    assert (np.diff(cuts.weights) >= 0).all()
    assert len(np.unique(cuts.sides, axis=0)) == 100
    assert not cuts.sides[:, 0].any()
    for weight, side in zip(cuts.weights, cuts.sides, strict=True):
        assert weight == pytest.approx(W[np.ix_(side, ~side)].sum(), rel=1e-12)
    smallest, _ = nx.stoer_wagner(nx.from_numpy_array(W))
    assert cuts.weights[0] == pytest.approx(smallest, rel=1e-12)
    # No single node that was left out may be cheaper than the last cut listed.
    listed = {int(np.flatnonzero(side)[0]) for side in cuts.sides if side.sum() == 1}
    for v in set(range(1, d)) - listed:
        assert W[v].sum() >= cuts.weights[-1]


def test_extreme_scales_and_components(rng):
    W = random_weights(rng, 7)
    cuts = forests.smallest_cuts(W, 20)
    for scale in (2.0**-1000, 2.0**900):
        scaled = forests.smallest_cuts(W * scale, 20)
        np.testing.assert_array_equal(scaled.sides, cuts.sides)
        np.testing.assert_array_equal(scaled.weights, cuts.weights * scale)
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 1.0
    cuts = forests.smallest_cuts(apart, 3)
    assert cuts.weights.tolist() == [0.0, 1.0, 1.0]
    assert cuts.sides[0].tolist() == [False, False, True, True]
    assert forests.smallest_cuts(np.zeros((3, 3)), 9).weights.tolist() == [0.0, 0.0, 0.0]


def test_edges_of_the_request():
    assert forests.smallest_cuts(np.zeros((1, 1)), 5).sides.shape == (0, 1)
    assert forests.smallest_cuts(np.ones((3, 3)), 0).weights.shape == (0,)
    for k in (-1, 2_000_000):
        with pytest.raises(InputError, match=f"k must be a whole number, 0 to 100000; it is {k}"):
            forests.smallest_cuts(np.ones((3, 3)), k)
    with pytest.raises(InputError, match="one matrix"):
        forests.smallest_cuts(np.ones((2, 3, 3)), 1)
    with pytest.raises(InputError, match="negative"):
        forests.smallest_cuts(-np.ones((3, 3)), 1)


def exact_cuts(W, tolerance=1e-12):
    """List every cut as (group, word) in exact arithmetic: ties are groups, words break them."""
    d = len(W)
    exact = [[Fraction(float(x)) for x in row] for row in W]
    cuts = []
    for number in range(2 ** (d - 1) - 1):
        word = [True, *(bool(number >> (d - 2 - i) & 1) for i in range(d - 1))]
        pairs = [(u, v) for u in range(d) for v in range(u + 1, d) if word[u] != word[v]]
        cuts.append((sum((exact[u][v] for u, v in pairs), Fraction(0)), number, word))
    cuts.sort()
    groups, anchor = [], None
    for weight, number, word in cuts:
        if anchor is None or weight > anchor * (1 + Fraction(tolerance)):
            anchor = weight
            groups.append([])
        groups[-1].append((number, [not side for side in word]))
    return [[side for _, side in sorted(group)] for group in groups]


@given(
    d=st.integers(2, 8),
    k=st.integers(1, 60),
    seed=st.integers(0, 10**6),
    unit=st.sampled_from([0.1, 0.7, np.pi, 1e-3 / 3, 1.0, 1e300 / 7, 3e-309]),
)
def test_ties_are_ties_whatever_the_rounding(d, k, seed, unit):
    """Whole numbers times a unit that is none: sums that are equal differ in their last digits."""
    rng = np.random.default_rng(seed)
    whole = np.triu(rng.integers(0, 4, (d, d)), 1).astype(float)
    whole += whole.T
    weights, sides = all_cuts(whole)
    cuts = forests.smallest_cuts(whole * unit, k)
    last = weights[min(k, len(weights)) - 1]
    np.testing.assert_array_equal(cuts.sides[weights[:k] < last], sides[weights < last])
    # The unit of 3e-309 is itself rounded, to a fifteenth of its digits less.
    with np.errstate(over="ignore"):  # older numpy inverts the unit on the way
        np.testing.assert_allclose(cuts.weights / unit, weights[:k], rtol=1e-13)


@pytest.mark.parametrize("k", [1, 3, 7, 20, 31])
@pytest.mark.parametrize("reach", [300, 1000, 1022])
def test_weights_over_the_whole_range_of_doubles(rng, reach, k):
    for _ in range(20):
        d = 6
        W = np.ldexp(rng.integers(1, 8, (d, d)) / 4.0, rng.integers(-reach, reach + 1, (d, d)))
        W = np.triu(W, 1)
        W += W.T
        groups = exact_cuts(W)
        ends = np.cumsum([len(group) for group in groups]).tolist()
        listed = [side for group in groups for side in group]
        cuts = forests.smallest_cuts(W, k)
        clear = max([end for end in ends if end <= k], default=0)
        assert cuts.sides[:clear].tolist() == listed[:clear]
        for weight, side in zip(cuts.weights, cuts.sides, strict=True):
            exact = sum(Fraction(float(x)) for x in W[np.ix_(side, ~side)].ravel())
            assert (
                weight == np.inf
                if exact > sys.float_info.max
                else weight == pytest.approx(float(exact), rel=1e-15)
            )


def test_sums_beyond_doubles_are_still_in_order():
    W = np.zeros((4, 4))
    W[0, 1], W[0, 2], W[0, 3], W[1, 2], W[2, 3] = 1.7e308, 1.6e308, 1.5e308, 1e-308, 1.0
    W += W.T
    expected = [side for group in exact_cuts(W) for side in group]
    cuts = forests.smallest_cuts(W, 7)
    assert cuts.sides.tolist() == expected
    assert np.isinf(cuts.weights).tolist() == [False] * 3 + [True] * 4


def test_a_great_many_ties():
    d = 40
    cuts = forests.smallest_cuts(np.zeros((d, d)), 5)
    assert cuts.sides[:, :-3].tolist() == [[False] + [True] * (d - 4)] * 5
    assert cuts.sides[:, -3:].astype(int).tolist() == [
        [1, 1, 1],
        [1, 1, 0],
        [1, 0, 1],
        [1, 0, 0],
        [0, 1, 1],
    ]
    ring = np.zeros((d, d))  # two edges cut a ring, any two of forty: 780 ties
    ring[np.arange(d), (np.arange(d) + 1) % d] = 0.3
    ring += ring.T
    np.testing.assert_allclose(
        forests.smallest_cuts(ring, 781).weights[[0, 779, 780]], [0.6, 0.6, 1.2]
    )
