"""GraphML: other programs read back every number, and whatever names there are."""

import math
import xml.etree.ElementTree as ET

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import spinney
from spinney import LearnedGraph
from spinney.graph.export.graphs import export_graph, node_ids, write_graphml, xml_text
from tests.graph.cases import chains, plain_judge, with_gaps
from tests.graph.report.hostile import NAMES, hostile_view
from tests.test_one_meaning import NAMES as ESTIMATORS
from tests.test_one_meaning import make

XMLNS = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def judged():
    X = with_gaps(chains(80))
    X["site"] = np.where(X["d"] > 0.5, "north", np.where(X["d"] < -0.5, "south", "east"))
    graph = spinney.learn(X, judge=plain_judge())
    return LearnedGraph.of(graph, title="chains")


@pytest.fixture(scope="module", params=["judged", "hostile"])
def view(request, judged):
    return judged if request.param == "judged" else hostile_view()


def as_xml(values):
    return {key: xml_text(v) if isinstance(v, str) else v for key, v in values.items()}


def known(values):
    """What igraph has instead of nothing: not a number, or no text."""
    return {
        key: value
        for key, value in values.items()
        if value is not None
        and value != ""
        and not (isinstance(value, float) and math.isnan(value))
    }


def test_networkx_reads_the_graphml_with_every_attribute(view, tmp_path):
    write_graphml(tmp_path / "graph.graphml", view)
    back, sent = nx.read_graphml(tmp_path / "graph.graphml"), export_graph(view)
    ids = node_ids([data["label"] for _, data in sent.nodes(data=True)])
    assert list(back) == ids
    for node, data in sent.nodes(data=True):
        assert back.nodes[ids[node]] == as_xml(data)
    assert back.number_of_edges() == sent.number_of_edges() > 3
    for u, v, data in sent.edges(data=True):
        found = back.edges[ids[u], ids[v]]
        assert found == as_xml(data)
        assert {key: type(value) for key, value in found.items()} == {
            key: type(value) for key, value in data.items()
        }
    assert back.graph["score"] == view.score
    assert back.graph["name"] == xml_text(view.title)


def test_igraph_reads_the_graphml_with_every_attribute(view, tmp_path):
    write_graphml(tmp_path / "graph.graphml", view)
    back, sent = igraph.Graph.Read_GraphML(str(tmp_path / "graph.graphml")), export_graph(view)
    ids = node_ids([data["label"] for _, data in sent.nodes(data=True)])
    # igraph leaves an ampersand in an id as it is written.
    assert [found.replace("&#38;", "&") for found in back.vs["id"]] == ids
    for vertex, (_, data) in zip(back.vs, sent.nodes(data=True), strict=True):
        assert known(vertex.attributes()) == {"id": vertex["id"], **as_xml(data)}
    assert back.ecount() == sent.number_of_edges()
    for edge in back.es:
        # A truth value that is not there is read as False.
        truths = {k for k, v in edge.attributes().items() if isinstance(v, bool)}
        data = dict.fromkeys(truths, False) | as_xml(sent.edges[edge.source, edge.target])
        found = known(edge.attributes())
        assert found.pop("id", None) is None
        assert found == data


def test_the_graphml_is_what_gephi_reads(judged, tmp_path):
    """Types that its importer knows, one type for each name, and what it takes for the look."""
    write_graphml(tmp_path / "graph.graphml", judged)
    keys = list(ET.parse(tmp_path / "graph.graphml").getroot().iter(f"{XMLNS}key"))
    types = {(key.get("for"), key.get("attr.name")): key.get("attr.type") for key in keys}
    assert set(types.values()) <= {"boolean", "int", "long", "float", "double", "string"}
    assert len(types) == len(keys)
    assert {("node", name) for name in ("label", "x", "y", "size", "r", "g", "b")} <= set(types)
    assert types["edge", "weight"] == "double"


def test_what_is_exported_is_what_the_tables_tell(judged):
    graph = export_graph(judged)
    for k, row in enumerate(judged.nodes.to_dict("records")):
        name = row.pop("name")
        assert graph.nodes[k]["label"] == name
        for key, value in row.items():
            if value != value:  # not known, so not there
                assert key not in graph.nodes[k]
                continue
            assert graph.nodes[k][key] == value
            assert type(graph.nodes[k][key]) in (int, float, str)
    for (u, v), row in zip(judged.edge_positions, judged.edges.to_dict("records"), strict=True):
        told = graph.edges[u, v]
        assert told["probability"] == told["weight"] == row["probability"]
        assert told["strength"] == row["strength"]
    positions = np.array([[data["x"], data["y"]] for _, data in graph.nodes(data=True)])
    np.testing.assert_allclose(
        positions - positions.mean(axis=0),
        judged.layout.positions - judged.layout.positions.mean(axis=0),
    )


def test_the_look_tells_strength_score_and_sign(judged):
    graph = export_graph(judged)
    colours = {}
    for *_, data in graph.edges(data=True):
        colours.setdefault(data["sign"], set()).add(data["color"])
        assert data["width"] == pytest.approx(1 + 7 * min(abs(data["strength"]) / 0.7, 1))
        assert data["opacity"] == (1.0 if data["probability"] >= 0.9 else 0.4)
        assert data["color"] == f"#{data['r']:02X}{data['g']:02X}{data['b']:02X}"
    assert len(colours) == 3
    assert all(len(own) == 1 for own in colours.values())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_s_graph_can_be_exported(name, tmp_path):
    view = LearnedGraph.of(make(name).fit(chains()), title=name)
    write_graphml(tmp_path / "graph.graphml", view)
    back = nx.read_graphml(tmp_path / "graph.graphml")
    assert list(back) == list(view.names)  # ids are names
    pairs = zip(view.edges.source, view.edges.target, strict=True)
    assert nx.utils.edges_equal(back.edges, list(pairs))
    for u, v, data in back.edges(data=True):
        assert ("probability" in data) == view.is_probability
        assert view.score in data
        assert back.nodes[u]["label"] == u
        assert v in back


def test_a_graph_without_edges_or_with_one_node(tmp_path):
    for names in (("a", "b"), ("alone",)):
        view = hostile_view((*names, "last"))
        view.learner.adjacency_[:] = False
        write_graphml(tmp_path / "graph.graphml", view)
        assert set(nx.read_graphml(tmp_path / "graph.graphml")) == {*names, "last"}


def test_nothing_in_a_name_becomes_markup(tmp_path):
    view = hostile_view()
    write_graphml(tmp_path / "graph.graphml", view)
    root = ET.parse(tmp_path / "graph.graphml").getroot()
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds == {"graphml", "key", "graph", "node", "edge", "data"}
    assert len(list(root.iter(f"{XMLNS}node"))) == len(NAMES)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=6), min_size=1, max_size=8, unique=True))
@example(["a\x00", "a␀"])
def test_ids_are_unique_and_names_where_they_can_be(names):
    ids = node_ids(names)
    assert len(set(ids)) == len(names)
    for name, chosen in zip(names, ids, strict=True):
        assert chosen == xml_text(name) or chosen.startswith("n")
        parsed = ET.fromstring(ET.tostring(ET.Element("a", {"id": chosen}), "utf-8"))
        assert parsed.get("id") == chosen
    for name in names:
        text = xml_text(name)
        element = ET.Element("a")
        element.text = text
        assert (ET.fromstring(ET.tostring(element, "utf-8")).text or "") == text
        assert len(text) == len(name)
