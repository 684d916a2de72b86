"""Tables of text: what comes back of what was written."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.tables import read_table
from spinney.tables.readers import open_table

NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=8
).filter(lambda name: not name.replace(",", ".").replace("_", "").strip("+-.").isnumeric())


def read_frame(path):
    return open_table(path).frame


@settings(max_examples=40)
@given(
    names=st.lists(NAMES, min_size=2, max_size=5, unique=True),
    separator=st.sampled_from(",\t;"),
    packed=st.booleans(),
    seed=st.integers(0, 99),
)
def test_what_pandas_writes_comes_back(names, separator, packed, seed, tmp_path_factory):
    values = np.random.default_rng(seed).normal(size=(5, len(names)))
    frame = pd.DataFrame(values, columns=names)
    path = tmp_path_factory.mktemp("io") / "table.txt"
    raw = frame.to_csv(sep=separator, index=False, quoting=2).encode()
    path.write_bytes(gzip.compress(raw) if packed else raw)
    pd.testing.assert_frame_equal(read_frame(path), frame)


def test_dates_under_a_name_are_a_column(write):
    text = "{};a;b\n2020-01-01;1;2\n2020-01-02;3;4\n"
    assert list(read_frame(write(text.format("date"))).columns) == ["date", "a", "b"]
    assert list(read_frame(write(text.format(""))).columns) == ["a", "b"]


@pytest.mark.parametrize("text", ["kind,a\nx,1\nx,2\n", "kind,a\nx,1\n,2\n"])
def test_text_that_repeats_or_lacks_stays_a_column(write, text):
    assert list(read_frame(write(text)).columns) == ["kind", "a"]


def test_numbers_in_the_first_column_are_data(write):
    assert list(read_frame(write("a,b\n1,2\n3,4\n")).columns) == ["a", "b"]
    # A column by the name of a counter counts rows only if it misses none.
    assert list(read_frame(write("no,b\n1,2\n2,4\n3,1\n")).columns) == ["b"]
    assert list(read_frame(write("no,b\n1,2\n3,4\n7,1\n")).columns) == ["no", "b"]


@pytest.mark.parametrize(
    "gap", ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "?", ".", '"NA"']
)
def test_cells_that_stand_for_a_gap(write, gap):
    text = f"x,colour,smokes\n1.5,red,TRUE\n{gap},{gap},{gap}\n2,blue,FALSE\n0,red,TRUE\n"
    table = read_frame(write(text))
    assert table.isna().to_numpy().tolist() == [[k == 1] * 3 for k in range(4)]
    assert table["x"].dtype == float
    assert table["smokes"].dtype == "boolean"
    assert table["colour"].dropna().tolist() == ["red", "blue", "red"]


def test_words_that_are_no_gaps(write):
    table = read_frame(write("x,pain,asked\n1,None,yes\n2,mild,no\n3,None,yes\n4,-,no\n"))
    assert table["pain"].tolist() == ["None", "mild", "None", "-"]
    assert table["asked"].tolist() == ["yes", "no", "yes", "no"]


def test_a_mixed_file_is_read_to_its_kinds(write):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "patient": [f"p{k}" for k in range(40)],
            "age": rng.normal(50, 9, 40).round(2),
            "stage": rng.integers(1, 5, 40),
            "sex": rng.choice(["f", "m"], 40),
            "town": rng.choice(["York", "Leeds", "Hull"], 40),
            "visit": pd.date_range("2020", periods=40).astype(str),
        }
    )
    frame.loc[[3, 5], ["age", "town"]] = None
    table = read_table(read_frame(write(frame.to_csv(index=False, na_rep="?"))))
    assert dict(zip(table.names, table.kinds, strict=True)) == {
        "age": "continuous",
        "stage": "ordinal",
        "sex": "binary",
        "town": "nominal",
    }
    assert [column.name for column in table.left_out] == ["visit"]
    np.testing.assert_array_equal(np.isnan(table.values).sum(axis=0), [2, 0, 0, 2])
