"""Rows that pairs have in common; gaps that depend on other columns."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from spinney._core.pairs import pair_nodes
from spinney.tables import common_rows, informative_gaps, read_table
from spinney.tables.advice import gaps_that_depend


def make_table(seed=0, n=200):
    """Four columns of different kinds that are independent, and complete."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.normal(size=n),
            "score": rng.integers(1, 6, size=n),
            "colour": rng.choice(["red", "green", "blue", "white"], size=n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def punch(frame, column, rows):
    return frame.assign(**{column: frame[column].astype(object).where(~np.asarray(rows), None)})


def test_common_rows_are_counted(rng):
    values = rng.normal(size=(40, 5))
    values[rng.random(values.shape) < 0.3] = np.nan
    table = read_table(values)
    expected = [
        int((~np.isnan(values[:, u]) & ~np.isnan(values[:, v])).sum())
        for u, v in zip(*pair_nodes(5), strict=True)
    ]
    assert common_rows(table).tolist() == expected
    assert common_rows(table).dtype == np.int64


@pytest.mark.parametrize("cause", ["z", "score", "colour"])
def test_gaps_that_depend_on_a_column_are_found(cause, rng):
    frame = make_table()
    likely = {
        "z": frame["z"] > 0.5,
        "score": frame["score"] > 3,
        "colour": frame["colour"] == "red",
    }
    frame = punch(frame, "x", likely[cause] & (rng.random(200) < 0.7))
    found = informative_gaps(read_table(frame))
    assert [(gap.column, gap.depends_on) for gap in found] == [("x", cause)]
    assert found[0].p < 1e-3


def test_p_values_are_those_of_scipy_after_holm(rng):
    frame = punch(make_table(3, n=400), "x", rng.random(400) < 0.3)
    frame = punch(frame, "score", rng.random(400) < 0.2)
    gone = {name: frame[name].isna() for name in ("x", "score")}
    p = {}
    for column in gone:
        for other in frame:
            if other == column:
                continue
            there = frame[other].notna()
            dummies = pd.get_dummies(frame[[other]]) if other == "colour" else frame[[other]]
            tests = [
                mannwhitneyu(
                    values[there & gone[column]], values[there & ~gone[column]], method="asymptotic"
                )
                for _, values in dummies.astype(float).items()
            ]
            p[column, other] = min(1.0, len(tests) * min(test.pvalue for test in tests))
    ordered = sorted(p.items(), key=lambda item: item[1])
    expected, largest = {}, 0.0
    for k, (key, value) in enumerate(ordered):
        largest = max(largest, min(1.0, value * (len(ordered) - k)))
        expected[key] = largest
    found = {
        (gap.column, gap.depends_on): gap.p for gap in informative_gaps(read_table(frame), 1.0)
    }
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-10)


def test_rare_levels_are_not_tested():
    """Levels seen twice would give tiny p-values by chance."""
    colour = np.array(["red"] * 100 + ["blue"] * 80 + ["mauve"] * 3 + ["puce"] * 17)
    gone = np.zeros(200, dtype=bool)
    gone[[*range(20), *range(100, 117), 180, 181, 182]] = True  # 20 %, and all that are mauve
    frame = punch(make_table().assign(colour=colour), "x", gone)
    found = {gap.depends_on: gap.p for gap in informative_gaps(read_table(frame), 1.0)}
    assert found["colour"] > 0.5


def test_gaps_at_random_say_nothing():
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = make_table(seed, n=120)
        for name in frame:
            frame = punch(frame, name, rng.random(120) < 0.25)
        alarms += bool(informative_gaps(read_table(frame)))
    assert alarms <= 3  # 0.6 are expected; four or more by chance once in 250 times


def test_tables_where_nothing_can_be_tested():
    frame = make_table(n=30)
    assert informative_gaps(read_table(frame)) == []
    assert informative_gaps(read_table(punch(frame, "x", np.arange(30) < 4))) == []
    together = punch(punch(frame, "x", np.arange(30) < 8), "z", np.arange(30) < 8)
    found = informative_gaps(read_table(together), 1.0)
    assert ("x", "z") not in {(gap.column, gap.depends_on) for gap in found}


def test_the_warning_is_one_sentence():
    frame = make_table()
    one = punch(frame, "x", frame["z"] > 0.5)
    message = (
        r"^Values are not missing at random: whether 'x' is missing depends on 'z' "
        r"\(p (=|<) .*\)\. Doubt edges between columns that both depend on such a cause\.$"
    )
    assert re.search(message, str(gaps_that_depend(read_table(one))))
    many = frame.assign(**{f"y{k}": np.where(frame["z"] > 0.5, np.nan, 1 / (k + frame["x"] ** 2))
                           for k in range(1, 6)})  # fmt: skip
    found = gaps_that_depend(read_table(many))
    assert set(found.columns) == {f"y{k}" for k in range(1, 6)}
    assert set(found.facts["depend_on"]) == {"z"}
    assert gaps_that_depend(read_table(frame)) is None
