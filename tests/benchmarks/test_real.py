"""The benchmark of real tables runs, and counts what it says it counts."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from benchmarks.real import __main__ as command
from benchmarks.real import methods, sections
from benchmarks.real.methods import Answer
from training.grafts import part_of

from tests.training.test_grafts import some_table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    names = (f"package{k}" for k in range(1000))
    for k, name in zip(
        range(3), (name for name in names if part_of(name) == "report"), strict=False
    ):
        some_table(k, n=750).to_csv(tmp_path / f"{name}__table.csv", index=False)
    monkeypatch.setenv("SPINNEY_REAL_TABLES", str(tmp_path))
    return tmp_path


def settings(folder, tables=3, names=("PartialCorrelation",)):
    return sections.Settings(folder, tables, 5, None, 1, names)


def test_a_method_that_knows_the_truth_is_never_wrong(folder, monkeypatch):
    drawn = {}
    draw = sections.draw_grafts

    def remember(seed, part, folder):
        grown = draw(seed, part, folder)
        drawn["grown"] = grown
        return grown

    def oracle(name, frame, judge=None, seed=0):
        upper = np.triu_indices(frame.shape[1], 1)
        truth = drawn["grown"].adjacency[upper]
        unknown = ~drawn["grown"].known[upper]
        told = truth | unknown  # what is said of unknown pairs does not count
        return Answer(told, told.astype(float))

    monkeypatch.setattr(sections, "draw_grafts", remember)
    monkeypatch.setattr(sections, "ask", oracle)
    found = sections.grafts(settings(folder, 8, ("GraphLearner",)))["GraphLearner"]["all"]
    assert found["wrong"] == 0
    assert found["precision"] == found["recall"] == 1
    assert found["calibration error"] == 0


def test_pairs_without_a_probability_do_not_count_as_calibrated():
    edges, told = np.array([False, True, True]), np.array([np.nan, 0.99, 0.97])
    cases = [{"truth": np.array([False, True, True]), "GraphLearner": Answer(edges, told)}]
    found = sections._graft_scores(cases, "GraphLearner")
    assert found["unknown"] == 1
    assert found["calibration error"] == pytest.approx(0.02)
    assert found["bins"] == [[0.98, 1.0, 2.0]]


def test_an_answer_that_does_not_change_is_coherent(folder, monkeypatch):
    def same(name, frame, judge=None, seed=0):
        d = frame.shape[1]
        told = np.linspace(0, 1, d * (d - 1) // 2)
        return Answer(told > 0.5, told)

    monkeypatch.setattr(sections, "ask", same)
    found = sections.coherence(settings(folder, 3, ("GraphLearner",)))["GraphLearner"]
    assert found["share that stays"] == found["agreement of two"] == 1
    assert found["coherence error"] == 0
    assert sections.halves(settings(folder))["tables"] == 3
    chance = sections.chance(settings(folder))
    assert 0 < chance["normal"]["all"] < 1
    assert chance["real"]["all"] == chance["normal"]["all"]


def test_the_command_shows_its_sections(folder, capsys):
    options = ["--quick", "--tables", "3", "--methods", "PartialCorrelation", "GraphicalLasso"]
    assert command.main(["grafts", "coherence", *options]) == 0
    shown = capsys.readouterr().out
    assert "3 tables of the part 'report'" in shown
    assert shown.count("PartialCorrelation") >= 2


def test_a_table_that_is_refused_has_no_edges(monkeypatch):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    assert not methods.ask("PartialCorrelation", frame).edges.any()
    model = SimpleNamespace(adjacency_=np.array([[0, 1], [1, 0]], dtype=bool))
    monkeypatch.setitem(methods.METHODS, "PartialCorrelation", lambda *given: model)
    assert methods.ask("PartialCorrelation", frame).edges.all()
