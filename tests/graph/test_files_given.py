"""Paths of files in place of tables, and ``group=`` beside ``by=``."""

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney.exceptions import InputError
from tests.graph.cases import chains


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.csv"
    chains().assign(half=np.arange(len(chains())) % 2).to_csv(path, index=False)
    return path


def test_learn_takes_a_path(path):
    found = spinney.learn(str(path), compare=False)
    given = spinney.learn(pd.read_csv(path), compare=False)
    np.testing.assert_array_equal(found.probabilities, given.probabilities)
    with pytest.raises(InputError, match="no file"):
        spinney.learn("gone.csv")


def test_groups_by_path_and_under_both_names(path):
    found = [
        spinney.learn_groups(path, by="half", compare=False),
        spinney.learn_groups(str(path), group="half", compare=False),
    ]
    assert found[0].names == found[1].names == ("0", "1")
    with pytest.raises(InputError, match="Which groups"):
        spinney.learn_groups(path)
    with pytest.raises(InputError, match=r"'hafl'.*Did you mean 'half'"):
        spinney.learn_groups(path, "hafl")
