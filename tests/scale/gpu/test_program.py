"""The forest algebra as products of matrices, in torch on the processor, against the reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from spinney.forests import reference  # noqa: E402
from spinney.scale.gpu import networks as program  # noqa: E402


def networks(rng, n, size, spread):
    """Networks of `size` nodes, the last the ground; weights over many orders of magnitude."""
    found = np.zeros((n, size, size))
    for W in found:
        edges = np.exp(spread * rng.normal(size=(size - 1, size - 1)))
        edges[rng.uniform(size=edges.shape) < 0.2] = 0.0
        edges = np.triu(edges, 1)
        W[:] = reference.grounded_network(edges + edges.T, rng.uniform(0.5, 2.0, size - 1))
    return found


def solved(W, block):
    state = torch.tensor(np.triu(W))
    totals = program.eliminate(state, program.PlainTiles(), block)
    sums = totals.log().sum(dim=1).numpy()
    program.resist(state, totals, program.PlainTiles(), block)
    return sums, state.numpy()


def check(W, block):
    sums, R = solved(W, block)
    for network, log_partition, found in zip(W, sums, R, strict=True):
        totals, shares = reference.eliminate(network)
        expected = reference.resistances(totals, shares)
        assert log_partition == pytest.approx(np.log(totals).sum(), rel=1e-13, abs=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


@given(
    size=st.integers(2, 20),
    block=st.integers(1, 9),
    spread=st.sampled_from([0.5, 5.0, 15.0]),
    seed=st.integers(0, 10**6),
)
def test_log_partitions_and_resistances(size, block, spread, seed):
    check(networks(np.random.default_rng(seed), 2, size, spread), block)


def test_blocks_and_strips_that_do_not_divide_the_nodes(rng, monkeypatch):
    monkeypatch.setattr(program, "STRIP", 24)
    check(networks(rng, 2, 90, 2.0), 16)


def test_a_node_that_nothing_joins(rng):
    W = networks(rng, 2, 12, 1.0)
    W[0, 5] = W[0, :, 5] = 0.0
    state = torch.tensor(np.triu(W))
    totals = program.eliminate(state, program.PlainTiles(), 4)
    sums = totals.log().sum(dim=1)
    assert sums[0] == -np.inf
    assert torch.isfinite(sums[1])
    assert torch.isfinite(state).all()
