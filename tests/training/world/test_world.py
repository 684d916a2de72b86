"""The world: one seed, one table; shares, groups, and tables that are read as they are meant."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from training.world.listing import ingredients
from training.world.sizes import work

from spinney.exceptions import InputError
from spinney.simulate import potts_forest
from spinney.tables import CONTINUOUS, read_table
from training.world import GROUPS, World, familiar
from training.world import world as world_module

SEEDS = range(9_000_000, 9_000_300)


@pytest.fixture(scope="module")
def tables():
    world = World()
    return [world.draw(seed) for seed in SEEDS]


def share(tables, condition):
    return np.mean([condition(data) for data in tables])


def test_the_same_seed_gives_the_same_table(tables):
    np.random.default_rng(0).standard_normal(10)
    for seed, first in list(zip(SEEDS, tables, strict=True))[::15]:
        again = World().draw(seed)
        np.testing.assert_array_equal(again.X, first.X)
        np.testing.assert_array_equal(again.adjacency, first.adjacency)
        assert again.parameters == first.parameters
        assert again.kinds == first.kinds


def test_different_seeds_give_different_tables(tables):
    assert len({data.X.tobytes() for data in tables}) == len(tables)


def test_all_columns_are_read_with_the_kinds_that_are_meant(tables):
    for data in tables:
        read = read_table(data.table)
        assert not read.left_out, data.seed
        assert tuple(column.kind for column in read.columns) == data.kinds, data.seed
        np.testing.assert_array_equal(np.isnan(read.values), np.isnan(data.X))


def test_truths_are_graphs_and_values_are_finite(tables):
    for data in tables:
        n, d = data.X.shape
        assert data.adjacency.shape == (d, d)
        assert data.adjacency.dtype == bool
        assert (data.adjacency == data.adjacency.T).all()
        assert not data.adjacency.diagonal().any()
        assert np.isfinite(data.X[~np.isnan(data.X)]).all()
        assert (data.parameters["n"], data.parameters["d"]) == (n, d)


def test_sizes_are_within_bounds(tables):
    d = np.array([data.X.shape[1] for data in tables])
    n = np.array([data.X.shape[0] for data in tables])
    works = np.array([work(*data.X.shape[::-1]) for data in tables])
    assert 2 <= d.min() <= 4
    assert 100 <= d.max() <= 300
    assert 10 <= n.min() <= 20
    assert 10_000 <= n.max() <= 20_000
    assert works.max() <= 5 * 1.2e6
    assert (works > 1.2e6).mean() < 0.02  # long and wide tables, and a few large ones, may be
    assert 30_000 < works.mean() < 80_000
    assert 10 <= np.median(d) <= 16
    assert 100 <= np.median(n) <= 220


def test_kinds_of_tables_have_their_shares(tables):
    def has_levels(data):
        return set(data.kinds) != {CONTINUOUS}

    def has_gaps(data):
        return bool(np.isnan(data.X).any())

    # Three standard deviations of a share among 300 tables are some 8 %.
    assert share(tables, has_levels) == pytest.approx(0.36, abs=0.08)
    assert share(tables, has_gaps) == pytest.approx(0.15, abs=0.07)
    assert share(tables, lambda t: not has_levels(t) and not has_gaps(t)) == pytest.approx(
        0.52, abs=0.09
    )
    for part, name, expected, off in (
        ("graph", "empty", 0.05, 0.04),
        ("source", "familiar", 0.244, 0.08),
        ("source", "motif", 0.35, 0.085),
    ):
        found = np.mean([data.parameters[part] == name for data in tables])
        assert found == pytest.approx(expected, abs=off)
    dependent = {"dependent rows", "autocorrelation"}
    assert share(tables, lambda t: bool(dependent & set(t.parameters["spoils"]))) == pytest.approx(
        0.09, abs=0.05
    )
    for data in tables:
        assert has_gaps(data) == ("gaps" in data.parameters["spoils"])


def test_the_world_is_wide(tables):
    assert len(Counter(data.parameters["graph"] for data in tables)) >= 16
    assert len(Counter(data.parameters["density"].split(" (")[0] for data in tables)) >= 9
    spoils = Counter(spoil for data in tables for spoil in data.parameters["spoils"])
    assert set(spoils) == {
        "autocorrelation",
        "batches",
        "common influence",
        "dependent rows",
        "floor",
        "gaps",
        "levels",
        "margins",
        "negation",
        "noise",
        "outliers",
        "populations",
        "rounding",
        "swelling",
    }
    edges = np.array([data.n_edges / len(data.adjacency) for data in tables])
    assert 0.75 < np.median(edges) < 1.1
    assert 0.8 < edges.mean() < 1.4


def test_precision_matrices_have_the_pattern_of_the_truth(tables):
    checked = 0
    for data in tables:
        if data.precision is not None:
            checked += 1
            pattern = (data.precision != 0) & ~np.eye(len(data.precision), dtype=bool)
            np.testing.assert_array_equal(pattern, data.adjacency)
    assert checked > 100


def test_empty_tables_have_no_edge(tables):
    assert all(t.n_edges == 0 for t in tables if t.parameters["graph"] == "empty")
    assert World(empty=1.0, motifs=0.0).draw(1).n_edges == 0


def test_parameters_can_be_written(tables):
    for data in tables[:12]:
        json.dumps(data.parameters)


def test_groups_say_what_they_should(tables):
    groups = Counter(group for data in tables for group in data.parameters["groups"])
    assert set(groups) == set(GROUPS)
    for data in tables:
        p = data.parameters
        assert isinstance(p["groups"], tuple)
        has_noise = bool({"noise", "rounding"} & set(p["spoils"]))
        assert ("noise" in p["groups"]) == has_noise
        if p["density"] in ("copulas", "curved causes", "ising", "potts", "student cliques"):
            assert "non-gaussian" in p["groups"]
        if p["density"].startswith("gaussian (") and " and " not in p["density"]:
            assert ("non-gaussian" in p["groups"]) == ("outliers" in p["spoils"])
        if p["graph"] in ("tree", "forest", "chain", "recursive tree"):
            assert "trees" in p["groups"]
        if p["graph"] in ("grid", "loopy", "band", "ring", "small world"):
            assert "loops" in p["groups"]


@pytest.mark.parametrize("group", GROUPS)
def test_groups_are_left_out_and_other_tables_stay(group, tables):
    world = World(without=(group,))
    redrawn = 0
    for data in tables[:40]:
        other = world.draw(data.seed)
        assert group not in other.parameters["groups"]
        if group in data.parameters["groups"]:
            redrawn += 1
            assert other.parameters["attempt"] > 0
        else:
            np.testing.assert_array_equal(other.X, data.X)
    assert redrawn > 0


def test_all_groups_at_once_leave_something():
    assert World(without=GROUPS).draw(3).parameters["groups"] == ()


@pytest.mark.parametrize("columns", [(2, 3), (5, 5), (25, 25)])
def test_columns_and_rows_can_be_confined(columns):
    world = World(columns=columns, rows=(10, 60))
    for seed in range(30):
        n, d = world.draw(seed).X.shape
        assert columns[0] <= d <= columns[1]
        assert 10 <= n <= 60


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"without": ("stars",)}, "There is no group 'stars' to leave out"),
        ({"columns": (1, 5)}, "columns must be two whole numbers from 2 up"),
        ({"rows": (50, 20)}, "rows must be two whole numbers from 10 up"),
        ({"empty": 1.5}, r"empty must lie in \[0, 1\], got 1.5"),
    ],
)
def test_impossible_worlds_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        replace(World(), **change)


def test_groups_that_leave_nothing_are_named(tables, monkeypatch):
    monkeypatch.setattr(world_module, "_ATTEMPTS", 1)
    data = next(data for data in tables if data.parameters["groups"])
    with pytest.raises(InputError, match="belongs to none of the groups trees, loops, cliques"):
        World(without=GROUPS).draw(data.seed)


def test_potts_tables_that_ask_for_too_much_get_less():
    with pytest.raises(InputError, match="do not reach a mutual information"):
        potts_forest(20, 6, 1, (2, 2), 0, strength=(0.5, 0.5))
    less = familiar._potts(20, 6, 1, (2, 2), 0, (0.5, 0.5))
    assert 0 < less.parameters["strength"][1] < 0.5


def test_the_docs_list_the_ingredients_that_draws_use():
    page = (Path(__file__).parents[3] / "docs" / "world.md").read_text(encoding="utf-8")
    listed = page.split("<!-- ingredients -->")[1].split("<!-- end of ingredients -->")[0]
    assert listed.strip() == ingredients().strip()
