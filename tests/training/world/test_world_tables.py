"""Spoils, levels and gaps of the world's tables."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from training.world.sizes import (
    CHEAP,
    DEAR_CHEAP,
    DEAR_SIZES,
    FAMILIAR_SIZES,
    LARGE_SIZES,
    SIZES,
    draw_size,
    work,
)
from training.world.spoils import SPOILS, apply_spoils, choose_spoils
from training.world.tables import (
    FEWEST_PRESENT,
    SLOPE,
    _intercept,
    cut_columns,
    gap_mask,
    gaps_by_columns,
    settle,
)

from spinney.simulate import Simulated, gaussian_mrf, random_graph
from spinney.tables import BINARY, CONTINUOUS, NOMINAL, ORDINAL, read_table
from training.world import spoils as spoiling


@pytest.fixture(name="X")
def columns(rng):
    return rng.standard_normal((400, 6))


def ranks(X):
    return stats.rankdata(X, axis=0)


def rngs(count):
    return [np.random.default_rng(seed) for seed in range(count)]


def test_no_spoil_leaves_ranks_alone(rng, X):
    np.testing.assert_array_equal(ranks(apply_spoils(rng, X, [])), ranks(X))


def test_a_spoil_does_not_change_what_others_draw(X):
    alone = apply_spoils(np.random.default_rng(5), X, ["noise"])
    more = apply_spoils(np.random.default_rng(5), X, ["noise", "negation"])
    np.testing.assert_allclose(np.abs(alone), np.abs(more))


def test_spoils_come_with_their_shares():
    drawn = [choose_spoils(rng) for rng in rngs(3000)]
    for name, share in SPOILS.items():
        assert np.mean([name in spoils for spoils in drawn]) == pytest.approx(share, abs=0.025)


def test_margins_are_bent_and_ranks_kept(X):
    for rng in rngs(5):
        bent = spoiling.margins(rng, X)
        np.testing.assert_array_equal(ranks(bent), ranks(X))
    assert not np.allclose(bent, X)


def test_negation_turns_whole_columns(rng, X):
    turned = spoiling.negation(rng, X)
    ratio = turned / X
    assert set(np.unique(ratio)) == {-1.0, 1.0}
    assert (ratio == ratio[0]).all()


def test_noise_lowers_correlations_of_some_columns_only(X):
    for rng in rngs(10):
        kept = [np.corrcoef(a, b)[0, 1] for a, b in zip(X.T, spoiling.noise(rng, X).T, strict=True)]
        assert min(kept) > 0.6  # at equal sizes of noise and signal, 1 / √2
        assert min(kept) < 0.9999


def test_rounding_makes_ties_but_no_numbered_rows(X):
    distinct = []
    for rng in rngs(30):
        rounded = spoiling.rounding(rng, X)
        distinct += [len(np.unique(column)) for column in rounded.T]
        assert all(stats.spearmanr(a, b)[0] > 0.9 for a, b in zip(X.T, rounded.T, strict=True))
    assert min(distinct) < 30
    assert max(distinct) == 400  # a column that was not chosen


def test_outliers_are_few_and_gross(X):
    for rng in rngs(10):
        changed = spoiling.outliers(rng, X) != X
        assert changed.mean() < 0.09


def test_whole_rows_may_be_outliers(X):
    whole = 0
    for rng in rngs(40):
        rows = (spoiling.outliers(rng, X) != X).mean(axis=1)
        whole += bool(rows.any() and set(rows) <= {0.0, 1.0})
    assert 5 <= whole <= 25


def test_batches_shift_groups_of_rows_alike(X):
    for rng in rngs(10):
        shift = (spoiling.batches(rng, X) - X).round(9)
        assert 2 <= len(np.unique(shift, axis=0)) <= 6


def test_a_common_influence_is_of_rank_one_and_bounded(X):
    strong = skewed = 0
    for rng in rngs(80):
        added = spoiling.common_influence(rng, X) - X
        u, size, v = np.linalg.svd(added, full_matrices=False)
        assert size[1] < 1e-12 * size[0]
        series, loadings = u[:, 0] / u[:, 0].std(), size[0] * v[0] * u[:, 0].std()
        assert np.abs(loadings).max() < 0.8 * 1.2  # the series has a spread of about one
        one_sign = abs(np.sign(loadings).sum()) == len(loadings)
        strong += one_sign and np.abs(loadings).min() > 0.26
        skewed += abs(stats.skew(series)) > 1.5  # of a square of a normal number, 2.8
    assert 10 <= strong <= 32  # a quarter of 80, three standard deviations either way
    assert 8 <= skewed <= 32


def test_swelling_multiplies_rows_by_one_positive_number(X):
    shifted = 0
    for rng in rngs(40):
        swollen = spoiling.swelling(rng, X)
        # (x + s) f of two columns: their difference has no shift, and the ratio is the factor.
        factors = (swollen[:, :1] - swollen[:, 1:]) / (X[:, :1] - X[:, 1:])
        np.testing.assert_allclose(factors, factors[:, :1].repeat(5, axis=1), rtol=1e-6)
        assert factors.min() > 0
        assert 0.08 < np.log(factors[:, 0]).std() < 0.6
        shift = swollen / factors[:, :1] - X
        np.testing.assert_allclose(shift, shift[0, 0], atol=1e-6)
        assert abs(shift[0, 0]) < 1e-6 or 0.5 <= shift[0, 0] <= 3.0
        shifted += shift[0, 0] > 0.1
    assert 10 <= shifted <= 30


def test_populations_are_two_to_four_each_shifted_and_stretched(rng):
    # Rows with the same values, so that populations show as distinct rows.
    rows = rng.standard_normal((2, 5))
    X = rows[np.arange(600) % 2]
    counts = set()
    for own in rngs(60):
        mixed = spoiling.populations(own, X)
        first, second = (np.unique(mixed[k::2].round(9), axis=0) for k in (0, 1))
        counts.add(len(first))
        assert len(first) <= 4
        assert len(second) <= 4
    assert counts >= {2, 3, 4}
    # Within one population, columns are linear in what they were.
    line = np.linspace(-2, 2, 500)[:, None].repeat(3, axis=1)
    stretched = spoiling.populations(np.random.default_rng(2), line)
    slopes = np.diff(stretched, axis=0) / np.diff(line, axis=0)
    common, times = np.unique(slopes[:, 0].round(6), return_counts=True)
    assert (times > 20).sum() >= 2
    assert (common[times > 20] > 0).all()


def test_a_floor_drowns_low_values_and_leaves_high_ones(X):
    for rng in rngs(20):
        drowned = spoiling.floor(rng, X)
        touched = (drowned != X).any(axis=0)
        assert touched.mean() >= 0.5
        for before, after in zip(X[:, touched].T, drowned[:, touched].T, strict=True):
            order = np.argsort(before)
            slope = stats.linregress(before[order[-80:]], after[order[-80:]]).slope
            assert 0.3 < slope < 1.6  # s at the top, where noise does not count much
            # The lowest tenth is read higher than the logarithm of what it is, by noise.
            excess = after - slope * before
            assert excess[order[:40]].mean() > excess[order[-40:]].mean()
            assert excess[order[:40]].std() > excess[order[-40:]].std()


def test_cut_columns_have_the_levels_that_are_said(X):
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


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.95])
def test_the_intercept_makes_the_mean_the_share(share):
    """Against quadrature of the logistic over all ranks."""
    mean, _ = integrate.quad(lambda u: special.expit(_intercept(share) + SLOPE * (2 * u - 1)), 0, 1)
    assert mean == pytest.approx(share, rel=1e-9)


def test_dependent_gaps_follow_a_whole_neighbour_by_the_logistic():
    n, share = 20_000, 0.4
    data = gaussian_mrf(n, 25, 2, 1, 4)
    missing = gaps_by_columns(data.X, data.adjacency, share, 4)
    holey = np.flatnonzero(missing.any(axis=0))
    whole = np.flatnonzero(~missing.any(axis=0))
    assert len(holey) == 12
    found = missing[:, holey].mean(axis=0)
    assert (abs(found - share) < 4 * np.sqrt(share * (1 - share) / n)).all()
    ranks = stats.norm.cdf(data.X)
    signs = []
    for column in holey:
        association = [np.corrcoef(missing[:, column], ranks[:, k])[0, 1] for k in whole]
        strongest = int(np.argmax(np.abs(association)))
        near = data.adjacency[column, whole]
        assert near[strongest] or not near.any()
        sign = np.sign(association[strongest])
        signs.append(sign)
        tenth = (10 * ranks[:, whole[strongest]]).astype(int)
        rates = np.array([missing[tenth == k, column].mean() for k in range(10)])
        middle = (np.arange(10) + 0.5) / 10
        expected = special.expit(_intercept(share) + sign * SLOPE * (2 * middle - 1))
        # 0.012: what the mean over a tenth differs from the value in its middle.
        np.testing.assert_allclose(rates, expected, atol=0.012 + 4 * np.sqrt(0.25 / (n / 10)))
    assert {-1.0, 1.0} == set(signs)


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
    read = read_table(Simulated(X, np.zeros((2, 2), dtype=bool), "t", {}, 0, kinds=kinds).table)
    assert tuple(c.kind for c in read.columns) == kinds
    assert not read.left_out


@pytest.mark.parametrize(
    ("sizes", "most_work", "cheap"),
    [
        (SIZES, 1.2e6, CHEAP),
        (FAMILIAR_SIZES, 1.2e6, CHEAP),
        (DEAR_SIZES, 1.2e6, DEAR_CHEAP),
        (LARGE_SIZES, 6e6, np.inf),
    ],
)
def test_sizes_keep_to_their_ranges(sizes, most_work, cheap):
    drawn = [draw_size(rng, sizes, (2, 150), (10, 5000), most_work, cheap) for rng in rngs(1000)]
    assert max(work(d, n) for d, n in drawn) <= most_work
    for values, ranges in zip(zip(*drawn, strict=True), sizes, strict=True):
        assert min(low for _, low, _ in ranges) <= min(values)
        assert max(values) <= max(high for _, _, high in ranges)


def test_work_that_no_number_of_rows_keeps_to_gives_the_fewest():
    assert draw_size(np.random.default_rng(0), LARGE_SIZES, (150, 150), (10, 5000), 1e5) == (
        150,
        10,
    )


def test_columns_are_drawn_log_uniformly_whatever_the_work():
    d = np.array([draw_size(rng, SIZES, (2, 150), (10, 5000), 1.2e6)[0] for rng in rngs(4000)])
    assert (d <= 4).mean() == pytest.approx(0.05, abs=0.015)
    middle = (d >= 5) & (d < 15)  # log(15 / 5) / log(41 / 5) of the 87.5 %
    assert middle.mean() == pytest.approx(0.875 * np.log(3) / np.log(41 / 5), abs=0.03)
    # Forty columns are in both ranges.
    wide = 0.075 * np.log(151 / 41) / np.log(151 / 40)
    assert (d > 40).mean() == pytest.approx(wide, abs=0.0125)


@pytest.mark.parametrize("cheap", [CHEAP, DEAR_CHEAP])
def test_rows_are_kept_the_less_the_more_work_they_are(cheap):
    """The law of rows, given forty columns, against the weights (c / w)^0.6 of a log-uniform."""
    rows = ((1.0, 10, 5000),)
    sizes = SIZES._replace(columns=((1.0, 40, 40),), rows=rows)
    n = [draw_size(rng, sizes, (2, 150), (10, 5000), 1.2e6, cheap)[1] for rng in rngs(3000)]
    grid = np.arange(10, 5001)
    weight = np.log((grid + 1) / grid) * np.minimum(1, (cheap / (780 * grid)) ** 0.6)
    weight[780 * grid > 1.2e6] = 0
    expected = np.cumsum(weight) / weight.sum()
    observed = np.searchsorted(np.sort(n), grid, side="right") / len(n)
    assert np.abs(observed - expected).max() < 1.95 / np.sqrt(len(n))  # Kolmogorov, p = 0.001
