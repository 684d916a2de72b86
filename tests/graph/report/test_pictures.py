"""Pictures of graphs: letters stay letters, the same bytes each time, and no name does harm."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.image import imread

from spinney import LearnedGraph
from spinney._core.text import plain_line
from spinney.graph.report.writers import write_png, write_svg
from tests.graph.report.hostile import NAMES, hostile_view

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    path = tmp_path_factory.mktemp("drawn") / "graph.svg"
    write_svg(path, hostile_view())
    return path


def texts(path):
    return ["".join(element.itertext()) for element in ET.parse(path).iter(f"{SVG}text")]


def test_names_are_text_in_one_line_and_cut(drawn):
    shown = texts(drawn)
    for name in NAMES:
        line = plain_line(name)
        assert (line if len(line) <= 22 else line[:21] + "…") in shown
    assert "$x^2$ $$ \\alpha" in shown  # not set as a formula
    assert not any("\n" in text for text in shown)


def test_there_is_nothing_in_it_that_could_run(drawn):
    root = ET.parse(drawn).getroot()
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "foreignObject", "a", "image", "iframe"}
    for element in root.iter():
        assert not [key for key in element.attrib if key.lower().startswith("on")]
        for key, value in element.attrib.items():
            if key.endswith("href"):
                assert value.startswith("#")


def test_it_says_what_it_shows(drawn):
    root = ET.parse(drawn).getroot()
    assert root.get("role") == "img"
    named = {element.get("id"): element for element in root.iter()}
    title, description = (named[key] for key in root.get("aria-labelledby").split())
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text.startswith("<script>alert(1)</script> & not")
    assert ": 31 of 496 pairs are edges" in description.text
    assert len(root.findall(f"{SVG}title")) == 1


def test_the_same_graph_gives_the_same_bytes(drawn, tmp_path):
    write_svg(tmp_path / "again.svg", hostile_view())
    assert (tmp_path / "again.svg").read_bytes() == drawn.read_bytes()
    for name in ("one.png", "two.png"):
        write_png(tmp_path / name, hostile_view(NAMES[:6]))
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_picture_shows_lines_in_the_colours_of_signs(tmp_path):
    view = hostile_view(tuple("abcdefgh"))
    blue, orange = (0.0, 114 / 255, 178 / 255), (213 / 255, 94 / 255, 0.0)

    def seen(colour):
        write_png(tmp_path / "graph.png", view)
        pixels = imread(tmp_path / "graph.png")[..., :3].reshape(-1, 3)
        # Lines are not quite opaque: what is left of the other light is the paper's.
        return bool((np.abs(pixels - colour).max(axis=1) < 0.35).sum() > 100)

    assert seen(blue)
    assert seen(orange)
    view.learner.edge_signs_[:] = np.abs(view.learner.edge_signs_)
    view = LearnedGraph.of(view.learner, title="")
    assert seen(blue)
    assert not seen(orange)


def test_a_graph_without_edges_says_so(tmp_path):
    view = hostile_view(("a", "b", "c"))
    view.learner.adjacency_[:] = False
    write_svg(tmp_path / "graph.svg", view)
    assert {"a", "b", "c", "no edges"} <= set(texts(tmp_path / "graph.svg"))


def test_positions_in_the_picture_are_those_of_the_view(tmp_path):
    view = hostile_view(("first", "second", "third", "fourth"))
    write_svg(tmp_path / "graph.svg", view)
    places = {}
    for element in ET.parse(tmp_path / "graph.svg").iter(f"{SVG}text"):
        if element.text in view.names:
            places[element.text] = float(element.get("x")), -float(element.get("y"))
    found = np.array([places[name] for name in view.names])
    for k in (0, 1):
        drawn, expected = (p - p.mean() for p in (found[:, k], view.layout.positions[:, k]))
        scale = np.ptp(found[:, 0]) / np.ptp(view.layout.positions[:, 0])
        np.testing.assert_allclose(drawn, scale * expected, atol=0.6)  # half of a point
