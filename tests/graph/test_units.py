"""Rows that belong to units reduce the effective sample size, at every door."""

import numpy as np
import pandas as pd
import pytest

from spinney import GraphLearner, learn, load_model
from spinney.exceptions import DataWarning, InputError
from spinney.graph import learn_groups, learn_stability
from spinney.graph.checks import check_graph
from spinney.tables import read_table
from spinney.tables.readers import open_table
from tests.graph.cases import plain_judge

PLAIN = plain_judge()
PATIENTS, VISITS = 30, 6


@pytest.fixture(scope="module")
def visits():
    """Columns that patients differ in and that have nothing to do with each other, shuffled."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(PATIENTS), VISITS)
    X = rng.normal(size=(PATIENTS, 4))[who] + 0.1 * rng.normal(size=(len(who), 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.insert(1, "who", [f"p{k}" for k in who])
    return frame.sample(frac=1.0, random_state=0, ignore_index=True)


def judged(table, **options):
    return learn(table, judge=PLAIN, **options)


def test_the_column_is_taken_out_and_its_rows_count_as_fewer(visits):
    blind, seeing = judged(visits.drop(columns="who")), judged(visits, unit="who")
    assert blind.names == seeing.names == tuple("abcd")
    assert blind.learner.n_rows_counted_ == len(visits)
    assert PATIENTS <= seeing.learner.n_rows_counted_ <= 1.2 * PATIENTS
    first, second = (g.learner.judged_probabilities_.sum() for g in (blind, seeing))
    assert second < first
    told = " ".join(map(str, check_graph(seeing)))
    assert f"180 rows of 30 units: effective sample size {seeing.learner.n_rows_counted_}" in told


def test_all_doors_say_the_same(visits, tmp_path):
    expected = judged(visits, unit="who").learner.evidence_.values
    visits.to_csv(tmp_path / "visits.csv", index=False)
    rest, labels = visits.drop(columns="who"), visits["who"]
    array = visits.to_numpy()
    for table, units in (
        (rest, labels),
        (rest, list(labels)),
        (rest.to_numpy(), labels.to_numpy()),
        (array, 1),
        (open_table(tmp_path / "visits.csv"), "who"),
        (read_table(visits, kind={"who": "nominal"}), "who"),
    ):
        np.testing.assert_array_equal(judged(table, unit=units).learner.evidence_.values, expected)


def test_units_follow_their_rows(visits):
    holes = visits.assign(a=visits["a"].where(visits.index % 4 > 0))
    dropped = judged(holes, unit="who", missing="drop").learner
    complete = judged(holes.dropna(), unit="who").learner
    np.testing.assert_array_equal(dropped.evidence_.values, complete.evidence_.values)
    assert judged(visits, unit="who", rows=100).learner.n_rows_counted_ < 50


def test_wide_tables_have_units_too(visits, monkeypatch):
    monkeypatch.setattr("spinney.judge.learner.WIDE", 2)
    learner = judged(visits, unit="who").learner
    assert learner.evidence_.numbers is not None
    assert learner.n_rows_counted_ <= 1.2 * PATIENTS


def test_groups_samples_and_files_keep_the_units(visits, tmp_path):
    sick = visits.assign(sick=visits["who"].str.len() > 2)
    grouped = learn_groups(sick, "sick", unit="who", judge=PLAIN)
    for graph in grouped.graphs.values():
        assert graph.learner.n_rows_counted_ < 0.5 * len(graph.table)
    model = GraphLearner(PLAIN, unit=visits["who"]).fit(visits.drop(columns="who"))
    loaded = load_model(model.save(tmp_path / "units.spinney"))
    np.testing.assert_array_equal(loaded.table_.units, model.table_.units)
    assert learn_stability(judged(visits, unit="who"), 20, n_jobs=1).n_fits == 20


def test_units_that_are_none(visits):
    with pytest.raises(InputError, match="unit names a column 'whom' that"):
        judged(visits, unit="whom")
    with pytest.raises(InputError, match=r"unit= takes .* each of the 180 rows; it has 3 entries"):
        judged(visits, unit=[1, 2, 3])
    nobody = visits.assign(who=visits["who"].where(visits.index > 4))
    with pytest.warns(DataWarning, match="5 of 180 rows have no value in 'who'"):
        judged(nobody, unit="who")


def test_a_series_says_what_was_done():
    walk = np.cumsum(np.random.default_rng(0).normal(size=(200, 4)), axis=0)
    text = " ".join(judged(walk).summary().split())
    assert "which reduces the effective sample size" in text
    assert "of 200 for the worst pair). The result for" in text
    assert "name their column (unit=); if their order means nothing, shuffle them." in text
