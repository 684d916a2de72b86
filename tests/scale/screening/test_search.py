"""Screenings against plain loops, and as a user would meet them."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.scale.screening.cases import feature, mixed_table, plain_strength, pseudo_of

from spinney._core.pairs import n_pairs, pair_nodes
from spinney._core.progress import progress_told_to
from spinney.exceptions import InputError
from spinney.pairs.copulas import Clayton, Student
from spinney.scale import score_tests as blocks
from spinney.scale.score_tests import join, positions_of, threshold, z_of_chi_square
from spinney.scale.screening import screen
from spinney.tables import read_table


def some_columns(n, d, seed):
    """Normal columns in a chain, some of them bent, one with ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for k in range(1, d, 2):
        X[:, k] = (X[:, k - 1] ** 2 if k % 4 == 1 else X[:, k - 1]) + 0.7 * X[:, k]
    X[:, 0] = np.round(X[:, 0], 1)
    return X


def every_strength(table):
    """Strengths of all pairs as a matrix, by a screening that lets all pass."""
    found = screen(table, level=0.5, partners=10**6)
    S = np.zeros((found.n_nodes, found.n_nodes))
    S[found.first, found.second] = S[found.second, found.first] = found.strength
    return S


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_strengths_are_those_of_plain_loops(share):
    X = some_columns(60, 9, 1)
    X[:, 4] = np.digitize(X[:, 4], [-0.5, 0.3, 1.0])
    X[:, 5] = X[:, 5] > 1.0
    X[np.random.default_rng(2).uniform(size=X.shape) < share] = np.nan
    X[8:, 8] = np.nan if share else X[8:, 8]
    table = mixed_table(X, x4="ordinal", x5="binary")
    u = positions_of(pseudo_of(table), np.arange(9))
    S = every_strength(table)
    expected = [plain_strength(u[:, i], u[:, j]) for i, j in zip(*pair_nodes(9), strict=True)]
    np.testing.assert_allclose(S[pair_nodes(9)], expected, atol=2e-3)
    assert max(expected) > 4
    assert (np.array(expected) == 0).any() == (share > 0)  # too few rows in common


def test_pairs_of_nominal_columns_have_pearsons_statistic(rng):
    X = rng.integers(0, 3, size=(150, 3)).astype(float)
    X[:, 1] = np.where(rng.uniform(size=150) < 0.3, X[:, 0], rng.integers(0, 4, 150))
    S = every_strength(mixed_table(X, x0="nominal", x1="nominal", x2="nominal"))
    for i, j in zip(*pair_nodes(3), strict=True):
        counts = stats.contingency.crosstab(X[:, i], X[:, j]).count
        chi = stats.chi2_contingency(counts, correction=False)
        expected = z_of_chi_square(chi.statistic * 149 / 150, chi.dof)
        assert S[i, j] == pytest.approx(expected, abs=1e-3)
    assert S[0, 1] > 4


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_nominal_columns_are_compared_by_analysis_of_variance(share, rng):
    n = 120
    X = rng.normal(size=(n, 3))
    X[:, 1] = rng.integers(0, 4, n)
    X[:, 0] += 1.5 * (X[:, 1] == 2)
    X[:, 2] *= 1.0 + 2.0 * (X[:, 1] == 1)
    X[rng.uniform(size=n) < share, 0] = np.nan
    table = mixed_table(X, x1="nominal")
    S, u = every_strength(table), positions_of(pseudo_of(table), np.arange(3))
    for k in (0, 2):
        here = ~np.isnan(u[:, k])
        m, sizes = here.sum(), []
        for name in ("score", "square"):
            f = np.zeros(n)
            f[here] = feature(name, u[here, k])
            shares = np.array([(X[:, 1] == c).mean() for c in range(4)])
            sums = np.array([f[X[:, 1] == c].sum() for c in range(4)])
            mean = f.sum()  # naught, if not for rounding
            chi = (sums**2 / shares).sum() - mean**2
            chi /= m * (1 + (m - 1) / ((m - 1) * (n - 1)))
            sizes.append(z_of_chi_square(np.array([chi]), 3.0).astype(np.float32))
        assert S[k, 1] == pytest.approx(join(*sizes)[0], abs=1e-3)
    assert S[0, 1] > 2
    assert S[2, 1] > 4


@given(st.integers(0, 50), st.integers(0, 12), st.sampled_from([0.3, 0.05, 1e-3]))
@settings(max_examples=20)
def test_pairs_pass_by_level_or_among_the_strongest_of_a_column(seed, partners, level):
    X = some_columns(40, 14, seed)
    S = every_strength(read_table(X))
    found = screen(read_table(X), level=level, partners=partners)
    expected = threshold(level) < S
    for k in range(14):
        best = sorted(set(range(14)) - {k}, key=lambda j: -S[k, j])[:partners]
        expected[k, best] = expected[best, k] = True
    first, second = pair_nodes(14)
    expected = np.flatnonzero(expected[first, second] & (S[first, second] > 0))
    np.testing.assert_array_equal(found.pairs, expected)
    np.testing.assert_array_equal(found.strength, S[first, second].astype(np.float32)[expected])
    assert (found.level, found.partners, found.n_nodes) == (level, partners, 14)


