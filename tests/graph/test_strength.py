"""Strengths and signs given the neighbours, against regressions by hand and known truths."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from spinney.judge import GraphLearner, edge_strengths
from spinney.scores.columns import score_column
from spinney.simulate import gaussian_mrf
from spinney.tables import read_table
from tests.graph.cases import plain_judge

FULL = {d: ~np.eye(d, dtype=bool) for d in range(2, 8)}


def measured(frame, joined=None, **options):
    """Measure the strengths of a graph that is known; by default, of all pairs."""
    table = read_table(frame, **options)
    return edge_strengths(table, FULL[len(table.columns)] if joined is None else joined)


def residuals(values, given):
    """Least squares by hand."""
    X = np.column_stack([np.ones(len(values)), *given])
    return values - X @ np.linalg.lstsq(X, values, rcond=None)[0]


def in_classes(rng, n, rho, shifts):
    """Two columns with a correlation within classes, which move both by the same shifts."""
    group = rng.integers(len(shifts), size=n)
    Z = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=n)
    Z += np.asarray(shifts, dtype=float)[group][:, None]
    return pd.DataFrame({"x": Z[:, 0], "y": Z[:, 1], "group": np.array(list("abcd"))[group]})


# What is measured


def test_strengths_are_correlations_of_what_the_neighbours_of_both_ends_leave():
    data = gaussian_mrf(400, 12, 2.5, 1, random_state=3)
    found = measured(pd.DataFrame(data.X), data.adjacency)
    scores = np.array([score_column(column).normal for column in data.X.T])
    for k, (u, v) in enumerate(np.argwhere(np.triu(data.adjacency, 1))):
        near = (data.adjacency[u] | data.adjacency[v]) & ~np.isin(np.arange(12), [u, v])
        rest = [residuals(scores[end], scores[near]) for end in (u, v)]
        r = np.corrcoef(rest)[0, 1]
        a, b = (own / own.std() for own in rest)
        kappa = np.sum(((a * b - r * (a**2 + b**2) / 2) / (1 - r**2)) ** 2)
        kappa = max(kappa / 400, 1.0)
        assert found.values[k] == pytest.approx(r, abs=1e-7)
        error = np.sqrt(kappa / (400 - near.sum() - 3))
        assert found.errors[k] == pytest.approx(error, rel=1e-6)
        expected = np.tanh(np.arctanh(r) + 1.959964 * error * np.array([-1, 1]))
        np.testing.assert_allclose(found.intervals[k], expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["two words", "three words", "two numbers"])
@pytest.mark.parametrize(("rho", "shift"), [(0.5, 1.0), (0.5, 2.5), (-0.6, 2.5)])
def test_classes_do_not_turn_strengths_around(kind, rho, shift):
    """Two columns that classes move together, as sex moves height and weight."""
    rng = np.random.default_rng(8)
    shifts = [0, shift, 2 * shift] if kind == "three words" else [0, shift]
    inside, signs = [], []
    for _ in range(40):
        frame = in_classes(rng, 300, rho, shifts)
        if kind == "two numbers":
            frame["group"] = (frame["group"] == "b").astype(int)
        found = measured(frame)
        inside.append(found.intervals[0, 0] <= rho <= found.intervals[0, 1])
        signs.append(found.signs[0])
    assert set(signs) == {np.sign(rho)}
    assert sum(inside) >= 35


def test_a_bent_common_cause_leaves_nothing():
    rng = np.random.default_rng(1)
    cause = rng.normal(size=2000)
    x, y = cause**2 + 0.5 * rng.normal(size=(2, 2000))
    found = measured(pd.DataFrame({"x": x, "y": y, "cause": cause}))
    assert abs(found.values[0]) < 0.1
    assert np.corrcoef(x, y)[0, 1] > 0.8


def test_neighbours_with_levels_count_as_what_was_observed():
    """Given three levels of a cause, its effects are still correlated, as within each level."""
    rng = np.random.default_rng(2)
    cause = rng.normal(size=4000)
    x, y = cause + rng.normal(size=(2, 4000))
    level = np.digitize(cause, [-0.5, 0.5])
    found = measured(pd.DataFrame({"x": x, "y": y, "level": level}))
    within = [np.corrcoef(x[level == k], y[level == k])[0, 1] for k in range(3)]
    assert found.values[0] == pytest.approx(np.mean(within), abs=0.05)


# Signs


def test_no_sign_where_there_is_none():
    """y = x² + noise: neither rises with the other."""
    signs = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=300)
        frame = pd.DataFrame({"x": x, "y": x**2 + 0.3 * rng.normal(size=300)})
        edges = held(frame, [("x", "y")]).edges_
        holds = edges["strength_low"].item() < 0.0 < edges["strength_high"].item()
        assert (edges["sign"].item() == 0) == holds
        signs.append(edges["sign"].item())
    assert signs.count(0) >= 18


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.7)])
def test_the_sign_is_open_where_classes_disagree(shares):
    rng = np.random.default_rng(3)
    group = rng.choice(2, size=600, p=shares)
    x = rng.normal(size=600)
    y = np.where(group, 0.6, -0.6) * x + 0.8 * rng.normal(size=600)
    frame = pd.DataFrame({"x": x, "y": y, "group": group, "other": rng.choice(2, size=600)})
    found = measured(frame)
    assert found.signs[0] == 0
    assert found.split_by[0] == 2
    same = measured(frame.assign(y=0.6 * x + 0.8 * rng.normal(size=600)))
    assert same.signs[0] == 1
    assert same.split_by[0] == -1


# Nominal columns


def test_strengths_of_classes_are_roots_of_explained_shares():
    rng = np.random.default_rng(6)
    colour = rng.integers(3, size=3000)
    z = rng.normal(size=3000)
    x = np.array([0.0, 0.5, 1.0])[colour] + z + rng.normal(size=3000)
    frame = pd.DataFrame({"x": x, "colour": np.array(list("rgb"))[colour], "z": z})
    found = measured(frame)
    truth = np.sqrt((0.5 / 3) / (0.5 / 3 + 1.0))  # of the variance that z leaves
    assert found.intervals[0, 0] < truth < found.intervals[0, 1]
    assert found.values[0] == pytest.approx(truth, abs=0.03)
    assert found.signs[0] == 0
    assert found.values[2] < 0.35  # colour and z, given x: induced, and weaker


def test_two_nominal_columns_have_cramer_s_v():
    rng = np.random.default_rng(7)
    a = rng.integers(3, size=3000)
    b = np.where(rng.uniform(size=3000) < 0.4, a, rng.integers(3, size=3000))
    frame = pd.DataFrame({"a": np.array(list("xyz"))[a], "b": np.array(list("pqr"))[b]})
    found = measured(frame)
    assert found.values[0] == pytest.approx(0.4, abs=0.03)  # both have uniform margins
    assert found.intervals[0, 0] < 0.4 < found.intervals[0, 1]


def test_chance_gives_independent_classes_no_strength():
    rng = np.random.default_rng(8)
    low = []
    for _ in range(30):
        frame = pd.DataFrame({"x": rng.normal(size=120), "k": rng.choice(list("abcdef"), 120)})
        found = measured(frame)
        low.append(found.intervals[0, 0])
        assert 0.0 <= found.values[0] < 0.4
    assert np.mean(np.array(low) == 0.0) > 0.85


# Columns that are alike, and few rows


def test_wavelengths_keep_what_neighbours_leave():
    """Collinear columns, as in spectra: against least squares by hand."""
    rng = np.random.default_rng(9)
    walk = np.cumsum(rng.normal(size=(215, 12)), axis=1)
    X = np.cumsum(walk, axis=1) + 100 * rng.normal(size=(215, 1))
    joined = np.abs(np.subtract.outer(np.arange(12), np.arange(12))) <= 2
    np.fill_diagonal(joined, False)
    found = measured(pd.DataFrame(X), joined)
    scores = np.array([score_column(column).normal for column in X.T])
    for k, (u, v) in enumerate(np.argwhere(np.triu(joined, 1))):
        near = (joined[u] | joined[v]) & ~np.isin(np.arange(12), [u, v])
        r = np.corrcoef([residuals(scores[end], scores[near]) for end in (u, v)])[0, 1]
        assert found.values[k] == pytest.approx(r, abs=0.01)


def test_a_column_and_its_copy():
    rng = np.random.default_rng(10)
    x, z = rng.normal(size=(2, 100))
    frame = pd.DataFrame({"x": x, "copy": 2 * x, "z": x + z})
    found = measured(frame)
    assert found.values[0] == 0.999
    assert np.isnan(found.values[1])  # the copy leaves nothing of x


@pytest.mark.parametrize("n", [12, 30])
def test_more_neighbours_than_rows(n):
    data = gaussian_mrf(n, 40, 8.0, 1, random_state=4)
    found = measured(pd.DataFrame(data.X), data.adjacency)
    assert np.isfinite(found.values).all()
    assert (np.abs(found.values) < 1.0).all()
    assert (found.signs == 0).mean() > 0.5


# From tables


def held(frame, edges, **options):
    """Learn the strengths on a graph that is known."""
    pairs = list(combinations(frame.columns, 2))
    forbidden = [pair for pair in pairs if pair not in edges]
    return GraphLearner(plain_judge(), required=edges, forbidden=forbidden, **options).fit(frame)


@pytest.mark.parametrize("share", [0.01, 0.05])
def test_rare_values_of_independent_columns_give_no_strong_edges(share):
    rng = np.random.default_rng(5)
    for _ in range(4):
        frame = pd.DataFrame(rng.uniform(size=(500, 10)) < share, columns=list("abcdefghij"))
        frame = frame.loc[:, frame.any()].astype(int)
        model = held(frame, list(combinations(frame.columns, 2)))
        assert np.abs(model.edge_weights_).max() < 0.7
        holds_zero = np.prod(np.sign(model.edge_intervals_), axis=1) < 0
        assert holds_zero.mean() > 0.9


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_rare_marks_do_not_turn_strengths_to_one(seed):
    """Like quantreg's Mammals, where two marks of ten animals each made all partials one."""
    z = np.random.default_rng(seed).normal(size=(107, 4))
    weight, speed = z[:, 0], 0.5 * z[:, 0] + z[:, 1]
    hops, special = weight - 0.8 * speed + z[:, 2], 0.6 * weight - speed + z[:, 3]
    frame = pd.DataFrame({"weight": weight, "speed": speed})
    frame["hops"] = hops < np.quantile(hops, 0.1)
    frame["special"] = special > np.quantile(special, 0.91)
    model = held(frame, list(combinations(frame.columns, 2)))
    assert 0.3 < model.edge_weights_[0, 1] < 0.7
    assert np.abs(model.edge_weights_).max() < 0.7


