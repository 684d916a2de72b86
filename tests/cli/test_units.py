"""``spinney learn --unit``: rows of one unit reduce the effective sample size."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


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
