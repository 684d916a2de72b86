"""How many rows a precision needs, which are drawn, and that columns are settled on all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spinney.exceptions import DataWarning, InputError
from spinney.tables import (
    MOST_ROWS,
    Drawn,
    Table,
    check_rows,
    draw_groups,
    draw_rows,
    read_table,
    rows_to_use,
)
from spinney.tables.drawing import correlation_error, rows_for

# Precision


@pytest.mark.parametrize("m", [20, 200])
def test_errors_are_those_of_simulated_independent_columns(m, rng):
    """5,000 tables give a standard error to 1 %; four of these are allowed."""
    x, y = rng.exponential(size=(2, 5000, m))  # whatever the distribution
    r = np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)])
    assert r.std() == pytest.approx(correlation_error(m), rel=0.04)
    scores = stats.norm.ppf(stats.rankdata([x, y], axis=2) / (m + 1))
    r = np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(*scores, strict=True)])
    assert r.std() == pytest.approx(correlation_error(m), rel=0.04)


@given(st.floats(1e-4, 0.3))
def test_a_precision_needs_the_fewest_rows_that_reach_it(precision):
    m = rows_for(precision)
    assert correlation_error(m) <= precision * (1 + 1e-9)
    assert m == 2 or correlation_error(m - 1) > precision * (1 - 1e-9)


def test_how_many_rows_are_used():
    assert rows_to_use(10**6) == MOST_ROWS == 20_000
    assert rows_to_use(19_999) == 19_999
    assert rows_to_use(10**6, "all") == 10**6
    assert rows_to_use(10**6, 300) == 300
    assert rows_to_use(100, 300) == 100
    assert rows_to_use(10**6, precision=0.005) == 40_001
    assert rows_to_use(10**6, precision=0.001) == 10**6
    assert rows_to_use(500, precision=0.3) == 13
    assert rows_to_use(500, precision=1e-200) == 500


@pytest.mark.parametrize(
    ("rows", "precision", "message"),
    [
        (100, 0.1, "Give rows or precision, not both"),
        (9, None, "rows must be a whole number from 10 on, or 'all', not 9"),
        ("most", None, "rows must be a whole number from 10 on, or 'all', not 'most'"),
        (50.0, None, "not 50.0"),
        (True, None, "not True"),
        (None, 0.0, "precision must be a number between 0 and 0.33, such as 0.01, not 0.0"),
        (None, 1.0, "not 1.0"),
        (None, 0.5, "not 0.5"),
        (None, True, "not True"),
        (None, "0.1", "not '0.1'"),
    ],
)
def test_what_cannot_be_is_refused(rows, precision, message):
    with pytest.raises(InputError, match=message):
        check_rows(rows, precision)


# Draws


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 9))
def test_rows_are_drawn_without_replacement(n, m, seed):
    rows = draw_rows(n, m, seed)
    assert len(rows) == min(n, m)
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < n
    np.testing.assert_array_equal(rows, draw_rows(n, m, seed))


def test_each_row_is_drawn_as_often_as_another():
    counts = np.zeros(40)
    for seed in range(2000):
        counts[draw_rows(40, 10, seed)] += 1
    # A row is there in 500 of 2,000 draws, give or take 19.4; counts are negatively correlated.
    z = (counts - 500) / np.sqrt(2000 * 0.25 * 0.75)
    assert stats.chi2.sf((z**2).sum() * 39 / 40, 39) > 1e-3


def test_seeds_and_parts_draw_apart():
    assert not np.array_equal(draw_rows(1000, 50, 0), draw_rows(1000, 50, 1))
    assert not np.array_equal(draw_rows(1000, 50, 0), draw_rows(1000, 50, 0, part=1))


def test_each_group_has_its_own_draw():
    groups = {"a": np.arange(0, 300, 2), "b": np.arange(1, 300, 2), "c": np.array([7, 9])}
    drawn = draw_groups(groups, 40, None, seed=3)
    assert [len(own) for own in drawn.values()] == [40, 40, 2]
    for name, own in drawn.items():
        assert np.isin(own, groups[name]).all()
        assert (np.diff(own) > 0).all()
    assert not np.array_equal(drawn["a"], drawn["b"] - 1)


def test_the_sentence():
    assert Drawn(20_000, 10**6, 4).sentence() == (
        "Evidence from 20,000 of 1,000,000 rows, drawn at random with seed 4: a correlation is "
        "known to ±0.007."
    )


# Columns are settled on all rows, whatever is kept


def _long(n=400):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n).astype(np.float32),
            "scale": rng.integers(0, 10, n),
            "flag": rng.random(n) < 0.5,
            "town": rng.choice(["York", "Hull", "Leeds"], n),
            "id": rng.permutation(n),
        }
    )


def test_kinds_are_those_of_all_rows():
    frame = _long()
    keep = draw_rows(400, 12, 0)
    drawn = Drawn(12, 400, 0)
    table = read_table(frame, keep=keep, drawn=drawn)
    whole = read_table(frame)
    # Twelve rows alone would make the scale continuous, and the identifier a number.
    assert table.kinds == whole.kinds == ("continuous", "ordinal", "binary", "nominal")
    assert [column.name for column in table.left_out] == ["id"]
    assert table.drawn == drawn
    assert read_table(frame.iloc[keep]).kinds != whole.kinds
    for name in table.names:
        column = table.columns[table.names.index(name)]
        values = table.values[:, table.names.index(name)]
        expected = frame[name].to_numpy()[keep]
        if column.levels:
            assert [column.levels[int(code)] for code in values] == list(expected)
        else:
            np.testing.assert_array_equal(values, expected.astype(float))


def test_text_near_the_end_is_noticed():
    frame = _long()
    frame["x"] = frame["x"].astype(object)
    frame.loc[395, "x"] = "broken"
    with pytest.warns(DataWarning, match=r"Cells of text among numbers .*: 1 of 400 in 'x'"):
        read_table(frame, keep=np.arange(100))
    frame.loc[[396, 397], "x"] = "broken"
    table = read_table(frame, keep=np.arange(100))
    (left_out,) = (column for column in table.left_out if column.name == "x")
    assert left_out.reason == "holds text among numbers (first: 'broken')"
    frame["x"] = _long()["x"]
    frame.loc[395, "x"] = np.inf
    with pytest.warns(DataWarning, match=r"Infinite numbers .*: 1 in 'x'"):
        read_table(frame, keep=np.arange(100))


def test_a_gap_near_the_end_is_refused_if_gaps_are():
    frame = _long()
    frame.loc[399, "x"] = np.nan
    with pytest.raises(InputError, match=r"'x' has 1 missing value.*first: row 399"):
        read_table(frame, missing="error", keep=np.arange(100))


def test_what_does_not_vary_in_the_drawn_rows_is_left_out():
    frame = _long()
    frame["rare"] = np.arange(400) == 399
    frame["levels"] = np.where(np.arange(400) < 100, frame["town"], "Bath")
    table = read_table(frame, keep=np.arange(100), drawn=Drawn(100, 400, 0))
    reasons = {column.name: column.reason for column in table.left_out}
    assert reasons["rare"] == "is constant in the rows that were drawn"
    assert table.columns[table.names.index("levels")].levels == ("Hull", "Leeds", "York")


def test_rows_with_gaps_are_dropped_from_those_that_were_drawn():
    frame = _long()
    frame.loc[::5, "x"] = np.nan
    keep = draw_rows(400, 50, 0)
    table = read_table(frame, missing="drop", keep=keep, drawn=Drawn(50, 400, 0))
    assert len(table) == int((keep % 5 != 0).sum())
    assert table.drawn == Drawn(len(table), 400, 0)


def test_rows_of_a_table_that_has_been_read():
    whole = read_table(_long())
    part = read_table(whole, keep=np.arange(50), drawn=Drawn(50, 400, 1))
    assert isinstance(part, Table)
    np.testing.assert_array_equal(part.values, whole.values[:50])
    assert part.drawn == Drawn(50, 400, 1)
