"""Results of hundreds of columns follow the pairs that were judged, and say what is left out."""

import json

import numpy as np
import pytest

from spinney import LearnedGraph
from spinney._core.pairs import pair_ends, pair_numbers
from spinney.graph.export.spreadsheet import read_csv
from spinney.graph.grouped import GroupedGraphs, compare_groups
from spinney.graph.report import OUTPUTS, write_results
from spinney.graph.report.comparing import edge_list
from spinney.graph.report.content import build
from spinney.graph.report.page import render
from spinney.graph.words import judged_pairs
from tests.graph.report.content.schema import check_payload, decode
from tests.graph.report.whole import check_whole
from tests.graph.report.wide import wide_graph

D = 430


@pytest.fixture(scope="module")
def graph():
    return wide_graph(D)


@pytest.fixture(scope="module")
def view(graph):
    return LearnedGraph.of(graph, title="wide")


@pytest.fixture(scope="module")
def payload(view):
    return build(view)


def test_pairs_are_those_that_were_judged(view, graph):
    listed = graph.learner.potentials_.pairs_
    ends = np.sort(view.pair_positions, axis=1)
    np.testing.assert_array_equal(np.sort(pair_numbers(*ends.T, D)), listed)
    whole = LearnedGraph.of(wide_graph(D, dense=True), title="whole")
    assert whole.judged.numbers is None
    pairs = whole.pairs[np.isin(pair_numbers(*np.sort(whole.pair_positions, axis=1).T, D), listed)]
    for column in ("source", "target", "probability", "edge", "sign", "strength", "rows"):
        assert view.pairs[column].tolist() == pairs[column].tolist() or column == "strength"
    np.testing.assert_array_equal(view.pairs["strength"], pairs["strength"])
    np.testing.assert_allclose(view.pairs["expected_fdr"], pairs["expected_fdr"], rtol=1e-12)
    # All others are not listed because their probability is nothing.
    first, second = pair_ends(np.setdiff1d(np.arange(D * (D - 1) // 2), listed), D)
    assert not view.scores[first, second].any()


def test_an_edge_by_decree_is_listed_in_any_case(graph):
    learner = wide_graph(D).learner
    unlisted = np.setdiff1d(np.arange(D * (D - 1) // 2), learner.potentials_.pairs_)[7]
    u, v = (int(k) for k in pair_ends(unlisted, D))
    for matrix in (learner.adjacency_, learner.edge_probabilities_):
        matrix[u, v] = matrix[v, u] = True
    found = LearnedGraph.of(type(graph)(learner), title="decreed")
    row = found.pairs[(found.pairs["source"] == found.names[u]) & found.pairs["edge"]]
    assert found.names[v] in row["target"].tolist()
    edge = found.edges.query("source == @found.names[@u] and target == @found.names[@v]")
    assert edge["rows"].tolist() == [60]


def test_the_page_is_what_it_must_be(view, payload):
    check_payload(payload)
    assert payload["n_judged"] == len(view.judged)
    sentence = judged_pairs(view)
    assert f"{len(view.judged):,} of {D * (D - 1) // 2:,} pairs" in sentence
    assert sentence in payload["summary"]["sentences"]
    assert sentence in " ".join(view.summary().split())
    page = render(payload)
    assert "Here are the 400 best connected of the 430 variables." in page
    assert f"all {len(view.judged):,} that were judged in" in page
    assert "zoom in, or find one by its name" not in page  # so many can be drawn


def test_the_heat_map_holds_scores_of_the_most_closely_joined(view, payload):
    heat = payload["heat"]
    shown = np.array(heat["nodes"])
    degrees = view.joined.sum(axis=1)
    left_out = np.setdiff1d(np.arange(D), shown)
    assert shown.size == 400
    assert degrees[left_out].max() <= degrees[shown].min()
    first, second = np.triu_indices(400, 1)
    found = decode(heat["values"], "u1") / 250
    np.testing.assert_allclose(found, view.scores[shown[first], shown[second]], atol=0.5 / 250)


def test_values_are_packed_of_the_columns_of_edges(view, payload):
    packed = [k for k, column in enumerate(payload["data"]["columns"]) if column is not None]
    assert set(np.flatnonzero(view.joined.any(axis=1))) <= set(packed)


def test_all_files_are_whole_and_small(view, tmp_path):
    folder = write_results(tmp_path / "out", view)
    check_whole(folder)
    assert {output.name for output in OUTPUTS} == {path.name for path in folder.iterdir()}
    assert len(read_csv(folder / "pairs.csv")) == len(view.pairs)
    assert max(path.stat().st_size for path in folder.iterdir()) < 15e6
    assert json.loads((folder / "run.json").read_text())["files"]
    svg = (folder / "graph.svg").read_text(encoding="utf-8")
    hub = view.names[int(view.joined.sum(axis=1).argmax())]
    assert hub[:20] in svg  # names are letters, not lines


def test_graphs_are_compared_by_what_was_judged(graph):
    known = edge_list(graph, "wide")
    assert len(known.names) == D
    assert len(known.pairs) == len(graph.learner.potentials_.pairs_)


def test_groups_of_wide_tables_differ_in_pairs_that_were_judged(graph):
    other = wide_graph(D, seed=1)
    names = tuple(graph.names)
    both = {("north", "south"): compare_groups(names, graph, other)}
    found = GroupedGraphs("site", names, {"north": graph, "south": other}, both)
    listed = [one.learner.potentials_.pairs_ for one in (graph, other)]
    table = found.differences
    assert len(table) == np.union1d(*listed).size
    assert table["differs"].is_monotonic_decreasing
    edges = [one.joined for one in (graph, other)]
    best = table.iloc[0]
    u, v = (names.index(best[key]) for key in ("source", "target"))
    assert edges[0][u, v] != edges[1][u, v]
    assert len(found.summary()) < 5000
