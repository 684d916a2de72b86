"""Motifs of the world: the truth is right, and the tables are what they are meant to be."""

import numpy as np
import pytest
from training.sources import as_read
from training.world.motifs import BENDS, MOTIFS, draw_motif, draw_units, forest_of_causes
from training.world.source import Source

from spinney.tables import CONTINUOUS, NOMINAL, read_table
from training.world import World

LIMITS = ((2, 300), (10, 20_000), 1.2e6)


def draws(name, count, limits=LIMITS):
    return [draw_motif(np.random.default_rng([seed, 5]), name, *limits) for seed in range(count)]


def deviate(x, z, classes):
    """Deviate of the correlation of two columns within classes of a third."""
    x, z = x.copy(), z.copy()
    for c in np.unique(classes):
        here = classes == c
        x[here] -= x[here].mean()
        z[here] -= z[here].mean()
    rows = len(x) - len(np.unique(classes))
    r = np.corrcoef(x, z)[0, 1]
    return abs(r) * np.sqrt(rows)


@pytest.mark.parametrize("name", MOTIFS)
def test_motifs_are_within_their_limits(name):
    motif = MOTIFS[name]
    for values in draws(name, 40):
        n, d = values.X.shape
        assert motif.columns[0] <= d <= motif.columns[1]
        assert n <= motif.rows[1]
        assert n >= min(motif.rows[0], 1.2e6 / (d * (d - 1) / 2) - 1)
        assert np.isfinite(values.X).all()
        assert (values.adjacency == values.adjacency.T).all()
        assert not values.adjacency.diagonal().any()
    for values in draws(name, 5, ((3, 3), (12, 30), 1.2e6)):
        assert values.X.shape[1] == 3
        assert 12 <= len(values.X) <= 30


