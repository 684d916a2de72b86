"""Which rows are taken for names, row by row: what speaks for a header, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.tables.readers.grid import is_header, is_units

RISING = ["1.5", "2.5", "3.5", "4.5", "5.5"]
FALLING = ["4.5", "3.5", "2.5", "1.5", "0.5"]

ROWS = [["1.5", "20", "0.5"], ["3.5", "21", "0.25"], ["2.5", "22", "0.75"]]


def test_numbers_that_rise_are_names_unless_all_rows_rise():
    assert is_header(RISING, [FALLING] * 12)
    assert not is_header(RISING, [RISING] * 12)
    assert not is_header(FALLING, [FALLING] * 12)
    assert is_header(RISING, [RISING, *[FALLING] * 11])  # one in ten may, by chance
    assert not is_header(RISING, [RISING, RISING, *[FALLING] * 10])


def test_a_column_of_one_value_makes_no_other_far():
    assert not is_header(["1", "0", "2"], [["0", "0", "1"]] * 5)
    assert is_header(["1990", "1991", "1992"], [["0", "0", "1"]] * 5)


@given(
    st.integers(3, 6).flatmap(
        lambda d: st.lists(st.tuples(*[st.sampled_from("01")] * d), min_size=3, max_size=8)
    )
)
def test_a_row_of_a_table_of_noughts_and_ones_is_no_header(rows):
    assert not is_header(rows[0], rows[1:])


@pytest.mark.parametrize("first", [["5 mg", "2 mg", "mg"], ["<1", "°C", "s"], ["-", "°C", "s"]])
def test_values_that_were_not_measured_exactly_are_no_units(first):
    assert not is_units(first, ROWS)


def test_units_stand_above_numbers_in_two_columns_or_more():
    assert is_units(["mg", "", "°C"], ROWS)
    assert not is_units(["mg", "", ""], ROWS)
    assert not is_units(["mg", "2", "°C"], ROWS)
    assert not is_units(["mg", "s", "°C"], ROWS[:2])
    assert not is_units(["mg", "s", "°C"], [*ROWS, ["high", "low", "high"]])
