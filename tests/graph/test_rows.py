"""Learning from some rows of a long table: which, what is said of it, groups and samples."""

import numpy as np
import pandas as pd
import pytest

from spinney import GraphLearner, learn, learn_groups
from spinney.exceptions import InputError
from spinney.graph import learn_stability
from spinney.pairs import densities
from spinney.tables import Drawn, draw_rows, drawing, read_table
from tests.graph.cases import plain_judge


@pytest.fixture
def frame(rng):
    X = rng.normal(size=(400, 5))
    X[:, 1] += X[:, 0]
    X[:, 3] -= 2 * X[:, 2]
    return pd.DataFrame(X, columns=list("abcde"))


@pytest.fixture
def judge():
    return plain_judge()


def test_the_rows_that_are_drawn_are_learned_from(frame, judge):
    graph = learn(frame, rows=120, judge=judge, random_state=3)
    own = frame.iloc[draw_rows(400, 120, 3)]
    expected = learn(own, judge=judge, random_state=3)
    np.testing.assert_array_equal(graph.probabilities, expected.probabilities)
    assert graph.learner.table_.drawn == Drawn(120, 400, 3)
    assert expected.learner.table_.drawn is None
    # 1 / 0.15² is 44.4
    rough = learn(frame, precision=0.15, judge=judge)
    assert rough.learner.table_.drawn == Drawn(46, 400, 0)


def test_what_is_said(frame, judge):
    graph = learn(frame, precision=0.1, judge=judge)
    told = " ".join(graph.summary().split())
    assert "(101 of 400 rows)" in told
    assert (
        "Evidence from 101 of 400 rows, drawn at random with seed 0: a correlation is known to "
        "±0.1." in told
    )
    whole = learn(frame, judge=judge)
    assert "(400 rows)" in whole.summary()
    assert "drawn at random" not in whole.summary()


def test_by_default_all_rows_up_to_a_limit(frame, judge, monkeypatch):
    monkeypatch.setattr(drawing, "MOST_ROWS", 100)
    learner = GraphLearner(judge).fit(frame)
    assert learner.table_.drawn == Drawn(100, 400, 0)
    for rows in ("all", 400, 500):
        learner = GraphLearner(judge, rows=rows).fit(frame)
        assert learner.table_.drawn is None
        assert len(learner.table_) == 400
    # What has been drawn is not drawn from again.
    table = read_table(frame, keep=draw_rows(400, 90, 0), drawn=Drawn(90, 400, 0))
    assert GraphLearner(judge).fit(table).table_.drawn == Drawn(90, 400, 0)


@pytest.mark.parametrize("wrong", [{"rows": 3}, {"precision": 2.0}, {"rows": 50, "precision": 0.1}])
def test_what_cannot_be_is_refused(wrong, frame, judge):
    with pytest.raises(InputError, match=r"rows|precision"):
        learn(frame, judge=judge, **wrong)
    by = frame.assign(g=np.arange(400) % 2)
    with pytest.raises(InputError, match=r"rows|precision"):
        learn_groups(by, "g", judge=judge, **wrong)


def test_each_group_has_as_many_rows_as_it_needs(frame, judge):
    frame["g"] = np.where(np.arange(400) < 40, "few", "many")
    grouped = learn_groups(frame, "g", rows=100, judge=judge)
    drawn = {name: graph.learner.table_.drawn for name, graph in grouped.graphs.items()}
    assert drawn == {"few": None, "many": Drawn(100, 360, 0)}
    assert "many (100 of 360 rows" in grouped.summary()
    assert "few (40 rows" in grouped.summary()
    equal = learn_groups(frame, "g", rows=40, judge=judge)
    assert equal.sizes == (40, 40)
    whole = learn_groups(frame, "g", rows="all", judge=judge)
    assert whole.sizes == (40, 360)


def test_samples_are_learned_whole(frame, judge, monkeypatch):
    # Also where they are longer than the limit.
    graph = learn(frame, judge=judge)
    stability = learn_stability(graph, 20)
    monkeypatch.setattr(drawing, "MOST_ROWS", 12)
    assert learn_stability(graph, 20).samples == stability.samples


def test_more_than_memory_holds_is_refused(frame, judge, monkeypatch):
    monkeypatch.setattr(densities, "_physical_memory", lambda: 3 * 8.0 * 400 * 10 - 1)
    with pytest.raises(InputError, match=r"400 rows and 10 pairs take .* such as rows=20000"):
        learn(frame, judge=judge, rows="all").density()
    learn(frame, judge=judge, rows=399).density()  # fits