def test_children_of_a_bent_cause_are_independent_given_it():
    given, alone = [], []
    for seed in range(40):
        values = forest_of_causes(np.random.default_rng(seed), 5, 6000, bent=1.0)
        A, X = values.adjacency, values.X
        for x, z in zip(*np.triu_indices(5, 1), strict=True):
            common = np.flatnonzero(A[x] & A[z])
            if A[x, z] or len(common) != 1 or values.kinds[common[0]] != CONTINUOUS:
                continue
            if {values.kinds[x], values.kinds[z]} != {CONTINUOUS}:
                continue
            ranks = X[:, common[0]].argsort().argsort()
            given.append(deviate(X[:, x], X[:, z], ranks * 300 // len(X)))
            alone.append(deviate(X[:, x], X[:, z], np.zeros(len(X))))
    assert len(given) > 30
    assert np.mean(np.array(given) > 3) < 0.15  # a step within a class is left in a few
    assert np.mean(np.array(alone) > 3) > 0.5


def test_bends_are_no_lines():
    """Even functions, thresholds and waves: a line explains little of most of them."""
    rng = np.random.default_rng(1)
    u = rng.standard_normal(2000)
    explained = {
        name: np.mean([np.corrcoef(u, bend(rng, u))[0, 1] ** 2 for _ in range(40)])
        for name, (_, bend) in BENDS.items()
    }
    assert explained["square"] < 0.15
    assert explained["size"] < 0.15
    assert explained["band"] < 0.1
    assert explained["sine"] < 0.35
    assert all(share < 0.95 for share in explained.values())
    assert sum(share for share, _ in BENDS.values()) == pytest.approx(1.0)


def test_units_are_alike_by_the_share_that_is_said(rng):
    two = Source(rng, 60_000, units=np.arange(60_000) // 2, alike=0.6).normals(1).reshape(-1, 2)
    assert np.corrcoef(two.T)[0, 1] == pytest.approx(0.6, abs=0.02)
    assert two.std() == pytest.approx(1, abs=0.02)
    for shuffled in (False, True):
        units = draw_units(rng, 1000, shuffled=shuffled)
        assert 5 <= len(np.unique(units)) == units.max() + 1 <= 200
        assert (np.diff(units) >= 0).all() != shuffled


def test_random_walks_stay_near_where_they_were(rng):
    x = Source(rng, 500, 1.0).normals(3)
    assert all(np.corrcoef(a[1:], a[:-1])[0, 1] > 0.9 for a in x.T)
    np.testing.assert_allclose(x.std(axis=0), 1.0)
    uneven = Source(rng, 500, 1.0, uneven=True).normals(40)
    walks = np.mean([np.corrcoef(a[1:], a[:-1])[0, 1] > 0.5 for a in uneven.T])
    assert 0.5 < walks < 0.9


def test_dependent_rows_say_their_units_when_they_are_named():
    world = World()
    found = {}
    for seed in range(9_100_000, 9_100_600):
        data = world.draw(seed)
        if data.parameters["graph"] == "dependent rows":
            way = data.parameters["density"].partition(":")[0]
            found.setdefault(way, []).append(data)
            assert "dependent rows" in data.parameters["spoils"]
        else:
            assert data.units is None
    assert set(found) == {"named units", "units in order", "series", "walks"}
    for way, tables in found.items():
        for data in tables:
            assert (data.units is not None) == (way == "named units")
            table = as_read(data)
            if data.units is not None:
                np.testing.assert_array_equal(table.units, data.units)
                assert 2 <= len(np.unique(data.units)) <= 200
            else:
                assert table.units is None
    empty = np.mean([data.n_edges == 0 for tables in found.values() for data in tables])
    assert 0.35 < empty < 0.8


def test_interactions_show_only_with_three_columns():
    alone = []
    for values in draws("interactions", 60, ((3, 3), (2000, 4000), 1e9)):
        assert values.adjacency.sum() == 6
        levels = [np.searchsorted(np.quantile(x, (0.25, 0.5, 0.75)), x) for x in values.X.T]
        alone += [
            deviate(levels[a] * 1.0, levels[b] * 1.0, levels[a] * 0)
            for a, b in ((0, 1), (0, 2), (1, 2))
        ]
    assert np.mean(np.array(alone) > 3) < 0.35  # where a coin is not fair, some is seen of a pair


def test_weak_edges_are_few_standard_errors():
    t = []
    for values in draws("weak edges", 60):
        n, d = values.X.shape
        sizes = np.abs(values.precision[np.triu_indices(d, 1)])
        np.testing.assert_array_equal(sizes > 0, values.adjacency[np.triu_indices(d, 1)])
        t += (sizes[sizes > 0] * np.sqrt(n)).tolist()
    assert 0.7 < np.mean(np.array(t) <= 8.0001) < 1.0
    assert np.median(t) == pytest.approx(3.7, abs=1.2)


def test_near_copies_are_joined_and_their_neighbours_are_not():
    copies = 0
    for values in draws("near-copies", 40):
        r = np.abs(np.corrcoef(values.X.T)) - np.eye(values.X.shape[1])
        u, v = np.unravel_index(np.nanargmax(r), r.shape)
        copies += r[u, v] > 0.99 and values.adjacency[u, v]
        assert values.adjacency.sum() / 2 <= 2 * values.X.shape[1]
    assert copies >= 36


def test_rare_levels_are_rare_and_are_read():
    rarest, independent = [], 0
    for values in draws("rare levels", 60):
        independent += not values.adjacency.any()
        for x, kind in zip(values.X.T, values.kinds, strict=True):
            if kind == NOMINAL:
                rarest.append(np.unique(x, return_counts=True)[1].min())
    assert np.median(rarest) <= 4
    assert 25 <= independent <= 50
    levels = []
    for seed in range(9_100_000, 9_100_500):
        data = World().draw(seed)
        if data.parameters["graph"] == "rare levels":
            read = read_table(data.table)
            assert not read.left_out
            assert tuple(c.kind for c in read.columns) == data.kinds
            levels += read.n_levels.tolist()
    assert max(levels) > 10


def test_few_columns_are_mostly_independent():
    values = draws("few columns", 200)
    assert np.mean([not v.adjacency.any() for v in values]) == pytest.approx(0.8, abs=0.1)
    assert np.mean([len(v.X) <= 50 for v in values]) > 0.4


def test_without_motifs_other_tables_stay():
    world, bare = World(), World(motifs=0.0)
    other = 0
    for seed in range(9_000_000, 9_000_040):
        data, plain = world.draw(seed), bare.draw(seed)
        if data.parameters["source"] == "motif":
            other += 1
            assert plain.parameters["source"] != "motif"
        else:
            np.testing.assert_array_equal(data.X, plain.X)
    assert 5 <= other <= 25
