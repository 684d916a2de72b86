"""The oracles know what they should, and nothing else."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from benchmarks.real import sections
from benchmarks.real.oracle import ORACLES, best_threshold, deviate_of_pair
from scipy import special, stats

from spinney.simulate import Grafted
from spinney.tables import read_table


def chain(n=400, seed=0):
    """A table of a -> g -> h with a stranger b that is a copy of a with noise."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + 0.3 * rng.normal(size=n)
    g = a + rng.normal(size=n)
    h = g + rng.normal(size=n)
    X = pd.DataFrame({"a": a, "b": b, "g": g, "h": h})
    adjacency = np.zeros((4, 4), dtype=bool)
    for u, v in ((0, 2), (2, 3)):
        adjacency[u, v] = adjacency[v, u] = True
    known = np.ones((4, 4), dtype=bool)
    known[0, 1] = known[1, 0] = False
    return Grafted(X, adjacency, known, {"g": ("a",), "h": ("g",)}, {}, 0)


def scores(x):
    return special.ndtri((stats.rankdata(x) - 0.5) / len(x))


def t_by_hand(y, *columns):
    """Give |t| of the first column by the normal equations."""
    design = np.column_stack([*columns, np.ones(len(y))])
    inverse = np.linalg.inv(design.T @ design)
    slopes = inverse @ design.T @ y
    rest = y - design @ slopes
    variance = rest @ rest / (len(y) - design.shape[1])
    return abs(slopes[0]) / np.sqrt(variance * inverse[0, 0])


def test_the_oracle_is_the_t_given_the_other_neighbours():
    grown = chain()
    z = {name: scores(x) for name, x in grown.X.items()}
    found = ORACLES["oracle"](grown)
    expected = [
        0.0,  # a-b is not known
        t_by_hand(z["g"], z["a"], z["h"]),
        t_by_hand(z["h"], z["a"], z["g"]),
        t_by_hand(z["g"], z["b"], z["a"], z["h"]),
        t_by_hand(z["h"], z["b"], z["g"]),
        t_by_hand(z["h"], z["g"]),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_the_oracle_of_causes_leaves_children_out():
    grown = chain(n=15)  # too few rows for a bend
    z = {name: scores(x) for name, x in grown.X.items()}
    found = ORACLES["oracle of causes"](grown)
    assert found[1] == pytest.approx(t_by_hand(z["g"], z["a"]), rel=1e-8)
    assert found[2] == pytest.approx(t_by_hand(z["h"], z["a"], z["g"]), rel=1e-8)


def test_co_parents_are_given():
    rng = np.random.default_rng(1)
    n = 2000
    a, e = rng.normal(size=(2, n))
    g = rng.normal(size=n)
    h = g + a + 0.2 * rng.normal(size=n)
    X = pd.DataFrame({"a": a, "e": a + 0.5 * e, "g": g, "h": h})
    adjacency = np.zeros((4, 4), dtype=bool)
    for u, v in ((0, 3), (2, 3)):
        adjacency[u, v] = adjacency[v, u] = True
    known = np.ones((4, 4), dtype=bool)
    grown = Grafted(X, adjacency, known, {"g": (), "h": ("a", "g")}, {}, 0)
    # Given h but not a, e and g would depend on each other.
    e_g = ORACLES["oracle"](grown)[3]
    z = {name: scores(x) for name, x in X.items()}
    assert e_g == pytest.approx(t_by_hand(z["g"], z["e"], z["a"], z["h"]), rel=1e-8)
    assert t_by_hand(z["g"], z["e"], z["h"]) > 10 > 4 > e_g


def test_levels_without_order_and_missing_values():
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 3, 300)
    x = np.where(kind == 1, 1.0, 0.0) + rng.normal(size=300)  # the middle level: no slope
    x[:10] = np.nan
    table = read_table(pd.DataFrame({"kind": np.array(list("abc"))[kind], "x": x}))
    z = np.column_stack([scores(kind), np.append(np.full(10, np.nan), scores(x[10:]))])
    groups = [scores(x[10:])[kind[10:] == k] for k in range(3)]
    p = stats.f_oneway(*groups).pvalue
    assert deviate_of_pair(table, z, 1, 0, []) == pytest.approx(stats.norm.isf(p / 2), rel=1e-6)


def test_what_cannot_be_tested_has_deviate_0():
    x, y = np.random.default_rng(4).normal(size=(2, 20))
    table = read_table(pd.DataFrame({"x": x, "y": y, "copy": np.exp(y)}))
    z = np.column_stack([scores(x), scores(y), scores(y)])
    assert deviate_of_pair(table, z, 0, 1, []) > 0
    assert deviate_of_pair(table, z, 0, 1, [2]) == 0


def test_the_threshold_is_the_best_in_hindsight():
    rng = np.random.default_rng(3)
    truth = rng.random(60) < 0.4
    deviates = np.round(np.abs(rng.normal(size=60)) + 1.5 * truth, 1)  # with ties
    wrong = {t: ((deviates >= t) != truth).sum() for t in [*deviates, np.inf]}
    assert wrong[best_threshold(deviates, truth)] == min(wrong.values())
    assert best_threshold(deviates, np.zeros(60, dtype=bool)) == np.inf


def test_a_ratio_has_the_error_of_paired_tables():
    of = np.array([1.0, 2.0, 3.0])
    assert sections._ratio(2 * of, of) == {"ratio": pytest.approx(2), "error": pytest.approx(0)}


def test_a_digest_changes_with_values_and_with_truth():
    grown = chain()
    assert sections.digest(grown) == sections.digest(chain())
    assert sections.digest(replace(grown, X=2 * grown.X)) != sections.digest(grown)
    assert sections.digest(replace(grown, known=grown.adjacency)) != sections.digest(grown)
