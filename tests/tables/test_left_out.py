"""What is said of columns that are left out: why, and how to keep them if that can be done."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from spinney.exceptions import InputError
from spinney.tables import read_rows, read_table
from spinney.tables.advice import columns_left_out

N = 60
RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
MEND = "Write numbers alone, and nothing where there is none, to keep such a column."
GIVE = "To keep a column that has two values or more, give its kind in kind={...}."


def told(column):
    return " ".join(map(str, columns_left_out(read_table(NUMBERS.assign(x=column)))))


@pytest.mark.parametrize(
    ("column", "message"),
    {
        "constant": ([7] * N, "'x' is constant."),
        "empty": ([np.nan] * N, "'x' has no values."),
        "units": (
            [f"{value:.3f} mg" for value in np.arange(N)],
            f"'x' holds numbers with signs or units (such as '0.000 mg'). {MEND}",
        ),
        "limits": (
            [f"< {value}" for value in range(N)],
            f"'x' holds numbers with signs or units (such as '< 0'). {MEND}",
        ),
        "text among numbers": (
            [*map(str, RNG.normal(size=N - 1)), "<LOD"],
            f"'x' holds text among numbers (first: '<LOD'). {MEND}",
        ),
        "German dates": (
            [f"{day % 28 + 1:02}.{day // 28 + 1:02}.2024" for day in range(N)],
            f"'x' holds dates or times. {GIVE}",
        ),
        "American dates with times": (
            [f"{day // 28 + 1}/{day % 28 + 1}/2024 08:30" for day in range(N)],
            f"'x' holds dates or times. {GIVE}",
        ),
        "identifier": (
            [f"P{number:03}" for number in range(N)],
            f"'x' looks like an identifier: text that never repeats. {GIVE}",
        ),
    }.values(),
)
def test_the_reason_and_what_can_be_done(column, message):
    assert told(column) == f"1 column is left out: {message}"


@pytest.mark.parametrize("name", ["id", "rownames", "Unnamed: 0", "index", "patient_id", "Case"])
def test_whole_numbers_under_the_name_of_an_identifier(name):
    numbers = RNG.permutation(10 * N)[:N]
    table = read_table(NUMBERS.assign(**{name: numbers}))
    assert [column.code for column in table.left_out] == ["identifier-name"]
    assert name in read_table(NUMBERS.assign(**{name: numbers}), {name: "continuous"}).names
    for others in (numbers % 40, numbers + 0.5):
        assert name in read_table(NUMBERS.assign(**{name: others})).names
    assert "lipid" in read_table(NUMBERS.assign(lipid=numbers)).names


DAYS = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N) * 5, unit="D")
DATES = {
    "ISO": DAYS.strftime("%Y-%m-%d"),
    "dates": DAYS,
    "with a zone": DAYS.tz_localize("UTC"),
    "German": DAYS.strftime("%d.%m.%Y"),
    "British": DAYS.strftime("%d/%m/%Y"),
    "American": DAYS.strftime("%m/%d/%Y 00:00"),
    "periods": DAYS.to_period("D"),
}


@pytest.mark.parametrize("form", DATES)
def test_dates_are_days_if_asked_for(form):
    table = read_table(NUMBERS.assign(x=DATES[form]), {"x": "continuous"})
    np.testing.assert_array_equal(table.values[:, 2], 19723 + 5 * np.arange(N))
    assert read_rows(NUMBERS.assign(x=DATES[form])[:1], table.columns).values[0, 2] == 19723


@pytest.mark.skipif(pd.__version__ < "3", reason="pandas counts in nanoseconds before 3")
def test_dates_beyond_the_range_of_nanoseconds_are_days_too():
    days = ["1066-10-14", "1970-01-02", "2671-02-22 12:00:00", None] * 5
    frame = pd.DataFrame({"when": days, "x": np.arange(20.0) % 7})
    table = read_table(frame, {"when": "continuous"})
    oracle = [
        (datetime(*day) - datetime(1970, 1, 1)).days for day in ((1066, 10, 14), (2671, 2, 22))
    ]
    expected = [oracle[0], 1.0, oracle[1] + 0.5, np.nan]
    np.testing.assert_array_equal(table.values[:4, 0], expected)


def test_times_and_durations_are_days_and_unclear_dates_are_refused():
    halves = pd.to_timedelta(np.arange(N) * 12, unit="h")
    table = read_table(NUMBERS.assign(x=halves), {"x": "continuous"})
    np.testing.assert_array_equal(table.values[:, 2], np.arange(N) / 2)
    clock = [f"{hour % 24:02}:30" for hour in range(N)]
    table = read_table(NUMBERS.assign(x=clock), {"x": "continuous"})
    assert table.values[6, 2] == 6.5 / 24
    unclear = [f"{day % 12 + 1:02}/{day % 10 + 1:02}/2024" for day in range(N)]
    with pytest.raises(InputError, match="day and month cannot be told apart"):
        read_table(NUMBERS.assign(x=unclear), {"x": "continuous"})


def test_a_few_doses_are_categories_as_ever():
    doses = [f"{dose} mg" for dose in RNG.choice([1, 2, 5], N)]
    table = read_table(NUMBERS.assign(x=doses))
    assert table.columns[2].kind == "nominal"


def test_dates_in_no_order_of_letters_are_not_put_in_that_order():
    days = ["31.01.2024", "01.02.2024", "15.03.2023"] * 20
    with pytest.raises(InputError, match="order is not known"):
        read_table(NUMBERS.assign(x=days), kind={"x": "ordinal"})
