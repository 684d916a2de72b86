"""Margins of mixed tables: against ranks by hand, numbers, quadrature and shares."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.exceptions import NotFittedError

from spinney.exceptions import InputError
from spinney.pairs.margins import SMALLEST_U, Margins
from spinney.pairs.margins.levels import Groups, grouped_log_density
from spinney.pairs.margins.smooth import fit_smooth
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import Column, Table

COLUMNS = (
    Column("height", "continuous"),
    Column("rain", "continuous"),
    Column("pain", "ordinal", ("none", "some", "much")),
    Column("sex", "binary", ("f", "m")),
    Column("city", "nominal", ("A", "B", "C", "D")),
)


def mixed(rng, n=250, gaps=0.1):
    x = rng.normal(size=n)
    values = np.column_stack(
        [
            x,
            np.maximum(np.exp(rng.normal(size=n)) - 0.8, 0.0),
            np.digitize(x, [-0.5, 0.8]),
            rng.integers(0, 2, size=n),
            rng.integers(0, 4, size=n),
        ]
    ).astype(float)
    values[rng.random(values.shape) < gaps] = np.nan
    return Table(values, COLUMNS)


def continuous(values):
    return Table(values, tuple(Column(f"x{k}", "continuous") for k in range(values.shape[1])))


@pytest.fixture
def table(rng):
    return mixed(rng)


@pytest.fixture
def fitted(table):
    return Margins().fit(table)


def test_ranks_are_among_the_values_that_are_there(table, fitted):
    pseudo = fitted.pseudo(table)
    x = table.values[:, 0]
    there = ~np.isnan(x)
    expected = stats.rankdata(x[there]) / (there.sum() + 1)
    assert np.array_equal(pseudo.u[there, 0], expected)
    assert np.array_equal(pseudo.present, table.present)
    assert np.isnan(pseudo.u[:, 1:]).all()
    assert np.all(pseudo.codes[:, 0] == -1)


def test_levels_keep_codes_and_shares(table, fitted):
    pseudo = fitted.pseudo(table)
    for k in (2, 3, 4):
        x = table.values[:, k]
        there = ~np.isnan(x)
        assert np.array_equal(pseudo.codes[there, k], x[there])
        shares = [np.mean(x[there] == level) for level in range(len(COLUMNS[k].levels))]
        assert pseudo.masses[k] == pytest.approx(shares, rel=1e-12)
    assert pseudo.nominal.tolist() == [False] * 4 + [True]
    assert pseudo.names == table.names
    assert fitted.n_rows_.tolist() == table.present.sum(axis=0).tolist()


def test_piled_up_columns_become_levels(table, fitted):
    assert fitted.grouped_.tolist() == [False, True, False, False, False]
    pseudo = fitted.pseudo(table)
    x = table.values[:, 1]
    assert np.array_equal(pseudo.codes[:, 1] == 0, x == 0.0)  # all zeros, and nothing else
    assert len(pseudo.masses[1]) == 15
    assert pseudo.masses[1][0] == pytest.approx(np.mean(x[~np.isnan(x)] == 0.0), rel=1e-12)
    order = np.argsort(x)
    assert np.all(np.diff(pseudo.codes[order, 1][~np.isnan(x[order])]) >= 0)


@pytest.mark.parametrize("ties", ["average", "random"])
@pytest.mark.parametrize("by", ["ranks", "smooth"])
def test_plain_tables_give_the_numbers_of_marginals(rng, ties, by):
    X = np.column_stack([rng.normal(size=80), rng.gamma(2.0, size=80).round(1)])
    table = continuous(X)
    mixed = Margins(ties=ties, transform_by=by, random_state=3).fit(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = Margins(ties=ties, transform_by=by, random_state=3).fit(X)
    assert np.array_equal(mixed.pseudo(table).u, plain.transform(X))
    new = X[:30] + 0.01
    assert np.array_equal(mixed.pseudo(continuous(new)).u, plain.transform(new))
    assert np.array_equal(mixed.log_density(continuous(new)), plain.log_density(new))
    u = PseudoTable(
        np.array([[0.2, 0.9]]),
        np.full((1, 2), -1),
        (np.empty(0),) * 2,
        np.zeros(2, dtype=bool),
        table.names,
    )
    assert np.array_equal(mixed.quantile(u).values, plain.inverse_transform(u.u))


def test_auto_keeps_light_ties_as_average_ranks(rng):
    X = rng.normal(size=(100, 2)).round(2)
    table = continuous(X)
    fitted = Margins().fit(table)
    assert not fitted.grouped_.any()
    assert np.array_equal(fitted.pseudo(table).u, stats.rankdata(X, axis=0) / 101)
    assert Margins(ties="levels").fit(table).grouped_.all()


def test_random_ties_with_gaps_hand_out_every_rank_once(rng):
    x = rng.integers(0, 4, size=60).astype(float)
    x[:10] = np.nan
    table = continuous(x[:, None])
    u = Margins(ties="random").fit(table).pseudo(table).u[10:, 0]
    assert np.array_equal(np.sort(u), np.arange(1, 51) / 51)
    assert np.all(np.diff(u[np.argsort(x[10:], kind="stable")].reshape(-1)) != 0)


def test_smooth_pseudo_observations_stay_inside(table, fitted):
    far = Table(np.array([[1e6, 0, 0, 0, 0], [-1e6, 0, 0, 0, np.nan]]), COLUMNS)
    u = fitted.pseudo(far, "smooth").u[:, 0]
    assert u.tolist() == [1.0 - SMALLEST_U, SMALLEST_U]
    inside = fitted.pseudo(table, "smooth")
    assert np.array_equal(inside.codes, fitted.pseudo(table).codes)
    assert np.nanmax(np.abs(inside.u[:, 0] - fitted.pseudo(table).u[:, 0])) < 0.08


@pytest.mark.parametrize("smooth", ["auto", "kernel", "parametric"])
def test_every_density_integrates_to_one_and_groups_to_their_masses(table, smooth):
    fitted = Margins(smooth=smooth).fit(table)

    def density(x, k):
        values = np.full((1, 5), np.nan)
        values[0, k] = x
        return np.exp(fitted.log_density(Table(values, COLUMNS))[0, k])

    def integral(k, low, high):
        # Between knots, where the density is smooth.
        smooth = fitted.marginals_[k]
        knots = smooth.ppf(stats.norm.cdf(smooth.scores[np.abs(smooth.scores) < 7]))
        cuts = [low, *knots[(knots > low) & (knots < high)], high]
        return sum(
            integrate.quad(density, a, b, args=(k,), limit=200)[0] for a, b in pairwise(cuts)
        )

    assert integral(0, -np.inf, np.inf) == pytest.approx(1.0, abs=1e-6)
    groups = fitted._groups[1]
    ends = [-np.inf, *groups.boundaries, np.inf]
    for low, high, mass in zip(ends[:-1], ends[1:], groups.masses, strict=True):
        inner = integral(1, low, high)
        assert inner == pytest.approx(mass, abs=1e-6)
    for k in (2, 3, 4):
        total = sum(density(float(level), k) for level in range(len(COLUMNS[k].levels)))
        assert total == pytest.approx(1.0, rel=1e-12)


def test_a_level_that_the_smooth_marginal_passes_over_is_uniform():
    normal = fit_smooth(stats.norm.ppf(np.arange(1, 200) / 200), "parametric")
    groups = Groups(np.array([0.5, 40.0]), np.array([0.6, 0.3, 0.1]), (0.0, 41.0))
    grid = np.linspace(39.0, 42.0, 300001)
    density = np.exp(grouped_log_density(groups, normal, grid))
    assert np.array_equal(density > 1e-200, (grid > 40.0) & (grid <= 42.0))
    assert integrate.trapezoid(density, grid) == pytest.approx(0.1, rel=1e-4)


def test_missing_values_have_no_density(table, fitted):
    log_density = fitted.log_density(table)
    assert np.all(log_density[~table.present] == 0.0)
    assert np.all(np.isfinite(log_density))
    codes = table.values[:, 4]
    there = table.present[:, 4]
    expected = np.log(fitted.masses_[4])[codes[there].astype(int)]
    assert np.array_equal(log_density[there, 4], expected)


def test_quantile_undoes_pseudo_smooth(table, fitted):
    back = fitted.quantile(fitted.pseudo(table, "smooth"))
    assert back.columns == table.columns
    assert np.array_equal(back.present, table.present)
    there = table.present
    assert back.values[there[:, 0], 0] == pytest.approx(table.values[there[:, 0], 0], abs=1e-6)
    for k in (2, 3, 4):
        assert np.array_equal(back.values[:, k], table.values[:, k], equal_nan=True)
    again = fitted.pseudo(back)
    assert np.array_equal(again.codes, fitted.pseudo(table).codes)


def test_grouped_columns_keep_to_observed_values(table, fitted, rng):
    back = fitted.quantile(fitted.pseudo(table), rng)
    x = back.values[table.present[:, 1], 1]
    assert np.isin(x, table.values[:, 1]).all()
    assert np.mean(x == 0.0) == pytest.approx(fitted.masses_[1][0], rel=1e-12)


def test_depths_decide_and_default_to_the_median(table, fitted):
    pseudo = fitted.pseudo(table)
    median = fitted.quantile(pseudo, np.full(pseudo.u.shape, 0.5))
    assert np.array_equal(fitted.quantile(pseudo).values, median.values, equal_nan=True)
    low, high = (fitted.quantile(pseudo, np.full(pseudo.u.shape, p)) for p in (0.1, 0.9))
    there = table.present[:, 1]
    assert np.all(low.values[there, 1] <= high.values[there, 1])
    assert np.any(low.values[there, 1] < high.values[there, 1])


@pytest.mark.parametrize("values", [[], [3.0], [1.0, 2.0, 5.0], [2.0] * 40], ids=len)
def test_columns_with_too_few_values_have_ranks_but_no_density(values):
    x = np.full((50, 1), np.nan)
    x[: len(values), 0] = values
    table = continuous(x)
    fitted = Margins().fit(table)
    new = continuous(np.array([[1.0], [4.0]]))
    for pseudo in (fitted.pseudo(new), fitted.pseudo(new, "smooth")):
        if fitted.grouped_[0]:
            assert pseudo.codes[:, 0].tolist() == [0, 0]
            assert pseudo.masses[0].tolist() == [1.0]
        else:
            assert np.all((pseudo.u > 0.0) & (pseudo.u < 1.0))
    with pytest.raises(InputError, match=rf"Column 'x0' has {len(values)} value"):
        fitted.log_density(new)
    assert fitted.marginals_ == [None]
    assert np.all(fitted.log_density(continuous(np.full((2, 1), np.nan))) == 0.0)


def test_levels_that_a_subsample_lacks_keep_a_mass(table):
    part = table.take(np.flatnonzero(table.values[:, 4] != 2.0))
    masses = Margins().fit(part).masses_[4]
    n = part.present[:, 4].sum()
    assert masses[2] == pytest.approx(0.5 / (n + 0.5), rel=1e-12)
    assert masses.sum() == pytest.approx(1.0, rel=1e-12)


def test_smooth_marginals_are_fitted_when_asked_for(table, fitted):
    fitted.pseudo(table)
    assert fitted._smooth == [None] * 5
    fitted.pseudo(table, "smooth")  # the grouped column still needs none
    assert [m is not None for m in fitted._smooth] == [True, False, False, False, False]


def test_marginals_are_those_of_continuous_columns(fitted):
    assert [marginal is None for marginal in fitted.marginals_] == [False, False, True, True, True]
    assert [len(masses) for masses in fitted.masses_] == [0, 15, 3, 2, 4]


def test_what_is_wrong_is_said(table, fitted):
    with pytest.raises(NotFittedError):
        Margins().pseudo(table)
    with pytest.raises(InputError, match="city"):
        fitted.pseudo(Table(table.values[:, :4], COLUMNS[:4]))
    other = (*COLUMNS[:3], Column("sex", "binary", ("f", "x")), COLUMNS[4])
    with pytest.raises(InputError, match="Column 'sex' holds 'x'"):
        fitted.pseudo(Table(table.values, other))
    swapped = [1, 0, 2, 3, 4]  # columns are found by name
    moved = Table(table.values[:, swapped], tuple(COLUMNS[k] for k in swapped))
    assert np.array_equal(fitted.pseudo(moved).u, fitted.pseudo(table).u, equal_nan=True)
    pseudo = fitted.pseudo(table)
    narrow = PseudoTable(pseudo.u[:, :2], pseudo.codes[:, :2], (), pseudo.nominal, ("a", "b"))
    with pytest.raises(InputError, match="Give one column per fitted column"):
        fitted.quantile(narrow)
