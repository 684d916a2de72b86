"""What is asked for in passing: another cut, codes for gaps, dates, identifiers, what was meant."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import spinney as package
from spinney import DataWarning
from spinney._core.text import about
from spinney.graph.export.spreadsheet import read_csv
from tests.graph.cases import chains

ALONE = ("--no-report", "--jobs", "1")


def test_a_cut_of_ones_own(rows, spinney):
    result = spinney("learn", rows, *ALONE, "--cut", "0.02")
    assert result.exit_code == 0, result.stderr
    expected = package.learn(rows, cut=0.02)
    assert expected.n_edges > package.learn(rows).n_edges
    assert list(read_csv("rows-graph/edges.csv").source) == list(expected.edges.source)
    told = f"expected: {about(expected.expected_false)} false, {about(expected.expected_missed)} "
    assert f"{told}missing (of those these rows can show)\n" in result.stdout
    assert "edges: probability above 0.02\n" in result.stdout
    assert json.loads(Path("rows-graph/run.json").read_text())["settings"]["cut"] == 0.02
    again = spinney("learn", "--again", "rows-graph", "--force", "--no-report")
    assert "byte by byte" in again.stdout


@pytest.fixture
def coded(tmp_path, monkeypatch, judge):
    """A table with codes for gaps, dates, and an identifier that is neither first nor counts."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = chains()
    n = len(frame)
    frame.iloc[::9, 0] = -99
    frame["mood"] = rng.choice(["good", "bad", "unknown"], n)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    frame["day"] = days.strftime("%d.%m.%Y")
    frame["case"] = rng.permutation(10 * n)[:n]
    frame.to_csv("coded.csv", index=False)
    return frame


def test_values_that_mean_missing(coded, spinney):
    first = coded.columns[0]
    result = spinney("learn", "coded.csv", *ALONE)
    assert result.exit_code == 0, result.stderr
    assert "if they are codes, use --na -99." in result.stderr
    result = spinney("learn", "coded.csv", *ALONE, "--na", "-99, unknown,?", "--force")
    assert result.exit_code == 0, result.stderr
    n = (coded[first] == -99).sum()
    assert f"taken as missing: '-99' {n} times, 'unknown'" in result.stdout
    assert "'?' (not in the table), in columns" in result.stdout
    assert "may be codes" not in result.stderr
    with pytest.warns(DataWarning, match="2 columns are left out"):
        found = package.learn("coded.csv", na=[-99, "unknown"])
    with pytest.warns(DataWarning, match="2 columns are left out"):
        given = package.learn(coded, na=["-99", "unknown"])
    assert found.table.present[:, 0].sum() == len(coded) - n
    assert found.table.columns[found.names.index("mood")].kind == "binary"
    np.testing.assert_array_equal(found.probabilities, given.probabilities)
    assert json.loads(Path("coded-graph/run.json").read_text())["settings"]["na"]


def test_identifiers_are_left_out_and_dates_are_numbers_if_asked_for(coded, spinney):
    result = spinney("learn", "coded.csv", *ALONE)
    assert "'case' is named as an identifier, and its whole numbers never repeat" in result.stderr
    assert "give its kind with --kind COLUMN=KIND" in result.stderr
    kinds = ("--kind", "case=continuous", "--kind", "day=continuous")
    result = spinney("learn", "coded.csv", *ALONE, *kinds, "--force")
    assert result.exit_code == 0, result.stderr
    nodes = read_csv("coded-graph/nodes.csv").set_index("name")
    assert nodes.loc[["case", "day"], "kind"].tolist() == ["continuous"] * 2


def test_row_names_say_how_they_are_kept(rows, spinney):
    chains().rename_axis("case").reset_index().to_csv("named.csv", index=False)
    result = spinney("learn", "named.csv", *ALONE)
    assert "--kind 'case=continuous' keeps it" in result.stdout
    result = spinney("learn", "named.csv", *ALONE, "--kind", "case=continuous", "--force")
    assert "case" in read_csv("named-graph/nodes.csv").name.tolist()
    assert "case" in package.learn("named.csv", kind={"case": "continuous"}).names


# Rows of one unit reduce the effective sample size


@pytest.fixture
def visits(tmp_path, monkeypatch, judge):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(30), 6)
    X = rng.normal(size=(30, 3))[who] + 0.1 * rng.normal(size=(180, 3))
    pd.DataFrame(X, columns=list("abc")).assign(who=who, sick=who % 2).to_csv("t.csv", index=False)
    return "t.csv"


def test_a_unit_is_recorded_and_used_again(visits, spinney):
    plain = spinney("learn", visits, "--no-report", "--drop", "who,sick", "--out", "plain")
    assert plain.exit_code == 0, plain.stderr
    told = " ".join(plain.stderr.split())
    assert "which reduces the effective sample size" in told
    assert "name their column (--unit)" in told
    first = spinney("learn", visits, "--no-report", "--unit", "who", "--out", "first")
    assert first.exit_code == 0, first.stderr
    assert "time series" not in first.stderr
    record = json.loads(Path("first/run.json").read_text())
    assert record["settings"]["unit"] == "who"
    assert record["result"]["columns"] == 4
    again = spinney("learn", "--again", "first", "--out", "second", "--no-report")
    assert again.stdout.endswith("The tables are those of the earlier run, byte by byte.\n")
    assert Path("first/edges.csv").read_bytes() == Path("second/edges.csv").read_bytes()


@pytest.mark.parametrize("more", [(), ("--rows", "50")])
def test_groups_have_units_too(visits, spinney, more):
    words = ("--no-report", "--unit", "who", "--group", "sick", *more)
    done = spinney("learn", visits, *words)
    assert done.exit_code == 0, done.stderr
