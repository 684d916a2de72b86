"""Pair copulas of listed pairs only: the numbers are those of the dense fit."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pairs.copulas.levels_cases import pseudo

from spinney._core.pairs import PairIndex, n_pairs, pair_nodes
from spinney.exceptions import InputError
from spinney.pairs.copulas import Clayton, Gaussian, PairCopulas, Student, blocks, sample_down

D, LISTED = 9, np.array([0, 3, 7, 9, 15, 22, 23, 30, 35])
PER_PAIR = (
    *("family_", "rotation_", "parameters_", "n_parameters_", "n_rows_", "known_", "held_out_"),
    *("fold_parameters_", "sample_tau_", "log_likelihood_", "criterion_"),
)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(8)
    blocks = [
        Gaussian(-0.6).sample(120, rng),
        Clayton(1.5, 90).sample(120, rng),
        Student(0.4, 2.0).sample(120, rng),
        rng.uniform(size=(120, 3)),
    ]
    X = np.hstack(blocks)
    X[:, 8] += 0.5 * X[:, 0]
    return X


@pytest.fixture(scope="module")
def tables(numbers):
    """A plain table, and one with levels, gaps and a nominal column."""
    plain = pseudo(numbers, [0] * D).u
    gaps = np.random.default_rng(1).uniform(size=numbers.shape) < 0.15
    gaps[:, [0, 1, 5]] = False
    gaps[:112, 7] = True
    mixed = pseudo(numbers, [0, 0, 3, 0, 2, 0, 4, 0, 0], gaps)
    mixed.nominal[6] = True
    return {"plain": plain, "mixed": mixed}


@pytest.fixture(scope="module")
def dense(tables):
    return {kind: PairCopulas().fit(table) for kind, table in tables.items()}


@pytest.fixture(scope="module")
def compact(tables):
    shuffled = LISTED[np.random.default_rng(0).permutation(LISTED.size)]
    return {kind: PairCopulas().fit(table, pairs=shuffled) for kind, table in tables.items()}


kinds = pytest.mark.parametrize("kind", ["plain", "mixed"])


def same_numbers(compact, dense, pairs=LISTED):
    for name in PER_PAIR:
        np.testing.assert_array_equal(
            getattr(compact, name), getattr(dense, name)[pairs], err_msg=name, strict=True
        )


@kinds
def test_every_number_is_that_of_the_dense_fit(kind, compact, dense):
    np.testing.assert_array_equal(compact[kind].pairs_, LISTED)
    same_numbers(compact[kind], dense[kind])
    np.testing.assert_array_equal(compact[kind].fold_of_row_, dense[kind].fold_of_row_)
    for name in ("fitted_log_density_", "cross_fitted_log_density_"):
        found, expected = getattr(compact[kind], name), getattr(dense[kind], name)[:, LISTED]
        np.testing.assert_array_equal(found, expected)
    table = dense[kind].table_.iloc[LISTED].reset_index(drop=True)
    pd.testing.assert_frame_equal(compact[kind].table_, table, check_exact=True)


def test_something_was_fitted_and_some_of_it_is_left_out(compact, dense):
    # Otherwise the tests of this file would say nothing.
    for kind in compact:
        chosen = compact[kind].family_ != "independence"
        assert 3 <= chosen.sum() < LISTED.size
        assert (dense[kind].family_ != "independence").sum() > chosen.sum()
    assert not compact["mixed"].known_.all()


@kinds
@pytest.mark.parametrize("criterion", ["cv", "bic"])
def test_numbers_depend_neither_on_workers_nor_on_tiles(kind, criterion, tables, monkeypatch):
    expected = PairCopulas(criterion=criterion).fit(tables[kind])
    monkeypatch.setattr(blocks, "MEMORY", 1)  # two variables to a tile
    found = PairCopulas(criterion=criterion, n_jobs=2).fit(tables[kind], pairs=LISTED)
    same_numbers(found, expected)
    np.testing.assert_array_equal(
        found.log_density(tables[kind]), expected.log_density(tables[kind])[:, LISTED]
    )


@given(st.integers(2, 7), st.data())
def test_entries_are_found_as_in_a_plain_list(d, data):
    pairs = st.lists(st.integers(0, n_pairs(d) - 1), max_size=8)
    numbers, wanted = data.draw(pairs), data.draw(pairs)
    listed = sorted(set(numbers))
    index = PairIndex.sorted(d, np.array(numbers, dtype=np.int64))
    places = index.places_of(np.array(wanted, np.int64))
    assert places.tolist() == [listed.index(k) if k in listed else -1 for k in wanted]


@kinds
def test_pairs_that_are_not_listed_are_independence(kind, compact, dense, tables):
    fitted, every = compact[kind], dense[kind]
    asked = np.array([35, 26, 0, 0, 2, 15])
    listed = np.isin(asked, LISTED)
    density = fitted.log_density(tables[kind], pairs=asked)
    expected = every.log_density(tables[kind], pairs=asked)
    np.testing.assert_array_equal(density, np.where(listed, expected, 0.0))
    told, whole = fitted.describe(asked), every.describe(asked)
    pd.testing.assert_frame_equal(told[listed], whole[listed], check_exact=True)
    pd.testing.assert_frame_equal(told[["u", "v"]], whole[["u", "v"]])
    assert set(told.family[~listed]) == {"independence"}
    assert (told.loc[~listed, ["rotation", "tau", "lower_tail", "upper_tail"]] == 0).all(axis=None)
    assert told.parameters[~listed].tolist() == [(), ()]
    assert fitted.log_density(tables[kind], pairs=[1, 2]).any() == np.False_
    assert fitted.log_density(tables[kind], pairs=[]).shape == (120, 0)


@kinds
def test_copulas_of_two_columns_are_found_by_name_and_position(kind, compact, dense):
    first, second = pair_nodes(D)
    for pair in range(n_pairs(D)):
        u, v = int(first[pair]), int(second[pair])
        for i, j in ((u, v), (v, u)):
            found = compact[kind].copula(i, j)
            if pair in LISTED:
                assert found == dense[kind].copula(i, j)
            else:
                assert found.family == "independence"


def test_rows_drawn_down_listed_pairs_are_those_of_the_dense_fit(compact, dense):
    # Pairs (0, 1), (2, 3) and (0, 8) are listed; 4 hangs from 8 by a pair that is not.
    parents = np.full((300, D), -1)
    parents[:, [1, 2, 8]] = 0, 3, 0
    expected = sample_down(dense["plain"], parents, random_state=5)
    np.testing.assert_array_equal(sample_down(compact["plain"], parents, random_state=5), expected)
    parents[:, 4] = 8
    drawn = sample_down(compact["plain"], parents, random_state=5)
    np.testing.assert_array_equal(drawn, expected)  # as if it were a root


def test_a_list_of_every_pair_is_a_list_and_no_list_is_dense(tables, dense):
    every = PairCopulas().fit(tables["plain"], pairs=np.arange(n_pairs(D)))
    assert every.pairs_.tolist() == list(range(n_pairs(D)))
    same_numbers(every, dense["plain"], np.arange(n_pairs(D)))
    assert dense["plain"].pairs_ is None


@kinds
def test_an_empty_list_is_a_table_of_independent_columns(kind, tables):
    empty = PairCopulas().fit(tables[kind], pairs=[])
    assert empty.pairs_.tolist() == []
    assert empty.log_density(tables[kind]).shape == (120, 0)
    assert empty.fitted_log_density_.shape == (120, 0)
    assert not empty.log_density(tables[kind], pairs=[0, 7]).any()
    assert empty.copula(0, 1).family == "independence"
    assert len(empty.table_) == 0


def test_a_second_fit_forgets_the_list_of_the_first(tables, dense):
    twice = PairCopulas().fit(tables["plain"], pairs=[3])
    assert len(twice.table_) == 1
    twice.fit(tables["plain"])
    same_numbers(twice, dense["plain"], np.arange(n_pairs(D)))
    assert len(twice.table_) == n_pairs(D)


@pytest.mark.parametrize("pairs", [[36], [-1], [0.5]])
def test_pairs_that_do_not_exist_are_refused(pairs, tables, compact):
    for refuse in (
        lambda: PairCopulas().fit(tables["plain"], pairs=pairs),
        lambda: compact["plain"].describe(pairs),
        lambda: compact["plain"].log_density(tables["plain"], pairs=pairs),
    ):
        with pytest.raises(InputError, match=r"no pair|whole numbers"):
            refuse()


def test_nothing_has_the_length_of_all_pairs():
    d, n = 5000, 16  # reading takes memory for each column
    U = pseudo(np.random.default_rng(0).normal(size=(n, d)), [0] * d).u
    pairs = [0, 1, n_pairs(d) - 1]
    first = PairCopulas().fit(U[:, :4], pairs=[0])  # compile and import
    first.log_density(U[:, :4])
    first.describe([0])
    tracemalloc.start()
    fitted = PairCopulas().fit(U, pairs=pairs)
    fitted.log_density(U)
    fitted.describe([0, 77, n_pairs(d) - 1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n_pairs(d)  # bytes: not even a flag for each


@given(st.integers(2, 30), st.data())
def test_tiles_hold_each_of_some_pairs_once(d, data):
    numbers = data.draw(st.lists(st.integers(0, n_pairs(d) - 1), unique=True, max_size=40))
    most = data.draw(st.integers(1, 12))
    (first, second), seen = PairIndex.sorted(d, numbers).ends, []
    for tile in blocks._tiles(first, second, np.arange(first.size), most):
        assert np.union1d(first[tile], second[tile]).size <= max(most, 2)
        seen.extend(tile)
    assert sorted(seen) == list(range(len(numbers)))
