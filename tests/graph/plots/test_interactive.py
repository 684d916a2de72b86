"""Twins by plotly: the same numbers as their matplotlib sisters, and names that stay names."""

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from matplotlib.figure import Figure
from scipy import special, stats

from spinney.exceptions import InputError
from spinney.graph.plots import plot_graph, plot_heat_map
from spinney.graph.plots.graph_layout import lay_out_graph
from spinney.graph.plots.heat_map import heat_map_table
from spinney.graph.plots.interactive import (
    graph_figure,
    heat_map_figure,
    pair_figure,
    reliability_figure,
)
from spinney.graph.plots.interactive._text import shown
from spinney.metrics import reliability
from spinney.models import SharedForest

HOSTILE = [
    "<script>alert(1)</script>",
    "<a href='javascript:x'>",
    "$\\frac{1}{2}$",
    "%{x}",
    "two\nlines",
    "x" * 10_000,
    "&lt;b&gt;",
    "\x00\u202emirrored",
]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, len(HOSTILE)))
    X[:, 1] -= 2 * X[:, 0]
    X[:, 3] += 2 * X[:, 2]
    frame = pd.DataFrame(X, columns=HOSTILE)
    frame["<i>level</i>"] = np.where(X[:, 4] + rng.normal(size=150) > 0, "<b>high</b>", "$low$")
    frame["class"] = rng.choice(["u", "v", "w"], size=150)
    return frame


@pytest.fixture(scope="module")
def model(frame):
    return SharedForest(kinds={"class": "nominal"}).fit(frame)


def texts(part):
    """Every text that plotly would read, at any depth; numbers are packed as bdata."""
    if isinstance(part, dict):
        return [t for key, value in part.items() if key != "bdata" for t in texts(value)]
    if isinstance(part, list | tuple):
        return [text for value in part for text in texts(value)]
    return [part] if isinstance(part, str) else []


FIGURES = {
    "graph": lambda model: graph_figure(model, title=HOSTILE[0]),
    "heat map": lambda model: heat_map_figure(model, title=HOSTILE[2]),
    "points": lambda model: pair_figure(model, 0, 1),
    "boxes": lambda model: pair_figure(model, "<i>level</i>", 4),
    "boxes on their side": lambda model: pair_figure(model, 2, "<i>level</i>"),
    "cells": lambda model: pair_figure(model, "class", "<i>level</i>"),
}


@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_names_are_nothing_but_text(model, make):
    figure = make(model)
    assert isinstance(figure, go.Figure)
    told = json.loads(figure.to_json())
    own = {"data": told["data"], "layout": {**told["layout"], "template": {}}}
    allowed = ("<b>", "</b>", "<br>")
    for text in texts(own):
        bare = text
        for tag in allowed:
            bare = bare.replace(tag, "")
        assert "<" not in bare, text[:80]
        assert "$" not in text, text[:80]
        assert "\x00" not in text
        assert "\u202e" not in text
        assert len(text) < 4000
    # And what was bold before is not bold now: the names' own tags are escaped.
    assert "<b>high" not in figure.to_json()
    assert not any("%{" in str(getattr(trace, "hovertemplate", "")) for trace in figure.data)


def test_a_name_is_shown_as_it_is():
    from html import unescape

    for name in ("<b>x</b>", "a & b", "$1", "&lt;"):
        assert unescape(shown(name)) == name


def test_the_graph_has_the_places_and_edges_of_its_twin():
    graph = nx.Graph()
    graph.add_edge("a", "b", probability=0.9, sign=1)
    graph.add_edge("b", "c", probability=0.2, sign=-1)
    graph.add_node("lonely")
    figure = graph_figure(graph)
    nodes = figure.data[-1]
    ax = plot_graph(graph, Figure().subplots())
    places = {text.get_text(): text.get_position() for text in ax.texts}
    assert list(nodes.text) == ["a", "b", "c", "lonely"]
    for name, x, y in zip(nodes.text, nodes.x, nodes.y, strict=True):
        assert (x, y) == pytest.approx(places[name])
    lines = {trace.name: trace for trace in figure.data if trace.mode == "lines"}
    assert lines["rise together"].line.dash == "solid"
    assert lines["one falls as the other rises"].line.dash == "dash"
    assert lines["rise together"].line.width > lines["one falls as the other rises"].line.width
    hover = next(trace for trace in figure.data if trace.name == "edges").hovertext
    assert hover == (
        "<b>a – b</b><br>edge probability: 0.9<br>rise together",
        "<b>b – c</b><br>edge probability: 0.2<br>one falls as the other rises",
    )
    assert "joined to 2: a, c" in nodes.hovertext[1]
    assert "joined to none" in nodes.hovertext[3]


