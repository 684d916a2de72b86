"""Forests by the kernels of the GPU, against the plain program and the processor."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from spinney import forests  # noqa: E402
from spinney.forests.posterior import ladder  # noqa: E402
from spinney.scale.gpu import networks  # noqa: E402
from spinney.scale.gpu.networks import PlainTiles  # noqa: E402
from spinney.scale.gpu.tiles import DeviceTiles  # noqa: E402

DENSE = forests.Context(device="cuda", engine="dense")


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_tiles(size):
    rng = np.random.default_rng(size)
    tile = torch.tensor(np.triu(np.exp(3 * rng.normal(size=(2, size, size))), 1))
    sums = torch.tensor(np.exp(rng.normal(size=(2, size))))
    plain, device = tile.clone(), tile.clone()
    expected = PlainTiles().eliminate(plain, sums)
    totals = DeviceTiles().eliminate(device, sums)
    np.testing.assert_allclose(totals, expected, rtol=1e-13)
    off = ~np.eye(size, dtype=bool)
    np.testing.assert_allclose(device.numpy()[:, off], plain.numpy()[:, off], rtol=1e-13)
    products = torch.tensor(rng.uniform(size=(2, size, size)))
    masses = torch.tensor(rng.uniform(size=(2, size)))
    expected = PlainTiles().resist(plain, products, masses, totals)
    added = DeviceTiles().resist(device, products, masses, totals)
    np.testing.assert_allclose(added, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(device, plain, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("ground", "per_sample"), [(1.0, False), (0.0, True)])
def test_evaluate(monkeypatch, ground, per_sample):
    monkeypatch.setattr(networks, "BLOCK", 3)
    monkeypatch.setattr(networks, "SIMULATED_MEMORY", 60_000)  # two batches
    rng = np.random.default_rng(0)
    W = np.exp(2 * rng.normal(size=(5, 15)))
    W[3] *= 1e200  # out of range: left to the processor
    beta = rng.uniform(size=15)
    beta[4] = 0.0
    here = forests.evaluate(beta, W, ground, per_sample=per_sample)
    there = forests.evaluate(beta, W, ground, per_sample=per_sample, context=DENSE)
    assert there.engine == "dense"
    assert there.n_wide == 1
    np.testing.assert_allclose(there.log_partition, here.log_partition, rtol=1e-13)
    np.testing.assert_allclose(there.weighted_resistance, here.weighted_resistance, rtol=1e-12)


def test_evaluate_some_columns_of_logarithms_kept():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(3, 10))
    table[0, 2] = -np.inf
    samples = forests.Samples(table, log=True)
    here = forests.evaluate(np.ones(10), samples, partition=[[0, 1, 2], [3, 4]])
    there = forests.evaluate(np.ones(10), samples, partition=[[0, 1, 2], [3, 4]], context=DENSE)
    np.testing.assert_allclose(there.log_partition, here.log_partition, rtol=1e-13)
    np.testing.assert_allclose(there.weighted_resistance, here.weighted_resistance, rtol=1e-12)


def test_a_network_without_a_tree_is_found():
    W = np.array([[1.0, 0.0, 0.0]])
    with pytest.warns(UserWarning, match="do not connect all nodes"):
        found = forests.evaluate(np.ones(3), W, 0.0, context=DENSE)
    assert found.log_partition[0] == -np.inf


def test_wrong_weights_are_refused():
    with pytest.raises(ValueError, match="negative"):
        forests.evaluate(np.ones(3), [[1.0, -1.0, 2.0]], context=DENSE)


@pytest.mark.parametrize("gaps", [False, True])
def test_ladder(gaps):
    rng = np.random.default_rng(2)
    table = 0.6 * rng.normal(size=(12, 10))
    table[:, 3] += 60.0  # with all rows beyond the range of doubles
    parameters = rng.integers(0, 3, size=10)
    parameters[3] = 1
    n_rows = rng.integers(6, 12, size=10) if gaps else None
    options = {"sizes": (4, 12), "n_subsets": 3, "n_rows": n_rows, "root_weight": 2.0}
    here = ladder(table, parameters, **options)
    there = ladder(table, parameters, **options, device="cuda")
    assert there.n_subsets.tolist() == here.n_subsets.tolist()
    np.testing.assert_allclose(there.probabilities, here.probabilities, rtol=0, atol=1e-10)


@pytest.mark.parametrize("sizes", [(5,), (2, 5)])
def test_ladder_names_the_number_that_is_not_finite(sizes):
    table = np.zeros((5, 3))
    table[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"log_density\[2, 1\] is nan"):
        ladder(table, np.ones(3), sizes=sizes, device="cuda")
