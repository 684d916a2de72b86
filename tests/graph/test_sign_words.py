"""Where a column has two words for values, a sign says which of them is up: everywhere."""

from io import StringIO

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import spinney
from spinney.cli._print import print_graph
from spinney.graph.export.spreadsheet import read_csv
from spinney.graph.report import writers
from spinney.graph.report.writers import write_report
from spinney.models import SharedForest

TOLD = {
    ("risk", "x"): "x is higher where risk is low",
    ("risk", "sex"): "risk is more often low where sex is female",
    ("answer", "sex"): "answer is more often True where sex is female",
}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5, 600))
    risk = z[0] + 0.9 * z[1]
    frame = pd.DataFrame({"x": z[0], "risk": np.where(risk > 0.0, "low", "high")})
    frame["sex"] = np.where(-risk + 0.7 * z[2] > 0.0, "male", "female")
    sex = frame["sex"] == "female"
    frame["answer"] = sex ^ (rng.uniform(size=600) < 0.2)
    frame["other"] = z[0] + 0.5 * z[3]
    return frame


@pytest.fixture(scope="module")
def graph(frame):
    required = [("x", "risk"), ("risk", "sex"), ("sex", "answer"), ("x", "other")]
    return spinney.learn(frame, required=required)


def told(edges):
    rows = edges[["source", "target", "sign_means"]].fillna("").to_numpy()
    return {tuple(sorted((u, v))): means for u, v, means in rows}


def test_tables_of_edges(graph):
    for edges in (graph.edges, graph.learner.edges_, graph.pairs):
        found = told(edges)
        assert found.items() >= TOLD.items()
        assert not found["other", "x"]


def test_sentences(graph):
    out = Console(file=StringIO(), width=100)
    print_graph(out, graph)
    assert "signs: low counts as the higher value of risk, male of sex" in out.file.getvalue()
    assert TOLD["risk", "x"] in " ".join(graph.why("x", "risk").split())
    summary = " ".join(graph.summary().split())
    assert all(words in summary for words in TOLD.values())
    assert TOLD["risk", "sex"] in graph._repr_html_()


def test_other_estimators_and_tables_without_words(frame):
    found = told(SharedForest(random_state=0).fit(frame).edges_)
    assert found["risk", "x"] == TOLD["risk", "x"]
    assert "sign_means" not in spinney.learn(frame[["x", "other", "answer"]]).edges


def test_page(graph, tmp_path):
    write_report(tmp_path / "page.html", graph)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    table = text[text.index('id="edge-table"') : text.index("</table>", text.index("edge-table"))]
    assert all(words in table for words in TOLD.values())
    low, high = graph.edges.loc[0, ["strength_low", "strength_high"]]
    assert f"({low:+.2f} to {high:+.2f})".replace("-", "−") in text.replace("\\u2212", "−")


def test_files(graph, tmp_path):
    writers.write_edges(tmp_path / "edges.csv", graph)
    assert told(read_csv(tmp_path / "edges.csv")).items() >= TOLD.items()
    writers.write_graphml(tmp_path / "graph.graphml", graph)
    edges = nx.read_graphml(tmp_path / "graph.graphml").edges(data=True)
    assert {data.get("sign_means") for *_, data in edges} >= set(TOLD.values())
    assert all(-1 < data["strength_low"] < data["strength_high"] < 1 for *_, data in edges)
