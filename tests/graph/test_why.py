"""`found.why(u, v)`: one paragraph, by what made the edge or kept it away."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from spinney import LearnedGraph, RootedForests, learn
from spinney.datasets import load_penguins
from spinney.evidence.thirds import given_each_other
from spinney.exceptions import DataWarning
from spinney.models.baselines import ChowLiu
from spinney.scores import read_scores
from spinney.tables import read_table


def plain(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def penguins():
    return learn(load_penguins(), required=[("species", "sex")])


@pytest.fixture(scope="module")
def frame():
    """Two causes, what they drive, a bend, and a column of gaps."""
    rng = np.random.default_rng(1)
    a, b, alone = rng.normal(size=(3, 400))
    frame = pd.DataFrame({"a": a, "b": b, "alone": alone})
    frame["sum"] = a + b + 0.5 * rng.normal(size=400)
    frame["after"] = frame["sum"] + rng.normal(size=400)
    frame["bent"] = alone**2 + 0.3 * rng.normal(size=400)
    frame["often"] = a.round(3) + np.where(np.arange(400) < 250, 0.0, np.nan)
    return frame


@pytest.fixture(scope="module")
def found(frame):
    return learn(frame)


def test_an_edge_that_shows_only_given_a_third_column(penguins):
    text = plain(penguins.why("species", "sex"))
    assert text.startswith("species – sex: an edge. It was required; the judge alone gives it a ")
    assert "Alone they look independent (p = 0.98). Once body_mass_g is known they are not" in text
    assert "(p < 0.001), as when both act on it." in text
    assert "arsinh" not in text


def test_a_dependence_that_another_column_explains(found, penguins):
    text = plain(found.why("a", "after"))
    assert text.startswith("a – after: no edge. The judge gives it a probability")
    assert "Alone they depend on each other (correlation +0." in text
    assert "Once sum is known little of it is left (partial correlation" in text
    assert "Within the classes of species little of it is left (p = 0.95)" in plain(
        penguins.why("island", "body_mass_g")
    )


def test_the_sign_that_classes_turn(penguins):
    text = plain(penguins.why("bill_length_mm", "bill_depth_mm"))
    assert "Within the classes of species the sign changes (partial correlation +0.48" in text


def test_an_edge_that_nothing_explains(found):
    text = plain(found.why("sum", "after"))
    assert "explains a part of it, but leaves a partial correlation of +0.7" in text
    assert "Given the neighbours, its strength is +0." in text
    lone = learn(found.table.values[:, [3, 4, 2]])
    assert "No other column explains it." in plain(lone.why(0, 1))


def test_no_dependence_at_all(found):
    text = plain(found.why("alone", "b"))
    assert "no edge" in text
    assert "Alone they look independent" in text
    assert "No single other column brings out a correlation." in text


def test_a_dependence_that_is_not_monotone(found):
    text = plain(found.why("alone", "bent"))
    assert "Alone they neither rise nor fall together" in text
    assert "the dependence is non-monotone, or lies in the variance." in text
    assert "one falls as the other rises" not in text
    assert "sign open" in text
    assert "where alone is far from its middle, bent tends to be" in text


def test_an_interaction_is_not_said_to_be_none():
    """Exclusive or: no column brings out a correlation, but in its classes there is one."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(2, size=(2, 500))
    frame = pd.DataFrame({"x": x, "y": y, "z": x ^ y, "w": rng.normal(size=500)})
    text = plain(learn(frame).why("x", "y"))
    assert "No single other column brings out a correlation." in text
    assert (
        "But within parts of the table, given by the values of one other column, they depend"
        in text
    )
    assert "Its sign is not the same for all values of z." in text


def test_an_edge_in_the_extremes():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 800)) * np.exp(0.8 * rng.normal(size=800))
    text = plain(learn(pd.DataFrame({"x": x, "y": y})).why("x", "y"))
    assert "sign open. The dependence is in the extremes: where x is far from its middle," in text
    assert "y is more often far from its own." in text


def test_gaps_and_few_rows(found, frame):
    rare = frame[["a", "b"]].assign(b=frame["b"].where(frame.index < 8), c=frame["alone"])
    with pytest.warns(DataWarning, match="few"):
        rare = learn(rare)
    told = " ".join(rare.why("a", "b").split())
    assert "Only 8 rows have both values: too few to judge the pair, so it is undecided." in told
    assert "250 of 400 rows have both values." in plain(found.why("a", "often"))


def test_rows_that_count_as_fewer():
    walk = np.cumsum(np.random.default_rng(0).normal(size=(200, 4)), axis=0)
    text = plain(learn(walk).why(0, 2))
    assert "Its 200 rows depend on each other so much that their effective sample size is" in text
    assert ": too few to judge the pair, so it is undecided." in text
    assert "are independent" not in text


def test_other_estimators_say_what_they_can(frame):
    some = frame[["a", "b", "sum", "after"]]
    text = plain(LearnedGraph.of(RootedForests().fit(some)).why("a", "after"))
    assert "That is not a probability that the edge is real." in text
    assert "Once sum is known little of it is left" in text
    tree = LearnedGraph.of(ChowLiu().fit(some))
    assert plain(tree.why("sum", "after")).startswith("sum – after: an edge. ")
    assert "weight in the model" in tree.why("sum", "after")


def test_a_wide_table_asks_the_neighbours(frame, monkeypatch):
    monkeypatch.setattr("spinney.graph.pair_words.MOST_THIRDS", 3)
    text = plain(learn(frame[["b", "a", "sum", "after"]]).why("a", "after"))
    assert "Once sum is known little of it is left" in text


def test_partial_correlations_of_scores_are_those_of_the_residuals(rng):
    """Given a third column means given its ranks in classes, with a slope inside each."""
    X = rng.normal(size=(300, 3))
    X[:, 0] += X[:, 2]
    X[:, 1] += X[:, 2] ** 2
    [told] = given_each_other(read_table(X), [(0, 1)], [1.0])

    scores = read_scores(read_table(X)).first
    ranks = rankdata(X[:, 2])
    inside = ((ranks - 0.5) * 9 / 300).astype(int)[:, None] == np.arange(9)  # √300 / 2 = 8.7
    given = np.column_stack([inside, inside * ranks[:, None]]).astype(float)
    left = [score - given @ np.linalg.lstsq(given, score, rcond=None)[0] for score in scores.T[:2]]
    assert told.least.column == told.most.column == 2
    assert told.least.size == pytest.approx(np.corrcoef(*left)[0, 1], abs=1e-9)


def test_chances_of_independent_columns_are_even():
    """Of 300 tables with a nominal column, a tenth has a chance below 0.1, given a third or not."""
    rng = np.random.default_rng(5)
    alone, given = [], []
    for _ in range(300):
        frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "z"])
        frame["site"] = rng.choice(list("uvw"), size=60)
        [told] = given_each_other(read_table(frame), [(0, 2)], [1.0])
        alone.append(told.alone.p)
        given.append(told.most.p)
    for chances in (alone, given):
        assert 0.06 < np.mean(np.array(chances) < 0.1) < 0.14
