"""``spinney learn`` on tables with text, gaps and identifiers: what it says and what it writes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.models.real_tables import KINDS, mixed_frame

QUICK = ("--estimator", "chow-liu", "--families", "gaussian")
LEFT_OUT = (
    "Warning: 2 columns are left out: 'site' is constant; 'day' holds dates or times. To keep a "
    "column that has two values or more, give its kind with --kind COLUMN=KIND.\n"
)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mixed_frame().to_csv("people.csv", index=False)
    return "people.csv"


@pytest.mark.usefixtures("pictures")
def test_a_file_of_all_kinds(people, spinney):
    result = spinney("learn", people, *QUICK)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == LEFT_OUT
    said = result.stdout.splitlines()
    assert any(line.startswith("read: column 'id' taken for row names") for line in said)
    lines = [line for line in said if not line.startswith("read: ")]
    assert lines[:3] == [
        "people.csv: 240 rows × 8 columns",
        # The file does not know that grades have an order.
        "kinds: 2 continuous, 2 binary (smoker, tested), 2 nominal (grade, colour); "
        "left out: site, day",
        "53 of 1,440 values (3.7 %) are missing, in 2 columns; 191 of 240 rows are complete",
    ]
    edges = pd.read_csv("people-graph/edges.csv").set_index(["source", "target"])
    assert edges.loc[("smoker", "colour"), "family"] == "table"
    assert edges.loc[("weight", "grade"), "rows"] == mixed_frame()["weight"].notna().sum()
    assert list(pd.read_csv("people-graph/nodes.csv").name) == list(KINDS)
    assert Path("people-graph/graph.png").read_bytes().startswith(b"\x89PNG")


def test_kinds_may_be_said(people, spinney):
    kinds = ("--kind", "tested=nominal", "--kind", "id=continuous")
    result = spinney("learn", people, *QUICK, *kinds)
    assert result.exit_code == 0, result.stderr
    assert "kinds: 3 continuous, 1 binary (smoker), 3 nominal (grade, colour, tested)" in (
        result.stdout
    )
    assert "2 columns are left out" in result.stderr
    assert "id" in set(pd.read_csv("people-graph/nodes.csv").name)


def test_rows_with_gaps_may_be_dropped(people, spinney):
    result = spinney("learn", people, *QUICK, "--missing", "drop")
    assert result.exit_code == 0, result.stderr
    assert "missing: 49 of 240 rows lack a value and are dropped" in result.stdout.splitlines()
    assert set(pd.read_csv("people-graph/edges.csv").rows) == {191}


@pytest.mark.parametrize("rule", ["average", "random", "levels"])
def test_ties_go_to_the_estimator(tmp_path, monkeypatch, spinney, rule):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2)).round()
    x[:, 1] += x[:, 0]
    pd.DataFrame(x, columns=["a", "b"]).to_csv("rounded.csv", index=False)
    kinds = ("--kind", "a=continuous", "--kind", "b=continuous")
    result = spinney("learn", "rounded.csv", *QUICK, *kinds, "--ties", rule)
    assert result.exit_code == 0, result.stderr
    assert "kinds: 2 continuous" in result.stdout
    assert ("distinct values" in result.stderr) == (rule == "average")
    assert "1 edge, 1 component" in result.stdout


def test_pairs_that_no_row_has_are_not_known(tmp_path, monkeypatch, spinney):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    X["b"] += X["a"]
    X.loc[:99, "b"] = np.nan
    X.loc[100:, "c"] = np.nan
    X.to_csv("apart.csv", index=False)
    result = spinney("learn", "apart.csv", *QUICK)
    assert result.exit_code == 0, result.stderr
    assert "Warning: 1 pair could not be judged" in result.stderr
    assert "(effective sample size below 10): b – c." in result.stderr


BAD = {
    "--missing error": "Column 'weight' has 24 missing value(s) (NaN) of 240 "
    "(first: line 8 of people.csv). Use --missing pairwise to learn each pair from the rows that "
    "have both values, "
    "--missing drop, or fill them before fitting.",
    "--missing fill": "'fill' is not one of 'pairwise', 'drop', 'error'",
    "--ties maybe": "'maybe' is not one of 'auto', 'average', 'random', 'levels'",
    "--kind grade=nominale": "Did you mean 'nominal'?",
    "--kind weight=binary": "'weight' cannot be binary: it has 216 distinct values. "
    "Make it ordinal or nominal with --kind COLUMN=KIND.",
    "--kind smoker=continuous": "'smoker' holds text (first: 'no').",
    "--columns site,day": "0 of 2 column(s) can be learned from, but at least 2 are needed",
    "-e graphical-lasso --kind grade=nominal": "only, not with 'graphical-lasso'. Leave it out",
    "-e graphical-lasso --missing drop": "--missing goes with ",
    "-e partial-correlation --ties levels": "--ties goes with ",
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_is_one_line_and_status_2(people, spinney, words):
    quick = [] if "-e" in words else QUICK
    result = spinney("learn", people, *quick, *words.split())
    assert result.exit_code == 2
    assert BAD[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert not Path("people-graph").exists()
