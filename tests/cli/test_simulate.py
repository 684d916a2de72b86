"""``spinney simulate``: tables with their truth, whole or not at all."""

import json

import numpy as np
import pandas as pd
import pytest

from spinney.cli.simulate import RESULTS, SIMULATORS
from spinney.graph.report.comparing import read_graph
from spinney.simulate import copula_forest, gaussian_mrf


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", SIMULATORS)
def test_every_kind_is_drawn_with_its_truth(spinney, here, kind):
    result = spinney("simulate", kind, "-n", 40, "-d", 6, "--seed", 3, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    folder = here / f"{kind}-table"
    assert {path.name for path in folder.iterdir()} == set(RESULTS)
    table = pd.read_csv(folder / "table.csv")
    assert table.shape == (told["rows"], told["columns"])
    assert table.shape[1] == 6
    truth = read_graph(folder / "truth.csv")
    assert truth.names == tuple(table.columns)
    assert len(truth.pairs) == told["edges"]
    note = json.loads((folder / "simulation.json").read_text())
    assert note["kind"] == kind
    assert note["options"]["seed"] == 3


def test_it_is_the_table_of_the_python_function(spinney, here):
    spinney("simulate", "gaussian", "-n", 30, "-d", 7, "--degree", 3, "--seed", 5, "-q")
    data = gaussian_mrf(30, 7, 3.0, 1, 5)
    table = pd.read_csv(here / "gaussian-table" / "table.csv")
    np.testing.assert_allclose(table.to_numpy(), data.X, rtol=1e-8)
    truth = pd.read_csv(here / "gaussian-table" / "truth.csv")
    assert truth[["source", "target"]].to_numpy().tolist() == [
        [f"x{i}", f"x{j}"] for i, j in np.argwhere(np.triu(data.adjacency))
    ]
    covariance = np.linalg.inv(data.precision)
    i, j = np.argwhere(np.triu(data.adjacency))[0]
    others = [k for k in range(7) if k not in (i, j)]
    # The partial correlation by regression on all others, not by the precision matrix.
    inside = covariance[np.ix_([i, j], others)]
    given = covariance[np.ix_([i, j], [i, j])] - inside @ np.linalg.solve(
        covariance[np.ix_(others, others)], inside.T
    )
    wanted = given[0, 1] / np.sqrt(given[0, 0] * given[1, 1])
    np.testing.assert_allclose(truth["strength"][0], wanted, rtol=1e-6)


def test_a_forest_tells_the_tau_of_its_copulas(spinney, here):
    spinney("simulate", "copula-forest", "-n", 10, "-d", 5, "-q")
    truth = pd.read_csv(here / "copula-forest-table" / "truth.csv")
    copulas = copula_forest(10, 5, random_state=0).copulas
    wanted = {(f"x{u}", f"x{v}"): copula.tau for (u, v), copula in copulas.items()}
    found = {(row.source, row.target): row.tau for row in truth.itertuples()}
    assert found == {pair: pytest.approx(tau, rel=1e-8) for pair, tau in wanted.items()}


def test_gaps_are_about_as_many_as_asked_for(spinney, here):
    spinney("simulate", "gaussian", "-n", 500, "-d", 10, "--gaps", 0.2, "-q")
    share = pd.read_csv(here / "gaussian-table" / "table.csv").isna().to_numpy().mean()
    assert share == pytest.approx(0.2, abs=0.03)  # five standard errors


def test_the_next_steps_are_printed_and_work(spinney, here, judge):
    result = spinney("simulate", "gaussian", "-n", 60, "-d", 4, "--out", "a b")
    lines = [line.strip() for line in result.stdout.splitlines() if line.startswith("  spinney")]
    assert lines == [
        "spinney learn 'a b/table.csv' --out 'a b/graph'",
        "spinney compare 'a b/truth.csv' 'a b/graph'",
    ]
    learned = spinney("learn", "a b/table.csv", "--out", "a b/graph", "-q")
    assert learned.exit_code == 0, learned.stderr
    compared = spinney("compare", "a b/truth.csv", "a b/graph")
    assert compared.exit_code == 0, compared.stderr
    assert "truth: 4 edges" in compared.stdout


def test_nothing_is_replaced_without_force(spinney, here):
    assert spinney("simulate", "gaussian", "-n", 10, "-d", 3, "-q").exit_code == 0
    before = (here / "gaussian-table" / "table.csv").read_bytes()
    result = spinney("simulate", "gaussian", "-n", 11, "-d", 3)
    assert result.exit_code == 2
    assert "Give --force to replace" in result.stderr
    assert (here / "gaussian-table" / "table.csv").read_bytes() == before
    assert spinney("simulate", "gaussian", "-n", 11, "-d", 3, "-q", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gausian"], "Did you mean 'gaussian'?"),
        (["ising", "--degree", "3"], "have no --degree"),
        (["hubs", "--components", "3"], "have no --components"),
        (["gaussian", "--rows", "0"], "--rows"),
        (["gaussian", "-d", "5", "--degree", "9"], ""),
    ],
)
def test_what_is_wrong_is_one_line(spinney, here, words, said):
    result = spinney("simulate", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(here.iterdir())