LOOP = {("a", "b"): 0.35, ("b", "c"): -0.3, ("c", "d"): 0.25, ("a", "d"): 0.2}


def loop(rng, n, kind):
    """Draw four columns on a loop, and their partial correlations."""
    K = np.eye(4)
    for (u, v), strength in LOOP.items():
        i, j = ord(u) - 97, ord(v) - 97
        K[i, j] = K[j, i] = 0.0 if kind == "independent" else -strength
    Z = rng.multivariate_normal(np.zeros(4), np.linalg.inv(K), size=n)
    frame = pd.DataFrame(Z, columns=list("abcd"))
    if kind == "levels":
        frame["a"] = (frame["a"] > 0.3).astype(int)
        frame["c"] = np.digitize(frame["c"], [-0.8, 0.0, 0.9])
    if kind == "gaps":
        frame = frame.mask(rng.uniform(size=frame.shape) < 0.2)
    return frame


def truth_of(kind):
    """Strengths in a very long table of whole or of level columns, by hand."""
    frame = loop(np.random.default_rng(0), 400_000, "numbers" if kind == "gaps" else kind)
    scores = {name: score_column(frame[name].to_numpy(dtype=float)).normal for name in frame}
    found = []
    for u, v in sorted(LOOP):
        given = []
        for name in set("abcd") - {u, v}:
            few = frame[name].nunique() < 5
            given += list(
                pd.get_dummies(frame[name]).T.to_numpy(float)[1:] if few else [scores[name]]
            )
        found.append(np.corrcoef([residuals(scores[end], given) for end in (u, v)])[0, 1])
    return np.array(found)


