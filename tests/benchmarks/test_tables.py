"""The benchmarks of tables with levels and gaps: what they run is what estimators do."""

import json
import math

import numpy as np
import pytest
from benchmarks.tables import explained, noise, rounds
from benchmarks.tables.__main__ import main

from benchmarks import _run
from spinney.models import RootedForests
from spinney.pairs.explained import BEYOND
from spinney.pairs.pair_fit import PairFit
from spinney.simulate import gaussian_mrf, threshold

SEED = 100_003


@pytest.fixture(scope="module")
def small():
    return threshold(gaussian_mrf(300, 6, 2, 1, SEED), "mixed")


def options(folder, **changed):
    return rounds.Options(folder=folder, **changed)


@pytest.mark.parametrize("estimator", noise.ESTIMATORS.values())
def test_learning_from_fitted_pairs_is_what_fit_does(estimator, small):
    evidence = rounds.fit_pairs(RootedForests(), small.table)
    found = rounds.learned(estimator, evidence)
    fitted = estimator().fit(small.table).adjacency_[np.triu_indices(6, 1)]
    np.testing.assert_array_equal(found, fitted)
    assert found.any()


def test_the_chosen_threshold_explains_what_potentials_explain(small):
    model = RootedForests(PairFit(direct=False))
    evidence = rounds.fit_pairs(model, small.table)
    fresh = PairFit().fit(model.pair_fit_.table_)
    assert fresh.explained_.pairs.any()
    silent = explained.silent_pairs(model.pair_fit_, BEYOND)
    np.testing.assert_array_equal(silent, fresh.explained_.pairs)
    heard = explained.silence(evidence, silent)
    np.testing.assert_array_equal(heard.log_density, fresh.densities_.log_density)
    np.testing.assert_array_equal(heard.n_parameters, fresh.densities_.n_parameters)
    assert not explained.silent_pairs(model.pair_fit_, None).any()


def test_rounds_go_on_where_they_stopped_and_lose_nothing(tmp_path):
    seen = []

    def look(cell, seed):
        seen.append((cell, seed))
        if cell == "bad":
            raise ValueError("no such table")
        return {"value": seed}

    asked = options(tmp_path)
    assert rounds.in_rounds("x", look, ["a", "bad"], [1, 2], asked) == [
        {"kind": "result", "cell": "a", "method": "x", "seed": seed, "value": seed} | run
        for seed, run in zip([1, 2], _times(tmp_path), strict=True)
    ]
    assert len(rounds.in_rounds("x", look, ["a"], [1, 2, 3], asked)) == 3
    assert seen == [("a", 1), ("bad", 1), ("a", 2), ("bad", 2), ("a", 3)]
    assert rounds.ran_on("x", asked)["workers"] == 1


def _times(folder):
    records = rounds.Store(folder / "x").read()
    return [{"run": r["run"]} for r in records if r["kind"] == "result" and r["cell"] == "a"]


def test_no_round_begins_after_the_time_is_up(tmp_path, capsys):
    found = rounds.in_rounds("x", lambda c, s: {}, ["a"], [1, 2], options(tmp_path, seconds=-1.0))
    assert found == []
    assert "0 of 2 seeds" in capsys.readouterr().out


def test_mixtures_hold_every_two_kinds_and_all_levels():
    assert len(noise.MIXTURES) == (6 + 9 * 8 + 1) * 9
    assert {m.levels for m in noise.MIXTURES.values()} == {0, *range(3, 11)}
    assert len({m.kinds for m in noise.MIXTURES.values()}) == 16


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_a_mixture_is_what_it_says(gaps):
    mixture = noise.Mixture("rounded+nominal", 7, gaps, 500)
    frame, told = mixture.draw(SEED, d=4)
    assert list(told.values()) == ["continuous", "nominal"] * 2
    assert set(frame["x1"].dropna()) == set("abcdefg")
    assert np.isin(frame["x0"].dropna() * 2, range(-10, 11)).all()
    assert frame.isna().to_numpy().mean() == pytest.approx(gaps, abs=0.05)
    assert frame.equals(mixture.draw(SEED, d=4)[0])
    assert not frame.equals(mixture.draw(SEED + 1, d=4)[0])


def test_noise_names_the_worst_mixture():
    names = [noise.Mixture("binary", 0, gaps, 50).name for gaps in noise.GAPS]
    edges = {names[0]: (0, 0), names[1]: (1, 3), names[2]: (0, 1)}
    records = [
        {"cell": name, "seed": seed, "edges": dict.fromkeys(noise.ESTIMATORS, found[seed])}
        for name, found in edges.items()
        for seed in (0, 1)
    ]
    result = noise.summarise(records)
    assert next(iter(result["worst"]["SharedForest, n=50"])) == names[1]
    assert result["worst"]["SharedForest, n=50"][names[1]] == [2.0, 1.0, 2]
    assert result["means"]["RootedForests, n=50"]["gaps"]["0.3"] == [0.5, 0.5, 2]


def test_thresholds_are_compared_seed_by_seed_over_finished_rounds():
    wrong = {f"{e} {b}": [1, 0] for e in explained.ESTIMATORS for b in explained.TRIED}
    records = [
        {"cell": cell, "seed": seed, "wrong": wrong | {"RootedForests None": [seed - 1, 1]}}
        for seed in (2, 4)
        for cell in explained.TABLES[:2]
    ]
    records.append({"cell": explained.TABLES[0], "seed": 9, "wrong": wrong})  # cut short
    result = explained.summarise(records)
    assert result["seeds"] == [2, 4]
    tables = result["results"]["RootedForests None"]["tables"]
    assert tables["wrong"] == [3.0, 1.0, 2]
    assert tables["against_chosen"] == [2.0, 1.0, 2]
    assert result["results"][f"SharedForest {BEYOND}"]["tables"]["against_chosen"] == [0, 0, 2]


@pytest.mark.slow
def test_sections_are_stored_with_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(_run, "RESULTS", tmp_path)
    monkeypatch.setattr(explained, "TABLES", ["ordinal-100"])
    monkeypatch.setattr(explained, "LOOPS", {})
    assert main(["explained", "--repetitions", "2", "--minutes", "5"]) == 0
    (path,) = tmp_path.glob("tables-*.json")
    stored = json.loads(path.read_text())["explained"]
    assert stored["machine"]["threads"] >= 1
    assert stored["seeds"] == [100_000, 100_001]
    cells = stored["results"]["SharedForest 4.0"]["cells"]
    assert cells["ordinal-100"][2] == 2
    assert all(math.isfinite(value) for value in cells["ordinal-100"])


def test_an_unknown_section_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["no-such"])
    assert "no section 'no-such'" in capsys.readouterr().err
