"""What is said of columns that are left out: why, and how to keep them if that can be done."""

import numpy as np
import pandas as pd
import pytest

from spinney.tables import read_table
from spinney.tables.advice import columns_left_out

N = 60
RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
MEND = "Write numbers alone, and nothing where there is none, to keep such a column."
GIVE = "To keep a column that has two values or more, give its kind in kinds={...}."


def told(column):
    return str(columns_left_out(read_table(NUMBERS.assign(x=column))))


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


def test_a_few_doses_are_categories_as_ever():
    doses = [f"{dose} mg" for dose in RNG.choice([1, 2, 5], N)]
    table = read_table(NUMBERS.assign(x=doses))
    assert table.columns[2].kind == "nominal"


def test_dates_in_no_order_of_letters_are_not_put_in_that_order():
    from spinney.exceptions import InputError

    days = ["31.01.2024", "01.02.2024", "15.03.2023"] * 20
    with pytest.raises(InputError, match="order is not known"):
        read_table(NUMBERS.assign(x=days), kinds={"x": "ordinal"})
