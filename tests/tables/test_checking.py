import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse
from sklearn.base import BaseEstimator

from spinney.exceptions import InputError, InputTypeError
from spinney.tables import check_features, check_inside_unit, check_table, check_unit_table

COLUMN = [3.0, 1.0, 2.0, 5.0]


class TestReading:
    @given(
        arrays(
            st.sampled_from([np.float64, np.float32, np.int32, np.int8, np.bool_]),
            array_shapes(min_dims=2, max_dims=2, min_side=4, max_side=9),
        ).filter(lambda X: np.isfinite(X).all() and (X[0] != X).any(axis=0).all())
    )
    def test_arrays_and_frames_give_the_same_floats(self, X):
        table = check_table(X)
        assert table.values.dtype == np.float64
        assert table.values.flags.c_contiguous
        np.testing.assert_array_equal(table.values, X.astype(float))
        names = [f"x{k}" for k in range(X.shape[1])]
        assert table.names == tuple(names)
        framed = check_table(pd.DataFrame(X, columns=names))
        np.testing.assert_array_equal(framed.values, table.values)
        assert framed.names == table.names

    @pytest.mark.parametrize(
        "values",
        [
            pd.array([3, 1, 2, 5], dtype="Int64"),
            pd.array(COLUMN, dtype="Float32"),
            pd.Categorical(COLUMN),
            pd.arrays.SparseArray(COLUMN),
            pd.Series([3, 1.0, np.int8(2), 5], dtype=object),
            [Decimal("3"), Decimal("1"), Decimal("2"), Decimal("5")],
            [Fraction(3), Fraction(2, 2), 2, 5],
            [np.float32(3), 1, 2, 5],
            ["3", "1.0", 2, "5"],
        ],
        ids=lambda values: f"{type(values).__name__}-{getattr(values, 'dtype', '')}",
    )
    def test_numbers_of_every_kind_are_read(self, values):
        table = check_table(pd.DataFrame({"a": values}))
        np.testing.assert_array_equal(table.values[:, 0], COLUMN)
        np.testing.assert_array_equal(
            check_table([[value] for value in values]).values, table.values
        )

    def test_names_that_are_not_text_become_text(self):
        frame = pd.DataFrame({0: COLUMN, ("a", 1): COLUMN})
        assert check_table(frame).names == ("0", "('a', 1)")

    def test_input_is_not_changed_and_not_shared(self):
        X = np.array([COLUMN]).T
        table = check_table(X)
        table.values[0, 0] = 99.0
        assert X[0, 0] == 3.0


