"""Spoils, levels and gaps of the world's tables."""

import numpy as np
import pytest
from scipy import stats

from spinney.simulate import Simulated, random_graph
from spinney.simulate.world import spoils as spoiling
from spinney.simulate.world.sizes import FAMILIAR_SIZES, SIZES, draw_size, work
from spinney.simulate.world.spoils import SPOILS, apply_spoils, choose_spoils
from spinney.simulate.world.tables import FEWEST_PRESENT, cut_columns, gap_mask, settle
from spinney.tables import BINARY, CONTINUOUS, NOMINAL, ORDINAL, read_mixed


@pytest.fixture
def columns(rng):
    return rng.standard_normal((400, 6))


def ranks(X):
    return stats.rankdata(X, axis=0)


def rngs(count):
    return [np.random.default_rng(seed) for seed in range(count)]


def test_no_spoil_leaves_ranks_alone(rng, columns):
    X = columns
    np.testing.assert_array_equal(ranks(apply_spoils(rng, X, [])), ranks(X))


def test_a_spoil_does_not_change_what_others_draw(columns):
    X = columns
    alone = apply_spoils(np.random.default_rng(5), X, ["noise"])
    more = apply_spoils(np.random.default_rng(5), X, ["noise", "negation"])
    np.testing.assert_allclose(np.abs(alone), np.abs(more))


def test_spoils_come_with_their_shares():
    drawn = [choose_spoils(rng) for rng in rngs(3000)]
    for name, share in SPOILS.items():
        assert np.mean([name in spoils for spoils in drawn]) == pytest.approx(share, abs=0.025)


def test_margins_are_bent_and_ranks_kept(columns):
    X = columns
    for rng in rngs(5):
        bent = spoiling.margins(rng, X)
        np.testing.assert_array_equal(ranks(bent), ranks(X))
    assert not np.allclose(bent, X)


def test_negation_turns_whole_columns(rng, columns):
    X = columns
    turned = spoiling.negation(rng, X)
    ratio = turned / X
    assert set(np.unique(ratio)) == {-1.0, 1.0}
    assert (ratio == ratio[0]).all()


def test_noise_lowers_correlations_of_some_columns_only(columns):
    X = columns
    for rng in rngs(10):
        kept = [np.corrcoef(a, b)[0, 1] for a, b in zip(X.T, spoiling.noise(rng, X).T, strict=True)]
        assert min(kept) > 0.6  # at equal sizes of noise and signal, 1 / √2
        assert min(kept) < 0.9999


def test_rounding_makes_ties_but_no_numbered_rows(columns):
    X = columns
    distinct = []
    for rng in rngs(30):
        rounded = spoiling.rounding(rng, X)
        distinct += [len(np.unique(column)) for column in rounded.T]
        assert all(stats.spearmanr(a, b)[0] > 0.9 for a, b in zip(X.T, rounded.T, strict=True))
    assert min(distinct) < 30
    assert max(distinct) == 400  # a column that was not chosen


def test_outliers_are_few_and_gross(columns):
    X = columns
    for rng in rngs(10):
        changed = spoiling.outliers(rng, X) != X
        assert changed.mean() < 0.09


def test_whole_rows_may_be_outliers(columns):
    X = columns
    whole = 0
    for rng in rngs(40):
        rows = (spoiling.outliers(rng, X) != X).mean(axis=1)
        whole += bool(rows.any() and set(rows) <= {0.0, 1.0})
    assert 5 <= whole <= 25


def test_batches_shift_groups_of_rows_alike(columns):
    X = columns
    for rng in rngs(10):
        shift = (spoiling.batches(rng, X) - X).round(9)
        assert 2 <= len(np.unique(shift, axis=0)) <= 6


def test_a_common_influence_is_of_rank_one_and_weak(columns):
    X = columns
    for rng in rngs(10):
        added = spoiling.common_influence(rng, X) - X
        assert np.linalg.matrix_rank(added, tol=1e-9) == 1
        assert added.std(axis=0).max() < 0.6


