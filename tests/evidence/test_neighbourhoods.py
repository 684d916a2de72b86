"""Neighbourhoods: who is at home where, how large they are, and which pairs are seen together."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.scale.neighbourhoods import find_neighbourhoods, together_in


@st.composite
def screenings(draw):
    """Listed pairs of some columns, each once, with strengths that all differ."""
    d = draw(st.integers(2, 25))
    ends = [(u, v) for u in range(d) for v in range(u + 1, d)]
    chosen = draw(st.lists(st.sampled_from(ends), unique=True, max_size=60))
    order = draw(st.permutations(range(len(chosen))))
    first = np.array([u for u, _ in chosen], dtype=np.int64)
    second = np.array([v for _, v in chosen], dtype=np.int64)
    return d, first, second, np.array(order, dtype=float)


sizes = st.integers(2, 6).flatmap(lambda core: st.tuples(st.just(core), st.integers(core, 10)))


@given(screenings(), sizes)
def test_each_column_is_at_home_once_and_no_group_is_too_large(screening, limits):
    d, first, second, strength = screening
    core, size = limits
    parts = find_neighbourhoods(d, first, second, strength, core=core, size=size, together=np.inf)
    homes = np.concatenate([part.nodes[part.home] for part in parts])
    assert sorted(homes) == list(range(d))
    for part in parts:
        assert part.home.sum() <= core
        assert len(part) <= size
        assert (np.diff(part.nodes) > 0).all()


@given(screenings(), sizes, st.integers(0, 60))
def test_strong_pairs_are_seen_together(screening, limits, together):
    d, first, second, strength = screening
    core, size = limits
    parts = find_neighbourhoods(
        d, first, second, strength, core=core, size=size, together=together, partners=d
    )
    strong = strength >= together
    assert together_in(parts, first[strong], second[strong], d).all()
    assert max(len(part) for part in parts) <= size


@given(screenings(), sizes)
@settings(max_examples=40, deadline=None)
def test_the_strongest_partners_of_a_column_are_seen_together(screening, limits):
    d, first, second, strength = screening
    core, size = limits
    parts = find_neighbourhoods(d, first, second, strength, core=core, size=size, partners=2)
    graph = nx.Graph()
    graph.add_weighted_edges_from(zip(first, second, strength, strict=True))
    for node in graph:
        around = sorted(graph[node], key=lambda other: -graph[node][other]["weight"])[:2]
        assert together_in(parts, [node] * len(around), around, d).all()


@given(screenings(), sizes, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_list_does_not_matter(screening, limits, random):
    d, first, second, strength = screening
    core, size = limits
    order = list(range(len(first)))
    random.shuffle(order)
    one = find_neighbourhoods(d, first, second, strength, core=core, size=size)
    other = find_neighbourhoods(
        d, second[order], first[order], strength[order], core=core, size=size
    )
    assert len(one) == len(other)
    for part, same in zip(one, other, strict=True):
        np.testing.assert_array_equal(part.nodes, same.nodes)
        np.testing.assert_array_equal(part.home, same.home)


@given(screenings(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_permuted_columns_have_permuted_neighbourhoods(screening, random):
    d, first, second, strength = screening
    graph = nx.Graph(zip(first.tolist(), second.tolist(), strict=True))
    graph.add_nodes_from(range(d))
    if nx.number_connected_components(graph) > 1 or d > 12:
        return  # what is packed depends on the order of the columns
    place = list(range(d))
    random.shuffle(place)
    place = np.array(place)
    one = find_neighbourhoods(d, first, second, strength, core=12, size=15)
    other = find_neighbourhoods(d, place[first], place[second], strength, core=12, size=15)
    moved = {tuple(sorted(place[part.nodes])) for part in one}
    assert moved == {tuple(part.nodes) for part in other}


def test_components_stay_whole_and_small_ones_are_packed():
    # Three stars of four columns and eight columns without any pair, cores of eight.
    first, second = [0, 0, 0, 4, 4, 4, 8, 8, 8], [1, 2, 3, 5, 6, 7, 9, 10, 11]
    parts = find_neighbourhoods(20, first, second, np.arange(9.0), core=8, size=10)
    homes = [set(part.nodes[part.home].tolist()) for part in parts]
    assert len(parts) == 3
    for star in ({0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}):
        assert any(star <= home for home in homes)


def test_a_hub_joins_every_neighbourhood_that_has_its_leaves():
    leaves = np.arange(1, 60)
    parts = find_neighbourhoods(
        60, np.zeros(59, dtype=int), leaves, 50.0 - leaves / 10, core=10, size=15, partners=60
    )
    assert together_in(parts, np.zeros(59, dtype=int), leaves, 60).all()
    of_cores = [part for part in parts if part.home.any()]
    assert all(0 in part.nodes for part in of_cores)


def test_extension_takes_the_strongest_partners_first():
    first, second = [0, 0, 1, 1, 0], [1, 2, 3, 4, 5]
    parts = find_neighbourhoods(6, first, second, [9, 4, 3, 2, 1], core=2, size=4, together=99)
    home = next(part for part in parts if part.home.sum() == 2 and 0 in part.nodes[part.home])
    assert home.nodes.tolist() == [0, 1, 2, 3]


def test_decreed_pairs_are_seen_together_however_many():
    # More of each column than its one strongest partner.
    first, second = np.triu_indices(16, 1)
    decreed = np.full(first.size, np.inf)
    parts = find_neighbourhoods(16, first, second, decreed, core=3, size=4, partners=1)
    assert together_in(parts, first, second, 16).all()
    # Others as strong as can be are not: of those the strongest partners are enough.
    strong = np.full(first.size, 1e9)
    parts = find_neighbourhoods(16, first, second, strong, core=3, size=4, partners=1)
    assert not together_in(parts, first, second, 16).all()
