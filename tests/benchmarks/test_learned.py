"""What the judge is held to: measures against counts by hand, and every section on a tiny judge."""

import json
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from benchmarks.accuracy.cells import REPORTING
from benchmarks.learned import (
    ablation,
    calibration,
    cells,
    evidence,
    judges,
    leave_out,
    limits,
    noise,
    scores,
    tables,
    twins,
)
from benchmarks.learned.__main__ import main
from benchmarks.learned.options import Options
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from benchmarks import _run
from spinney.exceptions import InputError
from spinney.judge import GraphLearner, Judge
from tests.benchmarks.tiny_judge import tiny_judge

SMALL = "independent-d25-n50"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of judges, all of them tiny and random."""
    path = tmp_path_factory.mktemp("judges")
    names = (*judges.LIMITS, *judges.WITHOUT, *judges.TWINS, *judges.ABLATIONS, judges.SHORT)
    for seed, name in enumerate((judges.OURS, *names)):
        tiny_judge(seed).save(path / f"{name}.npz")
    return path


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("evidence")


@pytest.fixture
def options(folder, cache, tmp_path):
    return Options(
        repetitions=2,
        judge=folder / f"{judges.OURS}.npz",
        judges=folder,
        cache=cache,
        data=None,
        results=tmp_path,
    )


def seen(truth, name="connected-50", seed=0):
    """A table of which only the truth matters; d from the number of pairs."""
    truth = np.asarray(truth, dtype=bool)
    nothing = np.zeros((len(truth), 1), dtype=np.float32)
    d = round((1 + np.sqrt(1 + 8 * len(truth))) / 2)
    return evidence.Seen(name, seed, 50, d, nothing, nothing, truth, np.zeros(3), {})


# Evidence


@pytest.mark.slow
def test_evidence_is_measured_once(cache, monkeypatch):
    first = evidence.look(["connected-50"], 2, cache)["connected-50"]
    assert [one.seed for one in first] == list(REPORTING[:2])

    def refuse(*args, **kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(evidence, "measure", refuse)
    again = evidence.look(["connected-50"], 2, cache)["connected-50"]
    for before, after in zip(first, again, strict=True):
        np.testing.assert_array_equal(before.even, after.even)
        np.testing.assert_array_equal(before.odd, after.odd)
        np.testing.assert_array_equal(before.truth, after.truth)
        np.testing.assert_array_equal(before.summary, after.summary)
        assert (before.n, before.d) == (after.n, after.d) == (50, 25)


def test_other_numbers_make_new_evidence(cache, monkeypatch):
    path = evidence._path(cache, "connected-50", 0)
    usual = evidence.see
    monkeypatch.setattr(
        evidence, "see", lambda *key: replace(usual(*key), even=usual(*key).even + np.float32(0.01))
    )
    evidence._mark.cache_clear()
    assert evidence._path(cache, "connected-50", 0) != path
    evidence._mark.cache_clear()


@pytest.mark.parametrize("name", ["connected-50", "mixed-kinds-100"])
def test_judges_see_what_the_learner_sees(name, options):
    (one,) = evidence.look([name], 1, options.cache)[name]
    seed = one.seed
    judge = judges.load(options.judge)
    data = tables.simulate(name, seed)
    learner = GraphLearner(judge=judge, random_state=seed).fit(tables.as_given(name, data))
    upper = np.triu_indices(25, 1)
    np.testing.assert_array_equal(data.adjacency[upper], one.truth)
    np.testing.assert_allclose(
        judges.probabilities(judge, one), learner.edge_probabilities_[upper], atol=1e-6
    )


def test_worlds_tables_are_of_their_group_and_not_too_large():
    for name, group in tables.WORLD.items():
        for seed in tables.seeds(name, 2):
            data = tables.simulate(name, seed)
            assert group is None or group in data.parameters["groups"]
            assert data.X.shape[1] <= tables.MOST_NODES
            assert seed in range(100_000)


def test_an_unknown_table_is_named():
    with pytest.raises(InputError, match="no table called 'no-such'"):
        tables.simulate("no-such", 0)


# Scores


def test_scores_are_counts():
    truth = [True, False, False, True, False, False]
    P = np.array([0.9, 0.8, 0.1, 0.3, 0.2, 0.4])
    found = scores.score(logit(P), seen(truth))
    assert found["hamming"] == 2  # one false edge, one missed
    assert (found["edges"], found["false_positives"]) == (2, 1)
    assert found["expected_edges"] == pytest.approx(P.sum())
    assert found["log_loss"] == pytest.approx(log_loss(truth, P, normalize=False))


def test_sure_mistakes_have_a_finite_price():
    found = scores.score([800.0, -800.0, 0.0], seen([False, True, False]))
    assert found["log_loss"] == pytest.approx(1600 + np.log(2))


def test_differences_are_paired_by_table():
    rows = [("a", 0, "x", 3.0), ("a", 1, "x", 9.0), ("a", 0, "y", 1.0), ("a", 1, "y", 5.0)]
    rows += [("b", 0, "x", 7.0), ("b", 1, "x", 7.0), ("b", 0, "y", 7.0), ("b", 2, "y", 0.0)]
    frame = pd.DataFrame(rows, columns=["cell", "seed", "method", "hamming"])
    found = scores.paired_over_cells(frame, "x", "y", "hamming")
    assert (found["mean"], found["cells"], found["tables"]) == (1.5, 2, 3)


# Calibration


def test_calibration_and_false_shares_by_hand():
    P = np.array([0.95, 0.95, 0.92, 0.6, 0.05, 0.05])
    said = [(seen([True, True, False, False, False, False]), P)]
    bins = calibration.diagram(said)
    # Bins: three pairs near 0.94 of which two are edges, one at 0.6 without, two at 0.05 without.
    by_hand = (3 * abs(0.94 - 2 / 3) + 0.6 + 2 * 0.05) / 6
    assert bins["error"] == pytest.approx(by_hand)
    assert calibration.table(bins["bins"])["count"].sum() == 6
    found = calibration.false_share(said, 0.1)
    assert (found["edges"], found["false"], found["counts"]) == (3, 1, False)


def test_calibration_by_kind_rows_and_columns(options):
    found = calibration.run(options, ["connected-50", "connected-100", "gaps-10-100"])
    assert list(found["truths"]["by_kind"]) == ["connected"]
    assert list(found["truths"]["by_n"]) == ["n = 50", "n = 100"]
    assert list(found["tables"]["by_d"]) == ["d = 25"]
    assert found["truths"]["all"]["pairs"] == 4 * 300
    world = found["world"]
    for by in ("by_d", "by_n"):
        assert sum(one["pairs"] for one in world[by].values()) == world["all"]["pairs"]
    json.dumps(scores.rounded(found), allow_nan=False)


# Verdicts over cells


def cell(**wrong):
    rows = [
        {"method": method.replace("_", "-"), "seed": seed, "hamming": value}
        for method, values in wrong.items()
        for seed, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_a_cell_is_judged_by_its_best_peer():
    ours = [2.0, 3.0] * 6
    better = [1.0, 2.0] * 6
    found = cells.judged(cell(learned=ours, huge=better, et=[9.0] * 12))
    assert (found["best"], found["difference"], found["above"]) == ("huge", 1.0, True)
    level = cells.judged(cell(learned=ours, huge=[3.0, 2.0] * 6))
    assert (level["difference"], level["above"]) == (0.0, False)
    assert not cells.judged(cell(learned=ours, et=[9.0] * 12))["above"]


def test_peers_with_few_seeds_and_those_told_the_family_do_not_judge():
    found = cells.judged(
        cell(learned=[5.0] * 12, huge=[6.0] * 12, bdgraph=[0.0] * 4, ef_lambda_gaussian=[0.0] * 12)
    )
    assert (found["best"], found["above"]) == ("huge", False)
    assert list(found["few"]) == ["bdgraph"]
    assert cells.is_peer("chow-liu-gaussian")
    assert not cells.is_peer("learned-without-trees")


def test_cells_need_results(tmp_path):
    with pytest.raises(InputError, match="First run"):
        cells.run(Options(results=tmp_path), tmp_path)


# Judges side by side


def test_movement_of_two_networks(options):
    found = twins.run(options, ("connected-50",))
    assert set(found["scores"]) == {*judges.TWINS, "average"}
    both = [judges.load(options.judges / f"{name}.npz") for name in judges.TWINS]
    tables_ = evidence.look(["connected-50"], 2, options.cache)["connected-50"]
    moves = [
        np.abs(np.diff([expit(judges.logits(j, one)) for j in both], axis=0)) for one in tables_
    ]
    assert found["mean_move"] == pytest.approx(np.mean(moves), rel=1e-4)


def test_two_networks_are_needed(options, tmp_path):
    with pytest.raises(InputError, match="Two networks"):
        twins.run(Options(judges=tmp_path, cache=options.cache), ("connected-50",))


def test_noise_counts_edges(options):
    found = noise.run(options, (SMALL,))["tables"][SMALL]
    judge = judges.load(options.judge)
    tables_ = evidence.look([SMALL], 2, options.cache)[SMALL]
    edges = [int((judges.logits(judge, one) > 0).sum()) for one in tables_]
    assert (found["edges"], found["most"], found["tables"]) == (np.mean(edges), max(edges), 2)


def test_limits_and_ablations_lie_beside_ours(options, monkeypatch):
    monkeypatch.setattr(judges, "LIMITS", {"limit-connected": ("connected-50",)})
    found = limits.run(options)["kinds"]["connected-50"]["hamming"]
    gap = found["ours"]["mean"] - found["limit"]["mean"]
    assert found["difference"]["mean"] == pytest.approx(gap)
    monkeypatch.setattr(ablation, "REAL", ("sachs-853", "dream4-1"))
    parts = ablation.run(options, ("connected-50",))
    assert parts["yardstick"] == judges.SHORT
    assert list(parts["networks"]) == [judges.SHORT, *judges.ABLATIONS]
    assert parts["networks"][judges.SHORT]["difference"]["hamming"]["mean"] == 0.0
    assert list(parts["real"]) == ["sachs-853"]  # no folder of other tables is given
    assert set(parts["real"]["sachs-853"]) == set(parts["networks"])


def test_a_folder_without_judges_says_what_to_do(options, tmp_path):
    with pytest.raises(InputError, match="python -m training"):
        ablation.run(Options(judges=tmp_path, judge=options.judge), ("connected-50",))


def test_a_group_left_out_is_compared_with_forests(options, monkeypatch):
    monkeypatch.setattr(judges, "WITHOUT", {"without-hubs": "hubs"})
    monkeypatch.setattr(leave_out, "ROWS", (50,))
    found = leave_out.run(options)["groups"]["hubs"]
    assert list(found) == ["cells", "world"]
    world = found["world"]
    assert world["tables"] == 2
    forests = {name: world["hamming"][name]["mean"] for name in evidence.FORESTS}
    assert world["best_forest"] == min(forests, key=forests.get)
    gap = world["hamming"]["without-hubs"]["mean"] - forests[world["best_forest"]]
    assert world["against_forest"]["mean"] == pytest.approx(gap)
    assert found["cells"]["best_forest"] is None  # no records in this folder


def test_warnings_are_counted(monkeypatch):
    said = iter([["Strange."], [], ["Strange."], ["Large."]])
    monkeypatch.setattr(
        judges, "cloud", lambda judge: SimpleNamespace(outside=lambda summary: next(said))
    )
    found = leave_out.warned(None, [seen([True])] * 4)
    assert found == {"share": 0.75, "most_often": "Strange."}


def test_judges_are_told_apart(folder):
    first, second = (judges.load(folder / f"{name}.npz") for name in judges.TWINS)
    assert judges.identity(first)["fingerprint"] != judges.identity(second)["fingerprint"]
    assert isinstance(first, Judge)


# The command


def test_sections_are_stored_with_date_and_machine(options, monkeypatch, capsys):
    monkeypatch.setattr(_run, "RESULTS", options.results)
    monkeypatch.setattr(noise, "NOISE", {SMALL: (25, 50)})
    monkeypatch.setattr(noise.run, "__defaults__", ((SMALL,),))
    told = ["--judge", str(options.judge), "--cache", str(options.cache), "--repetitions", "2"]
    assert main(["noise", *told]) == 0
    (path,) = options.results.glob("learned-*.json")
    stored = json.loads(path.read_text())["noise"]
    assert stored["machine"]["threads"] >= 1
    assert time.strftime("%Y") in stored["date"]
    assert stored["judge"]["fingerprint"]
    assert main(["cells", *told]) == 1
    assert "First run" in capsys.readouterr().err


def test_an_unknown_section_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["no-such"])
    assert "no section 'no-such'" in capsys.readouterr().err
