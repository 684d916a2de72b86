"""Predictability, expected influence, bridges and near-duplicates, against independent ones."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from typer.testing import CliRunner

import spinney
from spinney.cli._app import app
from spinney.exceptions import InputError
from spinney.graph.columns import folds_of
from spinney.graph.export.spreadsheet import read_csv
from tests.graph.cases import plain_judge


def make_frame(n=240, seed=4):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + 0.7 * rng.normal(size=n)
    c = -b + 0.7 * rng.normal(size=n)
    level = np.digitize(c + 0.6 * rng.normal(size=n), [-1.0, 1.0])
    yes = np.where(a + 0.8 * rng.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame(
        {"a": a, "b": b, "c": c, "level": level, "yes": yes, "alone": rng.normal(size=n)}
    )


@pytest.fixture(scope="module")
def found():
    return spinney.learn(make_frame(), judge=plain_judge(3.0))


def test_predictability_is_that_of_scikit_learn(found):
    """By hand on the scores of the neighbours, fold by fold."""
    from spinney.scores import read_scores

    scores, frame = read_scores(found.table), make_frame()
    nodes = found.nodes.set_index("name")["predictability"]
    folds = PredefinedSplit(folds_of(len(frame)))
    assert nodes["alone"] == 0.0
    assert nodes["b"] > 0.5
    for name in found.names:
        near = [found.names.index(other) for other in found.neighbours(name)]
        if not near:
            continue
        X = np.column_stack([scores.values[:, scores.owners == j] for j in near])
        if name in ("a", "b", "c"):
            n = len(frame)
            edges = norm.pdf(norm.ppf(np.arange(n + 1) / n))  # a value is the mean of its interval
            y = (n * -np.diff(edges))[rankdata(frame[name]).astype(int) - 1]
            left = y - cross_val_predict(LinearRegression(), X, y, cv=folds)
            expected = 1 - (left**2).mean() / y.var()
        else:
            y = pd.factorize(frame[name], sort=True)[0]
            classes = LinearDiscriminantAnalysis(solver="lsqr")
            right = (cross_val_predict(classes, X, y, cv=folds) == y).mean()
            guess = np.bincount(y).max() / len(y)
            expected = (right - guess) / (1 - guess)
        assert nodes[name] == pytest.approx(expected, rel=1e-6), name


def test_expected_influence_sums_signed_strengths(found):
    graph = nx.Graph()
    graph.add_nodes_from(found.names)
    for row in found.edges.itertuples():
        graph.add_edge(row.source, row.target, weight=row.strength)
    one = dict(graph.degree(weight="weight"))
    nodes = found.nodes.set_index("name")
    for name in found.names:
        two = one[name] + sum(d["weight"] * one[v] for _, v, d in graph.edges(name, data=True))
        assert nodes.loc[name, "expected_influence"] == pytest.approx(one[name], abs=1e-12)
        assert nodes.loc[name, "expected_influence_2"] == pytest.approx(two, abs=1e-12)
    assert nodes["expected_influence"].min() < 0  # c falls as b rises


def test_bridges_connect_groups_of_columns(found):
    groups = {"a": "first", "b": "first", "yes": "first", "c": "second", "level": "second"}
    view = spinney.LearnedGraph.of(found, colour_by=groups)
    nodes = view.nodes.set_index("name")
    assert "bridge_strength" not in found.nodes
    assert np.isnan(nodes.loc["alone", "bridge_strength"])
    graph = nx.Graph(found.to_networkx())
    passed = dict.fromkeys(groups, 0.0)
    for u, v in itertools.combinations(groups, 2):
        if groups[u] != groups[v]:
            paths = list(nx.all_shortest_paths(graph, u, v)) if nx.has_path(graph, u, v) else []
            for name in groups:
                inner = sum(name in path[1:-1] for path in paths)
                passed[name] += inner / max(len(paths), 1)
    for name, own in groups.items():
        ends = [
            row.strength
            for row in found.edges.itertuples()
            if name in (row.source, row.target)
            for other in [row.target if row.source == name else row.source]
            if groups.get(other, own) != own
        ]
        assert nodes.loc[name, "bridge_strength"] == pytest.approx(np.abs(ends).sum())
        assert nodes.loc[name, "bridge_influence"] == pytest.approx(sum(ends))
        assert nodes.loc[name, "bridge_betweenness"] == pytest.approx(passed[name])
    assert nodes["bridge_betweenness"].max() > 0


def test_near_duplicates_are_listed_with_what_to_do():
    frame = make_frame()[["a", "b", "c", "alone"]]
    frame["again"] = frame["a"] + 0.1 * np.random.default_rng(1).normal(size=len(frame))
    found = spinney.learn(frame, judge=plain_judge())
    told = found.near_duplicates
    assert told[["source", "target"]].to_numpy().tolist() == [["a", "again"]]
    ranks = frame.rank().corr().abs().to_numpy(copy=True)
    np.fill_diagonal(ranks, 0)
    i, j = 0, 4
    common = sum(ranks[i, k] * ranks[k, j] for k in range(5)) + ranks[i, j]
    overlap = common / (min(ranks[i].sum(), ranks[j].sum()) + 1 - ranks[i, j])
    assert told["overlap"].item() == pytest.approx(overlap, abs=0.03)  # of ranks, not their scores
    assert told["correlation"].item() == pytest.approx(ranks[i, j], abs=0.03)
    from spinney.graph.checks import check_graph

    (notice,) = [each for each in check_graph(found) if each.code == "near-duplicates"]
    assert "a – again (0.9" in str(notice)
    assert "drop one of them, or learn from their mean." in str(notice)
    assert spinney.learn(make_frame(), judge=plain_judge()).near_duplicates.empty


def test_a_ring_is_closed_as_far_as_a_column_is_explained(found):
    drawn = found.plot(ring="predictability")
    steps = [np.diff(line.get_xydata(), axis=0) for line in drawn.lines]
    lengths = np.array([np.linalg.norm(step, axis=1).sum() for step in steps])
    known = found.predictability[np.isfinite(found.predictability)]
    np.testing.assert_allclose(lengths[1::2] / lengths[::2], np.maximum(known, 0.0), atol=0.01)
    assert not found.plot().lines
    said = [t.get_text() for t in drawn.figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert "explained by the neighbours" in said
    with pytest.raises(InputError, match=r"ring 'colour'.*predictability"):
        found.plot(ring="colour")


def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_frame(120).to_csv("rows.csv", index=False)
    words = ["learn", "rows.csv", "--ring", "predictability", "-o", "out"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    nodes = read_csv("out/nodes.csv").set_index("name")
    assert float(nodes.loc["b", "predictability"]) > 0.4
    assert "explained by the neighbours" in (tmp_path / "out" / "graph.svg").read_text()
    refused = CliRunner().invoke(app, [*words[:3], "colour", "-o", "other"])
    assert refused.exit_code == 2
    assert "predictability" in refused.output
