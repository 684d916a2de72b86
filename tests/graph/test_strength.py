"""Strength given the neighbours, against other ways to the constrained maximum likelihood."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from spinney.evidence import measure
from spinney.evidence.matrices import positive_definite
from spinney.exceptions import InputError
from spinney.judge import GraphLearner, covariance_selection, partial_correlations
from spinney.judge import score_correlations as measured_correlations
from spinney.judge.strength import block_precision, regularised
from spinney.scores.columns import score_column
from spinney.simulate import gaussian_mrf
from tests.graph.cases import ladder_judge


def correlation(d, rng, n=None):
    Z = rng.normal(size=(n or 3 * d, d)) @ (np.eye(d) + 0.4 * rng.normal(size=(d, d)))
    return np.corrcoef(Z.T)


def graph(d, share, rng):
    upper = np.triu(rng.uniform(size=(d, d)) < share, 1)
    return upper | upper.T


def by_optimisation(S, joined):
    """Minimise tr(SK) - log det K over the free entries of K, by a general optimiser."""
    d = len(S)
    free = [(k, k) for k in range(d)] + list(zip(*np.nonzero(np.triu(joined, 1)), strict=True))
    basis = np.zeros((len(free), d, d))
    for k, (u, v) in enumerate(free):
        basis[k, u, v] = basis[k, v, u] = 1.0

    def precision(x):
        return np.tensordot(x, basis, axes=1)

    def value(x):
        K = precision(x)
        inside = np.linalg.eigvalsh(K)[0] > 0
        return np.trace(S @ K) - np.linalg.slogdet(K)[1] if inside else np.inf

    def gradient(x):
        return np.einsum("kuv,uv->k", basis, S - np.linalg.inv(precision(x)))

    def hessian(x):
        parts = np.linalg.inv(precision(x)) @ basis
        return np.einsum("iuv,jvu->ij", parts, parts)

    start = np.concatenate([np.ones(d), np.zeros(len(free) - d)])
    options = {"gtol": 1e-9, "maxiter": 1000}
    found = minimize(
        value, start, jac=gradient, hess=hessian, method="trust-exact", options=options
    )
    return precision(found.x)


def by_cliques(S, joined):
    """Closed form of decomposable graphs: inverses of cliques less those of separators."""
    K = np.zeros(S.shape)
    G = nx.from_numpy_array(joined)
    cliques = [frozenset(c) for c in nx.chordal_graph_cliques(G)]
    tree = nx.Graph()
    tree.add_nodes_from(cliques)
    for k, one in enumerate(cliques):
        for other in cliques[k + 1 :]:
            if one & other:
                tree.add_edge(one, other, weight=len(one & other))
    tree = nx.maximum_spanning_tree(tree)
    parts = [(c, 1.0) for c in cliques] + [(a & b, -1.0) for a, b in tree.edges]
    for part, sign in parts:
        at = np.ix_(sorted(part), sorted(part))
        K[at] += sign * np.linalg.inv(S[at])
    return K


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_covariance_selection_is_the_constrained_maximum(rng, share):
    S, joined = correlation(6, rng), graph(6, share, rng)
    found = covariance_selection(S, joined)
    np.testing.assert_allclose(found.precision, by_optimisation(S, joined), atol=1e-6)


@given(st.integers(2, 9), st.integers(0, 10_000))
def test_trees_have_a_closed_form(d, seed):
    rng = np.random.default_rng(seed)
    S = correlation(d, rng)
    joined = nx.to_numpy_array(nx.random_labeled_tree(d, seed=seed)) > 0
    found = covariance_selection(S, joined).precision
    np.testing.assert_allclose(found, by_cliques(S, joined), rtol=1e-6, atol=1e-7)


@given(st.integers(3, 8), st.floats(0.1, 0.9), st.integers(0, 10_000))
def test_chordal_graphs_have_a_closed_form(d, share, seed):
    rng = np.random.default_rng(seed)
    S = positive_definite(correlation(d, rng), 0.05)
    G = nx.from_numpy_array(graph(d, share, rng))
    chordal, _ = nx.complete_to_chordal_graph(G)
    joined = nx.to_numpy_array(chordal, nodelist=range(d)) > 0
    found = covariance_selection(S, joined).precision
    np.testing.assert_allclose(found, by_cliques(S, joined), rtol=1e-5, atol=1e-6)


@given(st.integers(2, 9), st.floats(0.0, 1.0), st.integers(0, 10_000))
def test_the_conditions_of_the_maximum_hold(d, share, seed):
    rng = np.random.default_rng(seed)
    S, joined = positive_definite(correlation(d, rng), 0.02), graph(d, share, rng)
    found = covariance_selection(S, joined)
    on = joined | np.eye(d, dtype=bool)
    np.testing.assert_allclose(found.covariance[on], S[on], atol=1e-8)
    assert np.abs(found.precision[~on]).max(initial=0.0) < 1e-5
    assert np.linalg.eigvalsh(found.covariance)[0] > 0


def test_a_full_graph_is_the_inverse(rng):
    S = correlation(5, rng)
    full = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(covariance_selection(S, full).precision, np.linalg.inv(S))
    K = np.linalg.inv(S)
    expected = -K / np.sqrt(np.outer(np.diag(K), np.diag(K)))
    np.testing.assert_allclose(partial_correlations(S, full)[full], expected[full])


def test_partial_correlations_are_those_of_regressions_on_the_neighbours(rng):
    """By residuals of drawn rows, whose correlation is exactly the fitted covariance."""
    S = correlation(6, rng)
    joined = graph(6, 0.5, rng)
    found = partial_correlations(S, joined)
    W = covariance_selection(S, joined).covariance
    for u, v in zip(*np.nonzero(joined), strict=True):
        rest = [k for k in range(6) if k not in (u, v)]
        cross = W[np.ix_([u, v], rest)]
        left = W[np.ix_([u, v], [u, v])] - cross @ np.linalg.inv(W[np.ix_(rest, rest)]) @ cross.T
        assert found[u, v] == pytest.approx(left[0, 1] / np.sqrt(left[0, 0] * left[1, 1]), abs=1e-7)


def test_the_order_and_signs_of_columns(rng):
    S, joined = correlation(7, rng), graph(7, 0.4, rng)
    order, signs = rng.permutation(7), np.where(rng.uniform(size=7) < 0.5, -1.0, 1.0)
    expected = partial_correlations(S, joined)
    at = np.ix_(order, order)
    np.testing.assert_allclose(partial_correlations(S[at], joined[at]), expected[at], atol=1e-7)
    flips = np.outer(signs, signs)
    found = partial_correlations(S * flips, joined)
    np.testing.assert_allclose(found, expected * flips, atol=1e-7)


def test_fewer_rows_than_columns_and_copies(rng):
    Z = rng.normal(size=(6, 15))
    Z[:, 1] = Z[:, 0]
    S = np.corrcoef(Z.T)
    full = ~np.eye(15, dtype=bool)
    found = partial_correlations(S, full)
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 1.0
    pair = np.zeros((15, 15), dtype=bool)
    pair[0, 1] = pair[1, 0] = True
    # A share of 0.001 of its variance is left unexplained.
    assert partial_correlations(S, pair)[0, 1] == pytest.approx(0.999)


def test_a_matrix_that_is_fine_is_left_alone_however_it_was_seen(rng):
    S = correlation(4, rng)
    np.testing.assert_allclose(regularised(S, np.full((4, 4), np.inf)), S, atol=1e-9)
    np.testing.assert_allclose(regularised(S, np.full((4, 4), 1e6)), S, atol=1e-5)


def test_columns_that_contradict_each_other_leave_the_others_alone():
    """Two well-known columns, and two of which little is known that fit nothing."""
    S = np.full((4, 4), 0.95)
    S[2, 3] = S[3, 2] = S[1, 3] = S[3, 1] = -0.95
    np.fill_diagonal(S, 1.0)
    rows = np.full((4, 4), 20.0)
    rows[0, 1] = rows[1, 0] = 1000.0
    np.fill_diagonal(rows, 1000.0)
    found = regularised(S, rows)
    assert np.linalg.eigvalsh(found)[0] > 0.0
    assert found[0, 1] == pytest.approx(0.95, abs=0.03)
    np.testing.assert_allclose(np.diag(found), 1.0)


def test_columns_without_correlations_take_no_part(rng):
    S, joined = correlation(5, rng), ~np.eye(5, dtype=bool)
    nominal = S.copy()
    nominal[2] = nominal[:, 2] = np.nan
    found = partial_correlations(nominal, joined)
    rest = np.ix_([0, 1, 3, 4], [0, 1, 3, 4])
    np.testing.assert_allclose(found[rest], partial_correlations(S[rest], joined[rest]))
    assert np.isnan(found[2, [0, 1, 3, 4]]).all()
    assert found[2, 2] == 0.0


def test_correlations_of_columns_with_gaps_and_levels():
    """Pair by pair over the common rows; of levels, the variable behind them."""
    rng = np.random.default_rng(2)
    z = rng.multivariate_normal(np.zeros(4), 0.4 * np.eye(4) + 0.6, size=4000)
    frame = pd.DataFrame(z, columns=list("abcd"))
    frame["c"] = np.digitize(z[:, 2], [-0.5, 0.5])
    frame["d"] = np.array(["red", "blue", "green"])[np.digitize(z[:, 3], [-0.3, 0.4])]
    frame.loc[rng.uniform(size=4000) < 0.3, "a"] = np.nan
    frame.loc[rng.uniform(size=4000) < 0.3, "b"] = np.nan
    evidence = measure(frame, kinds={"c": "ordinal"})
    S, rows = measured_correlations(evidence)
    both = frame[["a", "b"]].notna().all(axis=1)
    score = np.array([score_column(frame[name].to_numpy()).normal for name in "ab"])
    expected = np.corrcoef(score[:, both])[0, 1]
    assert S[0, 1] == pytest.approx(expected, abs=1e-9)
    assert rows[0, 1] == both.sum()
    assert 0.7 < rows[0, 2] / frame["a"].notna().sum() < 0.9  # thirds show 0.79 of a variable
    np.testing.assert_allclose(S[[0, 1], 2], 0.6, atol=0.05)  # levels alone would have 0.5
    assert np.isnan(S[3]).all()
    np.testing.assert_array_equal(S, S.T)


def test_shapes_must_fit():
    with pytest.raises(InputError, match="do not fit together"):
        covariance_selection(np.eye(3), np.zeros((2, 2)))


@pytest.mark.parametrize("degree", [1.85, 2.0, 3.0])
def test_blocks_apart_give_the_strengths_of_the_whole(degree):
    """The fit on a graph is made of those on its blocks, against the fit of each component."""
    data = gaussian_mrf(2000, 40, degree, 3, random_state=7)
    S = np.corrcoef(data.X.T)
    K = covariance_selection(S, data.adjacency).precision
    whole = np.where(data.adjacency, -K / np.sqrt(np.outer(np.diag(K), np.diag(K))), 0.0)
    np.testing.assert_allclose(partial_correlations(S, data.adjacency), whole, atol=2e-6)


def test_precision_of_blocks_inverts_to_the_correlations_of_edges():
    """Dempster's conditions: zero off the graph, and S on its edges and the diagonal."""
    data = gaussian_mrf(500, 15, 2.5, 1, random_state=8)
    S = np.corrcoef(data.X.T)
    K = block_precision(S, data.adjacency).toarray()
    off = ~data.adjacency & ~np.eye(15, dtype=bool)
    assert (K[off] == 0.0).all()
    W = np.linalg.inv(K)
    np.testing.assert_allclose(W[data.adjacency], S[data.adjacency], atol=1e-5)
    np.testing.assert_allclose(np.diag(W), 1.0, atol=1e-5)