@pytest.mark.filterwarnings("ignore:Values are not missing at random")
@pytest.mark.parametrize("kind", ["numbers", "levels", "gaps", "independent"])
def test_intervals_hold_the_strength_of_19_in_20_tables(kind):
    rng, truth = np.random.default_rng(12), truth_of(kind)
    inside = []
    for _ in range(40):
        frame = loop(rng, 250, kind)
        kinds = {"c": "ordinal"} if kind == "levels" else None
        edges = held(frame, list(LOOP), kind=kinds).edges_.sort_values(["source", "target"])
        inside += ((edges["strength_low"] <= truth) & (truth <= edges["strength_high"])).tolist()
        assert (edges["strength_low"] < edges["weight"]).all()
        assert (edges["weight"] < edges["strength_high"]).all()
    assert 0.9 <= np.mean(inside) < 1.0


def test_rows_that_depend_make_intervals_wider():
    rng = np.random.default_rng(3)
    walks = pd.DataFrame(np.cumsum(rng.normal(size=(300, 2)), axis=0), columns=["a", "b"])
    noise = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    slow, quick = (held(frame, [("a", "b")]).edge_intervals_[0] for frame in (walks, noise))
    assert np.ptp(np.arctanh(slow)) > 3.0 * np.ptp(np.arctanh(quick))


def test_rows_of_units_count_by_what_units_have_in_common():
    """Ten rows of each of thirty units: intervals hold what independent rows' would not."""
    rng = np.random.default_rng(4)
    inside, narrow = [], []
    units = rng.permutation(np.repeat(np.arange(30), 10))
    for _ in range(40):
        own = rng.normal(size=(2, 30)) * 2.0
        x, y = own[:, units] + rng.normal(size=(2, 300))
        frame = pd.DataFrame({"x": x, "y": y})
        inside.append(np.prod(measured(frame, unit=units).intervals[0]) < 0.0)
        narrow.append(np.prod(measured(frame).intervals[0]) < 0.0)
    assert sum(inside) >= 35
    assert sum(narrow) < 25
