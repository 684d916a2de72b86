"""A name means the same in every estimator and baseline, and in what is written and printed."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from spinney._core import registry as _registry
from spinney._core.graph import COPULA_COLUMNS, edge_share
from spinney._core.pairs import to_pairs
from spinney.exceptions import InputError
from spinney.graph.export import write_edges
from spinney.models.baselines import ChowLiu, Stars
from tests.graph.cases import chains, plain_judge_path
from tests.models.cases import PAIRS

QUICK = {
    "ExactForests": {"potentials": PAIRS},
    "ForestsCuts": {"potentials": PAIRS, "n_cuts": 3, "max_renewals": 1},
    "ForestsLambda": {"potentials": PAIRS, "penalties": [0.13, 0.05]},
    "SharedForest": {"potentials": PAIRS, "n_subsets": 10},
    "StabilitySelection": {"estimator": ChowLiu(), "n_splits": 10},
    "GraphicalLasso": {"selection": Stars(0.1, n_subsamples=5)},
    "NeighbourhoodSelection": {"selection": Stars(0.1, n_subsamples=5)},
    "PartialCorrelation": {},
    "GraphLearner": {"judge": plain_judge_path()},
}
NAMES = [entry.name for entry in _registry.REGISTRY]
FAILS = {  # parameters that are refused after the table was read
    "EnsembleOfTrees": {"potentials": np.nan},
    "RootedForests": {"potentials": np.nan},
    "SharedForest": {"potentials": np.nan},
    "ChowLiu": {"potentials": np.nan},
    "StabilitySelection": {"random_state": -1},
    "GraphicalLasso": {"penalties": [0.1, 0.2]},
    "GraphLearner": {"required": [("a", "nobody")]},
}
SHARES = {
    **dict.fromkeys(NAMES[:6], ("probability", "share of forests")),
    "StabilitySelection": ("frequency", "share of fits to half of the rows"),
    "GraphicalLasso": ("frequency", "share of subsamples"),
    "NeighbourhoodSelection": ("frequency", "share of subsamples"),
    "GraphLearner": ("probability", "probability"),
}
NO_DENSITIES = (
    "NeighbourhoodSelection",
    "PartialCorrelation",
    "GraphLearner",
    "StabilitySelection",
)
DENSITIES = [n for n in NAMES if n not in NO_DENSITIES]


def make(name):
    return _registry.registered()[name].load()(**QUICK.get(name, {"potentials": PAIRS}))


@pytest.fixture(scope="module")
def table():
    return chains()


@pytest.fixture(scope="module")
def fitted(table):
    """The fitted estimators, each when it is first asked for."""

    class Fitted(dict):
        def __missing__(self, name):
            return self.setdefault(name, make(name).fit(table))

    return Fitted()


@pytest.mark.parametrize("name", NAMES)
def test_a_learned_graph_has_the_same_parts_everywhere(fitted, table, name):
    model = fitted[name]
    graph, A = model.graph_, model.adjacency_
    assert A.dtype == bool
    assert not A.diagonal().any()
    np.testing.assert_array_equal(model.edge_weights_ != 0, A)
    for name in ("adjacency_", "edge_weights_", "edge_signs_"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(model, name).T)
    if hasattr(model, "edge_signs_"):
        np.testing.assert_array_equal(model.edge_signs_ != 0, A)
    assert model.node_names_ == tuple(table.columns)
    assert list(graph) == list(table.columns)
    np.testing.assert_array_equal(nx.to_numpy_array(graph, weight=None) > 0, A)
    parts = sorted(map(sorted, nx.connected_components(graph)))
    found = [np.array(table.columns)[model.labels_ == k] for k in range(model.n_components_)]
    assert sorted(sorted(part) for part in found) == parts
    assert {frozenset(edge) for edge in graph.edges} >= {frozenset("ab"), frozenset("de")}
    R = model.edge_ranking_
    assert R.shape == A.shape
    assert np.isfinite(R).all()
    np.testing.assert_array_equal(R, R.T)
    # A tree must also join what is independent, so that not all that leads is a true edge.
    assert min(R[0, 1], R[1, 2], R[3, 4]) >= np.sort(to_pairs(R))[-6]
    assert np.mean(R[A]) > np.mean(R[~A & ~np.eye(6, dtype=bool)])


@pytest.mark.parametrize("name", NAMES)
def test_without_a_fit_there_is_no_graph(table, name, tmp_path):
    model = make(name)
    parts = ("labels_", "n_components_", "edges_", "graph_")

    def check():
        for part in parts:
            with pytest.raises(NotFittedError):
                getattr(model, part)
        with pytest.raises(NotFittedError):
            model.save(tmp_path / "model")

    check()
    if name in FAILS:  # and none is left of an earlier fit, to other columns
        model.fit(table).set_params(**FAILS[name])
        with pytest.raises(InputError):
            model.fit(table[["a", "b", "c"]])
        check()


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_edges(fitted, table, name, tmp_path):
    model = fitted[name]
    edges = model.edges_
    expected = ["source", "target", "weight"]
    if name == "GraphLearner":
        expected += ["strength_low", "strength_high"]
    copulas = name != "GraphLearner" and hasattr(model, "potentials_")
    if name != "StabilitySelection":
        expected.append("sign")
    if name in SHARES:
        expected.append(SHARES[name][0])
    expected += [*COPULA_COLUMNS, "rows"] if copulas else []
    expected += ["tau", "rows"] if name == "GraphLearner" else []
    assert list(edges.columns) == expected
    assert len(edges) == model.adjacency_.sum() // 2
    position = {column: k for k, column in enumerate(table.columns)}
    rank = [model.edge_ranking_[position[u], position[v]] for u, v in edges.iloc[:, :2].to_numpy()]
    assert rank == sorted(rank, reverse=True)
    signs = dict(zip(edges.source + edges.target, edges.get("sign", ()), strict=False))
    if signs:
        assert (signs["ab"], signs["de"]) == (-1, 1)
    share = edge_share(model)
    assert (share and (share.column, share.label)) == SHARES.get(name)
    if share is not None:
        values = getattr(model, share.attribute)
        assert ((values >= 0) & (values <= 1)).all()
        for row in edges.itertuples():
            u, v = position[row.source], position[row.target]
            assert getattr(row, share.column) == values[u, v]
    write_edges(tmp_path / "edges.csv", model)
    assert list(pd.read_csv(tmp_path / "edges.csv").columns) == list(edges.columns)
    for u, v, values in model.graph_.edges(data=True):
        row = edges[(edges.source == u) & (edges.target == v)].iloc[0]
        assert set(values) == set(edges.columns[2:])
        assert values["weight"] == row.weight


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_and_frequencies_do_not_share_a_name(fitted, name):
    model = fitted[name]
    assert hasattr(model, "edge_probabilities_") == (SHARES.get(name, "?")[0] == "probability")
    assert hasattr(model, "edge_frequencies_") == (SHARES.get(name, "?")[0] == "frequency")


@pytest.mark.parametrize("name", DENSITIES)
def test_scores_have_the_units_of_the_table(fitted, table, name):
    """x → 1000 x: densities fall by log 1000 a column, and dependence stays as it is."""
    model = fitted[name]
    rows = table.iloc[:20]
    ratio, score = model.log_likelihood_ratio(rows), model.score_samples(rows)
    assert ratio.shape == score.shape == (20,)
    assert model.score(rows) == pytest.approx(score.mean(), rel=1e-12)
    scaled = make(name).fit(table * [1000.0, 1, 1, 1, 1, 1])
    new = rows * [1000.0, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(scaled.score_samples(new), score - np.log(1000.0), atol=1e-6)
    np.testing.assert_allclose(scaled.log_likelihood_ratio(new), ratio, atol=1e-6)
    # The ratio is what dependence is worth: much on average, and nothing without it.
    assert ratio.mean() > 0.3
    rng = np.random.default_rng(0)
    shuffled = pd.DataFrame({name: rng.permutation(table[name]) for name in table})
    assert model.score(table) > model.score(shuffled) + 0.3


@pytest.mark.parametrize("name", DENSITIES)
def test_scores_are_margins_and_dependence(fitted, table, name):
    model = fitted[name]
    rows = table.iloc[:9]
    margins = model.score_samples(rows) - model.log_likelihood_ratio(rows)
    np.testing.assert_allclose(model._log_margins(rows), margins, rtol=1e-10)
    if name == "RootedForests":  # margins of their own, whatever the graph
        expected = model.marginals_.log_density(rows).to_numpy().sum(axis=1)
        np.testing.assert_allclose(margins, expected, rtol=1e-10)
