"""``spinney example``: tables that come with the package, as files."""

import json

import pandas as pd
import pytest

from spinney.cli.example import EXAMPLES
from spinney.datasets import load_anes96, load_penguins, load_sachs
from spinney.tables import read_table


def test_all_are_listed_without_a_name(spinney, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = spinney("example").stdout
    assert all(name in told and about in told for name, (about, _) in EXAMPLES.items())
    assert set(json.loads(spinney("example", "--json").stdout)) == set(EXAMPLES)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_is_written_as_it_is_described(spinney, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    result = spinney("example", name)
    assert result.exit_code == 0, result.stderr
    about, option = EXAMPLES[name]
    assert result.stdout == f"{name}.csv: {about}\n\nNext:\n  spinney learn {name}.csv{option}\n"
    table = pd.read_csv(f"{name}.csv")
    assert f"{len(table):,} " in about
    known = {"sachs": load_sachs().X, "penguins": load_penguins(), "anes96": load_anes96()}
    if name in known:
        assert list(table) == list(known[name])
        kinds = {"income": "ordinal"} if name == "anes96" else None
        assert read_table(f"{name}.csv", kinds).kinds == read_table(known[name]).kinds
    else:
        assert table["stimulus"].nunique() == 2


def test_nothing_is_overwritten_unless_asked_for(spinney, tmp_path):
    path = tmp_path / "new" / "mine.csv"
    assert spinney("example", "sachs", "--out", path, "--quiet").stdout == ""
    path.write_text("precious")
    result = spinney("example", "sachs", "--out", path)
    assert result.exit_code == 2
    assert "is there already. Give --force" in result.stderr
    assert path.read_text() == "precious"
    assert spinney("example", "sachs", "--out", path, "--force").exit_code == 0
    assert len(pd.read_csv(path)) == 853
    assert "is a folder" in spinney("example", "sachs", "--out", tmp_path).stderr