def test_the_result_depends_neither_on_workers_nor_on_what_is_kept(monkeypatch):
    table = read_table(some_columns(50, 70, 3))
    monkeypatch.setattr(blocks, "WIDEST", 16)
    expected = screen(table, level=0.05, partners=3)
    two = screen(table, level=0.05, partners=3, n_jobs=2)
    monkeypatch.setattr(blocks.Blocks, "__getitem__", lambda self, k: self._read(self.starts[k]))
    anew = screen(table, level=0.05, partners=3)
    for other in (two, anew):
        np.testing.assert_array_equal(other.pairs, expected.pairs)
        np.testing.assert_array_equal(other.strength, expected.strength)
    monkeypatch.setattr(blocks, "MEMORY", 1)
    narrow = screen(table, level=0.05, partners=3)  # eight columns to a block, none kept
    np.testing.assert_array_equal(narrow.pairs, expected.pairs)
    np.testing.assert_allclose(narrow.strength, expected.strength, rtol=1e-5)


def test_features_of_a_large_table_are_not_kept(monkeypatch):
    pseudo = pseudo_of(read_table(some_columns(50, 70, 3)))
    assert blocks.Blocks(pseudo)._kept is not None
    monkeypatch.setattr(blocks, "MEMORY", 1)
    assert blocks.Blocks(pseudo)._kept is None
    assert blocks.Blocks(pseudo)[0].columns.size == 8


def test_the_order_of_columns_and_rows_does_not_matter(rng):
    X = some_columns(80, 12, 4)
    order, rows = rng.permutation(12), rng.permutation(80)
    S = every_strength(read_table(X))
    np.testing.assert_allclose(
        every_strength(read_table(X[np.ix_(rows, order)])), S[np.ix_(order, order)], atol=1e-3
    )


def test_tables_and_pseudo_observations_are_the_same(rng):
    X = some_columns(60, 8, 5)
    X[3, 2] = np.nan
    for table in (read_table(X), read_table(some_columns(60, 8, 5))):
        expected = screen(table, partners=2)
        found = screen(pseudo_of(table), partners=2)
        np.testing.assert_array_equal(found.pairs, expected.pairs)
        np.testing.assert_array_equal(found.strength, expected.strength)


def shape(name, rng, n=300):
    x, noise = rng.uniform(-1, 1, n), rng.normal(size=n)
    sign = rng.choice([-1, 1], n)
    return {
        "bend": lambda: (x, x**2 + 0.3 * noise),
        "bend of the other": lambda: (x**2 + 0.3 * noise, x),
        "ring": lambda: (x, sign * np.sqrt(1 - x**2) + 0.2 * noise),
        "cross": lambda: (x, sign * x + 0.2 * noise),
        "wave": lambda: (x, np.sin(2 * np.pi * x) + 0.5 * noise),
        "wave of the other": lambda: (np.cos(2 * np.pi * x) + 0.5 * noise, x),
        "spread": lambda: (x, np.exp(x) * noise),
        "student without correlation": lambda: Student(0.0, 1.5).sample(n, rng).T,
        "clayton": lambda: Clayton(0.8, 90).sample(n, rng).T,
    }[name]()


@pytest.mark.parametrize(
    "name",
    [
        *("bend", "bend of the other", "ring", "cross", "wave", "wave of the other", "spread"),
        *("student without correlation", "clayton"),
    ],
)
def test_dependence_of_any_shape_is_found(name, rng):
    X = rng.normal(size=(300, 20))
    X[:, 7], X[:, 11] = shape(name, rng)
    found = screen(read_table(X), level=1e-4, partners=0)
    assert (7, 11) in set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert len(found) < 3


@pytest.mark.parametrize("kind", ["plain", "ties", "gaps"])
@pytest.mark.parametrize("n", [50, 300])
def test_as_many_independent_pairs_pass_as_the_level_says(kind, n):
    d, level = 200, 0.05
    rng = np.random.default_rng(12)
    X = rng.normal(size=(n, d))
    if kind == "ties":
        X = np.round(X * 2) / 2
    if kind == "gaps":
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
    share = len(screen(mixed_table(X), level=level, partners=0)) / n_pairs(d)
    error = np.sqrt(level / n_pairs(d))  # pairs of independent columns are nearly independent
    assert share == pytest.approx(level, abs=0.1 * level + 2 * error)


def test_constant_columns_show_nothing(rng):
    X = rng.normal(size=(40, 6))
    X[:, 2] = X[:, 3] = 7.0
    X[:, 4] = 0.0
    X[:, 5] = rng.integers(0, 3, 40)
    found = screen(mixed_table(X, x4="nominal", x5="nominal"), level=0.5, partners=5)
    assert {*found.first, *found.second} == {0, 1, 5}


def test_progress_is_told():
    heard = []

    def listen(total, label):
        heard.append((label, total))
        return nullcontext(heard.append)

    with progress_told_to(listen):
        screen(read_table(some_columns(30, 6, 0)))
    assert heard == [("screening pairs", 1), 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0.0}, "level must lie between 0 and 1"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"partners": -1}, "partners must be a whole number from 0 on"),
        ({"partners": 1.5}, "partners must be a whole number from 0 on"),
    ],
)
def test_settings_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        screen(read_table(some_columns(30, 4, 0)), **options)


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match=r"not a ndarray. Use spinney.tables.read_table"):
        screen(np.zeros((20, 3)))
    with pytest.raises(InputError, match="at least 4 rows and 2 columns; the table has 3 and 2"):
        screen(mixed_table(np.random.default_rng(0).normal(size=(3, 2))))