def test_cut_columns_have_the_levels_that_are_said(columns):
    X = columns
    found = set()
    for rng in rngs(40):
        table, kinds = cut_columns(rng, X)
        found |= set(kinds)
        for before, after, kind in zip(X.T, table.T, kinds, strict=True):
            levels = len(np.unique(after))
            if kind == CONTINUOUS:
                np.testing.assert_array_equal(after, before)
                continue
            low, high = {BINARY: (2, 2), ORDINAL: (3, 10), NOMINAL: (3, 6)}[kind]
            assert low <= levels <= high
            assert np.bincount(after.astype(int)).min() >= 0.03 * len(X)
            # Levels are ranges of the values behind; those of nominal columns in any order.
            runs = 1 + np.count_nonzero(np.diff(after[np.argsort(before)]))
            assert runs == levels
            if kind != NOMINAL:
                assert (np.diff(after[np.argsort(before)]) >= 0).all()
    assert found == {CONTINUOUS, ORDINAL, BINARY, NOMINAL}


@pytest.mark.parametrize("n", [10, 40, 1000])
def test_gaps_leave_every_column_some_values(n):
    graph = random_graph(7, 2, 1, 0)
    shares = []
    for rng in rngs(60):
        missing = gap_mask(rng, rng.standard_normal((n, 7)), graph)
        shares.append(missing.mean())
        assert missing.any()
        assert (~missing).sum(axis=0).min() >= FEWEST_PRESENT
    assert max(shares) < 0.6


def test_gaps_may_depend_on_other_columns(rng):
    X = rng.standard_normal((2000, 2))
    graph = np.array([[False, True], [True, False]])
    p = []
    for seed in range(30):
        missing = gap_mask(np.random.default_rng(seed), X, graph)
        if missing[:, 0].any() and not missing[:, 1].any():
            p.append(stats.mannwhitneyu(X[missing[:, 0], 1], X[~missing[:, 0], 1]).pvalue)
    assert min(p) < 1e-6


@pytest.mark.parametrize(
    ("column", "kind", "expected", "levels"),
    [
        (np.arange(30) % 3 * 2.0, ORDINAL, ORDINAL, 3),  # the levels 1 and 3 are not there
        (np.arange(30) % 2 * 4.0, NOMINAL, BINARY, 2),
        (np.arange(30) % 8 * 1.0, NOMINAL, NOMINAL, 6),  # five rows a level
        (np.arange(30) % 20 * 1.0, ORDINAL, ORDINAL, 10),
        (np.zeros(30), BINARY, BINARY, 2),
        (np.zeros(30), CONTINUOUS, BINARY, 2),
        (np.arange(30) % 5 * 0.3, CONTINUOUS, ORDINAL, 5),
        (np.arange(30) ** 1.5, CONTINUOUS, CONTINUOUS, 30),
        (np.arange(30) % 12 * 0.3, CONTINUOUS, CONTINUOUS, 12),
    ],
)
def test_settled_columns_are_read_as_they_are_meant(rng, column, kind, expected, levels):
    X, kinds = settle(rng, np.column_stack([column, rng.standard_normal(30)]), (kind, CONTINUOUS))
    assert kinds == (expected, CONTINUOUS)
    assert len(np.unique(X[:, 0])) == levels
    read = read_mixed(Simulated(X, np.zeros((2, 2), dtype=bool), "t", {}, 0, kinds=kinds).table)
    assert tuple(c.kind for c in read.columns) == kinds
    assert not read.left_out


def test_sizes_keep_to_their_ranges():
    for sizes in (SIZES, FAMILIAR_SIZES):
        drawn = [draw_size(rng, sizes, (2, 150), (10, 5000), 1.2e6) for rng in rngs(2000)]
        assert max(work(d, n) for d, n in drawn) <= 1.2e6
        for values, ranges in zip(zip(*drawn, strict=True), sizes, strict=True):
            assert min(low for _, low, _ in ranges) <= min(values)
            assert max(values) <= max(high for _, _, high in ranges)


def test_columns_are_drawn_log_uniformly_whatever_the_work():
    d = np.array([draw_size(rng, SIZES, (2, 150), (10, 5000), 1.2e6)[0] for rng in rngs(4000)])
    assert (d <= 4).mean() == pytest.approx(0.05, abs=0.015)
    middle = (d >= 5) & (d < 15)  # log(15 / 5) / log(46 / 5) of the 85 %
    assert middle.mean() == pytest.approx(0.85 * np.log(3) / np.log(46 / 5), abs=0.03)
    assert (d > 45).mean() == pytest.approx(0.1, abs=0.015)
