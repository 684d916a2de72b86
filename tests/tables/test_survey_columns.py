"""Columns as questionnaires give them: tick boxes, ranges, and a slip among numbers."""

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney.exceptions import DataWarning, InputError
from spinney.tables import check_table, read_rows, read_table
from spinney.tables.ranges import order_of_ranges

N = 400


@pytest.fixture
def numbers(rng):
    return pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N)})


@pytest.mark.parametrize("tick", ["x", "By e-mail", 1, True])
def test_one_value_or_nothing_is_yes_or_no(numbers, tick, tmp_path):
    ticked = numbers["a"] > 0.3
    numbers["email"] = pd.Series([tick if yes else None for yes in ticked], dtype=object)
    with pytest.warns(DataWarning, match="One value or nothing is read as yes or no .*'email'"):
        table = read_table(numbers)
    assert table.kinds[2] == "binary"
    np.testing.assert_array_equal(table.values[:, 2], ticked)
    new = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "email": [None, tick]})
    np.testing.assert_array_equal(read_rows(new, table.columns).values[:, 2], [0.0, 1.0])
    path = tmp_path / "survey.csv"
    numbers.to_csv(path, index=False)
    with pytest.warns(DataWarning, match="yes or no"):
        found = spinney.learn(path)
    assert ("a", "email") in {tuple(sorted(edge)) for edge in found.to_networkx().edges}


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ([5.0, None], "is constant"),  # a measurement, not a tick
        (["x"] * 19 + [None], "is constant"),  # too few gaps
        ([False, None], "is constant"),
        ([None], "has no values"),
    ],
)
def test_what_is_no_tick_box(numbers, column, reason):
    numbers["c"] = pd.Series(column * (N // len(column)), dtype=object)
    (left,) = read_table(numbers).left_out
    assert left.reason == reason


RANGES = {
    "age": ["under 18", "18-29", "30-44", "45 - 64", "65 or older"],
    "income": ["$0 - $24,999", "$25,000 - $49,999", "$50,000 - $99,999", "$100,000+"],
    "often": ["never", "1-2 times", "3 to 4 times", "5+ times"],
    "sum": ["<10k", "10k-25k", "25k – 50k", ">50k"],
    "children": ["0", "1", "2", "3 or more"],
}


@pytest.mark.parametrize("kind", ["text", "categories"])
def test_ranges_are_levels_in_order(numbers, kind, tmp_path):
    rng = np.random.default_rng(0)
    for name, levels in RANGES.items():
        numbers[name] = rng.choice(levels, N)
    if kind == "categories":
        numbers = numbers.astype(dict.fromkeys(RANGES, "category"))
    table = read_table(numbers)
    assert {c.name: list(c.levels) for c in table.columns[2:]} == RANGES
    assert set(table.kinds[2:]) == {"ordinal"}
    path = tmp_path / "survey.csv"
    numbers.to_csv(path, index=False)
    assert read_table(path).columns[2:] == table.columns[2:]


@pytest.mark.parametrize(
    "levels",
    [
        ["2020-05", "2020-06"],  # months
        ["3-1", "2-2", "0-1"],  # results of matches
        ["1-3", "2-4"],  # they overlap
        ["10 mg", "20 mg"],  # a number each
        ["B12", "B13+"],
        ["18-29", "no answer"],
    ],
)
def test_what_is_no_range(levels):
    assert order_of_ranges(levels) is None


def test_a_slip_among_numbers_is_a_gap(numbers, tmp_path):
    cells = numbers["a"].round(3).astype(object)
    cells[7] = "1.2 (again)"
    numbers["a"] = cells
    path = tmp_path / "slip.csv"
    numbers.to_csv(path, index=False)
    told = r"taken as missing values: 1 of 400 in 'a' \('1\.2 \(again\)'\)"
    for given in (numbers, path):
        with pytest.warns(DataWarning, match=told):
            table = read_table(given)
        assert table.kinds == ("continuous", "continuous")
        assert np.flatnonzero(np.isnan(table.values[:, 0])).tolist() == [7]
    with pytest.warns(DataWarning, match=told):
        assert spinney.learn(path).names == ("a", "b")
    with pytest.raises(InputError, match=r"Column 'a' holds text"):
        check_table(numbers)


def test_several_slips_are_not_overlooked(numbers):
    cells = numbers["a"].astype(object)
    cells[:3] = "<0.1"  # three of 400
    numbers["a"] = cells
    (left,) = read_table(numbers.assign(c=numbers["b"] ** 2)).left_out
    assert left.reason == "holds text among numbers (first: '<0.1')"


def test_a_word_among_few_labels_stays_a_level(numbers):
    rng = np.random.default_rng(0)
    labels = rng.integers(1, 4, N).astype(object)
    labels[3] = "no answer"
    numbers["c"] = labels
    assert read_table(numbers).columns[2].levels == ("1", "2", "3", "no answer")
