"""Levels: masses, when ties count as levels, and how measurements with ties are grouped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.pairs.margins import MOST_LEVELS, TIED
from spinney.pairs.margins.levels import Groups, counts_need_levels, level_masses
from spinney.pairs.margins.ranks import EmpiricalRanks, tied_share

COUNTS = st.lists(st.integers(1, 60), min_size=2, max_size=80)


def test_tied_share_counts_pairs_of_rows(rng):
    x = rng.integers(0, 6, size=40)
    pairs = [(i, j) for i in range(40) for j in range(i)]
    share = np.mean([x[i] == x[j] for i, j in pairs])
    assert tied_share(np.unique(x, return_counts=True)[1]) == pytest.approx(share, rel=1e-14)


def test_masses_are_shares_and_never_zero():
    codes = np.array([0, 0, 0, 2, 2, 4])
    assert level_masses(codes, 5) * 7.0 == pytest.approx([3.0, 0.5, 2.0, 0.5, 1.0], rel=1e-14)
    assert level_masses(np.array([1, 0, 1, 1]), 2).tolist() == [0.25, 0.75]
    assert level_masses(np.empty(0, dtype=np.int64), 4).tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("column", "auto"),
    [
        (lambda x: x, False),
        (lambda x: x.round(2), False),  # two decimals of a normal column
        (lambda x: x.round(0), True),
        (lambda x: np.maximum(x, np.quantile(x, 0.10)), False),
        (lambda x: np.maximum(x, np.quantile(x, 0.25)), True),
    ],
)
def test_heavy_ties_are_seen(rng, column, auto):
    x = column(rng.normal(size=600))
    counts = np.unique(x, return_counts=True)[1]
    assert (tied_share(counts) > TIED) == auto
    assert counts_need_levels(counts, "auto") == auto
    assert counts_need_levels(counts, "levels") == (counts > 1).any()
    for ties in ("average", "random"):
        assert not counts_need_levels(counts, ties)


def test_few_rows_show_no_lattice():
    assert not counts_need_levels(np.array([14, 14]), "auto")
    assert counts_need_levels(np.array([28, 28]), "auto")


@given(COUNTS)
def test_groups_are_runs_that_cover_all_values(counts):
    counts = np.array(counts)
    values = np.cumsum(np.arange(1.0, len(counts) + 1.0))
    groups = Groups.fit(values, counts)
    codes = groups.codes(values)
    assert len(groups.masses) <= MOST_LEVELS
    assert np.array_equal(np.unique(codes), np.arange(len(groups.masses)))
    assert np.all(np.diff(codes) >= 0)
    held = np.bincount(codes, weights=counts) / counts.sum()
    assert groups.masses == pytest.approx(held, rel=1e-12)
    if len(counts) <= MOST_LEVELS:
        assert len(groups.masses) == len(counts)
    alone = counts >= 2.0 / MOST_LEVELS * counts.sum()
    assert np.all(np.bincount(codes)[codes[alone]] == 1)


@given(COUNTS)
def test_new_values_fall_to_the_nearest_value(counts):
    counts = np.array(counts)
    values = np.sqrt(np.arange(1.0, len(counts) + 1.0))
    groups = Groups.fit(values, counts)
    x = np.linspace(values[0] - 1.0, values[-1] + 1.0, 997)
    nearest = np.argmin(np.abs(x[:, None] - values), axis=1)
    assert np.array_equal(groups.codes(x), groups.codes(values)[nearest])


def test_a_run_of_rare_values_is_cut_into_equal_parts():
    # 700 zeros, then 1400 values that occur once: 14 groups of 100.
    groups = Groups.fit(np.arange(1401.0), np.append(700, np.ones(1400, dtype=int)))
    assert groups.masses * 2100 == pytest.approx([700.0] + [100.0] * 14, rel=1e-12)
    assert groups.boundaries[:2].tolist() == [0.5, 100.5]


def test_most_large_values_and_runs_still_fit():
    counts = np.ones(99, dtype=int)
    counts[[7, 20, 35, 50, 65, 80, 90]] = 1000  # each a seventh, with runs all around
    groups = Groups.fit(np.arange(99.0), counts)
    assert len(groups.masses) == 15
    assert np.sum(groups.masses > 0.1) == 7


def test_neighbouring_numbers_stay_apart():
    values = np.array([1.0, np.nextafter(1.0, 2.0), 3.0])
    groups = Groups.fit(values, np.array([5, 5, 5]))
    assert groups.codes(values).tolist() == [0, 1, 2]


def test_observed_values_come_back_in_their_proportions(rng):
    x = np.concatenate([np.zeros(300), rng.integers(1, 40, size=600)])
    ranks = EmpiricalRanks.fit(x)
    groups = Groups.fit(ranks.values, ranks.counts)
    depth = (np.arange(len(x)) + 0.5) / len(x)
    for level, mass in enumerate(groups.masses):
        inside = np.sort(x[groups.codes(x) == level])
        size = round(mass * len(x))
        depth = (np.arange(size) + 0.5) / size
        assert np.array_equal(groups.observed(ranks, np.full(size, level), depth), inside)