# From tables


def held(frame, edges, **options):
    """Learn the strengths on a graph that is known."""
    pairs = list(combinations(frame.columns, 2))
    forbidden = [pair for pair in pairs if pair not in edges]
    return GraphLearner(ladder_judge(), required=edges, forbidden=forbidden, **options).fit(frame)


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


@pytest.mark.filterwarnings("ignore:Where .* is missing")
@pytest.mark.parametrize("kind", ["numbers", "levels", "gaps", "independent"])
def test_intervals_hold_the_strength_of_19_in_20_tables(kind):
    K = np.eye(4)
    for (u, v), strength in LOOP.items():
        i, j = ord(u) - 97, ord(v) - 97
        K[i, j] = K[j, i] = 0.0 if kind == "independent" else -strength
    rng = np.random.default_rng(12)
    inside = []
    for _ in range(40):
        Z = rng.multivariate_normal(np.zeros(4), np.linalg.inv(K), size=250)
        frame = pd.DataFrame(Z, columns=list("abcd"))
        if kind == "levels":
            frame["a"] = frame["a"] > 0.3
            frame["c"] = np.digitize(frame["c"], [-0.8, 0.0, 0.9])
        if kind == "gaps":
            frame = frame.mask(rng.uniform(size=frame.shape) < 0.2)
        edges = held(frame, list(LOOP), kinds={"c": "ordinal"} if kind == "levels" else None).edges_
        truth = [-K[ord(u) - 97, ord(v) - 97] for u, v in edges[["source", "target"]].to_numpy()]
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


def test_edges_of_classes_have_no_interval():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.normal(size=90), "k": rng.choice(list("xyz"), 90)})
    assert np.isnan(held(frame, [("a", "k")]).edge_intervals_).all()
