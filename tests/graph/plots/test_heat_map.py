"""The heat map of all pairs: the model's numbers, components together."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from spinney.exceptions import InputError
from spinney.graph.plots import plot_heat_map
from spinney.models import SharedForest


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 8))
    X[:, 1] -= 2 * X[:, 0]
    X[:, 3] += 2 * X[:, 2]
    return SharedForest().fit(pd.DataFrame(X, columns=list("abcdefgh")))


def test_it_has_the_probabilities_of_the_model(model):
    ax = plot_heat_map(model, Figure().subplots())
    order = [model.node_names_.index(label.get_text()) for label in ax.get_xticklabels()]
    shown = ax.images[0].get_array().filled(np.nan)
    assert np.isnan(np.diag(shown)).all()
    wanted = model.edge_probabilities_[np.ix_(order, order)]
    apart = ~np.eye(len(order), dtype=bool)
    np.testing.assert_array_equal(shown[apart], wanted[apart])
    labels = model.labels_[order]
    sizes = np.bincount(model.labels_)[labels]
    assert (np.diff(sizes) <= 0).all()  # the largest component first,
    assert len(set(labels)) == 1 + np.count_nonzero(np.diff(labels))  # and none torn apart


def test_hostile_names_are_drawn(model):
    model = SharedForest().fit(
        pd.DataFrame(
            np.random.default_rng(0).normal(size=(50, 3)),
            columns=["$\\frac{1}{2}$", "x" * 10_000, "\x00\u202emirrored"],
        )
    )
    figure = Figure()
    plot_heat_map(model, figure.subplots(), title="$\\frac{1}")
    figure.draw_without_rendering()


def test_a_model_without_a_graph_is_refused():
    with pytest.raises(InputError, match="no learned graph"):
        plot_heat_map(SharedForest(), Figure().subplots())
