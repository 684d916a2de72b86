"""The second round: pairs that depend on each other given a column that both depend on."""

import numpy as np
import pytest
from scipy import special, stats
from tests.scale.screening.cases import mixed_table

from spinney import GraphLearner
from spinney.scale.screening import Screened, add_co_parents, screen
from spinney.tables import read_table


def causes(n, effects, seed):
    """Triples of columns: two independent causes and their effect."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3 * effects))
    X[:, 2::3] = X[:, 0::3] + X[:, 1::3] + 0.7 * X[:, 2::3]
    return X, [(3 * k, 3 * k + 1) for k in range(effects)]


def pairs_of(screened):
    return set(zip(screened.first.tolist(), screened.second.tolist(), strict=True))


def test_causes_of_one_effect_pass():
    X, married = causes(200, 30, 1)
    table = read_table(X)
    first = screen(table, partners=0)
    second = add_co_parents(table, first)
    assert len(pairs_of(first) & set(married)) < 5
    assert set(married) <= pairs_of(second)
    assert pairs_of(first) <= pairs_of(second)
    apart = {(u, v) for u, v in pairs_of(second) - pairs_of(first) if u // 3 != v // 3}
    assert len(apart) < 3  # of 3,915 independent pairs


@pytest.mark.filterwarnings("ignore:The table is unlike")
def test_the_graph_has_them():
    X, married = causes(200, 30, 2)
    model = GraphLearner(screen=True).fit(X)
    assert sum(bool(model.adjacency_[u, v]) for u, v in married) > 27


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_strengths_are_partial_correlations(share):
    X, _ = causes(150, 2, 3)
    X[np.random.default_rng(4).uniform(size=X.shape) < share] = np.nan
    table = read_table(X)
    both = add_co_parents(table, screen(table, partners=0))
    there = ~np.isnan(X)
    ranks = stats.rankdata(X, axis=0, nan_policy="omit")
    scores = special.ndtri(ranks / (there.sum(axis=0) + 1.0))
    strength = both.strength[both.pairs == 0].item()  # of the first two columns
    rows = there[:, :3].all(axis=1)
    a, b, w = scores[rows, :3].T
    fit = [x - np.polyval(np.polyfit(w, x, 1), w) for x in (a, b)]
    m = rows.sum()
    r = np.corrcoef(*fit)[0, 1]
    t = abs(r) * np.sqrt((m - 3) / (1 - r**2))
    expected = -special.ndtri(stats.t.sf(t, m - 3))
    assert strength == pytest.approx(expected, rel=0.02 if share == 0.0 else 0.25)


def test_pairs_that_a_column_explains_pass_as_often_as_the_level_says():
    rng = np.random.default_rng(5)
    level, effects = 0.05, 400
    X = rng.normal(size=(300, 3 * effects))
    X[:, 0::3] += 0.45 * X[:, 2::3]  # one cause, two effects
    X[:, 1::3] += 0.45 * X[:, 2::3]
    table = read_table(X)
    listed = [(3 * k, 3 * k + 2) for k in range(effects)]
    listed += [(3 * k + 1, 3 * k + 2) for k in range(effects)]
    d = 3 * effects
    numbers = np.sort([u * d - u * (u + 1) // 2 + v - u - 1 for u, v in listed])
    strong = Screened(d, numbers, np.full(len(numbers), 9.0, dtype=np.float32), level, 0)
    added = len(add_co_parents(table, strong)) - len(numbers)
    assert abs(added / effects - level) < 3.0 * np.sqrt(level * (1 - level) / effects)


def test_without_strong_partners_nothing_is_added(rng):
    table = read_table(rng.normal(size=(100, 30)))
    first = screen(table, level=1e-4, partners=0)
    np.testing.assert_array_equal(add_co_parents(table, first).pairs, first.pairs)


def test_threads_and_the_order_of_columns_do_not_matter():
    X, _ = causes(120, 70, 6)
    one, two = (add_co_parents(read_table(X), screen(read_table(X)), n_jobs=k) for k in (1, 2))
    np.testing.assert_array_equal(one.pairs, two.pairs)
    np.testing.assert_array_equal(one.strength, two.strength)
    back = read_table(X[:, ::-1])
    turned = add_co_parents(back, screen(back))
    d = X.shape[1]
    assert {(d - 1 - v, d - 1 - u) for u, v in pairs_of(turned)} == pairs_of(one)


def test_nominal_columns_take_no_part(rng):
    X, _ = causes(200, 3, 7)
    X[:, 2] = np.digitize(X[:, 2], [-1.0, 0.0, 1.0])
    X[:, 3] = np.digitize(X[:, 3], [-1.0, 0.0, 1.0])
    table = mixed_table(X, x2="nominal", x3="nominal")
    added = pairs_of(add_co_parents(table, screen(table, level=1e-3, partners=0)))
    assert (0, 1) not in added
    assert (3, 4) not in added
    assert (6, 7) in added
