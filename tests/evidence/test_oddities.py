"""A table that is unlike those of training is told in words of its columns and rows."""

import numpy as np
import pandas as pd
import pytest

from spinney import learn
from spinney.evidence import measure
from spinney.evidence.out_of_distribution import oddities
from spinney.exceptions import DataWarning
from spinney.tables import read_table


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))


def told(frame):
    return " ".join(map(str, oddities(measure(read_table(frame)))))


def test_nothing_in_particular(frame):
    assert told(frame).startswith("No single column or row explains it")


def test_copies(frame):
    assert (
        told(frame.assign(e=-np.exp(frame["b"])))
        == "b – e carry nearly the same information: keep one of them."
    )
    site = np.array(["u", "v", "w"])[np.arange(120) % 3]
    named = frame.assign(site=site, code=[{"u": "x", "v": "y", "w": "z"}[s] for s in site])
    assert "site – code carry nearly the same information" in told(named)


def test_a_column_that_follows_from_others(frame, rng):
    nearly = frame.sum(axis=1) + 0.1 * rng.normal(size=len(frame))  # an exact sum is left out
    found = told(frame.assign(sum=nearly))
    assert found.endswith("follows from the other columns: leave it out.")


def test_repeats(frame):
    assert told(pd.concat([frame, frame.iloc[:20]])).startswith("20 of 140 rows repeat others")


def test_few_rows(rng):
    assert told(pd.DataFrame(rng.normal(size=(12, 20)))).endswith(
        "It has only 12 rows for 20 columns: choose fewer columns, or collect rows."
    )


def test_gaps_and_values(frame):
    frame["b"] = frame["b"].where(frame.index < 30)
    frame["c"] = (frame.index > 112).astype(int)
    assert told(frame) == (
        "'b' is missing in 75 % of the rows: leave it out. 'c' has one value in 94 % of the rows: "
        "leave it out."
    )


def test_rows_that_are_much_alike(frame):
    assert "Neighbouring rows are much alike" in told(frame.cumsum())


def test_copies_are_told_once(rng):
    """By what makes the table unlike others, and not again as twins."""
    X = np.repeat(rng.normal(size=(200, 2)), 8, axis=1)
    X += 1e-3 * rng.normal(size=X.shape)
    with pytest.warns(
        DataWarning, match="carry nearly the same information: keep one of each pair"
    ):
        found = learn(X)
    assert sum("nearly the same" in each for each in found.warnings[:3]) == 1
    assert ".check() shows how well they do here" in " ".join(str(found).split())