class TestRefusals:
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ([1, None, 3, None], r"'a' has 2 missing value\(s\) \(NaN\) of 4 \(first: row 1\)"),
            (pd.array([1, 2, None, 4], dtype="Int64"), r"'a' has 1 missing .*row 2"),
            ([1, 2, -np.inf, np.inf], r"'a' has 2 infinite value\(s\) .*row 2.*Replace"),
            (["1", "two", "3", "4"], r"'a' holds text \(first: 'two'\). Encode"),
            (pd.Categorical(["u", "v", "u", "w"]), "'a' holds text"),
            ([7.0] * 4, "'a' is constant over 4 rows"),
            ([0.0, -0.0, 0.0, -0.0], "'a' is constant over 4 rows"),
            ([1j, 2, 3, 4], "Complex data not supported: column 'a'"),
            (pd.Series([np.complex64(1j), 2, 3, 4], dtype=object), "'a' holds a complex64, but"),
            (
                pd.Series([10**400, 1, 2, 3], dtype=object),
                r"'a' has 1 infinite value\(s\)",
            ),
            ([2**60, 2**60 + 1, 1, 2], r"'a' holds whole numbers beyond 2\^53"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_column_is_named(self, values, message):
        with pytest.raises(InputError, match=message):
            check_table(pd.DataFrame({"fine": COLUMN, "a": values}))

    @pytest.mark.parametrize(
        "values",
        [
            pd.date_range("2020", periods=4),
            pd.date_range("2020", periods=4, tz="UTC"),
            pd.to_timedelta([1, 2, 3, 4]),
            pd.period_range("2020", periods=4),
            [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)],
            [[1], [2], [3], [4]],
            [b"1", b"2", b"3", b"4"],
            [{}, {}, {}, {}],
        ],
        ids=lambda values: type(values[0]).__name__,
    )
    def test_what_is_no_number_is_a_type_error_that_names_the_column(self, values):
        with pytest.raises(InputTypeError, match="Column 'a' holds"):
            check_table(pd.DataFrame({"a": values}))

    def test_large_whole_numbers_in_an_array_are_checked_too(self):
        with pytest.raises(InputError, match=r"'x0' holds whole numbers beyond 2\^53"):
            check_table(np.array([[2**60], [2**60 + 1], [1], [2]]))

    def test_large_whole_numbers_that_stay_apart_are_read(self):
        assert check_table([[2**60], [2**61], [2**62], [1]]).values[0, 0] == 2.0**60

    def test_first_faulty_column_and_row_are_reported(self):
        X = np.arange(20.0).reshape(5, 4)
        X[3, 2] = X[1, 3] = np.nan
        with pytest.raises(InputError, match=r"'x2' has 1 missing .*row 3"):
            check_table(X)

    def test_long_doubles_out_of_range_are_infinite(self):
        X = np.arange(4, dtype=np.longdouble)[:, None] * np.longdouble("1e4000")
        if not np.isfinite(X).all():
            pytest.skip("long doubles are no longer than doubles here")
        with pytest.raises(InputError, match="'x0' has 3 infinite"):
            check_table(X)

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (COLUMN, r"1 dimension\(s\). Reshape your data"),
            (np.zeros((4, 2, 2)), r"3 dimension\(s\)"),
            (3.0, "the input is a float of 0 dimension"),
            (None, "the input is a NoneType"),
            ({"a": COLUMN}, r"the input is a dict .*pandas.DataFrame\(X\)"),
            ([{"a": 1.0}] * 4, r"the input is a list .*pandas.DataFrame\(X\)"),
            (np.zeros(4, dtype=[("a", float)]), r"ndarray of 1 dimension"),
            ([[1, 2], [3], [4, 5], [6, 7]], "rows of the table differ in length"),
            (np.empty((5, 0)), r"0 feature\(s\) \(shape=\(5, 0\)\)"),
            (pd.DataFrame(index=range(5)), r"0 feature\(s\)"),
            (np.eye(3), "too few rows .*= 3.; at least 4"),
            (pd.DataFrame({"a": []}), "too few rows .*= 0"),
            (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "'a' occurs 2 times"),
            (pd.DataFrame([[1, 2]] * 4, columns=[1, "1"]), "'1' occurs 2 times"),
            (np.eye(4) * 1j, "Complex data not supported"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_shape_is_explained(self, X, message):
        with pytest.raises(InputError, match=message):
            check_table(X)

    def test_sparse_matrices_are_refused_with_the_cure(self):
        with pytest.raises(InputTypeError, match=r"Use X.toarray\(\)"):
            check_table(sparse.csr_array(np.eye(4)))

    def test_limits_can_be_moved(self):
        assert check_table([[1.0]], min_rows=1, allow_constant=True).values.shape == (1, 1)
        with pytest.raises(InputError, match=r"1 column\(s\), but at least 2"):
            check_table(np.array([COLUMN]).T, min_columns=2)


class TestUnitTables:
    def test_inside_is_accepted(self):
        U = np.array([[1e-300, 0.5], [0.3, 1 - 1e-16]])
        table = check_unit_table(U, min_rows=1, fitting=False)
        np.testing.assert_array_equal(table.values, U)

    @pytest.mark.parametrize("bad", [0.0, 1.0, -0.2, 1.5])
    def test_outside_is_refused_by_column_and_row(self, bad):
        U = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, 0.2, bad, 0.4]})
        with pytest.raises(InputError, match=rf"column 'b' reaches {bad} at row 2. Use pseudo_"):
            check_unit_table(U)
        with pytest.raises(InputError, match="column 'b'"):
            check_inside_unit(check_table(U))

    def test_constant_columns_matter_only_for_fitting(self):
        U = np.column_stack([[0.5] * 4, [0.1, 0.2, 0.3, 0.4]])
        with pytest.raises(InputError, match="'x0' is constant"):
            check_unit_table(U)
        assert check_unit_table(U, fitting=False).values.shape == (4, 2)

    def test_two_columns_are_needed(self):
        with pytest.raises(InputError, match="to form a pair"):
            check_unit_table([[0.1], [0.2], [0.3], [0.4]])


class TestFeatures:
    def test_names_and_number_are_kept_and_compared(self):
        estimator = BaseEstimator()
        X = pd.DataFrame({"a": COLUMN, "b": COLUMN})
        check_features(estimator, X, reset=True)
        assert estimator.n_features_in_ == 2
        assert list(estimator.feature_names_in_) == ["a", "b"]
        other = X[["b", "a"]]
        with pytest.raises(ValueError, match="feature names"):
            check_features(estimator, other, reset=False)

    def test_plain_lists_have_a_number_but_no_names(self):
        estimator = BaseEstimator()
        X = [[value, value] for value in COLUMN]
        check_features(estimator, X, reset=True)
        assert estimator.n_features_in_ == 2
        assert not hasattr(estimator, "feature_names_in_")
        with pytest.raises(ValueError, match="3 features"):
            check_features(estimator, np.eye(4, 3), reset=False)
