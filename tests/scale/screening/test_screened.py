"""The list of pairs that passed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import load_model
from spinney._core.pairs import n_pairs, pair_nodes
from spinney._core.state import save_model
from spinney.exceptions import InputError
from spinney.scale.screening import Screened


def some_pairs(d, seed):
    rng = np.random.default_rng(seed)
    pairs = np.flatnonzero(rng.uniform(size=n_pairs(d)) < 0.3)
    return Screened(d, pairs, rng.uniform(3, 9, pairs.size).astype(np.float32), 0.01, 5)


@given(st.integers(2, 20), st.integers(0, 99))
def test_ends_are_those_of_the_numbers(d, seed):
    screened = some_pairs(d, seed)
    first, second = pair_nodes(d)
    np.testing.assert_array_equal(screened.first, first[screened.pairs])
    np.testing.assert_array_equal(screened.second, second[screened.pairs])
    assert len(screened) == screened.pairs.size


@given(st.integers(2, 12), st.integers(0, 99), st.data())
def test_pairs_within_some_columns_are_those_with_both_ends_there(d, seed, data):
    screened = some_pairs(d, seed)
    nodes = data.draw(st.permutations(range(d)).map(lambda p: p[: data.draw(st.integers(0, d))]))
    local, places = screened.within(nodes)
    there = {(u, v) for u, v in zip(screened.first, screened.second, strict=True)}
    expected = [
        (k, {nodes[i], nodes[j]})
        for k, (i, j) in enumerate(zip(*pair_nodes(len(nodes)), strict=True))
        if (min(nodes[i], nodes[j]), max(nodes[i], nodes[j])) in there
    ]
    assert local.tolist() == [k for k, _ in expected]
    found = [{screened.first[p], screened.second[p]} for p in places]
    assert found == [ends for _, ends in expected]


@pytest.mark.parametrize("nodes", [[0, 0], [-1, 2], [1, 5], [[0, 1]]])
def test_within_refuses_what_is_no_choice_of_columns(nodes):
    with pytest.raises(InputError, match="columns from 0 to 4, each of them once"):
        some_pairs(5, 0).within(nodes)


@pytest.mark.parametrize("pairs", [[1, 0], [0, 0], [-1, 2], [0, 6]])
def test_pairs_must_be_ascending_and_exist(pairs):
    with pytest.raises(InputError, match="from 0 to 5, ascending"):
        Screened(4, np.array(pairs), np.ones(2, dtype=np.float32), 0.01, 5)


def test_each_pair_has_a_strength():
    with pytest.raises(InputError, match="a strength for each"):
        Screened(4, np.array([0, 1]), np.ones(3, dtype=np.float32), 0.01, 5)


def test_a_model_file_keeps_it(tmp_path):
    screened = some_pairs(9, 3)
    back = load_model(save_model(screened, tmp_path / "screened.spinney"))
    np.testing.assert_array_equal(back.pairs, screened.pairs)
    np.testing.assert_array_equal(back.strength, screened.strength)
    assert back.strength.dtype == np.float32
    assert (back.n_nodes, back.level, back.partners) == (9, 0.01, 5)
