"""Survey weights: as if rows were repeated, and counted as Kish counts them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata
from typer.testing import CliRunner

import spinney
from spinney._core.pairs import to_pairs
from spinney.cli._app import app
from spinney.evidence import measure
from spinney.exceptions import InputError
from spinney.graph.checks import check_graph
from spinney.graph.export.spreadsheet import read_csv
from spinney.tables.rows import times_of
from tests.graph.cases import chains, plain_judge

N = 120
WHOLE = np.random.default_rng(2).integers(0, 5, N)
BROKEN = np.exp(np.random.default_rng(3).normal(0.0, 0.7, N))


def make_frame():
    frame = chains(N)
    frame["grade"] = np.digitize(frame["c"], [-1.0, 0.5])
    frame["colour"] = np.where(frame["e"] > 1.0, "red", np.where(frame["d"] > 0.0, "blue", "green"))
    return frame


FRAME = make_frame()


def learned(frame=FRAME, **options):
    return spinney.learn(frame, judge=plain_judge(), **options)


def repeated(frame=FRAME, times=WHOLE):
    return frame.loc[frame.index.repeat(times)].reset_index(drop=True)


def normal_scores(values):
    """Means of the normal variable over the interval of each value, by the definition."""
    low, high = rankdata(values, "min") - 1, rankdata(values, "max")
    ends = norm.pdf(norm.ppf(low / len(values))) - norm.pdf(norm.ppf(high / len(values)))
    scores = ends * len(values) / (high - low)
    return scores / scores.std()


def test_correlations_are_those_of_repeated_rows():
    """By hand, with scipy's ranks of rows that are repeated."""
    evidence = learned(weights=WHOLE).evidence
    rows = repeated()
    for u, v in (("a", "b"), ("b", "grade"), ("d", "lonely")):
        told = evidence.why(u, v).set_index("channel")["value"]["score"]
        expected = np.corrcoef(normal_scores(rows[u]), normal_scores(rows[v]))[0, 1]
        assert told == pytest.approx(expected, abs=1e-6)


def test_point_estimates_are_those_of_repeated_rows():
    """All that does not depend on the number of rows is measured as of the table written out."""
    weighted, written = learned(weights=WHOLE).evidence, measure(repeated())
    for name in ("score", "shown_least", "nominal", "columns"):
        np.testing.assert_allclose(weighted.channel(name), written.channel(name), atol=1e-6)


def test_strengths_are_those_of_repeated_rows():
    """Of an edge whose columns have no other neighbours the strength is their correlation."""
    pairs = [("a", "b")]
    others = [(u, v) for u in FRAME for v in FRAME if u < v and (u, v) not in pairs]
    found = learned(weights=WHOLE, required=pairs, forbidden=others)
    rows = repeated()
    expected = np.corrcoef(normal_scores(rows["a"]), normal_scores(rows["b"]))[0, 1]
    assert found.edges["strength"].item() == pytest.approx(expected, abs=1e-4)
    assert found.edges["strength_low"].item() < expected < found.edges["strength_high"].item()


@pytest.mark.parametrize("weights", [WHOLE, BROKEN, 1000 * BROKEN])
def test_rows_count_as_kish_counts_them(weights):
    found = learned(weights=weights)
    kish = weights.sum() ** 2 / (weights**2).sum()
    assert found.learner.n_rows_counted_ == pytest.approx(kish, rel=0.02)
    told = " ".join(found.summary().split())
    n = int((weights > 0).sum())
    assert (
        f"({n} rows, effective sample size {found.learner.n_rows_counted_} by their weights)"
        in told
    )
    assert found.pairs["rows"].max() == found.nodes["rows"].max() == n
    assert found.edges["rows"].max() == n
    words = found.methods()
    assert f": {n} rows and 8 columns" in words.methods
    assert f"The effective sample size is {found.learner.n_rows_counted_}." in words.methods
    assert "alike" not in words.methods
    assert f", {n} rows." in words.caption
    told = {each.code: str(each) for each in check_graph(found)}
    assert told["enough-rows"].startswith(f"{n} rows (effective sample size ")
    assert "Rows are weighted, so that the effective sample size is smaller" in " ".join(
        found.why("a", "b").split()
    )


def test_few_rows_that_weigh_most_make_less_sure():
    heavy = np.where(np.arange(N) < 15, 50, 1)
    plain, weighted = learned(), learned(weights=heavy)
    assert weighted.learner.n_rows_counted_ < 20
    joined = plain.joined & weighted.joined
    assert (weighted.scores[joined] < plain.scores[joined]).all()


def test_the_shipped_judge_counts_weighted_rows_as_so_many():
    """Weights that say nothing: as sure as with as many rows as they are worth."""
    rng, told = np.random.default_rng(0), {"weighted": [], "fewer": []}
    for _ in range(12):
        X = rng.normal(size=(300, 5))
        X[:, 1] += 0.5 * X[:, 0]
        weights = np.exp(rng.normal(0.0, 0.7, 300))
        kish = int(weights.sum() ** 2 / (weights**2).sum())
        told["weighted"].append(to_pairs(spinney.learn(X, weights=weights).scores))
        told["fewer"].append(to_pairs(spinney.learn(X[:kish]).scores))
    weighted, fewer = (np.mean(each, axis=0) for each in told.values())
    assert weighted[0] > 0.9
    assert abs(weighted[0] - fewer[0]) < 0.05
    assert abs(weighted[1:].mean() - fewer[1:].mean()) < 0.02


