"""Bayesian networks: the truth, the rows, the split of expert networks, and what is drawn."""

import json
import lzma
from itertools import product

import numpy as np
import pytest
from training.networks import (
    PARTS,
    Network,
    as_network,
    draw_expert,
    draw_network,
    expert_networks,
    part_of,
    random_network,
)
from training.sources import as_read

from spinney.exceptions import InputError
from spinney.tables import CONTINUOUS, read_table

COIN = np.array([0.5, 0.5])
XOR = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]])


def joint(network):
    """Probability of every combination of levels, by the chain rule."""
    found = np.empty(network.n_levels)
    for levels in product(*map(range, network.n_levels)):
        p = 1.0
        for node, parents in enumerate(network.parents):
            p *= network.tables[node][(*(levels[k] for k in parents), levels[node])]
        found[levels] = p
    return found


def is_separated(table, u, v):
    """Whether two axes are independent given all others, by the cross ratios of all cells."""
    table = np.moveaxis(table, (u, v), (-2, -1))
    rows, columns = table.sum(axis=-1, keepdims=True), table.sum(axis=-2, keepdims=True)
    total = table.sum(axis=(-2, -1), keepdims=True)
    return np.allclose(table * total, rows * columns, atol=1e-9)


def expert(name, flip=False):
    """Tell of a network as the file does: b depends on c and a, not on d; a comes last."""
    table = np.empty((2, 3, 2, 2))  # parents c, d, a, then b
    rng = np.random.default_rng(3)
    table[:] = rng.dirichlet(np.ones(2), (2, 1, 2))
    own_fastest = [
        table[c, d, a, b] for a in range(2) for d in range(3) for c in range(2) for b in range(2)
    ]
    node = {"name": "b", "levels": ["x", "y"], "parents": ["c", "d", "a"], "prob": own_fastest}
    rest = [
        {"name": "c", "levels": ["x", "y"], "parents": [], "prob": [0.3, 0.7]},
        {"name": "d", "levels": list("xyz"), "parents": ["c"], "prob": [0.2, 0.3, 0.5] * 2},
        {
            "name": "a",
            "levels": ["x", "y"],
            "parents": ["d"],
            "prob": [0.5, 0.5, 0.1, 0.9, 0.6, 0.4],
        },
    ]
    return {"net": name, "nodes": [node, *rest]}, table


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    names = (f"{stem}{k}" for stem in (f"study{c}" for c in "abcdefghijklmnopqrst") for k in (1, 2))
    path = tmp_path_factory.mktemp("experts") / "networks.jsonl.xz"
    with lzma.open(path, "wt") as lines:
        lines.writelines(json.dumps(expert(name)[0]) + "\n" for name in names)
    return path


def test_tables_of_the_file_are_read_in_their_order():
    told, table = expert("one")
    network = as_network(told)
    (b,) = [k for k, parents in enumerate(network.parents) if len(parents) == 3]
    np.testing.assert_allclose(network.tables[b], table, rtol=1e-12)
    assert [network.n_levels[p] for p in network.parents[b]] == [2, 3, 2]
    assert all(p < k for k, parents in enumerate(network.parents) for p in parents)
    # b does not depend on d, nor d on c: b, c and a are joined, and a and d.
    assert network.adjacency.sum() // 2 == 4


def test_the_truth_is_the_graph_of_the_joint_table():
    """Pairs that the truth does not join are independent given all others; others are not."""
    wrong = joined = 0
    for seed in range(60):
        network = random_network(np.random.default_rng(seed), 5)
        table, adjacency = joint(network), network.adjacency
        np.testing.assert_allclose(table.sum(), 1.0, rtol=1e-9)
        for u, v in zip(*np.triu_indices(5, 1), strict=True):
            if adjacency[u, v]:
                joined += 1
                wrong += is_separated(table, u, v)
            else:
                assert is_separated(table, u, v), (seed, u, v)
    assert joined > 150
    assert wrong <= 0.03 * joined  # rare coincidences, such as levels that occur together only


def test_rows_have_the_probabilities_of_the_network(rng):
    network = Network(((), (), (0, 1)), (COIN, np.array([0.2, 0.3, 0.5]), _three_by_two()), "n")
    rows = network.sample(40_000, rng)
    counts = np.zeros(network.n_levels)
    np.add.at(counts, tuple(rows.T), 1)
    expected = 40_000 * joint(network)
    assert ((counts - expected) ** 2 / expected).sum() < 33  # chi-squared, 11 degrees, p = 0.0005


def _three_by_two():
    return np.random.default_rng(0).dirichlet(np.ones(2), (2, 3))


def test_a_part_of_a_network_keeps_its_law():
    network = Network(((), (), (0, 1), (2,)), (COIN, COIN, XOR, np.eye(2) * 0.8 + 0.1), "n")
    part = network.among([2])
    np.testing.assert_allclose(joint(part), joint(network).sum(axis=3))
    assert part.adjacency.sum() == 6
    assert len(network.among([1])) == 1


def test_variation_keeps_the_truth():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        network = random_network(rng, 8)
        varied = network.varied(rng)
        np.testing.assert_array_equal(varied.adjacency, network.adjacency)
    assert not all(map(np.allclose, varied.tables, network.tables))


def test_parts_share_no_study(file):
    found = {part: {n.name for n in expert_networks(part, file)} for part in PARTS}
    assert sum(map(len, found.values())) == 40
    for names in found.values():
        assert all(f"{name[:-1]}{k}" in names for name in names for k in (1, 2))
    assert part_of("covid1") == part_of("covid23") == part_of("covid")
    share = np.mean(
        [part_of(f"net{chr(97 + k % 26)}{'x' * (k // 26)}") == "report" for k in range(800)]
    )
    assert share == pytest.approx(0.2, abs=0.045)


@pytest.mark.parametrize("part", PARTS)
def test_draws_are_of_their_part(file, part):
    names = {network.name for network in expert_networks(part, file)}
    for seed in range(20):
        data = draw_expert(seed, part, file=file)
        assert data.parameters["details"]["network"] in names
        if part != "train":
            assert data.X.shape[1] >= 4
    assert draw_expert(1, part, rows=77, file=file).X.shape[0] == 77


def test_tables_are_read_as_they_are_meant(file):
    sizes = []
    for seed in range(150):
        data = draw_network(seed) if seed % 2 else draw_expert(seed, file=file)
        again = draw_network(seed) if seed % 2 else draw_expert(seed, file=file)
        np.testing.assert_array_equal(data.X, again.X)
        read = read_table(data.table)
        assert not read.left_out, seed
        assert tuple(column.kind for column in read.columns) == data.kinds, seed
        n, d = as_read(data).values.shape
        assert data.adjacency.shape == (d, d)
        assert d >= 2
        assert not data.adjacency.diagonal().any()
        sizes.append((n, d, CONTINUOUS in data.kinds))
    n, d, mixed = np.array(sizes).T
    assert 20 <= n.min() <= 60
    assert 150 <= np.median(n) <= 600
    assert 3000 < n.max() <= 20_000
    assert d.max() > 40
    assert 0.12 < mixed.mean() < 0.4


def test_without_a_file_an_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("SPINNEY_EXPERT_NETWORKS", str(tmp_path / "none.xz"))
    with pytest.raises(InputError, match=r"expert-networks\.jsonl\.xz"):
        draw_expert(0)
