"""Strengths with their intervals: a line per edge, in Python, as a file and on the page."""

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import spinney
from spinney import LearnedGraph
from spinney.exceptions import InputError
from spinney.graph.plots.strengths import strength_table, strengths_svg
from spinney.graph.report.writers import write_strengths
from spinney.models.baselines import ChowLiu
from tests.graph.report.hostile import hostile_view

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 200))
    risk = np.where(x + 0.5 * z > 0.0, "low", "high")
    return spinney.learn(pd.DataFrame({"x": x, "y": y - x, "risk": risk}))


def test_lines_are_the_edges_strengths_and_intervals(found):
    ax = found.plot_strengths(Figure().subplots())
    edges = found.edges.dropna(subset="strength").sort_values("strength", ascending=False)
    drawn = [line.get_xdata() for line in ax.lines if line.get_gid()]
    np.testing.assert_allclose(drawn, edges[["strength_low", "strength", "strength_high"]])
    assert any(": " in label.get_text() for label in ax.get_yticklabels())  # which level is up


def test_the_page_knows_the_line_of_each_edge(found):
    table = strength_table(found)
    root = ET.fromstring(strengths_svg(found))
    assert root.get("class") == "strengths"
    parts = [part for part in root.iter(f"{SVG}g") if part.get("data-pair")]
    for row in table.itertuples():
        own = [part for part in parts if part.get("data-pair") == f"{row.i}-{row.j}"]
        sign = {1: "positive", -1: "negative", 0: "unsigned"}[row.sign]
        assert {part.get("class") for part in own} == {sign, "name", "told"}
        texts = ["".join(part.itertext()).strip() for part in own]
        assert row.label in texts
        assert any(text.startswith(f"{row.strength:+.2f}".replace("-", "−")) for text in texts)


def test_names_do_no_harm_and_other_estimators_have_weights(tmp_path):
    write_strengths(tmp_path / "hostile.svg", hostile_view())
    root = ET.parse(tmp_path / "hostile.svg").getroot()
    assert not {"script", "img", "a"} & {element.tag.rpartition("}")[2] for element in root.iter()}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:, 1] += X[:, 0]
    write_strengths(tmp_path / "tree.svg", LearnedGraph.of(ChowLiu().fit(X)))
    assert ">weight<" in (tmp_path / "tree.svg").read_text()


def test_without_strengths(tmp_path):
    rng = np.random.default_rng(0)
    view = LearnedGraph.of(ChowLiu().fit(pd.DataFrame(rng.normal(size=(50, 3)))))
    view.learner.adjacency_[:] = False
    with pytest.raises(InputError, match="No edge has a strength"):
        view.plot_strengths(Figure().subplots())
    write_strengths(tmp_path / "none.svg", view)
    assert "No edge has a strength" in (tmp_path / "none.svg").read_text()
