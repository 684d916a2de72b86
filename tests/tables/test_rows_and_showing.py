"""New rows against fitted columns; tables in their original values, and in words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.tables import (
    Column,
    LeftOut,
    Table,
    decode,
    describe_kinds,
    read_rows,
    read_table,
    summary,
)

N = 60
NAN = float("nan")


def cycle(*values):
    return [values[k % len(values)] for k in range(N)]


def mixed_frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": range(N),
            "x": rng.normal(size=N),
            "score": cycle(1, 2, 4),
            "size": pd.Categorical(cycle("S", "L", "M"), ["S", "M", "L"], ordered=True),
            "colour": pd.Categorical(cycle("red", "blue", "white", "blue")),
            "smokes": cycle(True, False, False),
            "half": cycle(0.5, 1.5, 2.5),
            "sex": cycle("m", "f"),
            "when": pd.date_range("2020", periods=N),
        }
    )


@pytest.fixture(scope="module")
def table():
    return read_table(mixed_frame())


class TestRows:
    def test_the_fitted_rows_come_out_the_same(self, table):
        frame = mixed_frame()
        rows = read_rows(frame, table.columns, names_in=table.names_in)
        np.testing.assert_array_equal(rows.values, table.values)
        assert rows.columns == table.columns
        one = read_rows(frame.iloc[[7]], table.columns, names_in=table.names_in)
        np.testing.assert_array_equal(one.values, table.values[[7]])
        assert read_rows(table, table.columns) is table

    def test_frames_go_by_name_whatever_else_is_there(self, table):
        frame = mixed_frame()[list(reversed(table.names))].assign(new=object())
        np.testing.assert_array_equal(read_rows(frame, table.columns).values, table.values)
        with pytest.raises(InputError, match=r"no column 'x', .*\(nor 1 other\(s\)\). Add it"):
            read_rows(frame.drop(columns=["x", "size"]), table.columns)

    def test_arrays_go_by_the_original_position(self, table):
        array = mixed_frame().astype(object).to_numpy()
        rows = read_rows(array, table.columns, names_in=table.names_in)
        np.testing.assert_array_equal(rows.values, table.values)
        np.testing.assert_array_equal(table.positions, range(1, 8))
        with pytest.raises(InputError, match=r"has 8 column\(s\), but the model was fitted on 9"):
            read_rows(array[:, 1:], table.columns, names_in=table.names_in)

    def test_a_model_without_names_takes_a_frame_by_position(self):
        array = np.column_stack([np.ones(N), mixed_frame()[["x", "half"]]])
        fitted = read_table(array)
        assert fitted.names == ("x1", "x2")
        frame = pd.DataFrame(array, columns=["one", "x", "half"])
        rows = read_rows(frame, fitted.columns, names_in=fitted.names_in)
        np.testing.assert_array_equal(rows.values, fitted.values)

    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("colour", "green", r"'colour' holds 'green', which .*\(known: blue, red, white\)\.$"),
            ("score", 3, r"'score' holds 3, which was not there .*\(known: 1, 2, 4\)"),
            ("score", 2.5, r"'score' holds 2.5, which"),
            ("half", "much", r"'half' holds 'much', which .*\(known: 0.5, 1.5, 2.5\)"),
            ("smokes", 2, r"'smokes' holds 2, which .*\(known: False, True\)"),
            ("x", "much", r"'x' holds text \(first: 'much'\)"),
            ("x", np.inf, r"'x' has 1 infinite value"),
        ],
    )
    def test_what_was_not_there_at_the_fit(self, table, column, value, message):
        row = mixed_frame().iloc[[0]].astype(object)
        row[column] = [value]
        with pytest.raises(InputError, match=message):
            read_rows(row, table.columns, names_in=table.names_in)

    @pytest.mark.parametrize(
        ("column", "values", "codes"),
        [
            ("score", ["1", "4", None], [0, 2, NAN]),
            ("score", [1.0, 4.0, NAN], [0, 2, NAN]),
            ("smokes", [1, 0, None], [1, 0, NAN]),
            ("smokes", [True, True, True], [1, 1, 1]),
            ("size", ["L", "S", ""], [2, 0, NAN]),
            ("x", [None, None, None], [NAN, NAN, NAN]),
            ("colour", [None, None, None], [NAN, NAN, NAN]),
            ("x", [True, False, False], [1, 0, 0]),
        ],
    )
    def test_values_of_other_types_are_recognised(self, table, column, values, codes):
        frame = mixed_frame().iloc[:3].assign(**{column: pd.Series(values, dtype=object)})
        rows = read_rows(frame, table.columns)
        np.testing.assert_array_equal(rows.values[:, table.names.index(column)], codes)

    def test_rows_that_were_read_by_themselves_are_read_anew(self, table):
        part = read_table(mixed_frame().iloc[10:40])
        own = Table(part.values, tuple(Column(c.name, c.kind, c.levels) for c in part.columns))
        shuffled = Table(own.values[:, ::-1], own.columns[::-1])
        rows = read_rows(shuffled, table.columns)
        np.testing.assert_array_equal(rows.values, table.values[10:40])

    def test_labels_of_mixed_columns(self):
        frame = mixed_frame().assign(answer=cycle(1, 2, "none"))
        fitted = read_table(frame)
        rows = read_rows(frame.iloc[[0, 3]].assign(answer=[1, 2]), fitted.columns)
        np.testing.assert_array_equal(rows.values[:, -1], [0, 1])


class TestDecode:
    def test_values_of_the_original_kinds(self, table):
        frame = mixed_frame()
        decoded = decode(table)
        for name in ("x", "score", "smokes", "half", "size", "colour"):
            pd.testing.assert_series_equal(decoded[name], frame[name])
        assert decoded["sex"].tolist() == frame["sex"].tolist()
        assert decoded["sex"].cat.categories.tolist() == ["f", "m"]

    def test_gaps(self, table):
        values = table.values.copy()
        values[0] = NAN
        decoded = decode(Table(values, table.columns))
        assert decoded.iloc[0].isna().all()
        assert decoded["score"].dtype == "Int64"
        assert decoded["smokes"].dtype == "boolean"
        assert decoded["half"].dtype == float
        rows = read_rows(decoded, table.columns)
        np.testing.assert_array_equal(rows.values, values)

    @given(
        st.lists(
            st.sampled_from(["a", "b", "c"]) | st.integers(0, 2) | st.booleans() | st.none(),
            min_size=15,
            max_size=40,
        )
    )
    def test_reading_what_was_decoded_gives_the_same_codes(self, values):
        frame = pd.DataFrame(
            {"v": pd.Series(values, dtype=object), "x": np.arange(len(values)) / 7}
        )
        table = read_table(frame, min_columns=1)
        rows = read_rows(decode(table), table.columns)
        np.testing.assert_array_equal(rows.values, table.values)
        again = read_rows(frame, table.columns)
        np.testing.assert_array_equal(again.values, table.values)

    def test_an_order_that_is_not_that_of_the_numbers_needs_categories(self):
        table = read_table(mixed_frame()[["x", "score"]], {"score": [4, 1, 2]})
        decoded = decode(table)["score"]
        assert decoded.cat.ordered
        assert decoded.cat.categories.tolist() == [4, 1, 2]
        assert decoded.tolist() == cycle(1, 2, 4)


def test_summary(table):
    frame = summary(table)
    assert frame["name"].tolist() == list(table.names)
    assert frame["kind"].tolist() == [
        "continuous", "ordinal", "ordinal", "nominal", "binary", "ordinal", "binary",
    ]  # fmt: skip
    assert frame["levels"].tolist() == [
        "", "1, 2, 4", "S, M, L", "blue, red, white", "False, True", "0.5, 1.5, 2.5", "f, m",
    ]  # fmt: skip
    assert frame["n_levels"].tolist() == [0, 3, 3, 3, 2, 3, 2]
    assert (frame["missing"] == 0).all()
    long = Table(np.array([[0.0], [NAN]]), (Column("a", "nominal", tuple("abcdefgh")),))
    assert summary(long)[["levels", "missing"]].to_numpy().tolist() == [["a, b, c, d, e, f, …", 1]]


def test_kinds_in_a_line(table):
    assert describe_kinds(table) == (
        "7 columns: 1 continuous, 3 ordinal (score, size, half), 2 binary (smokes, sex), "
        "1 nominal (colour)"
    )
    many = read_table(np.random.default_rng(0).random((30, 7)) < 0.5)
    assert describe_kinds(many) == "7 columns: 7 binary (x0, x1, x2, x3, x4, …)"
    assert describe_kinds(read_table([[0.1], [2], [3], [5]], min_columns=1)) == (
        "1 column: 1 continuous"
    )


def test_rows_keep_what_is_known_of_the_table():
    table = Table(
        np.zeros((3, 1)),
        (Column("b", "continuous"),),
        (LeftOut("a", "constant", "is constant"),),
        ("a", "b"),
    )
    part = table.take([0, 2])
    assert (len(part), part.left_out, part.names_in) == (2, table.left_out, ("a", "b"))
    assert part.positions.tolist() == [1]
