"""All pairs with a nominal column: what is chosen, and what must hold whatever is chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from tests.pairs.cells.plain import shrunk_log_ratio

from spinney.pairs.cells import MIN_COMMON_ROWS, PairTables, fits
from spinney.pairs.cells.dirichlet import MIXTURE
from spinney.pairs.cells.fits import CANDIDATES, N_BINS, bin_of, level_scores
from spinney.pairs.cells.logistic import class_log_ratios, fit_classes_mixed
from spinney.pairs.pseudo import PseudoTable

from .tables import draw, pseudo_table


def mixed_columns(n, rng):
    """A nominal column, and what depends on it: nominal, ordered levels, continuous, nothing."""
    a = rng.integers(0, 4, n)
    b = np.where(rng.random(n) < 0.6, (a + 1) % 3, rng.integers(0, 3, n))
    levels = np.clip(np.round(rng.normal(size=n) + np.array([1, 3, 2, 4])[a]), 0, 5)
    x = rng.normal(size=n) + np.array([0.0, 1.5, -1.0, 0.5])[a]
    return [
        ("nominal", a),
        ("nominal", b),
        ("levels", levels),
        ("continuous", x),
        ("continuous", rng.normal(size=n)),
    ]


def with_gaps(columns, share, rng):
    return [
        (kind, np.where(rng.random(len(values)) < share, np.nan, values))
        for kind, values in columns
    ]


@pytest.fixture(scope="module")
def table():
    return pseudo_table(mixed_columns(400, np.random.default_rng(1)), names="abcde")


@pytest.fixture(scope="module")
def fitted(table):
    return PairTables(table)


def test_pairs_with_a_nominal_column_are_listed(fitted):
    assert fitted.pairs_.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert fitted.family_[:3].tolist() == ["table", "classes", "classes"]
    assert fitted.family_[3] == "independence"


def test_some_pairs_are_fitted_as_among_all(table, fitted):
    some = PairTables(table, pairs=np.array([1, 5]))
    assert some.pairs_.tolist() == [1, 5]
    np.testing.assert_array_equal(
        some.cross_fitted_log_density_, fitted.cross_fitted_log_density_[:, [1, 5]]
    )
    np.testing.assert_array_equal(some.n_parameters_, fitted.n_parameters_[[1, 5]])


def test_tables_equal_the_plain_way(table, fitted):
    a, b = table.codes[:, 0], table.codes[:, 1]
    counts = np.zeros((4, 3))
    np.add.at(counts, (a, b), 1)
    log_w, log_factor = shrunk_log_ratio(counts, MIXTURE)
    np.testing.assert_allclose(fitted.fitted_log_density_[:, 0], log_w[a, b], atol=1e-10)
    assert fitted.log_bayes_factor_[0] == pytest.approx(log_factor, rel=1e-9)


def test_rows_are_cross_fitted_without_their_fold(table, monkeypatch):
    monkeypatch.setattr(fits, "SCALES", (1.0,))  # else the scale is chosen with all rows
    a, b = table.codes[:, 0], table.codes[:, 1]
    one = PairTables(table)
    crossed, compared = one.cross_fitted_log_density_, 0
    for fold in range(5):
        out = one.fold_of_row_ == fold
        counts = np.zeros((4, 3))
        np.add.at(counts, (a[~out], b[~out]), 1)
        log_w, _ = shrunk_log_ratio(counts, MIXTURE)
        np.testing.assert_allclose(crossed[out, 0], log_w[a[out], b[out]], atol=1e-10)
        refit = PairTables(table.take(~out), pairs=np.array([2]))
        if refit._candidate[0] == one._candidate[2]:
            compared += 1
            again = refit.log_density(table.take(out))[:, 0]
            np.testing.assert_allclose(crossed[out, 2], again, atol=1e-7)
    assert compared >= 3
    np.testing.assert_allclose(crossed.sum(axis=0), one.held_out_, atol=1e-8)


def test_ordered_levels_have_standardised_scores(table, fitted):
    codes, classes = table.codes[:, 2], table.codes[:, 0]
    scores = level_scores(table.masses[2])
    assert table.masses[2] @ scores == pytest.approx(0, abs=1e-12)
    assert table.masses[2] @ scores**2 == pytest.approx(1, rel=1e-12)
    degree = int(fitted._candidate[1])
    _, coefficients, _ = fit_classes_mixed(scores[codes], np.eye(4)[classes], degree)
    plain = class_log_ratios(coefficients, scores[codes])[classes, np.arange(400)]
    np.testing.assert_allclose(fitted.fitted_log_density_[:, 1], plain, atol=1e-8)


def average(tables, table, pair, side):
    """Mean of w over the rows of the other column, for every value of one column that occurs."""
    first, second = np.triu_indices(table.n_columns, 1)
    u, v = first[pair], second[pair]
    fixed = u if side == "u" else v
    there = table.present[:, u] & table.present[:, v]
    rows = table.take(there)
    means = []
    for row in range(0, len(rows), 7):
        codes, values = rows.codes.copy(), rows.u.copy()
        codes[:, fixed], values[:, fixed] = codes[row, fixed], values[row, fixed]
        moved = PseudoTable(values, codes, rows.masses, rows.nominal, rows.names)
        place = int(np.searchsorted(tables.pairs_, pair))
        means.append(np.exp(tables.log_density(moved)[:, place]).mean())
    return np.array(means)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_potentials_average_to_one_over_common_rows(share, rng):
    gaps = pseudo_table(with_gaps(mixed_columns(150, rng), share, rng))
    tables = PairTables(gaps)
    for pair in (0, 1, 2):
        for side in "uv":
            np.testing.assert_allclose(average(tables, gaps, pair, side), 1.0, rtol=1e-8)


def test_gaps_give_zero_and_common_rows_are_counted(rng):
    gaps = pseudo_table(with_gaps(mixed_columns(300, rng), 0.2, rng))
    tables = PairTables(gaps)
    present = gaps.present
    both = present[:, [0, 0, 0, 0]] & present[:, [1, 2, 3, 4]]
    np.testing.assert_array_equal(tables.n_rows_[:4], both.sum(axis=0))
    for log_w in (tables.fitted_log_density_, tables.cross_fitted_log_density_):
        assert (log_w[:, :4][~both] == 0).all()
        assert (log_w[:, :3][both[:, :3]] != 0).all()


def test_pairs_with_few_common_rows_are_not_known(rng):
    columns = mixed_columns(60, rng)
    b = columns[1][1].astype(float)
    b[MIN_COMMON_ROWS - 1 :] = np.nan
    tables = PairTables(pseudo_table([columns[0], ("nominal", b), *columns[2:]]))
    assert tables.known_.tolist() == [False, True, True, True, False, False, False]
    assert tables.n_parameters_[0] == 0
    assert tables.family_[0] == "independence"
    assert not tables.fitted_log_density_[:, 0].any()


def test_one_level_left_is_independence(rng):
    a = np.repeat([0.0, 1.0], 50)
    b = np.where(a == 1, np.nan, rng.integers(0, 3, 100))
    x = np.where(a == 1, np.nan, rng.normal(size=100))
    tables = PairTables(
        pseudo_table([("nominal", a), ("nominal", b), ("continuous", x)]), pairs=np.array([0, 1])
    )
    assert tables.known_.all()
    assert (tables.family_ == "independence").all()
    assert not tables.cross_fitted_log_density_.any()


def test_a_class_without_common_rows_has_ratio_one(rng):
    a = rng.integers(0, 3, 300).astype(float)
    x = rng.normal(size=300) + 2 * a
    x[a == 1] = np.nan
    table = pseudo_table([("nominal", a), ("continuous", x)])
    tables = PairTables(table)
    assert tables.family_[0] == "classes"
    new = PseudoTable(
        np.array([[np.nan, 0.9]] * 3),
        np.array([[0, -1], [1, -1], [2, -1]]),
        table.masses,
        table.nominal,
        table.names,
    )
    low, absent, high = tables.log_density(new)[:, 0]
    assert low < -1 < absent == 0 < high


def test_bins_of_ranks_turn_with_the_column():
    for m in range(1, 1000):  # where m + 1 is a multiple of 7, ranks hit the edges of bins
        u = np.arange(1, m + 1) / (m + 1)
        np.testing.assert_array_equal(bin_of(u)[::-1], N_BINS - 1 - bin_of(u))
        np.testing.assert_array_equal(bin_of(1.0 - u), N_BINS - 1 - bin_of(u))
        counts = np.bincount(bin_of(u), minlength=N_BINS)
        assert np.ptp(counts) <= 2


@given(st.integers(0, 10**6), st.integers(12, 80), st.integers(2, 6), st.integers(2, 5))
def test_renaming_and_reversing_change_nothing(seed, n, n_classes, n_levels):
    rng = np.random.default_rng(seed)
    a = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    b = np.clip(a % n_levels + rng.integers(-1, 2, n), 0, n_levels - 1)
    b[:n_levels] = np.arange(n_levels)
    x = rng.normal(size=n) + a
    names = rng.permutation(n_classes)
    plain = PairTables(pseudo_table([("nominal", a), ("levels", b), ("continuous", x)]))
    turned = PairTables(
        pseudo_table([("nominal", names[a]), ("levels", n_levels - 1 - b), ("continuous", -x)])
    )
    np.testing.assert_allclose(
        turned.log_likelihood_[:, 1:3], plain.log_likelihood_[:, 1:3], atol=1e-6
    )
    np.testing.assert_allclose(
        turned.log_bayes_factors_[:, 1:], plain.log_bayes_factors_[:, 1:], atol=1e-6
    )
    np.testing.assert_array_equal(turned.family_, plain.family_)
    np.testing.assert_allclose(turned.fitted_log_density_, plain.fitted_log_density_, atol=1e-6)


def test_the_order_of_the_two_columns_does_not_matter(rng):
    a, _, levels, x, _ = mixed_columns(300, rng)
    one = PairTables(pseudo_table([a, levels, x]), pairs=np.array([0, 1]))
    other = PairTables(pseudo_table([levels, x, a]), pairs=np.array([1, 2]))
    np.testing.assert_array_equal(one.fitted_log_density_, other.fitted_log_density_)
    np.testing.assert_array_equal(one.held_out_, other.held_out_)


@pytest.mark.parametrize("n", [100, 500])
def test_independent_tables_give_next_to_nothing(n):
    """300 pairs: the few that are not independence have a Bayes factor that no price lets pass."""
    rng = np.random.default_rng(17)
    columns = [("nominal", rng.integers(0, k % 4 + 3, n)) for k in range(12)]
    columns += [("levels", rng.integers(0, k % 5 + 2, n)) for k in range(6)]
    columns += [("continuous", rng.normal(size=n)) for _ in range(7)]
    tables = PairTables(pseudo_table(columns))
    assert (tables.family_ == "independence").mean() > 0.9
    assert tables.log_bayes_factor_.max() < np.log(300)
    gain = tables.fitted_log_density_.sum(axis=0) - tables.n_parameters_ * np.log(n) / 2
    np.testing.assert_allclose(gain, tables.log_bayes_factor_, atol=1e-6)


def test_a_potts_tree_is_recovered():
    """Chain of three columns: every pair's exact ratio, for direct and indirect neighbours."""
    rng = np.random.default_rng(5)
    n, margin = 40_000, np.array([0.5, 0.3, 0.2])
    coupling = margin * np.exp(1.2 * np.eye(3))
    step = coupling / coupling.sum(axis=1, keepdims=True)
    a = rng.choice(3, n, p=margin)
    b = draw(step[a], rng)
    c = draw(step[b], rng)
    tables = PairTables(pseudo_table([("nominal", x) for x in (a, b, c)]))
    joint = {0: margin[:, None] * step, 1: margin[:, None] * (step @ step)}
    second = margin @ step
    joint[2] = second[:, None] * step
    for pair, (x, y) in enumerate([(a, b), (a, c), (b, c)]):
        p = joint[pair]
        exact = np.log(p / np.outer(p.sum(axis=1), p.sum(axis=0)))
        w = np.zeros((3, 3))
        w[x, y] = tables.fitted_log_density_[:, pair]
        # Four standard errors of the rarest cell's log ratio.
        np.testing.assert_allclose(w, exact, atol=4 / np.sqrt(n * p.min()))


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        (lambda z: np.stack([1.5 * z, 0 * z, -z], axis=1), "linear"),
        (lambda z: np.stack([1.5 * z * z, 0 * z, z], axis=1), "quadratic"),
        (lambda z: np.stack([3 * np.sin(4 * z), 0 * z, 0 * z], axis=1), "table"),
    ],
)
def test_the_form_of_the_truth_is_chosen(logits, expected, rng):
    z = rng.normal(size=1500)
    a = draw(softmax(logits(z), axis=1), rng)
    tables = PairTables(pseudo_table([("nominal", a), ("continuous", z)]))
    assert CANDIDATES[tables._candidate[0]] == expected


def test_description(fitted):
    frame = fitted.describe([3, 0])
    assert list(frame.columns)[:6] == ["u", "v", "family", "rotation", "parameters", "tau"]
    assert frame.u.tolist() == ["a", "a"]
    assert frame.v.tolist() == ["e", "b"]
    assert frame.parameters.tolist() == [(), ()]
    assert frame.tau.iloc[0] == 0
    assert np.isnan(frame.tau.iloc[1])
    information = fitted.fitted_log_density_[:, 0].mean()
    assert frame.strength.iloc[1] == pytest.approx(np.sqrt(1 - np.exp(-2 * information)))
    assert frame.strength.iloc[0] == 0


def test_a_table_without_nominal_columns_lists_nothing(rng):
    table = pseudo_table([("continuous", rng.normal(size=30)), ("levels", np.arange(30) % 3)])
    tables = PairTables(table)
    assert tables.pairs_.size == 0
    assert tables.fitted_log_density_.shape == (30, 0)
    assert tables.describe().empty
