"""The way in: standard input, options, sizes, and that no pickle is loaded."""

import hashlib
import io
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.tables import read_table
from spinney.tables.readers import open_table


def test_standard_input(monkeypatch):
    content = "a;b\n1,5;2\n2;3\n".encode("utf-16")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    table = open_table("-")
    pd.testing.assert_frame_equal(table.frame, pd.DataFrame({"a": [1.5, 2], "b": [2, 3]}))
    assert (table.name, table.n_bytes) == ("standard input", len(content))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError) as caught:
        open_table("-")
    assert str(caught.value) == (
        "'standard input' is empty. A table has a header and rows below it."
    )


def test_what_is_known_of_the_file(write):
    content = b'# x\n\nname,a,b\nr,1,2\n\n"s\n",3,4\nt,5,6\n'
    path = write(content)
    table = open_table(path)
    assert (table.name, table.format, table.n_bytes) == (str(path), "csv", len(content))
    assert table.checksum == hashlib.sha256(content).hexdigest()
    assert table.lines.tolist() == [4, 6, 8]
    assert table.extra is None


def test_a_header_may_be_asked_for_or_denied(write):
    numbers = write("1,2\n3,4\n5,6\n")
    assert list(open_table(numbers, header="yes").frame) == ["1", "2"]
    assert open_table(numbers, header="yes").decisions[1:] == (
        'line 1 holds the names of the columns, though most are numbers (otherwise: header="no")',
    )
    words = write("a,b\na,d\n1,2\n")
    table = open_table(words, header="no")
    assert table.frame.shape == (3, 2)
    assert table.decisions[1:] == (
        "no header, as asked; columns are called 'column 1', 'column 2' and so on",
    )


@pytest.mark.parametrize(("decimal", "value"), [("auto", 1500), (".", 1500), (",", 1.5)])
def test_the_decimal_mark_may_be_given(decimal, value, write):
    table = open_table(write("a\tb\n1,500\t2\n2,500\t1\n"), decimal=decimal)
    assert table.frame["a"].iloc[0] == value
    assert len(table.decisions) == 3


@pytest.mark.parametrize("shape", [(3, 20_000), (10, 5000)])
def test_wide_tables(shape, write, rng):
    X = rng.normal(size=shape)
    X[0, ::7] = np.nan
    names = [f"g{k}" for k in range(shape[1])]
    rows = [
        ",".join("NA" if value != value else repr(value) for value in row) for row in X.tolist()
    ]
    found = open_table(write("\n".join([",".join(names), *rows]))).frame
    assert found.columns.tolist() == names
    assert (found.dtypes == np.float64).all()
    np.testing.assert_array_equal(found.to_numpy(), X)


def test_identifiers_elsewhere_are_left_out_with_a_reason(write, rng):
    frame = pd.DataFrame({"x": rng.normal(size=20), "y": rng.normal(size=20)})
    frame["barcode"] = [f"ACGT-{k}" for k in range(20)]
    table = read_table(open_table(write(frame.to_csv(index=False))).frame)
    assert [(column.name, column.reason) for column in table.left_out] == [
        ("barcode", "looks like an identifier: text that never repeats")
    ]


def test_whole_numbers_too_long_for_floats_keep_their_digits(write):
    table = open_table(write("a,b\n9007199254740993,1\nNA,2\n9007199254740992,3\n")).frame
    assert table["a"].dropna().tolist() == [9007199254740993, 9007199254740992]


FLOATS = st.floats(allow_nan=True, allow_infinity=False, width=64)


@settings(max_examples=60)
@given(
    values=st.lists(st.lists(FLOATS, min_size=3, max_size=3), min_size=2, max_size=6),
    separator=st.sampled_from([",", "\t", ";", "|", " "]),
    decimal=st.sampled_from([".", ","]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    index=st.booleans(),
)
def test_numbers_come_back_to_the_last_digit(
    values, separator, decimal, encoding, end, index, tmp_path_factory
):
    frame = pd.DataFrame(values, columns=["größe", "b", "c"], dtype=float)
    assume(frame.iloc[-1].notna().any())  # an empty row at the end is no row
    assume(frame.notna().any().all())
    if index:
        frame.index = [f"r{k}" for k in range(len(frame))]
    path = tmp_path_factory.mktemp("io") / "t"
    text = frame.to_csv(
        sep=separator,
        decimal=decimal,
        index=index,
        lineterminator=end,
        na_rep="NA" if separator == " " else "",  # runs of blanks have no empty cells
    )
    path.write_bytes(text.encode(encoding))
    table = open_table(path, decimal=decimal)
    pd.testing.assert_frame_equal(table.frame, frame, check_exact=True, check_dtype=False)
    # Without a word about the decimal mark the same comes back, or it is said that it is a guess.
    guessed = open_table(path)
    if not guessed.frame.equals(table.frame):
        assert any("otherwise: decimal" in said or ", as " in said for said in guessed.decisions)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.zip", "t.xlsx", "t.parquet", "t.h5ad"])
def test_no_pickle_is_loaded(name, tmp_path, monkeypatch, rng):
    frame = pd.DataFrame(rng.normal(size=(5, 3)), columns=list("abc"))
    path = tmp_path / name
    if name.endswith("xlsx"):
        frame.to_excel(path, index=False)
    elif name.endswith("parquet"):
        frame.to_parquet(path)
    elif name.endswith("h5ad"):
        pytest.importorskip("anndata").AnnData(frame.set_axis(list("vwxyz"))).write_h5ad(path)
    else:
        frame.to_csv(path, index=False)

    def refuse(*args, **kwargs):
        raise AssertionError("a pickle was loaded")

    for target in ("loads", "load", "Unpickler", "_Unpickler"):
        monkeypatch.setattr(pickle, target, refuse)
    monkeypatch.setattr("_pickle.loads", refuse)
    monkeypatch.setattr("_pickle.Unpickler", refuse)
    found = open_table(path).frame.reset_index(drop=True)
    pd.testing.assert_frame_equal(found, frame, rtol=1e-14, check_names=False)


def test_codes_for_gaps_beside_truth_values_with_gaps(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,ok,n\n1.5,TRUE,-99\n2.5,,7\n0.5,FALSE,3\n")
    frame = open_table(path, na=[-99]).frame
    assert frame.isna().sum().tolist() == [0, 1, 1]
