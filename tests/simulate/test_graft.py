"""Grafts: what they say of the truth is exact by construction."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney.exceptions import InputError
from spinney.simulate import graft, independent
from spinney.tables import read_table


def real_table(n=200, seed=0):
    """Draw a table of several kinds, whose columns depend on each other."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    return pd.DataFrame(
        {
            "length": size + 0.3 * rng.normal(size=n),
            "width": np.exp(size + rng.normal(size=n)),
            "count": rng.poisson(np.exp(0.5 * size)),
            "city": np.array(["Bonn", "Kiel", "Ulm"], dtype=object)[
                np.clip(np.round(size + 1), 0, 2).astype(int)
            ],
            "old": size + rng.normal(size=n) > 0,
            "price": np.where(rng.random(n) < 0.1, np.nan, size + rng.normal(size=n)),
        }
    )


def levels_table(n, seed):
    """Draw columns of few levels that depend on each other, so that all can be held fixed."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    values = common[:, None] + rng.normal(size=(n, 4))
    return pd.DataFrame(np.digitize(values, [-1.0, 1.0])).set_axis(list("abcd"), axis=1)


def dependence(grown, graft_name, other, given):
    """P-value of the independence of two columns where `given` are held fixed."""
    frame = grown.X[[graft_name, other, *given]].dropna()
    column = frame[graft_name]
    codes = pd.factorize(column)[0] if column.dtype == object else column.rank().to_numpy()
    edges = np.unique(np.quantile(codes, [0.2, 0.4, 0.6, 0.8]))
    frame["bins"] = codes if column.dtype == object else np.searchsorted(edges, codes)
    strata = frame.groupby(list(given)).ngroup().to_numpy() if given else np.zeros(len(frame), int)
    rows, columns = (np.unique(frame[k], return_inverse=True)[1] for k in ("bins", other))
    counts = np.zeros((strata.max() + 1, rows.max() + 1, columns.max() + 1), dtype=int)
    np.add.at(counts, (strata, rows, columns), 1)
    total = degrees = 0.0
    for table in counts:
        kept = table[table.sum(axis=1) > 20]
        kept = kept[:, kept.sum(axis=0) > 20]
        if min(kept.shape) >= 2:
            statistic, _, df, _ = stats.chi2_contingency(kept, correction=False)
            total, degrees = total + statistic, degrees + df
    return float(stats.chi2.sf(total, degrees)) if degrees else 1.0


def test_grafts_depend_on_their_parents_alone():
    """A change of any other column changes no value of a graft."""
    frame = real_table()
    rng = np.random.default_rng(1)
    changed = 0
    for seed in range(6):
        grown = graft(frame, n_grafts=6, strangers=2, random_state=seed)
        ancestors = {}
        for name, parents in grown.parents.items():
            ancestors[name] = set(parents).union(*(ancestors.get(p, set()) for p in parents))
        for column in frame:
            other = frame.copy()
            other[column] = other[column].to_numpy()[rng.permutation(len(frame))]
            again = graft(other, n_grafts=6, strangers=2, random_state=seed)
            assert again.parents == grown.parents
            for name in grown.parents:
                if column not in ancestors[name]:
                    pd.testing.assert_series_equal(grown.X[name], again.X[name])
                elif column in grown.parents[name]:
                    changed += not grown.X[name].equals(again.X[name])
    assert changed > 25


@pytest.mark.parametrize("seed", range(3))
def test_no_dependence_is_left_where_the_parents_are_held_fixed(seed):
    told, planted = [], []
    for k in range(12):
        frame = levels_table(6000, seed)
        grown = graft(frame, n_grafts=1, strangers=0, gaps=False, random_state=100 * seed + k)
        (parents,) = grown.parents.values()
        for other in frame:
            if other not in parents:
                assert not grown.adjacency[list(grown.X).index(other), -1]
                told.append(dependence(grown, "graft1", other, parents))
        for parent in parents:
            rest = [name for name in parents if name != parent]
            planted.append(dependence(grown, "graft1", parent, rest))
    # Of exact independences, p-values are uniform.
    assert min(told) > 0.01 / len(told)
    assert stats.kstest(told, "uniform").pvalue > 1e-3
    # A wrong label, an edge that is said to be none, is found.
    assert np.median(planted) < 1e-8


def test_what_is_known():
    frame = real_table()
    for seed in range(30):
        grown = graft(frame, n_grafts=5, strangers=2, random_state=seed)
        names = list(grown.X)
        d = frame.shape[1]
        at = names.index
        assert (grown.adjacency == grown.adjacency.T).all()
        assert (grown.known == grown.known.T).all()
        assert not (grown.adjacency & ~grown.known).any()
        assert grown.known.diagonal().all()
        assert not grown.adjacency.diagonal().any()
        children = {frozenset((at(p), at(g))) for g, of in grown.parents.items() for p in of}
        married = {
            frozenset((at(p), at(q)))
            for of in grown.parents.values()
            for p, q in product(of, of)
            if p != q
        }
        for u, v in zip(*np.triu_indices(len(names), 1), strict=True):
            pair = frozenset((int(u), int(v)))
            same_block = v < d or (u >= d and v < d + 2)
            known = pair in children or not (same_block or pair in married)
            assert grown.known[u, v] == known, (names[u], names[v])
            assert grown.adjacency[u, v] == (pair in children)
        assert not any(name.endswith("shuffled") for of in grown.parents.values() for name in of)


def test_strangers_are_columns_in_one_other_order():
    frame = real_table()
    grown = graft(frame, n_grafts=0, strangers=6)
    rows = grown.X.iloc[:, 6:].set_axis(list(frame), axis=1)
    assert not rows.equals(frame)
    keys = list(frame)
    pd.testing.assert_frame_equal(
        rows.sort_values(keys, ignore_index=True), frame.sort_values(keys, ignore_index=True)
    )


def test_permuted_columns_are_known_to_be_independent():
    frame = real_table()
    grown = graft(frame, n_grafts=0, strangers=0, shuffle=True)
    assert grown.known.all()
    assert not grown.adjacency.any()
    some = graft(frame, n_grafts=4, strangers=0, shuffle=True, random_state=5)
    married = {(p, q) for of in some.parents.values() for p, q in product(of, of) if p != q}
    names = list(some.X)
    for u, v in product(range(6), range(6)):
        assert some.known[u, v] == ((names[u], names[v]) not in married)


def test_nobody_knows_which_of_two_twins_is_the_parent():
    frame = real_table()[["length", "city"]]
    frame["log length"] = np.exp(frame["length"])
    frame["land"] = frame["city"].map({"Bonn": "B", "Kiel": "A", "Ulm": "C"})
    for seed in range(10):
        grown = graft(frame, n_grafts=3, strangers=0, random_state=seed)
        names = list(grown.X)
        for name, parents in grown.parents.items():
            for parent in parents:
                twin = {"length": "log length", "city": "land"}
                twin |= {b: a for a, b in twin.items()}
                if parent in twin:
                    for other in (parent, twin[parent]):
                        assert not grown.known[names.index(name), names.index(other)]


def test_a_graft_has_gaps_where_its_parents_have():
    frame = real_table()
    seen = 0
    for seed in range(40):
        grown = graft(frame, n_grafts=3, strangers=0, gaps=False, random_state=seed)
        for name, parents in grown.parents.items():
            missing = np.zeros(len(frame), dtype=bool)
            for parent in parents:
                missing |= grown.X[parent].isna().to_numpy()
            np.testing.assert_array_equal(grown.X[name].isna(), missing)
            seen += missing.any()
    assert seen > 5


def test_without_a_column_its_neighbours_are_unknown():
    frame = real_table()
    grown = graft(frame, n_grafts=2, strangers=0, random_state=2)
    assert all(grown.parents.values())
    (parent, *_) = grown.parents["graft1"]
    rest = grown.keep([name for name in grown.X if name != parent])
    names = list(rest.X)
    at = names.index("graft1")
    for k in range(5):  # the other columns of the table explain the lost parent, and so the graft
        assert rest.adjacency[at, k] or not rest.known[at, k]
    same = grown.keep(grown.X.columns)
    np.testing.assert_array_equal(same.known, grown.known)


def test_the_same_seed_gives_the_same_grafts():
    frame = real_table()
    one, two = graft(frame, random_state=4), graft(frame, random_state=4)
    pd.testing.assert_frame_equal(one.X, two.X)
    np.testing.assert_array_equal(one.known, two.known)
    assert not graft(frame, n_grafts=2, random_state=5).X.equals(
        graft(frame, n_grafts=2, random_state=6).X
    )
    few, many = (graft(frame, n_grafts=k, strangers=0, random_state=4) for k in (2, 5))
    pd.testing.assert_frame_equal(few.X, many.X[list(few.X)])


@pytest.mark.parametrize("seed", range(15))
def test_any_table_will_do(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([8, 9, 12, 30, 100]))
    frame = real_table(n, seed)
    frame["constant"] = 3
    frame["nothing"] = np.nan
    frame["number"] = np.arange(n)
    frame["words"] = [f"row {i}" for i in range(n)]
    frame[7] = rng.random(n) < 0.5
    some = frame[list(rng.permutation(np.array(list(frame), dtype=object))[: rng.integers(1, 9)])]
    grown = graft(some, n_grafts=4, strangers=1, random_state=seed)
    assert list(grown.X)[: some.shape[1]] == list(some)
    assert grown.X.shape == (n, some.shape[1] + 1 + 4)
    table = read_table(grown.X, min_columns=1)
    kept = {column.name for column in table.columns}
    assert set(grown.parents) <= kept
    assert {str(p) for of in grown.parents.values() for p in of} <= kept


def test_arrays_and_errors():
    grown = graft(independent(50, 2, random_state=0).X, n_grafts=1, strangers=0)
    assert grown.table.shape == (50, 3)
    with pytest.raises(InputError, match="at least 8 rows"):
        graft(np.zeros((7, 3)))
    with pytest.raises(InputError, match="Two columns"):
        graft(pd.DataFrame(np.zeros((9, 2)), columns=["a", "a"]))
    with pytest.raises(InputError, match="strength"):
        graft(np.zeros((9, 2)), strength=0)


def test_strength_is_signal_by_noise():
    frame = levels_table(3000, 0)
    found = {}
    for strength in (0.1, 5.0):
        tests = []
        for seed in range(8):
            grown = graft(
                frame, n_grafts=1, strangers=0, gaps=False, strength=strength, random_state=seed
            )
            for parent in grown.parents["graft1"]:
                rest = [name for name in grown.parents["graft1"] if name != parent]
                tests.append(dependence(grown, "graft1", parent, rest))
        found[strength] = np.median(tests)
    assert found[5.0] < 1e-12 < found[0.1]
