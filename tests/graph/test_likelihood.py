"""GraphLearner.score: the normal likelihood of scores on a graph, and cross_val_score."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.model_selection import cross_val_score

from spinney import GraphLearner
from spinney.exceptions import InputError
from spinney.graph.groups import learn_groups
from spinney.judge.graph_learner import constrained_covariance
from spinney.scores import read_scores
from spinney.simulate import gaussian_mrf
from tests.graph.cases import chains, plain_judge

FRAME = chains(200)
PAIRS = [(u, v) for k, u in enumerate(FRAME) for v in list(FRAME)[k + 1 :]]


def fitted(required=(), forbidden=(), frame=FRAME):
    return GraphLearner(plain_judge(), required=required, forbidden=forbidden).fit(frame)


def normal_scores(frame):
    from spinney.tables import read_table

    return read_scores(read_table(frame)).first


def test_all_pairs_are_the_plain_normal_distribution():
    Z = normal_scores(FRAME)
    expected = multivariate_normal(np.zeros(6), np.corrcoef(Z.T)).logpdf(Z).mean()
    assert fitted(required=PAIRS).score(FRAME) == pytest.approx(expected, rel=1e-6)


def test_no_edges_are_independent_columns():
    Z = normal_scores(FRAME)
    expected = multivariate_normal(np.zeros(6), np.eye(6)).logpdf(Z).mean()
    assert fitted(forbidden=PAIRS).score(FRAME) == pytest.approx(expected, rel=1e-9)


def test_a_tree_is_the_product_of_its_edges():
    """Of a chain the density is that of its edges over that of its inner columns."""
    chain = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "lonely")]
    others = [pair for pair in PAIRS if pair not in chain]
    Z, R = normal_scores(FRAME), np.corrcoef(normal_scores(FRAME).T)
    expected = sum(
        multivariate_normal(np.zeros(2), R[k : k + 2, k : k + 2]).logpdf(Z[:, k : k + 2]).mean()
        for k in range(5)
    ) - sum(multivariate_normal(0, 1).logpdf(Z[:, k]).mean() for k in range(1, 5))
    assert fitted(chain, others).score(FRAME) == pytest.approx(expected, rel=1e-6)


def test_the_covariance_has_the_zeros_of_the_graph_and_the_margins_of_its_edges():
    graph = nx.cycle_graph(5)
    joined = nx.to_numpy_array(graph) > 0
    S = np.corrcoef(np.random.default_rng(0).normal(size=(5, 40)))
    W = constrained_covariance(S, joined)
    apart = ~joined & ~np.eye(5, dtype=bool)
    assert np.abs(np.linalg.inv(W)[apart]).max() < 1e-5
    np.testing.assert_allclose(W[~apart], S[~apart], atol=1e-6)


def test_missing_values_are_integrated_out():
    model = fitted(required=PAIRS)
    half = FRAME.assign(**dict.fromkeys(["c", "d", "e", "lonely"], np.nan))
    Z = normal_scores(FRAME)[:, :2]
    expected = multivariate_normal(np.zeros(2), np.corrcoef(Z.T)).logpdf(Z).mean()
    assert model.score(half) == pytest.approx(expected, rel=1e-6)


def test_cross_validation_prefers_the_graph_to_none():
    data = gaussian_mrf(300, 6, degree=2, random_state=0)
    whole = cross_val_score(GraphLearner(), data.X, cv=3)
    empty = cross_val_score(GraphLearner(cut=1.0), data.X, cv=3)
    assert whole.shape == (3,)
    assert (whole > empty + 0.1).all()


def test_levels_and_classes_are_scored(rng):
    colour = rng.choice(["red", "blue", "green"], 200)
    x = rng.normal(size=200) + 2.0 * (colour == "red")
    frame = pd.DataFrame({"colour": colour, "x": x, "grade": np.digitize(x, [0, 1, 2])})
    pairs = [("colour", "x"), ("x", "grade"), ("colour", "grade")]
    joined, apart = fitted(pairs, frame=frame), fitted((), pairs, frame=frame)
    assert joined.score(frame) > apart.score(frame) + 0.2
    assert np.isfinite(cross_val_score(GraphLearner(plain_judge()), frame, cv=3)).all()
    with pytest.raises(InputError, match="holds 'pink'"):
        joined.score(frame.assign(colour="pink"))


def test_groups_are_printed_as_a_graph_is():
    frame = pd.concat([chains(60), chains(60, seed=6)]).assign(g=np.repeat(["A", "B"], 60))
    found = learn_groups(frame, "g", judge=plain_judge())
    assert str(found) == found.summary()
    assert "2 groups by g: A (60 rows" in str(found)
