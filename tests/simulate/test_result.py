"""One seed, one result; written and read back; other margins."""

import hashlib
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

from spinney import simulate
from spinney.pairs.copulas import BB1, Clayton
from spinney.simulate import Simulated

SIMULATORS: dict[str, Callable[[int, object], Simulated]] = {
    "connected": lambda n, s: simulate.gaussian_mrf(n, 12, 2.5, 1, s),
    "two components": lambda n, s: simulate.gaussian_mrf(n, 12, 2, 2, s, method="huge"),
    "grid": lambda n, s: simulate.gaussian(n, simulate.grid_graph(3, 4), s),
    "cliques": lambda n, s: simulate.t_cliques(n, 12, 2.0, s),
    "forest": lambda n, s: simulate.copula_forest(n, 12, 2, s),
    "chosen": lambda n, s: simulate.copula_forest(
        n, 3, 1, s, copulas={(2, 0): Clayton(2, 90), (1, 2): BB1(1, 2)}
    ),
    "independent": lambda n, s: simulate.independent(n, 12, s),
    "ising": lambda n, s: simulate.ising_forest(n, 12, 2, s),
    "potts": lambda n, s: simulate.potts_forest(n, 12, 2, (3, 5), s),
    "cut": lambda n, s: simulate.threshold(simulate.gaussian_mrf(n, 12, 2, 1, s), "mixed"),
    "gaps": lambda n, s: simulate.with_gaps(simulate.gaussian_mrf(n, 12, 2, 1, s), 0.3),
    "cut gaps": lambda n, s: simulate.threshold(
        simulate.with_gaps(simulate.gaussian_mrf(n, 12, 2, 1, s), 0.3), "ordinal"
    ),
}


@pytest.fixture(params=SIMULATORS)
def simulator(request):
    return SIMULATORS[request.param]


def test_one_seed_one_result(simulator):
    first, second, other = simulator(20, 7), simulator(20, 7), simulator(20, 8)
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.adjacency, second.adjacency)
    assert not np.array_equal(first.X, other.X)


def test_fewer_rows_are_the_first_of_more_on_the_same_graph(simulator):
    few, many = simulator(10, 7), simulator(40, 7)
    np.testing.assert_array_equal(few.adjacency, many.adjacency)
    if few.precision is None:  # through quantile functions, whose last digits depend on the place
        np.testing.assert_allclose(few.X, many.X[:10], rtol=1e-11)
    else:
        np.testing.assert_array_equal(few.X, many.X[:10])


def test_the_seed_is_kept_whatever_it_came_from(simulator):
    for random_state in (None, np.random.default_rng(3), np.int64(5)):
        data = simulator(10, random_state)
        np.testing.assert_array_equal(simulator(10, data.seed).X, data.X)


def test_a_generator_moves_on(simulator):
    rng = np.random.default_rng(0)
    assert simulator(10, rng).seed != simulator(10, rng).seed


def test_gaussian_data_are_the_same_to_the_last_bit_on_any_machine():
    """A fingerprint taken when this was written; libraries of linear algebra must not show."""
    data = simulate.gaussian_mrf(50, 25, 2, 1, random_state=2026)
    assert hashlib.sha256(np.packbits(data.adjacency)).hexdigest()[:16] == "259c91a1312cd277"
    assert hashlib.sha256(data.precision.astype("<f8")).hexdigest()[:16] == "2a2b835fddea8326"
    assert hashlib.sha256(data.X.astype("<f8")).hexdigest()[:16] == "3e312e3e25ecf777"


def test_other_data_are_the_same_to_rounding():
    cliques = simulate.t_cliques(50, 25, random_state=2026)
    forest = simulate.copula_forest(50, 25, random_state=2026)
    np.testing.assert_allclose(
        cliques.X[49, :3], [-0.6379610222667546, -0.9208758026698651, 0.6834338000694002], rtol=1e-9
    )
    np.testing.assert_allclose(
        forest.X[49, :3], [-1.8526649391143963, -1.959162806726874, -0.18738679191195773], rtol=1e-7
    )


def test_the_frame_tells_kinds_and_gaps():
    X = np.array([[0.5, 1, 0, 2], [1.5, np.nan, 1, 0], [np.nan, 0, 0, np.nan]])
    kinds = ("continuous", "ordinal", "binary", "nominal")
    frame = Simulated(X, np.zeros((4, 4), bool), "by hand", {}, 0, kinds=kinds).table
    assert [str(t) for t in frame.dtypes] == ["float64", "Int64", "int64", "category"]
    assert not frame.x3.cat.ordered
    assert frame.x3.astype(object).tolist()[:2] == ["c", "a"]
    np.testing.assert_array_equal(frame.isna(), np.isnan(X))
    assert frame.x1.dropna().tolist() == [1, 0]
    assert frame.x2.tolist() == [0, 1, 0]


def test_many_levels_have_different_names():
    X = np.arange(60.0)[:, None]
    data = Simulated(X, np.zeros((1, 1), bool), "by hand", {}, 0, kinds=("nominal",))
    assert data.table.x0.nunique() == 60
    assert data.table.x0.tolist()[24:28] == ["y", "z", "ba", "bb"]


def test_the_graph_and_the_labels_are_the_truth():
    data = simulate.gaussian_mrf(5, 20, 2, 3, 1)
    assert set(data.graph.nodes) == set(range(20))
    assert data.graph.number_of_edges() == data.n_edges == 20
    for k, nodes in enumerate(sorted(nx.connected_components(data.graph), key=min)):
        assert (data.labels[list(nodes)] == k).all()
