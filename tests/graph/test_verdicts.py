"""Present, absent or undecided: in frames, files, words, pictures and on the page."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import spinney
from spinney._core.pairs import to_pairs
from spinney.cli._app import app
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_csv
from tests.graph.cases import chains, plain_judge


def by_hand(probability, sure=0.9):
    if probability >= sure:
        return "present"
    return "absent" if probability <= 1 - sure else "undecided"


@pytest.fixture(scope="module")
def found():
    frame = chains(80)
    frame["d"] -= 0.4 * frame["lonely"]
    frame["rare"] = np.random.default_rng(1).normal(size=80)
    frame.loc[12:, "rare"] = np.nan
    frame.loc[:8, "a"] = np.nan  # three rows have both
    return spinney.learn(frame, judge=plain_judge(3.0), kind={"rare": "continuous"})


def test_verdicts_are_those_of_the_probabilities(found):
    told = found.verdicts
    assert list(told) == list(told.index) == list(found.names)
    for u in found.names:
        for v in found.names:
            P = found.probabilities.loc[u, v]
            assert told.loc[u, v] == ("" if u == v else by_hand(P))
    assert {"present", "absent", "undecided"} <= {*told.to_numpy().ravel()}
    for table in (found.edges, found.pairs):
        assert table["verdict"].tolist() == [by_hand(P) for P in table["probability"]]


def test_the_summary_counts_them(found):
    P, edge = to_pairs(found.scores), to_pairs(found.joined.astype(float)) > 0
    inside, outside = (Counter(by_hand(p) for p in P[own]) for own in (edge, ~edge))
    assert inside["absent"] == outside["present"] == 0
    assert inside["undecided"]
    expected = (
        f"{edge.sum()} edges: {inside['present']} present (P ≥ 0.9), {inside['undecided']} likely; "
        f"{(~edge).sum()} other pairs: {outside['absent']} absent (P ≤ 0.1), "
        f"{outside['undecided']} undecided (1 with too few rows)."
    )
    assert expected in " ".join(found.summary().split())


def test_sure_moves_the_bounds_and_not_the_edges(found):
    other = found.at(sure=0.6)
    assert other.edges["verdict"].tolist() == [by_hand(P, 0.6) for P in other.edges["probability"]]
    undecided = [(each.verdicts == "undecided").sum().sum() for each in (found, other)]
    assert undecided[0] > undecided[1]
    pd.testing.assert_frame_equal(other.adjacency, found.adjacency)
    assert "P ≥ 0.6" in " ".join(other.summary().split())


@pytest.mark.parametrize("sure", [0.4, 1.2, "much", None])
def test_a_bound_that_is_none_is_refused(sure):
    with pytest.raises(InputError, match=r"sure must be a number between 0\.5 and 1, not"):
        spinney.learn(chains(), judge=plain_judge(), sure=sure)


def test_an_estimator_without_probabilities_has_none():
    from spinney.models.baselines import ChowLiu

    graph = spinney.LearnedGraph.of(ChowLiu().fit(chains().to_numpy()))
    with pytest.raises(InputError, match="verdicts need probabilities, and chow-liu gives none"):
        _ = graph.verdicts
    assert "verdict" not in graph.pairs


def test_likely_edges_are_lighter_and_the_legend_says_so(found):
    likely = found.edges["verdict"] == "undecided"
    assert likely.any()
    ax = found.plot()
    (lines,) = ax.collections
    inks = [round(float(ink), 6) for ink in lines.get_colors()[:, 3]]
    assert Counter(inks) == {1.0: int((~likely).sum()), min(inks): int(likely.sum())}
    assert min(inks) < 0.5
    said = [text.get_text() for text in ax.figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert {"present (at least 0.9)", "likely"} <= {*said}


def test_the_command_line_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chains(60).to_csv("rows.csv", index=False)
    done = CliRunner().invoke(app, ["learn", "rows.csv", "--sure", "0.8", "-o", "out"])
    assert done.exit_code == 0, done.output
    assert "verdicts: " in done.output
    assert "present (P ≥ 0.8)" in done.output
    for name in ("edges", "pairs"):
        table = read_csv(f"out/{name}.csv")
        assert table["verdict"].tolist() == [by_hand(float(P), 0.8) for P in table["probability"]]
    assert '<select id="verdict">' in (tmp_path / "out" / "report.html").read_text()
    refused = CliRunner().invoke(app, ["learn", "rows.csv", "--sure", "0.3", "-o", "other"])
    assert refused.exit_code == 2
