"""smallest_cuts against all 2^(d-1) - 1 cuts, and networkx's minimum cut."""

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
    with pytest.raises(InputError, match="k must be"):
        forests.smallest_cuts(np.ones((3, 3)), -1)
    with pytest.raises(InputError, match="one matrix"):
        forests.smallest_cuts(np.ones((2, 3, 3)), 1)
    with pytest.raises(InputError, match="negative"):
        forests.smallest_cuts(-np.ones((3, 3)), 1)
