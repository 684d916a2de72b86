"""Files of SPSS, Stata, SAS and R, written by the libraries that read them."""

import sys

import numpy as np
import pandas as pd
import pyreadr
import pyreadstat
import pytest
from typer.testing import CliRunner

import spinney
from spinney.cli._app import app
from spinney.exceptions import InputError
from spinney.tables import read_table
from spinney.tables.readers import open_table

OFTEN = {1: "never", 2: "sometimes", 3: "often", 9: "refused"}
LABELS = {"q1": "How often do you run?", "sex": "Sex", "age": "Age in years", "town": "Town"}
VALUES = {"q1": OFTEN, "sex": {1: "f", 2: "m"}, "age": {998: "does not know"}}


@pytest.fixture
def survey(rng):
    n = 80
    return pd.DataFrame(
        {
            "q1": rng.integers(1, 4, n).astype(float),
            "sex": rng.integers(1, 3, n).astype(float),
            "age": rng.integers(18, 90, n).astype(float),
            "town": rng.choice(["York", "Hull", "Leeds"], n),
        }
    )


@pytest.fixture
def sav(survey, tmp_path):
    survey.loc[3, "q1"], survey.loc[4, "age"] = 9.0, 998.0
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        survey,
        str(path),
        column_labels=LABELS,
        variable_value_labels=VALUES,
        missing_ranges={"q1": [9]},
    )
    return path


def test_labels_are_levels_and_codes_of_the_user_are_gaps(sav):
    file = open_table(sav)
    table = read_table(file)
    q1, sex, age, town = table.columns
    assert (q1.kind, q1.levels) == ("ordinal", ("never", "sometimes", "often"))
    assert (sex.kind, sex.levels) == ("binary", ("f", "m"))
    assert (age.kind, town.kind) == ("continuous", "nominal")
    assert np.isnan(table.values[3, 0])
    assert np.isnan(table.values).sum() == 1
    assert file.format == "spss"
    assert file.decisions == (
        "value labels of columns 'q1' and 'sex' are levels in the order of their codes "
        "(otherwise: kind={'q1': 'nominal'})",
        "labelled values left among numbers: age=998 ('does not know'); if they mean missing, say "
        "na=['age=998']",
    )
    assert np.isnan(read_table(open_table(sav, na=["age=998"])).values[4, 2])


@pytest.mark.parametrize(
    ("labels", "first"),
    [("no", "q1"), ("yes", "How often do you run?"), ("both", "q1: How often do you run?")],
)
def test_labels_of_variables_become_names(sav, labels, first):
    assert open_table(sav, labels=labels).names[0] == first
    assert spinney.learn(sav, labels=labels).names[0] == first


def test_labels_on_the_command_line(sav, tmp_path):
    out = tmp_path / "out"
    words = ["learn", str(sav), "--labels", "yes", "--out", str(out)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "How often do you run?" in (out / "nodes.csv").read_text()


def test_labels_where_there_are_none(write, survey):
    with pytest.raises(InputError, match=r"holds text, which does not use labels="):
        open_table(write("a,b\n1,2\n3,4\n"), labels="yes")
    with pytest.raises(InputError, match=r"^labels= goes with the path of a file"):
        spinney.learn(survey, labels="yes")
    with pytest.raises(InputError, match="There is no choice for labels 'maybe'"):
        open_table(write("a,b\n1,2\n"), labels="maybe")


def test_stata_and_sas(survey, tmp_path):
    dta, xpt = tmp_path / "survey.dta", tmp_path / "survey.xpt"
    pyreadstat.write_dta(
        survey,
        str(dta),
        column_labels=list(LABELS.values()),
        variable_value_labels={"q1": OFTEN, "sex": {1: "f", 2: "m"}},
    )
    table = read_table(open_table(dta, labels="both"))
    assert table.names[0] == "q1: How often do you run?"
    assert table.columns[0].levels == ("never", "sometimes", "often")
    pyreadstat.write_xport(survey, str(xpt), column_labels=list(LABELS.values()))
    file = open_table(xpt, labels="yes")
    assert (file.format, file.names) == ("sas", tuple(LABELS.values()))
    np.testing.assert_array_equal(file.frame["Sex"], survey["sex"])


def test_two_codes_of_one_label_stay_two(survey, tmp_path):
    path = tmp_path / "twice.sav"
    pyreadstat.write_sav(survey, str(path), variable_value_labels={"q1": {1: "x", 2: "x"}})
    assert read_table(path).columns[0].levels == ("x (1)", "x (2)", "3 (3)")


def test_tables_of_r(survey, tmp_path):
    survey["grade"] = pd.Categorical(np.where(survey["age"] > 40, "a", "b"))
    rds, rdata = tmp_path / "survey.rds", tmp_path / "survey.RData"
    pyreadr.write_rds(str(rds), survey, compress="gzip")
    file = open_table(rds)
    assert file.format == "r"
    np.testing.assert_array_equal(file.frame["age"], survey["age"])
    kinds = ("ordinal", "binary", "continuous", "nominal", "binary")
    assert read_table(file).kinds == kinds
    pyreadr.write_rdata(str(rdata), survey, df_name="people")
    assert open_table(rdata, sheet="people").names == file.names
    with pytest.raises(InputError, match=r"There is no data frame in .*: 'peple'\. Did you mean"):
        open_table(rdata, sheet="peple")
    assert spinney.learn(rdata).names == file.names


def test_damaged_files_and_libraries_that_are_not_there(sav, tmp_path, monkeypatch):
    broken = tmp_path / "broken.sav"
    broken.write_bytes(sav.read_bytes()[:100])
    with pytest.raises(InputError, match=r"cannot be read as a file of SPSS \(.*Save or copy it"):
        open_table(broken)
    rds = tmp_path / "t.rds"
    pyreadr.write_rds(str(rds), pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    for name in ("pyreadstat", "pyreadr"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError) as caught:
        open_table(sav)
    assert str(caught.value) == (
        "Reading '.sav' needs pyreadstat. Install it with: pip install 'spinney[stats]'"
    )
    with pytest.raises(InputError, match=r"^Reading '\.rds' needs pyreadr\. Install it with"):
        open_table(rds)