def test_a_graph_without_edges_is_drawn():
    assert len(graph_figure(nx.empty_graph(2)).data[-1].text) == 2
    assert len(graph_figure(nx.Graph()).data[-1].x) == 0


def test_given_places_are_kept():
    graph = nx.path_graph(["a", "b"])
    layout = {"a": (0.0, 0.0), "b": (3.0, 4.0)}
    nodes = graph_figure(graph, layout=layout).data[-1]
    wanted = lay_out_graph(graph, np.full((2, 2), 10.0), layout).positions
    direction = (wanted[1] - wanted[0]) / np.linalg.norm(wanted[1] - wanted[0])
    found = np.array([nodes.x[1] - nodes.x[0], nodes.y[1] - nodes.y[0]])
    np.testing.assert_allclose(found / np.linalg.norm(found), direction)


def test_the_heat_map_has_the_numbers_of_its_twin(model):
    heat = heat_map_figure(model).data[0]
    image = plot_heat_map(model, Figure().subplots()).images[0].get_array()
    np.testing.assert_array_equal(np.asarray(heat.z, float), image.filled(np.nan))
    found = heat_map_table(model)
    np.testing.assert_array_equal(
        np.nan_to_num(found.values),
        np.where(
            np.eye(len(found.order)),
            0.0,
            model.edge_probabilities_[np.ix_(found.order, found.order)],
        ),
    )
    labels = model.labels_[found.order]
    sizes = np.bincount(model.labels_)[labels]
    assert (np.diff(sizes) <= 0).all()  # the largest component first,
    assert len(set(labels)) == 1 + np.count_nonzero(np.diff(labels))  # and none torn apart


def test_points_are_normal_scores(model, frame):
    points = pair_figure(model, 0, 1).data[-1]
    scores = special.ndtri(stats.rankdata(frame.iloc[:, 0]) / (len(frame) + 1))
    np.testing.assert_allclose(np.sort(points.x), np.sort(scores))
    contours = [trace for trace in pair_figure(model, 0, 1).data if trace.type == "contour"]
    assert len(contours) == 6
    assert np.corrcoef(points.x, points.y)[0, 1] < -0.5  # as it was drawn


def test_cells_count_rows(model, frame):
    heat = pair_figure(model, "class", "<i>level</i>").data[0]
    wanted = pd.crosstab(frame["<i>level</i>"], frame["class"])
    assert np.asarray(heat.text, float).sum() == len(frame)
    assert sorted(np.asarray(heat.text, float).ravel()) == sorted(wanted.to_numpy().ravel())


def test_reliability_has_a_point_per_filled_bin():
    rng = np.random.default_rng(0)
    P = np.triu(rng.uniform(size=(20, 20)), 1)
    A = np.triu(rng.uniform(size=(20, 20)) < P, 1)
    table = reliability(P + P.T, A + A.T)
    points = reliability_figure(table).data[1]
    filled = table[table["count"] > 0]
    assert list(points.x) == filled.mean_probability.tolist()
    assert list(points.y) == filled.edge_share.tolist()


def test_wrong_columns_are_refused(model):
    with pytest.raises(InputError, match="named twice"):
        pair_figure(model, 0, 0)
    with pytest.raises(InputError, match="no column 'nothing'"):
        pair_figure(model, "nothing", 0)
    with pytest.raises(InputError, match="no learned graph"):
        heat_map_figure(SharedForest())


def test_plotly_is_not_loaded_with_the_package():
    code = "import sys, spinney, spinney.graph.plots.interactive; print('plotly' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
