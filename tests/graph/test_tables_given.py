"""Tables and options of all sorts at the front door: they work, or are refused in a sentence."""

import numpy as np
import pandas as pd
import pytest

from spinney import SharedForest, learn
from spinney.exceptions import DataWarning, InputError
from tests.graph.cases import plain_judge

PLAIN = plain_judge()


@pytest.fixture(scope="module")
def frame():
    X = np.random.default_rng(0).normal(size=(60, 4)).cumsum(axis=1)
    return pd.DataFrame(X, columns=list("abcd"))


def judged(table, **options):
    return learn(table, judge=PLAIN, compare=False, **options)


def test_tables_of_other_libraries_keep_their_names(frame):
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    expected = judged(frame).learner.edge_probabilities_
    for table in (pa.Table.from_pandas(frame), pl.from_pandas(frame), pl.from_pandas(frame).lazy()):
        found = judged(table)
        assert found.names == ("a", "b", "c", "d")
        assert list(found.learner.feature_names_in_) == list(frame)
        np.testing.assert_array_equal(found.learner.edge_probabilities_, expected)


@pytest.mark.parametrize("name", [None, np.nan, 7])
def test_a_column_without_a_name(frame, name):
    table = frame.set_axis(["a", name, "c", "d"], axis=1)
    assert judged(table).names == tuple(map(str, table.columns))


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_seeds_that_are_none(frame, seed):
    message = f"random_state must be a whole number that is not negative.* it is {seed!r}"
    with pytest.raises(InputError, match=message):
        judged(frame, random_state=seed)
    with pytest.raises(InputError, match=message):
        SharedForest(random_state=seed).fit(frame)


def test_infinite_numbers_do_not_stop_a_table(frame):
    with pytest.warns(DataWarning, match="taken as missing values: 1 in 'b'"):
        found = judged(frame.assign(b=frame["b"].where(frame.index != 3, np.inf)))
    assert found.names == tuple(frame)
    assert any("taken as missing values" in said for said in found.warnings)
