"""Summaries of tables, and the cloud that they lie in."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from training.cloud import fit_cloud, single_scores, table_summaries_from_pairs, tail_of

from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney.evidence import CHANNELS
from spinney.evidence.out_of_distribution import (
    FALSE_ALARMS,
    LEVELS,
    N_FREE,
    N_SIZES,
    N_TAILS,
    SUMMARY_NAMES,
    Cloud,
)
from spinney.exceptions import InputError

NAMES = [channel.name for channel in CHANNELS]
ODD = np.array([channel.parity == "odd" for channel in CHANNELS])


def draw_pairs(rng: np.random.Generator, d: int) -> np.ndarray:
    """Numbers of the right size; correlations are those of a matrix, rows those of a table."""
    values = rng.normal(scale=2.0, size=(n_pairs(d), len(CHANNELS)))
    correlation = np.corrcoef(rng.normal(size=(d + 5, d)), rowvar=False)
    values[:, NAMES.index("score")] = correlation[pair_nodes(d)]
    values[:, NAMES.index("all_rows")] = np.log(100.0)
    values[:, NAMES.index("rows")] = np.log1p(rng.integers(50, 101, size=n_pairs(d)))
    return values


def summary_of(values: np.ndarray, d: int, n: int) -> dict[str, float]:
    return dict(zip(SUMMARY_NAMES, table_summaries_from_pairs(values, d, n)[0], strict=True))


def draw_tables(rng: np.random.Generator, count: int) -> np.ndarray:
    """Summaries that are skewed, have atoms, hang together and depend on the size."""
    d, n = rng.uniform(1, 5, size=count), rng.uniform(2.3, 8.5, size=count)
    common = rng.normal(size=(count, 1))
    noise = 0.6 * common + rng.normal(size=(count, 14))
    x = np.exp(0.4 * noise) * (1 + 0.3 * n[:, None]) + 0.2 * d[:, None] ** 2
    x[:, : N_FREE - 2] = np.maximum(noise[:, : N_FREE - 2], 0.0)  # shares that are mostly zero
    x[:, 1] = 0.0  # and one that the world never leaves
    return np.column_stack([d, n, x])


@pytest.fixture(scope="module")
def tables() -> np.ndarray:
    return draw_tables(np.random.default_rng(1), 4000)


@pytest.fixture(scope="module")
def cloud(tables) -> Cloud:
    return fit_cloud(tables)


def test_summaries_against_plain_loops(rng):
    d, n = 6, 120
    values = draw_pairs(rng, d)
    found = summary_of(values, d, n)
    assert found["log_d"] == pytest.approx(np.log(6))
    assert found["log_n"] == pytest.approx(np.log(120))
    partial = sorted(abs(row[NAMES.index("partial")]) for row in values)
    assert found["partial_mean"] == pytest.approx(sum(partial) / 15)
    assert found["partial_median"] == pytest.approx(partial[7])
    assert found["partial_strong"] == pytest.approx(sum(r > 0.1 for r in partial) / 15)
    least = values[:, NAMES.index("least_z")]  # even, so its sign counts
    assert found["least_z_mean"] == pytest.approx(least.sum() / 15)
    assert found["least_z_high"] == pytest.approx(stats.mstats.mquantiles(least, 0.9, 1, 1)[0])
    assert found["least_z_top"] == pytest.approx(stats.mstats.mquantiles(least, 0.99, 1, 1)[0])


def test_eigenvalues_and_columns_against_another_way(rng):
    d = 7
    values = draw_pairs(rng, d)
    found = summary_of(values, d, 50)
    matrix = to_matrix(values[:, NAMES.index("score")]) + np.eye(d)
    singular = np.sort(np.linalg.svd(matrix, compute_uv=False))[::-1]  # it is positive definite
    assert found["first_eigenvalue"] == pytest.approx(singular[0] / d)
    assert found["second_eigenvalue"] == pytest.approx(singular[1] / d)
    assert found["flatness"] == pytest.approx(singular.sum() ** 2 / (d * (singular**2).sum()))
    assert found["collinearity"] == pytest.approx(np.linalg.slogdet(matrix)[1] / d)
    others = [[abs(matrix[u, v]) for v in range(d) if v != u] for u in range(d)]
    best = sorted(max(row) for row in others)
    assert found["neighbour"] == pytest.approx(best[3])
    assert found["loneliest"] == pytest.approx(best[0])
    busy = [sum(r**2 for r in row) for row in others]
    assert found["hub"] == pytest.approx(max(busy) * d / sum(busy))


@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_order_and_signs_of_columns_do_not_matter(d, seed):
    rng = np.random.default_rng(seed)
    values = draw_pairs(rng, d)
    order, signs = rng.permutation(d), rng.choice([-1.0, 1.0], size=d)
    u, v = pair_nodes(d)
    moved = np.column_stack([to_matrix(column)[order[u], order[v]] for column in values.T])
    flips = (signs[u] * signs[v])[:, None]
    changed = np.where(ODD, moved * flips, moved)
    np.testing.assert_allclose(
        table_summaries_from_pairs(changed, d, 30),
        table_summaries_from_pairs(values, d, 30),
        rtol=1e-9,
        atol=1e-9,
    )


def test_many_tables_are_those_alone_and_half_floats_will_do(rng):
    sizes, rows = [2, 5, 9], [10, 100, 1000]
    parts = [draw_pairs(rng, d) for d in sizes]
    together = table_summaries_from_pairs(np.concatenate(parts), sizes, rows)
    alone = [
        table_summaries_from_pairs(part, d, n)[0]
        for part, d, n in zip(parts, sizes, rows, strict=True)
    ]
    np.testing.assert_array_equal(together, alone)
    half = table_summaries_from_pairs(np.concatenate(parts).astype(np.float16), sizes, rows)
    plain = ["strong" not in name for name in SUMMARY_NAMES]  # a pair at the edge may pass it
    np.testing.assert_allclose(half[:, plain], together[:, plain], atol=0.02)


def test_every_summary_is_named_once_and_pairs_must_fit(rng):
    assert (
        len(SUMMARY_NAMES) == len(set(SUMMARY_NAMES)) == len(summary_of(draw_pairs(rng, 4), 4, 50))
    )
    with pytest.raises(InputError, match=r"need an array of shape \(10, "):
        table_summaries_from_pairs(draw_pairs(rng, 4), 5, 100)
    with pytest.raises(InputError, match="single column"):
        table_summaries_from_pairs(np.empty((0, len(CHANNELS))), 1, 100)


def test_scores_are_normal_given_the_size():
    # The logarithm of a residual varies by 1.1, so ten terms need many tables to tell the spread.
    known = draw_tables(np.random.default_rng(1), 16_000)
    cloud = fit_cloud(known)
    fresh = draw_tables(np.random.default_rng(2), 6000)
    z = cloud.normal_scores(fresh)
    for part in (fresh[:, 1] < 4, fresh[:, 1] > 7, fresh[:, 0] < 2, fresh[:, 0] > 4):
        assert np.abs(z[part][:, N_FREE:].mean(axis=0)).max() < 0.15
        assert np.abs(z[part][:, N_FREE:].std(axis=0) - 1.0).max() < 0.15
    assert abs(stats.kstest(z[:, 9], "norm").statistic) < 0.04


def test_tails_hold_on_fresh_tables_as_conformal_theory_says(cloud):
    """Given m held tables, how many of the fresh pass the k-th largest is beta-binomial."""
    m, fresh = int(cloud.n_tables[1]), draw_tables(np.random.default_rng(3), 5000)
    assert m == 1000
    z = cloud.normal_scores(fresh)
    scores = {"single": single_scores(z), "joint": cloud.joint_scores(z)}
    for name, tail in (("single", cloud.single_tail), ("joint", cloud.joint_tail)):
        for place in (10, 30, 50):
            share = np.exp(cloud._tails[place])
            k = int(np.floor(share * (m + 1) + 1e-9))
            law = stats.betabinom(len(fresh), k, m + 1 - k)
            passed = int((scores[name] > tail[place]).sum())
            assert law.ppf(5e-4) <= passed <= law.ppf(1 - 5e-4), (name, share)


@pytest.mark.parametrize("m", [5, 63, 99, 400])
def test_tails_are_ranks_among_one_table_more(rng, m):
    """A new table is among the m + 1 largest with the share of its rank, itself counted."""
    scores = rng.permutation(np.arange(1.0, m + 1.0))
    tail = tail_of(scores)
    assert (tail[0], tail[-1]) == (1.0, m)
    shares = (m + 1.0) ** -np.linspace(0, 1, N_TAILS)
    for share, found in zip(shares, tail, strict=True):
        ranks = 1 + np.array([(scores > score).sum() for score in scores])
        assert found == scores[ranks <= share * (m + 1) + 1e-6].min()


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_they_should_be():
    known = draw_tables(np.random.default_rng(1), 16_000)
    cloud = fit_cloud(known)
    fresh = draw_tables(np.random.default_rng(4), 6000)
    inside = [
        x
        for x in fresh
        if (cloud.sizes[:2, 0] <= x[:2]).all() and (x[:2] <= cloud.sizes[:2, 1]).all()
    ]
    alarms = sum(cloud.outside(x) for x in inside)
    # At least one of two cuts of half the rate each; both known to one part in five.
    assert 0.3 * FALSE_ALARMS < alarms / len(inside) < 1.7 * FALSE_ALARMS


def test_the_strangest_summary_may_be_large_or_small(tables, cloud):
    for x in tables[:50]:
        z = cloud.normal_scores(x)[2:]  # sizes have their own sentence
        assert single_scores(cloud.normal_scores(x)) == pytest.approx(max(z.max(), -z.min()))
    middle = np.median(tables, axis=0)
    assert not cloud.outside(middle)
    for place in (N_SIZES, 9):
        low, high = cloud.limits(middle)[place]
        width = high - low
        for value in (low - 30 * width, high + 30 * width):
            # Where the joint distance is no reason, a single summary is one.
            assert replace(cloud, joint_tail=cloud.joint_tail + 1e9).outside(
                replace_at(middle, place, value)
            )


def test_joint_distance_is_mahalanobis_of_the_scores(tables, cloud):
    order = np.random.default_rng(0).permutation(len(tables))
    z = cloud.normal_scores(tables[order[1000:]])
    covariance = np.cov(z, rowvar=False, bias=True)
    mean_variance = np.trace(covariance) / len(covariance)
    covariance = 0.98 * covariance + 0.02 * mean_variance * np.eye(len(covariance))
    x = draw_tables(np.random.default_rng(5), 20)
    for row in x:
        gap = cloud.normal_scores(row) - z.mean(axis=0)
        expected = np.sqrt(gap @ np.linalg.solve(covariance, gap))
        found = cloud.joint_scores(cloud.normal_scores(row))
        assert found == pytest.approx(expected, rel=1e-3)


def replace_at(x: np.ndarray, k: int, value: float) -> np.ndarray:
    changed = x.copy()
    changed[k] = value
    return changed


def test_one_strange_summary_is_enough(cloud):
    x = np.median(draw_tables(np.random.default_rng(7), 500), axis=0)
    assert not cloud.outside(x)
    low, high = cloud.limits(x)[9]
    for strange in (80.0, -80.0):
        assert not low <= strange <= high
        assert cloud.outside(replace_at(x, 9, strange))
    far = replace_at(x, 0, np.log(400))  # a size beyond is told by itself
    assert not cloud.outside(far)
    assert cloud.outside(replace_at(far, 9, 80.0))


def test_limits_hold_998_of_1000_tables_of_a_size(cloud):
    fresh = draw_tables(np.random.default_rng(8), 20_000)
    limits = np.array([cloud.limits(x) for x in fresh])
    within = (limits[..., 0] <= fresh) & (fresh <= limits[..., 1])
    assert np.abs(within[:, N_FREE:].mean(axis=0) - (LEVELS[-1] - LEVELS[0])).max() < 0.0025


def test_sizes_beyond_have_their_sentence(cloud):
    x = np.median(draw_tables(np.random.default_rng(7), 500), axis=0)
    assert 145 < np.exp(cloud.sizes[0, 1]) < 150  # 150 to two digits
    assert str(cloud.sizes_beyond(replace_at(x, 0, np.log(400)))[0]) == (
        "The table has 400 columns; the judge has seen tables with 3 to 150."
    )
    assert "The table has 5 rows; " in str(cloud.sizes_beyond(replace_at(x, 1, np.log(5)))[0])


def test_sizes_beyond_count_as_the_nearest_inside(cloud):
    x = np.median(draw_tables(np.random.default_rng(7), 500), axis=0)
    ends = cloud.sizes
    far, near = (np.r_[5.0, log_n, x[2:]] for log_n in (20.0, ends[1, 1]))
    np.testing.assert_allclose(cloud.limits(far), cloud.limits(near), rtol=1e-6)
    log_work = np.log(np.exp(x[0]) * (np.exp(x[0]) - 1)) + x[1]
    narrow = replace(cloud, sizes=np.array([*ends[:2], [0.0, log_work]]))
    wide, within = replace_at(x, 1, x[1] + 2.0), x
    np.testing.assert_allclose(narrow.limits(wide), narrow.limits(within), rtol=1e-9)
    assert np.abs(cloud.limits(wide) - cloud.limits(within)).max() > 0.1
    d, most = np.exp(x[0]), int(np.exp(x[1]))
    assert str(narrow.sizes_beyond(wide)[0]) == (
        f"The table has {np.exp(wide[1]):,.0f} rows; of {d:,.0f} columns, the judge has seen "
        f"tables with {most:,} rows at most."
    )


def test_what_is_strange_only_together_is_told():
    rng = np.random.default_rng(9)
    x = rng.normal(size=(4000, 5))
    x[:, 3] = x[:, 2] + 0.05 * x[:, 3]
    cloud = fit_cloud(x)
    strange = np.array([0.0, 0.0, 1.5, -1.5, 0.0])
    assert single_scores(cloud.normal_scores(strange)) < cloud.cuts[0]
    assert cloud.outside(strange)
    assert not cloud.outside(np.array([0.0, 0.0, 1.5, 1.5, 0.0]))


def test_arrays_give_the_cloud_back(cloud, tables):
    arrays = cloud.to_arrays()
    assert all(name.startswith("cloud_") for name in arrays)
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
    again = Cloud.from_arrays({**arrays, "other": np.zeros(3)})
    np.testing.assert_array_equal(
        again.normal_scores(tables[:50]), cloud.normal_scores(tables[:50])
    )
    assert again.cuts == cloud.cuts


def test_a_cloud_of_all_summaries_is_small(rng):
    cloud = fit_cloud(rng.normal(size=(800, len(SUMMARY_NAMES))))
    assert sum(array.nbytes for array in cloud.to_arrays().values()) < 100_000


def test_what_cannot_be_a_cloud_is_refused(tables):
    with pytest.raises(InputError, match="needs 800 tables or more; got 100"):
        fit_cloud(tables[:100])
    broken = tables.copy()
    broken[17, 4] = np.nan
    with pytest.raises(InputError, match="Summary 4 of table 17 is not finite"):
        fit_cloud(broken)
