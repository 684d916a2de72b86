"""The benchmark of expert networks: its truth by hand, its draws, and what it counts."""

import json
import lzma

import numpy as np
import pytest
from benchmarks.experts import __main__ as command
from benchmarks.experts import methods
from benchmarks.experts.methods import Answer, moralised
from benchmarks.experts.networks import Network, part_of, read_networks

HALF = [0.5, 0.5]


def node(name, parents, prob, n_levels=2):
    return {
        "name": name,
        "levels": [str(k) for k in range(n_levels)],
        "parents": parents,
        "prob": prob,
    }


def record(name="curacao1"):
    """Give a network in which a and b cause c, and a causes d.

    f is a parent of d, and c one of e, but the probabilities do not depend on them.
    """
    return {
        "net": name,
        "nodes": [
            node("d", ["a", "f"], [0.9, 0.1, 0.2, 0.8, 0.900001, 0.099999, 0.2, 0.8]),
            node("a", [], HALF),
            node("b", [], [0.3, 0.2, 0.5], 3),
            node("c", ["b", "a"], [*[0.9, 0.1] * 3, *[0.9, 0.1] * 2, 0.1, 0.9]),
            node("e", ["c"], [1.0, 0.0, 0.999999, 0.000001]),
            node("f", [], HALF),
        ],
    }


@pytest.fixture
def network():
    return Network.of(record())


def names(network, graph):
    u, v = np.nonzero(np.triu(graph))
    return {frozenset((network.columns[i], network.columns[j])) for i, j in zip(u, v, strict=True)}


def test_the_moral_graph_by_hand(network):
    # d does not depend on f (beyond rounding), so neither f-d nor a-f counts, nor does c-e.
    expected = {frozenset(pair) for pair in (("a", "d"), ("a", "c"), ("b", "c"), ("a", "b"))}
    assert names(network, network.moral_graph()) == expected


def test_rows_have_the_probabilities_of_the_tables(network):
    values = network.draw(20_000, np.random.default_rng(0))
    d, a, b, c = values.T[:4]
    assert np.bincount(b) / len(b) == pytest.approx([0.3, 0.2, 0.5], abs=0.02)
    assert d[a == 0].mean() == pytest.approx(0.1, abs=0.02)
    assert d[a == 1].mean() == pytest.approx(0.8, abs=0.02)
    # The first parent, b, runs faster: only b = 2 together with a = 1 makes c likely.
    assert c[(b == 2) & (a == 1)].mean() == pytest.approx(0.9, abs=0.02)
    assert c[(b == 2) & (a == 0)].mean() == pytest.approx(0.1, abs=0.02)
    assert c[(b == 1) & (a == 1)].mean() == pytest.approx(0.1, abs=0.02)


def test_constant_columns_are_dropped_with_their_edges(network):
    frame, truth = network.sample(200, seed=1)
    assert list(frame) == ["x0", "x1", "x2", "x3", "x5"]
    assert truth.shape == (5, 5)
    assert truth.sum() == 8
    again, _ = network.sample(200, seed=1)
    assert frame.equals(again)
    assert not frame.equals(network.sample(200, seed=2)[0])


def test_networks_of_one_study_stay_together(tmp_path):
    path = tmp_path / "networks.jsonl.xz"
    with lzma.open(path, "wt") as file:
        for name in ("curacao1", "curacao22", "titanic"):
            file.write(json.dumps(record(name) | {"nodes": [node("a", [], HALF)]}) + "\n")
    assert [x.name for x in read_networks(path, "report")] == ["curacao1", "curacao22"]
    assert part_of("titanic7") == part_of("titanic") == "train"


def test_nothing_to_report_on_is_trained_on():
    training = pytest.importorskip("training.networks")
    names = [f"study{k}" for k in range(300)] + ["asia", "GDIpathway1", "covid12"]
    assert [part_of(name) for name in names] == [training.part_of(name) for name in names]
    network = Network.of(record())
    assert network.moral_graph().sum() == training.as_network(record()).adjacency.sum()


def test_a_partly_directed_graph_is_moralised():
    found = moralised(5, [(0, 2), (1, 2)], [(2, 3)])
    assert found.sum() == 2 * 4  # 0-2, 1-2, 0-1, 2-3: an undirected edge marries nobody
    assert found[0, 1]
    assert not found[0, 3]
    assert not found[4].any()


@pytest.mark.parametrize("name", methods.PEERS)
def test_peers_find_strong_edges(name, network):
    pytest.importorskip("pyagrum")
    frame, truth = network.sample(3000, seed=1)
    assert (methods.ask_in_time(name, frame, 60).edges != truth).sum() <= 2


def test_a_method_that_takes_too_long_has_no_result(network, monkeypatch):
    def hang(frame):
        while True:
            pass

    monkeypatch.setitem(methods.METHODS, methods.HILL, hang)
    frame, _ = network.sample(200, seed=1)
    assert methods.ask_in_time(methods.HILL, frame, 0.1) is None


def test_wrong_edges_and_calibration_are_counted(network, monkeypatch, capsys):
    truths = {n: network.sample(n, command.SEED)[1] for n in (200, 1000)}

    def one_wrong(name, frame, judge):
        said = truths[len(frame)].copy()
        said[0, 1] = said[1, 0] = ~said[0, 1]
        return Answer(said, np.where(said, 0.8, 0.2))

    monkeypatch.setattr(command, "ask", one_wrong)
    found = command.run([network], (200, 1000), [command.JUDGE])
    judge = found["methods"][command.JUDGE]
    assert set(judge["wrong"].values()) == {1}
    # Of the pairs given 0.8 none is wrong; one of seven given 0.2 is an edge.
    assert judge["calibration error"]["all"] == pytest.approx((3 * 0.2 + 7 * (0.2 - 1 / 7)) / 10)
    peer = {"wrong": {"curacao1/200": 3, "curacao1/1000": None}, "tables": found["tables"]}
    shown = command.show(
        {"MIIC": peer, command.JUDGE: judge | {"tables": found["tables"]}}, (200, 1000)
    )
    assert shown == {"MIIC": {"200": 3.0}, command.JUDGE: {"200": 1.0}}
    assert "+2.00 ± 0.00 to the judge" in capsys.readouterr().out


def test_without_networks_the_command_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setenv("SPINNEY_EXPERT_NETWORKS", "nowhere")
    with pytest.raises(SystemExit):
        command.main(["judge"])
    assert "set SPINNEY_EXPERT_NETWORKS" in capsys.readouterr().err
