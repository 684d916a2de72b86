"""The evidence of a pair, and the strongest other path between two columns."""

from itertools import pairwise
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.graph.report.content import build
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.pair_details import links_of, strongest_paths
from tests.graph.report.content.cases import LEARNED, OTHERS, view


def best_by_enumeration(links, i, j):
    """The largest product over all simple paths but the edge itself; None if there is none."""
    graph = nx.from_numpy_array(links)
    if graph.has_edge(i, j):
        graph.remove_edge(i, j)
    products = [
        prod(links[u, v] for u, v in pairwise(path)) for path in nx.all_simple_paths(graph, i, j)
    ]
    return max(products, default=None)


@given(st.integers(2, 7), st.floats(0.0, 0.9), st.integers(0, 2**32 - 1))
def test_strongest_paths_against_enumeration(d, share, seed):
    rng = np.random.default_rng(seed)
    links = np.triu(rng.uniform(0.01, 0.99, size=(d, d)) * (rng.uniform(size=(d, d)) < share), 1)
    links = links + links.T
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    for (i, j), path in zip(pairs, strongest_paths(links, pairs), strict=True):
        best = best_by_enumeration(links, i, j)
        if best is None:
            assert path == []
            continue
        assert links[path[:-1], path[1:]].prod() == pytest.approx(best, rel=1e-9)
        assert (path[0], path[-1]) == (i, j)
        assert len(set(path)) == len(path) >= 3


@pytest.mark.parametrize("name", [*LEARNED, *OTHERS])
def test_links_are_between_0_and_1_and_on_edges_only(name):
    links = links_of(Facts(view(name)))
    assert ((links > 0) == view(name).joined).all()
    assert links.max() < 1
    assert (links == links.T).all()


def test_links_of_the_judge_are_probability_times_strength():
    seen = view("chain")
    expected = np.where(seen.joined, seen.scores * np.abs(np.nan_to_num(seen.strengths)), 0)
    np.testing.assert_allclose(links_of(Facts(seen)), expected, atol=2e-6)


def test_in_a_chain_the_path_between_others_is_the_chain():
    told = build(view("chain"))["why"]["0-2"]
    assert told["path"]["nodes"] == [0, 1, 2]
    assert "c0 – c1 – c2" in told["details"]
    assert "Once c1 is known little of it is left" in " ".join(told["sentences"])
    assert build(view("chain"))["why"]["0-1"]["path"] is None


def test_evidence_is_told_in_units_that_can_be_read():
    seen = view("chain")
    told = {line["channel"]: line for line in build(seen)["why"]["0-1"]["evidence"]}
    table = seen.evidence.why(0, 1).set_index("channel")["value"]
    assert 6 <= len(told) <= 12
    assert told["score"]["value"] == pytest.approx(table["score"], abs=1e-3)
    assert told["partial"]["value"] == pytest.approx(table["partial"], abs=1e-3)
    assert told["partial_z"]["value"] == pytest.approx(table["partial_z"], rel=1e-3)
