"""Drawing rows down forests: against listed probabilities, volumes of copulas and sample_down."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.pairs.worlds import LEAST_P, THREE, TWO, ByDensity, Copulas, WTables, columns_of, rows_of

from spinney._core.pairs import pair_index
from spinney.exceptions import InputError
from spinney.pairs import sampling
from spinney.pairs.cells import PairTables
from spinney.pairs.copulas import Clayton, Frank, Gaussian, Gumbel, Student, sample_down
from spinney.pairs.sampling import draw_given_neighbours, sample_down_mixed

COPULAS = [Clayton(2.0, 90), Gumbel(2.5), Frank(-6.0), Gaussian(0.7), Student(0.5, 4.0)]


def frequencies_fit(codes, probabilities):
    """Compare counts of cells with their probabilities."""
    counts = np.zeros(probabilities.shape)
    np.add.at(counts, tuple(codes.T), 1)
    assert probabilities.sum() == pytest.approx(1.0, rel=1e-9)
    return stats.chisquare(counts.ravel(), len(codes) * probabilities.ravel()).pvalue


def volumes(copula, p, q):
    """Probabilities of cells by the distribution function; independent of the sampler."""
    a, b = np.append(0.0, np.cumsum(p)), np.append(0.0, np.cumsum(q))
    inside = copula.cdf(a[:, None], b[None, :])
    inside[0], inside[:, 0] = 0.0, 0.0
    inside[-1], inside[:, -1] = b, a
    return np.diff(np.diff(inside, axis=0), axis=1)


@pytest.mark.parametrize("parents", [[-1, 0, 1, 1], [1, 2, -1, -1], [3, -1, 1, 2]])
def test_levels_have_the_listed_probabilities(rng, parents):
    columns = columns_of([THREE, TWO, [0.4, 0.6], THREE], nominal=[True, False, True, False])
    world = WTables(columns, rng)
    drawn = sample_down_mixed(world, columns, [parents] * 20000, random_state=1)
    expected = np.zeros([3, 2, 2, 3])
    for cell in product(*(range(k) for k in expected.shape)):
        p = np.prod([columns.masses[k][code] for k, code in enumerate(cell)])
        for child, parent in enumerate(parents):
            if parent >= 0:
                pair = pair_index(child, parent, 4)
                p *= world.w[pair][cell[min(child, parent)], cell[max(child, parent)]]
        expected[cell] = p
    assert frequencies_fit(drawn.codes, expected) > LEAST_P


@pytest.mark.parametrize("copula", COPULAS, ids=str)
@pytest.mark.parametrize("parents", [[-1, 0], [1, -1]], ids=["down", "up"])
def test_two_columns_with_levels_fill_the_volumes_of_the_copula(copula, parents):
    columns = columns_of([THREE, TWO])
    drawn = sample_down_mixed(Copulas(2, {(0, 1): copula}), columns, [parents] * 20000, 2)
    assert np.isnan(drawn.u).all()
    assert frequencies_fit(drawn.codes, volumes(copula, THREE, TWO)) > LEAST_P


@pytest.mark.parametrize("copula", COPULAS, ids=str)
@pytest.mark.parametrize("parents", [[-1, 0], [1, -1]], ids=["down", "up"])
def test_levels_and_a_continuous_column_follow_the_h_function(copula, parents):
    columns = columns_of([THREE, []])
    drawn = sample_down_mixed(Copulas(2, {(0, 1): copula}), columns, [parents] * 6000, 3)
    assert np.all(drawn.codes[:, 1] == -1)
    cuts = np.append(0.0, np.cumsum(THREE))
    for code, mass in enumerate(THREE):
        inside = drawn.codes[:, 0] == code
        assert stats.binomtest(int(inside.sum()), 6000, mass).pvalue > LEAST_P

        def cdf(v, a=cuts[code], b=cuts[code + 1], mass=mass):
            upper = v if b > 1.0 - 1e-9 else copula.cdf(b, v)
            return (upper - (copula.cdf(a, v) if a > 0.0 else 0.0)) / mass

        assert stats.kstest(drawn.u[inside, 1], cdf).pvalue > LEAST_P


def test_children_of_one_parent_see_its_level_and_no_more():
    # With one place for both edges the two children would also share where it lies in its cell.
    copula = Gaussian(0.95)
    columns = columns_of([TWO, TWO, TWO])
    world = Copulas(3, {(0, 1): copula, (0, 2): copula})
    drawn = sample_down_mixed(world, columns, [[-1, 0, 0]] * 40000, 4)
    joint = volumes(copula, TWO, TWO)
    expected = joint[:, :, None] * joint[:, None, :] / np.array(TWO)[:, None, None]
    assert frequencies_fit(drawn.codes, expected) > LEAST_P


def test_continuous_columns_are_drawn_as_by_sample_down(rng):
    world = Copulas(4, {(0, 1): Clayton(3.0, 90), (1, 2): Gumbel(2.0), (1, 3): Student(0.5, 3.0)})
    parents = np.array([[-1, 0, 1, 1], [1, 2, -1, 1], [-1, -1, 1, 0]])[rng.integers(3, size=500)]
    drawn = sample_down_mixed(world, columns_of([[]] * 4), parents, 5)
    assert np.array_equal(drawn.u, sample_down(world.copulas_, parents, 5))
    assert np.all(drawn.codes == -1)


@pytest.mark.parametrize("copula", COPULAS, ids=str)
@pytest.mark.parametrize("known", [0.02, 0.5, 0.97])
def test_draws_by_density_agree_with_the_h_function(copula, known):
    world = ByDensity(Copulas(2, {(0, 1): copula}))
    P = np.linspace(0.001, 0.999, 500)
    rows = rows_of(columns_of([[], []]), [[known, np.nan]] * 500)
    near = np.tile([True, False], (500, 1))
    draw_given_neighbours(world, rows, np.arange(500), 1, near, P)
    # The density is constant within cells: off by a small part of the mass of one of them.
    largest = np.diff(copula.hfunc(known, sampling._CELLS)).max()
    assert copula.hfunc(known, rows.u[:, 1]) == pytest.approx(P, abs=largest / 40)


def between_two(n):
    """Rows with a gap between two neighbours, and its distribution function by quadrature."""
    world = Copulas(3, {(0, 1): Clayton(2.0), (1, 2): Gaussian(-0.6)})
    rows = rows_of(columns_of([[]] * 3), [[0.2, np.nan, 0.4]] * n)
    near = np.tile([True, False, True], (n, 1))
    u = (np.arange(100000) + 0.5) / 100000
    density = Clayton(2.0).pdf(0.2, u) * Gaussian(-0.6).pdf(u, 0.4)
    return world, rows, near, u, np.cumsum(density) / density.sum()


def test_a_value_between_two_neighbours(rng):
    world, rows, near, u, cdf = between_two(4000)
    draw_given_neighbours(world, rows, np.arange(4000), 1, near, rng.uniform(size=4000))
    assert stats.kstest(rows.u[:, 1], lambda t: np.interp(t, u, cdf)).pvalue > LEAST_P


def test_however_coarse_the_cells_exact_values_stay_exact(rng, monkeypatch):
    for name in ("_CELLS", "_WIDE_CELLS"):
        monkeypatch.setattr(sampling, name, np.linspace(0.0, 1.0, 5))
    n = 20000
    world, rows, near, u, cdf = between_two(n)
    start = np.interp(rng.uniform(size=n), cdf, u)

    def fit(accept):
        rows.u[:, 1] = start
        P = np.random.default_rng(1).uniform(size=n)
        draw_given_neighbours(world, rows, np.arange(n), 1, near, P, accept)
        return stats.kstest(rows.u[:, 1], lambda t: np.interp(t, u, cdf)).pvalue

    assert fit(rng.uniform(size=n)) > LEAST_P
    assert np.mean(rows.u[:, 1] != start) > 0.4  # it moves
    assert fit(None) < 1e-20


def test_most_proposals_are_taken(rng):
    world, rows, near, _, _ = between_two(2000)
    for accept in (None, rng.uniform(size=2000)):
        before = rows.u[:, 1].copy()
        draw_given_neighbours(world, rows, np.arange(2000), 1, near, rng.uniform(size=2000), accept)
    assert np.mean(rows.u[:, 1] != before) > 0.9


def test_batches_change_nothing(rng, monkeypatch):
    columns = columns_of([THREE, TWO, THREE], nominal=[True] * 3)
    world = WTables(columns, rng)
    parents = [[-1, 0, 1]] * 300
    whole = sample_down_mixed(world, columns, parents, 6)
    monkeypatch.setattr(sampling, "ENTRIES_AT_A_TIME", 70)
    assert np.array_equal(sample_down_mixed(world, columns, parents, 6).codes, whole.codes)


def test_nominal_pairs_follow_the_conditionals_of_their_tables(rng):
    n = 1500
    k = rng.integers(0, 3, size=n)
    u = stats.rankdata(k + 1.5 * rng.normal(size=n)) / (n + 1)
    b = np.where(rng.random(n) < 0.6, k, rng.integers(0, 3, size=n))
    masses = [np.bincount(k) / n, [], np.bincount(b) / n]
    columns = columns_of(masses, nominal=[True, False, True])
    tables = PairTables(rows_of(columns, np.column_stack([k, u, b])))
    assert "independence" not in tables.family_
    listed = tables.pairs_.tolist()

    class World:
        @staticmethod
        def log_density(table, pairs=None):
            found = tables.log_density(table)
            return found[:, [listed.index(pair) for pair in pairs]]

    def ratios(code, u, b):
        rows = np.column_stack([np.full(len(u), code), u, b])
        return np.exp(tables.log_density(rows_of(columns, rows)))

    drawn = sample_down_mixed(World(), columns, [[-1, 0, 0]] * 9000, 7)
    edges = np.linspace(0.0, 1.0, 2801)  # 400 for each bin of a table
    middle = (edges[1:] + edges[:-1]) / 2
    to_u, to_b = listed.index(pair_index(0, 1, 3)), listed.index(pair_index(0, 2, 3))
    for code in range(3):
        inside = drawn.codes[:, 0] == code
        share = masses[2] * ratios(code, [np.nan] * 3, range(3))[:, to_b]
        counts = np.bincount(drawn.codes[inside, 2], minlength=3)
        assert stats.chisquare(counts, inside.sum() * share).pvalue > LEAST_P
        density = ratios(code, middle, [-1] * 2800)[:, to_u]
        below = np.concatenate([[0.0], np.cumsum(density)])
        found = stats.kstest(drawn.u[inside, 1], lambda t, F=below: np.interp(t, edges, F / F[-1]))
        assert found.pvalue > LEAST_P


def test_parents_that_are_no_forest_are_refused(rng):
    columns = columns_of([TWO, TWO])
    world = WTables(columns, rng)
    with pytest.raises(InputError, match="row 1 form a cycle"):
        sample_down_mixed(world, columns, [[-1, 0], [1, 0]])
    with pytest.raises(InputError, match=r"shape \(n, 2\)"):
        sample_down_mixed(world, columns, [[-1, 0, 0]])
    with pytest.raises(InputError, match=r"parents\[0, 1\] is 2"):
        sample_down_mixed(world, columns, [[-1, 2]])


def test_no_rows(rng):
    columns = columns_of([TWO, []])
    drawn = sample_down_mixed(Copulas(2, {}), columns, np.empty((0, 2), dtype=int))
    assert drawn.u.shape == (0, 2)
