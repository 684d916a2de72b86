"""All plots of one picture take `ax` and return it."""

import inspect
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from spinney import learn
from spinney.graph import plots as plotting
from spinney.metrics import reliability
from spinney.models import SharedForest
from spinney.pairs.copulas import Gaussian

PAGES = {"plot_gallery"}
"""Plots of several axes, which return a figure of their own."""


def single():
    return [name for name in plotting.__all__ if name.startswith("plot_") and name not in PAGES]


@pytest.mark.parametrize("name", single())
def test_ax_is_a_parameter_that_may_be_left_out(name):
    parameter = inspect.signature(getattr(plotting, name)).parameters["ax"]
    assert parameter.default is None


@pytest.fixture(scope="module")
def arguments():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    P = np.array([[0.0, 0.9, 0.2], [0.9, 0.0, 0.1], [0.2, 0.1, 0.0]])
    model = SimpleNamespace(
        edge_probabilities_=P,
        adjacency_=P > 0.5,
        edge_weights_=P * (P > 0.5),
        node_names_=("a", "b", "c"),
    )
    classes = nx.Graph()
    classes.add_edge("a", "b", state="s")
    strong = learn(frame.assign(b=frame["a"] + frame["b"]), compare=False)
    return {
        "plot_contours": (Gaussian(0.5),),
        "plot_edge_classes": (classes, {"s": plotting.EdgeLook("some", "#000000")}),
        "plot_graph": (model,),
        "plot_pair": (SharedForest().fit(frame), "a", "b"),
        "plot_reliability": (reliability(P, P > 0.5),),
        "plot_strengths": (strong,),
    }


@pytest.mark.parametrize("name", single())
def test_what_is_given_is_returned(name, arguments):
    ax = Figure().subplots()
    assert getattr(plotting, name)(*arguments[name], ax=ax) is ax
