"""Any table, read: types, kinds, what is left out, what is refused."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.exceptions import DataWarning, InputError, InputTypeError
from spinney.tables import Column, LeftOut, Table, read_table
from spinney.tables.advice import columns_left_out

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
NAN = float("nan")


def cycle(*values, n=N):
    """Return `n` values, each as often as the others."""
    return [values[k % len(values)] for k in range(n)]


def read_one(values, **options):
    """Read a column beside a continuous one; return it, or why it was left out."""
    frame = pd.DataFrame({"x": np.random.default_rng(1).normal(size=len(values)), "a": values})
    table = read_table(frame, min_columns=1, **options)
    if table.left_out:
        return table.left_out[0]
    return table.columns[1], table.values[:, 1]


class TestRule:
    @pytest.mark.parametrize(
        ("values", "levels"),
        [
            (cycle(True, False), (False, True)),
            (cycle(True, False, None), (False, True)),
            (pd.array(cycle(True, False, None), dtype="boolean"), (False, True)),
            (cycle("yes", "no"), ("no", "yes")),
            (cycle("yes", "no", None), ("no", "yes")),
            (pd.array(cycle("u", "v", None), dtype="string"), ("u", "v")),
            (cycle(0, 1), (0, 1)),
            (cycle(2.5, -1.0, NAN), (-1.0, 2.5)),
            (pd.array(cycle(3, 1, None), dtype="Int64"), (1, 3)),
            (pd.Categorical(cycle("lo", "hi"), ["lo", "mid", "hi"], ordered=True), ("lo", "hi")),
            (pd.Categorical(cycle("b", "a")), ("a", "b")),
            (cycle("1", "2"), (1, 2)),
        ],
        ids=str,
    )
    def test_two_values_are_binary(self, values, levels):
        column, codes = read_one(values)
        assert column == Column("a", "binary", levels)
        assert [type(level) for level in column.levels] == [type(level) for level in levels]
        present = ~pd.isna(pd.Series(values)).to_numpy()
        np.testing.assert_array_equal(present, ~np.isnan(codes))
        shown = [levels[int(code)] for code in codes[present]]
        assert [str(v) for v in shown] == [str(v) for v in pd.Series(values)[present]]

    def test_an_ordered_categorical_is_ordinal_in_its_order_without_unused_levels(self):
        scale = ["none", "little", "some", "much"]
        values = pd.Categorical(cycle("much", "none", "little", None), scale, ordered=True)
        column, codes = read_one(values)
        assert column == Column("a", "ordinal", ("none", "little", "much"))
        np.testing.assert_array_equal(codes[:4], [2, 0, 1, NAN])

    def test_intervals_of_pandas_cut_are_ordinal(self):
        column, _ = read_one(pd.cut(X, 4))
        assert column.kind == "ordinal"
        assert len(column.levels) == 4
        assert all(isinstance(level, str) for level in column.levels)

    @pytest.mark.parametrize(
        "values",
        [
            cycle("c", "a", "b"),
            pd.Categorical(cycle("c", "a", "b"), ["a", "b", "c", "unused"]),
            pd.array(cycle("c", "a", "b"), dtype="string"),
            np.array(cycle("c", "a", "b")),
        ],
        ids=lambda values: type(values).__name__,
    )
    def test_text_and_categories_without_order_are_nominal(self, values):
        column, codes = read_one(values)
        assert column == Column("a", "nominal", ("a", "b", "c"))
        np.testing.assert_array_equal(codes[:3], [2, 0, 1])

    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            (cycle(*range(10), n=20), "ordinal"),
            (cycle(*range(10), n=19), "continuous"),  # not twice each
            (cycle(*range(11), n=N), "continuous"),
            (cycle(1.5, 2.5, 7.0), "ordinal"),
            (cycle(1, 2, 3, 3, n=4), "continuous"),  # a short table
            (list(X), "continuous"),
            (list(np.round(X, 1)), "continuous"),
        ],
        ids=str,
    )
    def test_few_values_that_come_back_are_a_scale(self, values, kind):
        column, codes = read_one(values)
        assert column.kind == kind
        if kind == "ordinal":
            assert column.levels == tuple(sorted(set(values)))
            assert [column.levels[int(code)] for code in codes] == values
        else:
            np.testing.assert_array_equal(codes, values)

    def test_gaps_do_not_count_as_times_that_a_value_comes(self):
        assert read_one([*range(10), *range(9), *[None] * 30])[0].kind == "continuous"
        assert read_one([*range(10), *range(10), *[None] * 30])[0].kind == "ordinal"

    def test_text_that_is_numbers_is_read_as_numbers(self):
        column, values = read_one([f"{value!r}" for value in X.tolist()])
        assert column == Column("a", "continuous")
        np.testing.assert_array_equal(values, X)
        column, _ = read_one(cycle("3", 1, "2.0", None))
        assert column == Column("a", "ordinal", (1.0, 2.0, 3.0))

    @pytest.mark.parametrize("gap", [None, NAN, pd.NA, pd.NaT, "", " ", "nan"])
    def test_gaps_of_every_kind(self, gap):
        column, codes = read_one(pd.Series(cycle("a", gap, "b", "c"), dtype=object))
        assert column.levels == ("a", "b", "c")
        np.testing.assert_array_equal(np.isnan(codes), cycle(False, True, False, False))

    def test_numbers_and_text_in_one_column_become_labels(self):
        column, codes = read_one(cycle(1, 2.0, "no answer"))
        assert column == Column("a", "nominal", ("1", "2", "no answer"))
        np.testing.assert_array_equal(codes[:3], [0, 1, 2])

    def test_numbers_of_every_type_stay_the_same_to_the_bit(self):
        for values in (X, X.astype(np.float32), pd.array(X, dtype="Float64"), X.astype(object)):
            np.testing.assert_array_equal(read_one(values)[1], np.asarray(values, dtype=float))

    @given(st.lists(st.integers(-3, 3) | st.none(), min_size=8, max_size=40))
    def test_levels_and_codes_are_the_values(self, values):
        table = read_table(pd.DataFrame({"a": values, "x": 0.0}), min_columns=0)
        present = [value for value in values if value is not None]
        distinct = sorted(set(present))
        if len(distinct) < 2:
            assert "a" not in table.names
            return
        column, codes = table.columns[0], table.values[:, 0]
        expected = [NAN if value is None else float(value) for value in values]
        if column.kind == "continuous":
            np.testing.assert_array_equal(codes, expected)
            assert len(present) < 2 * len(distinct)
        else:
            assert column.kind == ("binary" if len(distinct) == 2 else "ordinal")
            decoded = [NAN if np.isnan(c) else column.levels[int(c)] for c in codes]
            np.testing.assert_array_equal(decoded, expected)


class TestLeftOut:
    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            ([7.0] * N, "is constant"),
            ([0.0, -0.0] * 30, "is constant"),
            (["a"] * 59 + [None], "is constant"),
            ([True] * N, "is constant"),
            ([None] * N, "has no values"),
            ([NAN] * N, "has no values"),
            (pd.array([None] * N, dtype="Int64"), "has no values"),
            (pd.Categorical([None] * N, ["a", "b"]), "has no values"),
            (pd.date_range("2020", periods=N), "holds dates or times"),
            (pd.date_range("2020", periods=N, tz="UTC"), "holds dates or times"),
            (pd.to_timedelta(np.arange(N)), "holds dates or times"),
            (pd.period_range("2020", periods=N), "holds dates or times"),
            (cycle(datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)), "holds dates or times"),
            (cycle(datetime.time(3), datetime.time(4), None), "holds dates or times"),
            (cycle("2020-01-01", "2020-02-03", None), "holds dates or times"),
            (cycle("2020-01-01T12:30:00Z", "2020-02-03 12:30"), "holds dates or times"),
            ([f"cell {k}" for k in range(N)], "looks like an identifier: text"),
            (list(range(100, 100 + N)), "looks like an identifier: whole numbers"),
            (list(range(N))[::-1], "looks like an identifier: whole numbers"),
            ([str(k) for k in range(N)], "looks like an identifier: whole numbers"),
            (cycle(*(f"town {k}" for k in range(13))), "has 13 levels in 60 rows: group its"),
            (["a", "b", "c", "d"], "has 4 levels in 4 rows: group its"),
            ([*map(str, X[1:]), "<0.1"], "holds text among numbers (first: '<0.1')"),
            ([*X[1:], "<0.1"], "holds text among numbers (first: '<0.1')"),
            (pd.Categorical(cycle(*range(150), n=300), ordered=True), "has 150 ordered levels"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_with_a_word(self, values, reason):
        found = read_one(values)
        assert isinstance(found, LeftOut)
        assert found.name == "a"
        assert found.reason.startswith(reason)

    @pytest.mark.parametrize(
        "values",
        [
            list(range(9)),  # too short to tell
            [*range(59), 60],  # a gap in the numbers
            [k + 0.5 for k in range(N)],
            cycle(*(f"town {k}" for k in range(12))),  # five rows each
            cycle("2020-01-01", "2020-02-03", "later"),  # not all of them dates
        ],
        ids=lambda values: str(values)[:30],
    )
    def test_but_not_what_may_be_learned_from(self, values):
        assert not isinstance(read_one(values), LeftOut)

    def test_fifty_one_levels_are_too_many_however_long_the_table(self):
        assert read_one(cycle(*(f"t{k}" for k in range(50)), n=600))[0].kind == "nominal"
        assert "51 levels" in read_one(cycle(*(f"t{k}" for k in range(51)), n=600)).reason

    def test_a_table_of_ranks_is_no_table_of_identifiers(self):
        ranks = np.argsort(RNG.normal(size=(4, 30)), axis=1).T
        assert read_table(ranks).kinds == ("continuous",) * 4
        mixed = np.column_stack([ranks[:, :2], RNG.normal(size=(30, 2))])
        assert len(read_table(mixed).columns) == 4
        mixed = np.column_stack([ranks[:, :3], RNG.normal(size=(30, 8))])
        assert read_table(mixed).kinds == ("continuous",) * 11
        mixed = np.column_stack([ranks[:, :1], RNG.normal(size=(30, 2))])
        assert [column.name for column in read_table(mixed).left_out] == ["x0"]
        with_text = pd.DataFrame({"id": ranks[:, 0], "a": cycle("u", "v", n=30), "x": X[:30]})
        assert read_table(with_text).names == ("a", "x")

    def test_one_warning_names_all_of_them(self):
        frame = pd.DataFrame({"x": X, "y": -X, "id": range(N), "c": 1, "when": "2020-01-01"})
        table = read_table(frame)
        assert table.names == ("x", "y")
        assert table.names_in == ("x", "y", "id", "c", "when")
        text = " ".join(map(str, columns_left_out(table)))
        assert text.startswith("3 columns are left out: 'id' is named as an identifier")
        assert "'c' is constant; 'when' is constant." in text
        assert columns_left_out(read_table(frame[["x", "y"]])) == []

    def test_long_lists_are_cut(self):
        table = read_table(np.column_stack([X, -X, np.ones((N, 30))]))
        found = " ".join(map(str, columns_left_out(table)))
        assert re.search("30 columns .*'x21' is constant; and 10 more", found)

    def test_too_few_columns_remain(self):
        frame = pd.DataFrame({"x": X, "id": range(N), "c": 1})
        message = r"1 of 3 column\(s\) can be .*'id' is named as an identifier.*'c' is constant"
        with pytest.raises(InputError, match=message):
            read_table(frame)
        assert read_table(frame, {"id": "continuous"}).names == ("x", "id")
        with pytest.raises(InputError, match=r"0 of 2 column"):
            read_table(np.ones((5, 2)))


class TestKinds:
    @pytest.mark.parametrize(
        ("values", "wanted", "kind", "levels"),
        [
            (cycle(1, 2, 3), "continuous", "continuous", ()),
            (cycle(True, False), "continuous", "continuous", ()),
            (pd.Categorical(cycle(3, 1, 2)), "continuous", "continuous", ()),
            (cycle(1, 2, 3), "nominal", "nominal", (1, 2, 3)),
            (list(range(N)), "continuous", "continuous", ()),
            (list(range(N)), "ordinal", "ordinal", tuple(range(N))),
            (cycle("a", "b"), "nominal", "nominal", ("a", "b")),
            (cycle("a", "b"), "ordinal", "ordinal", ("a", "b")),
            (cycle(*"abcdefghijklmnopqrst"), "nominal", "nominal", tuple("abcdefghijklmnopqrst")),
            (cycle("2020-01-01", "2021-01-01"), "binary", "binary", ("2020-01-01", "2021-01-01")),
            (cycle("S", "M", "L"), ["S", "M", "L", "XL"], "ordinal", ("S", "M", "L")),
            (cycle(3, 1, 2), [3, 2, 1], "ordinal", (3, 2, 1)),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_by_hand(self, values, wanted, kind, levels):
        column, codes = read_one(values, kind={"a": wanted})
        assert column == Column("a", kind, levels)
        original = list(values)
        decoded = codes if kind == "continuous" else [levels[int(code)] for code in codes]
        np.testing.assert_array_equal(decoded, original)

    def test_by_position(self):
        table = read_table(np.column_stack([X, cycle(1, 2, 3)]), {1: "nominal"})
        assert table.kinds == ("continuous", "nominal")
        assert read_table(table, {1: "continuous"}) is table  # what was read before is trusted
        frame = pd.DataFrame({5: X, 0: cycle(1, 2, 3)})  # names that are numbers come first
        assert read_table(frame, {0: "nominal"}).kinds == ("continuous", "nominal")

    @pytest.mark.parametrize(
        ("values", "wanted", "message"),
        [
            (cycle("u", "v", "w"), "continuous", "'a' holds text .*'u'"),
            ([*X[1:], "<1"], "continuous", r"holds text \(first: '<1'\)"),
            (cycle("01/02/2020", "03/04/2020"), "continuous", "month cannot be told apart"),
            (cycle(1, 2, 3), "binary", "'a' cannot be binary: it has 3 distinct values"),
            (cycle("S", "M", "L"), "ordinal", r"order is not known.*\['L', 'M', 'S', …\]"),
            ([f"t{k}" for k in range(N)], "nominal", "has 60 levels, and 50 are the most"),
            (list(np.arange(400) / 7), "ordinal", "has 400 levels, and 100 are the most"),
            (cycle("S", "M", "L"), ["S", "M"], r"holds 'L', which kind does not list \(listed: S"),
            (cycle(1, 2), "categorical", "There is no kind of column 'categorical'"),
            (cycle(1, 2), "ordinall", "Did you mean 'ordinal'"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_what_cannot_be(self, values, wanted, message):
        with pytest.raises(InputError, match=message) as caught:
            read_one(values, kind={"a": wanted})
        assert "\n" not in str(caught.value)

    def test_columns_that_are_not_there(self):
        frame = pd.DataFrame({"Raf": X, "Mek": -X})
        with pytest.raises(InputError, match=r"no column 'raf'. Did you mean 'Raf'"):
            read_table(frame, {"raf": "ordinal"})
        with pytest.raises(InputError, match="no column '2'"):
            read_table(frame, {2: "ordinal"})
        with pytest.raises(InputError, match=r"kind must be a mapping, such as {'Raf'"):
            read_table(frame, "ordinal")

    def test_a_constant_cannot_be_kept(self):
        assert read_one([1] * N, kind={"a": "ordinal"}) == LeftOut("a", "constant", "is constant")


class TestMissing:
    FRAME = pd.DataFrame(
        {
            "x": [1.5, None, 3.1, 4.2, 5.7, 6.1],
            "y": [0.1, 0.7, 0.3, None, 0.5, 0.2],
            "c": ["a", "b", "a", "b", "a", "a"],
            "empty": [None] * 6,
        }
    )

    def test_pairwise_keeps_gaps(self):
        table = read_table(self.FRAME)
        np.testing.assert_array_equal(table.values[:, :2], self.FRAME[["x", "y"]])
        assert table.left_out == (LeftOut("empty", "empty", "has no values"),)

    def test_drop_drops_rows_levels_and_columns_that_become_constant(self):
        table = read_table(self.FRAME, missing="drop")
        assert table.names == ("x", "y")
        np.testing.assert_array_equal(table.values, self.FRAME[["x", "y"]].dropna())
        assert table.left_out == (
            LeftOut("c", "constant", "is constant in the complete rows"),
            LeftOut("empty", "empty", "has no values"),
        )
        again = read_table(read_table(self.FRAME), missing="drop")
        np.testing.assert_array_equal(again.values, table.values)
        assert (again.columns, again.left_out) == (table.columns, table.left_out)
        assert read_table(again, missing="drop") is again

    def test_drop_recodes_what_is_left(self):
        frame = pd.DataFrame(
            {"x": [*X[:30], *[None] * 30], "c": cycle("p", "q", n=30) + ["a"] * 30}
        )
        assert read_table(frame).columns[1].levels == ("a", "p", "q")
        table = read_table(frame, missing="drop")
        assert table.columns[1].levels == ("p", "q")
        np.testing.assert_array_equal(table.values[:, 1], cycle(0, 1, n=30))

    def test_drop_needs_rows(self):
        frame = pd.DataFrame({"x": [1.5, 2.2, 3.1, 4.4, None], "y": [0.1, None, None, 0.4, 0.5]})
        message = (
            r"2 of 5 row\(s\) are complete, but at least 4 are needed; column 'y' has .* \(2\)"
        )
        with pytest.raises(InputError, match=message):
            read_table(frame, missing="drop")

    def test_error_names_column_row_and_cure(self):
        message = r"'x' has 1 missing value\(s\) \(NaN\) of 6 \(first: row 1\). Use missing=\"pair"
        with pytest.raises(InputError, match=message):
            read_table(self.FRAME, missing="error")
        with pytest.raises(InputError, match="'empty' has 4 missing"):
            read_table(self.FRAME.dropna(subset=["x", "y"]).assign(empty=None), missing="error")
        with pytest.raises(InputError, match=message):
            read_table(read_table(self.FRAME), missing="error")
        complete = self.FRAME[["x", "y"]].dropna()
        assert read_table(complete, missing="error").is_plain

    def test_ways_that_do_not_exist(self):
        with pytest.raises(InputError, match="no option for missing values 'mean'"):
            read_table(self.FRAME, missing="mean")


class TestSources:
    def test_arrays_are_read_to_the_bit(self):
        A = RNG.normal(size=(9, 3))
        for given_table in (A, np.asfortranarray(A), A.tolist(), pd.DataFrame(A)):
            table = read_table(given_table)
            np.testing.assert_array_equal(table.values, A)
            assert table.values.flags.c_contiguous
            assert table.is_plain
        assert read_table(A).names == ("x0", "x1", "x2")
        assert not np.shares_memory(read_table(A).values, A)

    def test_lists_with_text_and_gaps(self):
        rows = [[x, c] for x, c in zip(X, cycle("u", None, "v"), strict=True)]
        rows[0][0] = NAN
        table = read_table(rows)
        assert table.columns == (Column("x0", "continuous"), Column("x1", "binary", ("u", "v")))
        np.testing.assert_array_equal(table.values[1:, 0], X[1:])
        assert np.isnan(table.values[0, 0])
        text = read_table(np.array(rows, dtype=str)[:, :1].repeat(2, axis=1))  # "nan" is a gap
        np.testing.assert_array_equal(text.values[:, 0], table.values[:, 0])

    def test_masked_entries_are_missing(self):
        masked = np.ma.masked_array(RNG.normal(size=(8, 2)), mask=np.eye(8, 2))
        table = read_table(masked)
        np.testing.assert_array_equal(np.isnan(table.values), np.eye(8, 2))
        words = np.ma.masked_array([["a", "p"], ["b", "q"]] * 6, mask=np.eye(12, 2))
        table = read_table(words)
        assert table.columns[0] == Column("x0", "binary", ("a", "b"))
        np.testing.assert_array_equal(np.isnan(table.values), np.eye(12, 2))

    def test_truth_values_in_an_array(self):
        table = read_table(RNG.random((20, 2)) < 0.5)
        assert table.columns == tuple(Column(f"x{k}", "binary", (False, True)) for k in (0, 1))

    def test_a_series_is_one_column(self):
        assert read_table(pd.Series(X, name="q"), min_columns=1).names == ("q",)

    def test_polars(self):
        import polars as pl

        frame = pl.DataFrame(
            {
                "x": X,
                "i": cycle(1, None, 3, 2),
                "b": cycle(True, None, False),
                "s": cycle("u", None, "v", "w"),
                "c": pl.Series(cycle("u", None, "v", "w"), dtype=pl.Categorical),
                "e": pl.Series(cycle("lo", "hi", None, "mid"), dtype=pl.Enum(["lo", "mid", "hi"])),
                "d": pl.Series(range(N)).cast(pl.Date),
                "t": pl.Series(range(N)).cast(pl.Duration),
                "big": pl.Series([f"{x:.3f}" for x in X]).cast(pl.Decimal(10, 3)),
            }
        )
        table = read_table(frame)
        assert dict(zip(table.names, table.columns, strict=True)) == {
            "x": Column("x", "continuous"),
            "i": Column("i", "ordinal", (1.0, 2.0, 3.0)),
            "b": Column("b", "binary", (False, True)),
            "s": Column("s", "nominal", ("u", "v", "w")),
            "c": Column("c", "nominal", ("u", "v", "w")),
            "e": Column("e", "ordinal", ("lo", "mid", "hi")),
            "big": Column("big", "continuous"),
        }
        assert [column.name for column in table.left_out] == ["d", "t"]
        np.testing.assert_array_equal(table.values[:4, 1], [0, NAN, 2, 1])
        np.testing.assert_array_equal(table.values[:4, 5], [0, 2, NAN, 1])

    def test_arrow(self):
        pytest.importorskip("pyarrow")
        frame = pd.DataFrame({"x": X, "s": cycle("u", None, "v", "w"), "i": cycle(1, None, 2, 5)})
        table = read_table(frame.astype({"s": "string[pyarrow]", "i": "int64[pyarrow]"}))
        assert table.kinds == ("continuous", "nominal", "ordinal")

    def test_three_rows_will_do_where_they_are_allowed(self):
        frame = pd.DataFrame({"x": [0.1, 0.7, 0.3], "c": ["a", "b", "a"], "t": ["a", "b", "c"]})
        table = read_table(frame, min_rows=3)
        assert table.kinds == ("continuous", "binary")
        assert [column.code for column in table.left_out] == ["levels"]
        with pytest.raises(InputError, match="too few rows"):
            read_table(frame)


class TestInfiniteNumbers:
    def test_they_are_gaps(self):
        frame = pd.DataFrame({"x": X, "y": X[::-1], "text": [str(x) for x in X]})
        frame.loc[[2, 5], "x"] = [np.inf, -np.inf]
        frame.loc[3, "text"] = "inf"
        with pytest.warns(DataWarning, match="as missing values: 2 in 'x' and 1 in 'text'"):
            table = read_table(frame)
        assert table.names == ("x", "y", "text")
        np.testing.assert_array_equal(np.isnan(table.values).sum(axis=0), [2, 0, 1])

    def test_a_column_of_little_else_is_left_out(self):
        values = np.where(np.arange(len(X)) % 3 > 0, np.inf, X)
        table = read_table(pd.DataFrame({"x": X, "y": X[::-1], "far": values}))
        (left,) = table.left_out
        assert (
            left.reason == f"holds infinite numbers mostly ({np.isinf(values).sum()} of {len(X)})"
        )

    def test_they_are_refused_where_gaps_are(self):
        frame = pd.DataFrame({"x": [1, 2, -np.inf, np.inf], "y": X[:4]})
        with pytest.raises(InputError, match=r"'x' has 2 infinite value\(s\) .*row 2.*Replace"):
            read_table(frame, missing="error")


class TestRefusals:
    @pytest.mark.parametrize(
        "thing", [[1], b"1", {}, object()], ids=["list", "bytes", "dict", "object"]
    )
    def test_what_is_neither_number_nor_text(self, thing):
        values = pd.Series([thing, 1.0, "a", 2.0], dtype=object)
        with pytest.raises(InputTypeError, match=r"'a' holds a .* argument must be a string"):
            read_table(pd.DataFrame({"fine": X[:4], "a": values}))

    def test_tables_that_are_too_small(self):
        with pytest.raises(InputError, match=r"1 column\(s\), but at least 2 are needed"):
            read_table(np.eye(5)[:, :1])
        with pytest.raises(InputError, match="too few rows"):
            read_table(Table(np.eye(3), (Column("a", "continuous"),) * 3))
