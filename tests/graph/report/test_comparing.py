"""Comparisons count what sets count, and say what they leave out."""

import csv
import math

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.report.comparing import compare_graphs
from spinney.graph.report.graph_files import EdgeList, EdgeNumbers, pair_of

LETTERS = "abcdefg"
pairs = st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS)).filter(lambda p: p[0] != p[1])
edge_sets = st.dictionaries(pairs.map(lambda p: pair_of(*p)), st.sampled_from([-1, 0, 1]))


def known(label, edges, names=LETTERS, **more):
    numbers = {pair: EdgeNumbers(0.75, 0.1 * sign, sign) for pair, sign in edges.items()}
    more = {"score": "probability", **more}
    return EdgeList(label, tuple(names), edges=numbers, **more)


@given(first=edge_sets, second=edge_sets)
def test_two_graphs_are_compared_as_sets(first, second):
    found = compare_graphs([known("A", first), known("B", second)])
    rows = found.table.to_dict("records")
    states = {pair_of(row["source"], row["target"]): row["state"] for row in rows}
    assert len(states) == len(rows)
    opposite = {p for p in first.keys() & second.keys() if first[p] * second[p] < 0}
    assert {p for p, s in states.items() if s == "gained"} == second.keys() - first.keys()
    assert {p for p, s in states.items() if s == "lost"} == first.keys() - second.keys()
    assert {p for p, s in states.items() if s == "other sign"} == opposite
    assert {p for p, s in states.items() if s == "shared"} == (
        first.keys() & second.keys() - opposite
    )
    union = first.keys() | second.keys()
    shared = len(first.keys() & second.keys())
    assert found.jaccard[0, 1] == found.jaccard[1, 0] == (shared / len(union) if union else 1.0)
    assert {frozenset(edge) for edge in found.union.edges} == {frozenset(p) for p in union}
    assert list(found.union.nodes) == list(LETTERS)


@given(sets=st.lists(edge_sets, min_size=3, max_size=5))
def test_more_graphs_are_counted(sets):
    found = compare_graphs([known(f"g{k}", edges) for k, edges in enumerate(sets)])
    for row in found.table.to_dict("records"):
        pair = pair_of(row["source"], row["target"])
        assert row["graphs"] == sum(pair in edges for edges in sets)
        assert row["state"] == ("shared" if row["graphs"] == len(sets) else "in some")


def test_the_other_way_round_gains_are_losses():
    first, second = {("a", "b"): 1}, {("b", "c"): 1, ("c", "d"): 0}
    there = compare_graphs([known("A", first), known("B", second)])
    back = compare_graphs([known("B", second), known("A", first)])
    assert (there.count("gained"), there.count("lost")) == (2, 1)
    assert (back.count("gained"), back.count("lost")) == (1, 2)


def test_columns_that_not_all_know_are_left_out_and_named():
    first = known("A", {("a", "b"): 1, ("b", "x"): 1}, "abx")
    second = known("B", {("a", "b"): 1, ("a", "y"): 1}, "aby")
    found = compare_graphs([first, second])
    assert found.names == ("a", "b")
    assert found.left_out == {"A": ("x",), "B": ("y",)}
    assert found.table["state"].tolist() == ["shared"]
    told = " ".join(found.sentences())
    assert "1 column of A (x)" in told
    assert "1 column of B (y)" in told


def test_a_list_of_edges_knows_the_columns_of_the_others():
    truth = known("truth", {("a", "b"): 0}, "ab", whole=False, score="")
    found = compare_graphs([truth, known("B", {("c", "d"): 1}, "abcd")])
    assert found.names == ("a", "b", "c", "d")
    assert not found.left_out
    assert (found.count("gained"), found.count("lost")) == (1, 1)


def test_two_lists_of_edges_know_what_either_knows():
    one = known("A", {("a", "b"): 0}, "ab", whole=False)
    other = known("B", {("c", "d"): 0}, "cd", whole=False)
    assert compare_graphs([one, other]).names == ("a", "b", "c", "d")


def test_numbers_of_both_sides():
    first = known("A", {("a", "b"): 1}, others={("a", "c"): 0.25})
    found = compare_graphs([first, known("B", {("a", "c"): -1})])
    gained = found.table.iloc[0]
    assert (gained["probability_A"], gained["probability_B"]) == (0.25, 0.75)
    assert not gained["edge_A"]
    assert gained["edge_B"]
    lost = found.table.iloc[1]
    assert math.isnan(lost["probability_B"])
    assert found.to_dict()["edges"][1]["by_graph"]["B"]["score"] is None


def test_equal_labels_are_numbered():
    found = compare_graphs([known("x", {}), known("x", {}), known("y", {})])
    assert [graph.label for graph in found.graphs] == ["x (1)", "x (2)", "y"]


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="have 1 column in common"):
        compare_graphs([known("A", {}, "abc"), known("B", {}, "cde")])
    with pytest.raises(InputError, match="Give two or more"):
        compare_graphs([known("A", {})])


def test_the_table_cannot_be_run_by_a_spreadsheet(tmp_path):
    names = ["=HYPERLINK(1)", "two\nlines", '"quoted"', "-b"]
    edges = {pair_of(names[0], names[1]): 1, pair_of(names[2], names[3]): 1}
    found = compare_graphs([known("=cmd", edges, names), known('a,"b', {}, names)])
    write_csv(tmp_path / "compare.csv", found.table)
    with (tmp_path / "compare.csv").open(newline="", encoding="utf-8-sig") as file:
        heading, *rows = csv.reader(file)
    assert len(heading) == len(set(heading)) == len(found.table.columns) == len(rows[0])
    assert {len(row) for row in rows} == {len(heading)}
    for cell in [*heading, *(cell for row in rows for cell in row[:2])]:
        assert not cell.startswith(("=", "-", "+", "@"))


@pytest.mark.parametrize("n_graphs", [2, 3])
def test_pictures_of_hostile_names_are_drawn(n_graphs, tmp_path):
    names = ["$x^2$", "<b>", "a" * 10_000, "مرحبا"]
    edges = {pair_of(names[0], names[1]): 1, pair_of(names[2], names[3]): -1}
    graphs = [known(f"$g_{k}$", edges if k else {}, names) for k in range(n_graphs)]
    page = compare_graphs(graphs).draw("$title$")
    page.savefig(tmp_path / "page.svg")
    assert nx.number_of_edges(compare_graphs(graphs).union) == 2
    assert (tmp_path / "page.svg").stat().st_size > 1000
