"""``learn``: tables and options of all sorts work, or are refused in a sentence."""

import warnings

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import SharedForest
from spinney.datasets import load_sachs
from spinney.exceptions import DataWarning, InputError
from tests.graph.cases import chains, plain_judge

PLAIN = plain_judge()


@pytest.fixture(scope="module")
def frame():
    X = np.random.default_rng(0).normal(size=(60, 4)).cumsum(axis=1)
    return pd.DataFrame(X, columns=list("abcd"))


def judged(table, **options):
    return spinney.learn(table, judge=PLAIN, **options)


def test_a_data_set_is_told_to_pass_its_table():
    with pytest.raises(InputError, match=r"holds one: pass its attribute \.X\."):
        spinney.learn(load_sachs())


def test_a_warning_points_at_the_call():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spinney.learn(np.random.default_rng(0).normal(size=(12, 3)), judge=PLAIN)
    assert {each.filename for each in caught} == {__file__}


def test_files_and_tables_of_other_libraries_are_as_frames(frame, tmp_path):
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    expected = judged(frame).learner.edge_probabilities_
    polars = pl.from_pandas(frame)
    for table in (pa.Table.from_pandas(frame), polars, polars.lazy(), str(tmp_path / "rows.csv")):
        found = judged(table)
        assert found.names == ("a", "b", "c", "d")
        assert list(found.learner.feature_names_in_) == list(frame)
        np.testing.assert_allclose(found.learner.edge_probabilities_, expected, rtol=1e-12)
    with pytest.raises(InputError, match="no file"):
        judged("gone.csv")


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


def test_groups_by_path(tmp_path):
    path = tmp_path / "rows.csv"
    chains().assign(half=np.arange(len(chains())) % 2).to_csv(path, index=False)
    first, second = (
        spinney.learn_groups(path, "half"),
        spinney.learn_groups(str(path), group="half"),
    )
    assert first.names == second.names == ("0", "1")
    with pytest.raises(InputError, match=r"'hafl'.*Did you mean 'half'"):
        spinney.learn_groups(path, "hafl")
