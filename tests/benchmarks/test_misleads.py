"""The tables that mislead are what they are said to be, and rows count what they say."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.misleads import __main__ as command
from benchmarks.misleads import tables
from benchmarks.misleads.rows import Row, all_rows


def rng(seed=0):
    return np.random.default_rng(seed)


def test_rows_have_names_and_columns_of_their_own():
    rows = list(all_rows())
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        frame = row.draw(row.n, rng())
        assert len(frame) == row.n
        assert {name for pair in row.pairs or () for name in pair} <= set(frame)
        assert row.unit is None or row.unit in frame


@pytest.mark.parametrize("draw", [tables.square, tables.threshold, tables.sine])
def test_common_causes_leave_nothing_once_their_function_is_given(draw):
    frame = draw(20_000, rng())
    act = {
        "square": np.square,
        "threshold": lambda y: 3.0 * (y > 1),
        "sine": lambda y: np.sin(3 * y),
    }[draw.__name__]
    rest = frame[["x", "z"]].sub(act(frame["y"]), axis=0)
    assert frame["x"].corr(frame["z"]) > 0.3
    assert abs(rest["x"].corr(rest["z"])) < 0.03


def test_units_are_as_alike_as_they_should_be():
    frame = tables.units(200, 0.9, d=3, edge=0.8)(4000, rng())
    means = frame.groupby("unit").transform("mean")
    between = means["v0"].var() / frame["v0"].var()
    assert between == pytest.approx(0.9, abs=0.03)
    within = frame.drop(columns="unit") - means
    assert within["v0"].corr(within["v1"]) == pytest.approx(0.8, abs=0.03)
    assert abs(within["v0"].corr(within["v2"])) < 0.05


def test_pure_interactions_show_in_no_pair():
    frame = tables.exclusive_or(0.0)(20_000, rng()) == "yes"
    assert frame.corr().abs().to_numpy()[np.triu_indices(4, 1)].max() < 0.03
    assert (frame["z"] == (frame["x"] ^ frame["y"])).all()
    frame = tables.sign_by_class(0.8)(20_000, rng())
    assert abs(frame["x"].corr(frame["z"])) < 0.03
    one = frame[frame["y"] == "one"]
    assert one["x"].corr(one["z"]) == pytest.approx(0.8, abs=0.02)


def test_a_row_counts_the_pairs_above_its_probability():
    told = pd.DataFrame(
        [[0, 0.6, 0.97], [0.6, 0, 0.2], [0.97, 0.2, 0]], list("abu"), list("abu"), dtype=float
    )
    row = {"name": "", "aim": "", "draw": tables.square, "n": 1}
    assert Row(**row).value(told) == pytest.approx(2 / 3)
    assert Row(**row, above=0.95).value(told) == pytest.approx(1 / 3)
    assert Row(**row, above=None, pairs=(("a", "b"), ("b", "u"))).value(told) == pytest.approx(0.4)
    assert Row(**row, unit="u").value(told) == 1


def test_values_are_means_over_tables_with_errors(monkeypatch, capsys):
    draw = tables.normal(2)

    def ask(frame, unit, judge):
        p = float(frame.iloc[0, 0] > frame.iloc[0, 1])
        return pd.DataFrame([[0, p], [p, 0]], frame.columns, frame.columns)

    monkeypatch.setattr(command, "ask", ask)
    found = command.run([Row("one", "0", draw, 5, tables=50)], before={"one": {"value": 0.25}})
    expected = np.mean([ask(draw(5, rng([31, k])), None, None).iloc[0, 1] for k in range(50)])
    assert found["one"]["value"] == pytest.approx(expected)
    assert 0.3 < expected < 0.7
    error = (expected * (1 - expected) / 50) ** 0.5
    assert found["one"]["error"] == pytest.approx(error, abs=1e-5)
    assert "0.250" in capsys.readouterr().out
