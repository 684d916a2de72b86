"""Tables for spreadsheets: nothing runs, and everything comes back."""

import csv

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import (
    defuse,
    read_columns,
    read_csv,
    undo_defuse,
    write_csv,
)
from spinney.graph.report import writers
from tests.graph.report.hostile import NAMES, hostile_view

RUNS = "=+-@\t\r"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def cells(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_no_cell_of_text_begins_with_what_a_spreadsheet_runs(path):
    write_csv(path, pd.DataFrame({"name": NAMES, "value": -1.5}))
    for (text, number), name in zip(cells(path)[1:], NAMES, strict=True):
        assert text[0] not in RUNS
        assert text.lstrip()[0] not in "=+-@"
        assert text in (name, "'" + name)
        assert number == "-1.5"  # a number is not run


def test_text_is_quoted_so_that_other_separators_do_not_cut_it(path):
    write_csv(path, pd.DataFrame({"name": ["a;=1+1", "b\t=2"]}))
    assert path.read_text() == 'name\n"a;=1+1"\n"b\t=2"\n'


def test_every_name_comes_back(path):
    table = pd.DataFrame({"name": NAMES, "value": np.arange(len(NAMES))})
    write_csv(path, table)
    back = read_csv(path)
    assert back["name"].tolist() == list(NAMES)
    assert back["value"].tolist() == table["value"].tolist()


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_defusing_can_be_undone_and_leaves_nothing_to_run(text):
    safe = defuse(text)
    assert undo_defuse(safe) == text
    if safe and safe[0] in "=+@\t\r":
        raise AssertionError(safe)
    if safe.startswith("-"):
        [float(part) for part in safe.split(" ")]  # numbers only


@settings(deadline=None, max_examples=60)
@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
        min_size=1,
        max_size=6,
    )
)
def test_the_standard_library_reads_the_same_text(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("text") / "table.csv"
    write_csv(path, pd.DataFrame({"name": names, "k": 1}))
    assert [undo_defuse(row[0]) for row in cells(path)[1:]] == names


def test_a_spreadsheet_program_finds_text_where_text_was(path, tmp_path):
    """openpyxl takes what begins with = for a formula, as Excel does."""
    write_csv(path, pd.DataFrame({"name": [n for n in NAMES if n.isprintable() and len(n) < 99]}))
    sheet = openpyxl.Workbook().active
    for row in cells(path):
        sheet.append(row)
    assert {cell.data_type for row in sheet for cell in row} == {"s"}


def test_a_mark_tells_the_encoding_only_where_it_matters(path):
    write_csv(path, pd.DataFrame({"name": ["plain"], "n": [1]}))
    assert path.read_bytes() == b'name,n\n"plain",1\n'
    write_csv(path, pd.DataFrame({"name": ["é"], "n": [1]}))
    assert path.read_bytes() == b'\xef\xbb\xbfname,n\n"\xc3\xa9",1\n'
    assert pd.read_csv(path).columns.tolist() == ["name", "n"]  # pandas knows it


def test_numbers_truth_values_and_gaps(path):
    table = pd.DataFrame(
        {
            "float": [1 / 3, np.nan, -0.0],
            "int": [1, -2, 3],
            "bool": [True, False, True],
            "maybe": pd.array([True, None, False], dtype="boolean"),
            "text": ["a", None, "c"],
        }
    )
    write_csv(path, table)
    assert path.read_text().splitlines() == [
        "float,int,bool,maybe,text",
        '0.33333333,1,True,True,"a"',
        ",-2,False,,",
        '0,3,True,False,"c"',
    ]
    back = read_csv(path)
    assert back["text"].isna().tolist() == [False, True, False]
    assert back["bool"].tolist() == [True, False, True]
    np.testing.assert_allclose(back["float"], table["float"], rtol=1e-7)


def test_the_tables_of_results_come_back_with_their_names(tmp_path):
    view = hostile_view()
    for name in ("edges", "pairs", "nodes"):
        getattr(writers, f"write_{name}")(tmp_path / f"{name}.csv", view)
    ends = ("source", "target")
    for name, columns in {"edges": ends, "pairs": ends, "nodes": ("name",)}.items():
        back, sent = read_columns(tmp_path / f"{name}.csv", *columns), getattr(view, name)
        assert list(back) == list(sent)
        for column in sent:
            if column in columns:
                assert back[column].tolist() == sent[column].tolist()
            else:
                np.testing.assert_allclose(
                    back[column].astype(float), sent[column].astype(float), rtol=1e-7
                )


def test_what_is_no_table_of_results_is_refused_in_words(path):
    with pytest.raises(InputError, match="cannot be read as a table"):
        read_columns(path, "source")
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="has no column 'source'"):
        read_columns(path, "source")
    path.write_text('a,b\n1,2\n3,4,5,"')
    with pytest.raises(InputError, match="cannot be read as a table"):
        read_columns(path, "source")


@pytest.mark.parametrize("names", [["01", "1.0"], ["1e3", "1000"], ["True", "False"], ["NA", "1"]])
def test_names_that_look_like_numbers_stay_text(path, names):
    table = pd.DataFrame({"source": names, "target": names[::-1], "name": names, "rows": [3, 4]})
    write_csv(path, table)
    back = read_csv(path)
    assert back.to_dict("list") == table.to_dict("list")


@pytest.mark.parametrize(
    "heading", ["a,b", 'say "x"', "two\nlines", "=1+1", "Größe", "", " a", "'b"]
)
def test_names_of_columns_are_quoted_where_they_must_be(path, heading):
    write_csv(path, pd.DataFrame({heading: [1], "b_c-d": [2]}))
    (first, second), *rows = cells(path)
    assert first in (heading, f"'{heading}")
    assert first[:1] not in tuple(RUNS)
    assert (second, rows) == ("b_c-d", [["1", "2"]])
    if heading:  # pandas calls a column without a name 'Unnamed: 0'
        assert read_csv(path).columns.tolist() == [heading, "b_c-d"]


def test_names_of_columns_that_are_plain_stay_bare(path):
    write_csv(path, pd.DataFrame({"probability_control": [0.5], "expected fdr": [0.1]}))
    assert path.read_text() == "probability_control,expected fdr\n0.5,0.1\n"