def test_equal_weights_change_nothing():
    plain = learned()
    for weights in (np.full(N, 0.3), np.full(N, 7)):
        np.testing.assert_array_equal(learned(weights=weights).scores, plain.scores)


def test_only_the_proportions_of_weights_count():
    np.testing.assert_array_equal(
        learned(weights=BROKEN).scores, learned(weights=3.7 * BROKEN).scores
    )


def test_weights_that_are_no_whole_numbers_are_met_nearly():
    evidence = learned(weights=BROKEN).evidence
    rows = repeated(times=np.rint(1000 * BROKEN).astype(int))
    told = evidence.why("a", "b").set_index("channel")["value"]["score"]
    expected = np.corrcoef(normal_scores(rows["a"]), normal_scores(rows["b"]))[0, 1]
    assert told == pytest.approx(expected, abs=0.01)
    times = times_of(BROKEN)
    assert np.abs(times / times.sum() - BROKEN / BROKEN.sum()).max() <= 1.0 / times.sum()


def test_a_row_without_weight_does_not_count():
    weights = np.where(np.arange(N) < 100, 1.0, 0.0)
    found, part = learned(weights=weights), measure(FRAME.head(100))
    np.testing.assert_allclose(found.evidence.channel("score"), part.channel("score"), atol=1e-6)
    assert found.learner.n_rows_counted_ == 100


@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"rows": 60}])
def test_weights_stay_with_their_rows(options):
    """With gaps, dropped rows and drawn rows; a column or an array."""
    frame = FRAME.assign(w=WHOLE + 1)
    frame.loc[::9, "lonely"] = np.nan
    by_name = learned(frame, weights="w", **options)
    by_rows = learned(frame.drop(columns="w"), weights=frame["w"], **options)
    assert "w" not in by_name.names
    np.testing.assert_array_equal(by_name.scores, by_rows.scores)
    table = by_name.table
    by_value = dict(zip(frame["a"], frame["w"], strict=True))
    values, times = np.unique(table.values[:, 0], return_counts=True)
    assert times.tolist() == [by_value[value] for value in values]


def test_groups_have_their_own_weights():
    frame = pd.concat([FRAME, FRAME.iloc[::-1]], ignore_index=True)
    frame["g"], frame["w"] = np.repeat(["A", "B"], N), np.concatenate([WHOLE, WHOLE[::-1]]) + 1
    found = spinney.learn_groups(frame, "g", weights="w", judge=plain_judge())
    alone = learned(weights=WHOLE + 1)
    assert found.sizes == (N, N)
    for graph in found.graphs.values():
        np.testing.assert_allclose(graph.scores, alone.scores, atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (-np.ones(N), r"Weights must be numbers from 0 up; 120 of 120 in 'weights' are not"),
        (np.where(np.arange(N) == 4, np.nan, 1.0), r"1 of 120 in 'weights' are not \(first: row 5"),
        (np.zeros(N), "All weights in 'weights' are 0, so no row counts"),
        ("colour", "'colour' holds weights, so it must hold numbers alone"),
        ("w", "weights names a column 'w' that the table does not have"),
        ([1, 2], "weights= takes the name of a column, or one value for each of the 120 rows"),
    ],
)
def test_what_are_no_weights_is_refused(weights, told):
    with pytest.raises(InputError, match=told):
        learned(weights=weights)


def test_a_check_takes_the_weights_of_the_rows():
    """Rows that weigh almost nothing are almost none: fewer of the added edges are found."""
    heavy = np.where(np.arange(N) < 30, 100, 1)
    plain, weighted = (learned(weights=each).check(6) for each in (None, heavy))
    assert weighted.pairs[["source", "target", "edge"]].equals(
        plain.pairs[["source", "target", "edge"]]
    )
    assert weighted.found.found.sum() < plain.found.found.sum()
    assert weighted.pairs.probability.mean() < plain.pairs.probability.mean()


def test_units_and_weights_exclude_each_other():
    with pytest.raises(InputError, match="unit and weights exclude each other"):
        learned(weights=WHOLE, unit=np.arange(N))


def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = FRAME.assign(w=WHOLE)
    frame.to_csv("rows.csv", index=False)

    def run(*words):
        return CliRunner().invoke(app, ["learn", "rows.csv", "--no-report", *words])

    done = run("--weights", "w", "-o", "out")
    assert done.exit_code == 0, done.output
    expected = spinney.learn(frame, weights="w")
    worth = expected.learner.n_rows_counted_
    assert f"{(WHOLE > 0).sum()} weighted rows: effective sample size {worth}." in done.output
    found = read_csv("out/pairs.csv")
    np.testing.assert_allclose(
        found["probability"].astype(float), expected.pairs["probability"], rtol=1e-6
    )
    assert found["rows"].astype(int).max() == (WHOLE > 0).sum()
    refused = run("--weights", "w", "--unit", "grade", "-o", "other")
    assert refused.exit_code == 2
    assert "--unit and --weights exclude each other: spinney has no effective" in refused.output
    refused = run("--weights", "colour", "-o", "other")
    assert "'colour' holds weights, so it must hold numbers alone." in refused.output
    refused = run("--weights", "w", "--estimator", "chow-liu", "-o", "other")
    assert "--weights goes with graph-learner only" in refused.output
