"""Which columns are learned from: names, patterns, quotes, and what the reader set aside."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.cli._inputs import choose_columns, find_names, read_kinds
from spinney.tables.readers import open_table

QUICK = ("--estimator", "partial-correlation")


@pytest.fixture
def plates(tmp_path, monkeypatch):
    """Row names, patterns, and names with commas, quotes and brackets."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    names = ["pSTAT1", "pSTAT3", "a,b", 'say "x"', "[c]", "CD4"]
    X = pd.DataFrame(rng.normal(size=(60, 6)), columns=names)
    X.insert(0, "well", [f"w{k}" for k in range(60)])
    X.to_csv("plates.csv", index=False)
    return "plates.csv"


def learned_from():
    return list(pd.read_csv("plates-graph/nodes.csv").name)


CHOSEN = {
    "pSTAT*": ["pSTAT1", "pSTAT3"],
    "CD4,pSTAT?": ["CD4", "pSTAT1", "pSTAT3"],
    '"a,b",CD4': ["a,b", "CD4"],
    '"say ""x""", CD4': ['say "x"', "CD4"],
    "[c],CD4": ["[c]", "CD4"],
    "pSTAT[13]": ["pSTAT1", "pSTAT3"],
    "CD4,CD4,pSTAT1": ["CD4", "pSTAT1"],
}


@pytest.mark.parametrize("words", CHOSEN)
def test_columns_by_name_and_pattern(plates, spinney, words):
    result = spinney("learn", plates, *QUICK, "--columns", words)
    assert result.exit_code == 0, result.stderr
    assert learned_from() == CHOSEN[words]


def test_a_name_with_a_comma_may_stand_alone(plates, spinney):
    result = spinney("learn", plates, *QUICK, "--columns", "a,b", "--columns", "CD4")
    assert result.exit_code == 0, result.stderr
    assert learned_from() == ["a,b", "CD4"]


def test_row_names_may_be_dropped_and_nothing_else_happens(plates, spinney):
    result = spinney("learn", plates, *QUICK, "--drop", "well,pSTAT*")
    assert result.exit_code == 0, result.stderr
    assert learned_from() == ["a,b", 'say "x"', "[c]", "CD4"]


def test_row_names_may_be_learned_from_if_asked_for(plates):
    file = open_table(plates)
    assert (file.aside, len(file.names)) == (("well",), 6)
    assert choose_columns(file.names, file.aside, columns=["well,CD4"]) == ["well", "CD4"]
    assert choose_columns(file.names, file.aside, kind=["well=nominal"]) == [*file.names, "well"]
    assert choose_columns(file.names, file.aside, drop=["well"]) == list(file.names)
    chosen = file.select(["well", "CD4"]).frame
    assert chosen["well"].tolist() == [f"w{k}" for k in range(60)]


def test_extra_columns_are_found_by_name_only():
    names, aside = ("g1", "g2"), ("g_batch",)
    assert choose_columns(names, aside, columns=["g*"]) == ["g1", "g2"]
    assert choose_columns(names, aside, columns=["g1,g_batch"]) == ["g1", "g_batch"]


BAD = {
    "--columns pStat*": "No column matches 'pStat*'. Did you mean 'pSTAT",
    "--drop zz*": "No column matches 'zz*'. Choose from: pSTAT1, ",
    "--columns cd4": "There is no column 'cd4'. Did you mean 'CD4'?",
    '--drop "a': "do not pair",
    "--kind CD*": "--kind needs a column and its kind, such as age=ordinal, not 'CD*'.",
    "--kind X*=ordinal": "No column matches 'X*'",
    "--group plate": "There is no column 'plate'.",
}


@pytest.mark.parametrize("words", BAD)
def test_what_is_not_there_is_one_line(plates, spinney, words):
    result = spinney("learn", plates, *words.split())
    assert result.exit_code == 2
    assert BAD[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not Path("plates-graph").exists()


names = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool),
    min_size=1,
    unique=True,
)


@given(names)
def test_every_name_can_be_said(names):
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    assert quoted in names or list(find_names([quoted], names)) == names


def test_later_kinds_win():
    assert read_kinds(["*=ordinal", "b=nominal"], ["a", "b"]) == {"a": "ordinal", "b": "nominal"}
    assert read_kinds(["a=b=binary"], ["a=b"]) == {"a=b": "binary"}
    assert read_kinds([], ["a"]) is None


def test_answers_in_words_get_their_order(spinney, table, frame, judge):
    """A Likert scale is what spreadsheets of questionnaires hold."""
    words = ["never", "sometimes", "always"]
    codes = pd.cut(frame["a"], [-9, -0.4, 0.4, 9], labels=words)
    frame.assign(often=codes.astype(str)).to_csv("cells.csv", index=False)
    result = spinney("learn", table, "--kind", "often=never<sometimes<always")
    assert result.exit_code == 0, result.stderr
    assert "1 ordinal (often)" in result.stdout
    result = spinney("learn", table, "--kind", "often=never<always", "--force")
    assert result.exit_code == 2
    assert "holds 'sometimes', which --kind does not list (listed: never, always)" in result.stderr
