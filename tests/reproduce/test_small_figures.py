"""A small version of every figure: the methods come out in the order that they should.

Tables are those of the first seeds of the reported run. The margins leave room for rounding on
other machines; a method that has lost its mind falls through them. Ranges in comments are those of
means over three tables, of 16 with other seeds (200003 to 200006 and 200100 to 200111).
"""

import numpy as np
import pandas as pd
import pytest

from reproduce.experiments import EXPERIMENTS, REPORTING, evaluate, plan
from reproduce.results import tidy
from reproduce.runner import Store, run


def small(folder, name, methods, n, repetitions):
    """Run a few tables of a figure and return the tidy results."""
    experiment = EXPERIMENTS[name]
    tasks = plan(experiment, repetitions, sizes=[n], methods=methods)
    records = run(tasks, Store(folder), evaluate)
    assert not [record["error"] for record in records if "error" in record]
    return tidy(records, experiment, peers=False)


def means(frame, metric):
    return frame.groupby("method")[metric].mean()


@pytest.mark.parametrize(
    ("name", "most_wrong"),
    [
        ("figure2", 6.0),
        pytest.param("figure3", 7.5, marks=pytest.mark.slow),
        pytest.param("figure4", 14.0, marks=pytest.mark.slow),
    ],
)
def test_shared_forest_is_ahead_of_glasso(tmp_path, name, most_wrong):
    frame = small(tmp_path, name, ["glasso", "shared-forest"], n=100, repetitions=2)
    wrong = means(frame, "hamming")
    assert wrong["shared-forest"] < most_wrong
    assert wrong["shared-forest"] < wrong["glasso"] - 3.0


@pytest.mark.slow
def test_forests_rank_the_first_edges_of_a_wide_table(tmp_path):
    frame = small(tmp_path, "figure5", ["glasso", "shared-forest"], n=50, repetitions=2)
    found = means(frame, "edges_before_fdr_1")
    assert found["shared-forest"] >= 8
    assert found["glasso"] >= 5
    curve = np.array(frame[frame.method == "shared-forest"].true_edges_by_rank.tolist())
    assert (curve[:, 39] >= 25).all()  # of the first forty pairs; by chance it would be two


@pytest.mark.slow
def test_figure2_connected(tmp_path):
    methods = ["ef-lambda", "et", "glasso", "rooted-forests", "shared-forest"]
    frame = small(tmp_path, "figure2", methods, n=100, repetitions=3)
    wrong, recall = means(frame, "hamming"), means(frame, "recall")
    assert wrong["rooted-forests"] < 5
    assert wrong["shared-forest"] < 6
    assert max(wrong["rooted-forests"], wrong["shared-forest"]) < wrong["ef-lambda"] < 9
    # The paper: EF-λ is as accurate as ET (differences -2.7 to 1.3), with more precision (by 0.01
    # to 0.15) and less recall (by 0.05 to 0.20). Glasso is far behind both (by 15 or more).
    assert wrong["ef-lambda"] < wrong["et"] + 2
    assert max(wrong["ef-lambda"], wrong["et"]) < wrong["glasso"] - 10
    precision = means(frame, "precision")
    assert precision["ef-lambda"] > precision["et"]
    assert recall["ef-lambda"] < recall["et"] - 0.03
    assert recall.min() > 0.85


@pytest.mark.slow
def test_figure3_two_components(tmp_path):
    methods = ["ef-lambda", "et", "glasso", "rooted-forests"]
    frame = small(tmp_path, "figure3", methods, n=100, repetitions=3)
    wrong, between = means(frame, "hamming"), means(frame, "inter_component_false_positives")
    assert wrong["rooted-forests"] < 4.5
    # The paper: EF-λ has the fewest wrong edges (compared with ET -4.3 to 0.3, one table of 16 with
    # one between the components) and more precision (by 0.05 to 0.16). Glasso is far behind both
    # (by 12 or more). RootedForests is not surely ahead of EF-λ (-2.7 to 1.3).
    assert wrong["ef-lambda"] < wrong["et"] - 0.5
    assert wrong["et"] < wrong["glasso"] - 10
    precision = means(frame, "precision")
    assert precision["ef-lambda"] > precision["et"] + 0.03
    assert between["ef-lambda"] < 0.5
    assert between["et"] > 1.5  # it cannot leave two components apart
    assert (frame[frame.method == "et"].n_components == 1).all()


@pytest.mark.slow
def test_figure4_cliques(tmp_path):
    methods = ["ef-lambda", "et", "glasso", "nonparanormal", "rooted-forests"]
    frame = small(tmp_path, "figure4", methods, n=100, repetitions=3)
    wrong, recall = means(frame, "hamming"), means(frame, "recall")
    for method in ("et", "glasso", "nonparanormal", "rooted-forests"):
        assert wrong["ef-lambda"] < wrong[method] - 2, method
    for method in ("glasso", "nonparanormal"):
        assert recall[method] < recall["ef-lambda"] - 0.1, method
    assert means(frame, "precision")["ef-lambda"] > 0.93
    between = means(frame, "inter_component_false_positives")
    assert between["ef-lambda"] < 0.5
    # ET joins the cliques, by 6 edges or more. The paper says that these are nearly all of its
    # wrong pairs; here they are 0.45 to 0.71 of them, and the others are edges that it misses.
    assert between["et"] >= 6
    assert between["et"] > 0.4 * wrong["et"]


@pytest.mark.slow
def test_cuts_find_two_components_at_most_and_what_trees_find(tmp_path):
    # Stopped early, EF-cuts has fewer wrong edges than ET; at its optimum it has as many.
    frame = small(tmp_path, "figure3", ["ef-cuts", "et"], n=50, repetitions=1)
    by_method = frame.set_index("method")
    assert abs(by_method.hamming["ef-cuts"] - by_method.hamming["et"]) <= 5
    assert by_method.recall["ef-cuts"] > 0.7
    assert by_method.n_components["ef-cuts"] <= 2


@pytest.mark.slow
def test_figure5_ef_ranks_by_both_ways(tmp_path):
    frame = small(tmp_path, "figure5", ["ef-lambda", "glasso", "rooted-forests"], 50, 2)
    found = means(frame, "edges_before_fdr_1")
    assert found["ef-lambda"] >= 7
    assert found["rooted-forests"] >= 5
    present = means(frame, "edges_before_fdr_1_by_presence")
    assert present["ef-lambda"] >= 7
    assert present["ef-lambda"] > present["glasso"]


@pytest.mark.slow
def test_figure6_wells(tmp_path):
    experiment = EXPERIMENTS["figure6"]
    wells = ["pbmc-100/Reference/cd8+", "pbmc-100/BCR/FcR-XL/igm+", "pbmc-100/Vanadate/nk"]
    tasks = [task for task in plan(experiment, 5, sizes=[100]) if task.cell in wells]
    frame = tidy(run(tasks, Store(tmp_path), evaluate), experiment)
    assert len(frame) == 15
    assert (frame.n_rows == 100).all()
    assert frame.n_components.between(1, 13).all()
    by_stimulus = frame.groupby("stimulus").n_components.mean()
    assert by_stimulus["Vanadate"] < by_stimulus["Reference"]  # it switches everything on at once
    assert (frame.n_edges >= 14 - frame.n_components).all()


def test_every_figure_is_planned_with_the_reporting_seeds():
    for experiment in EXPERIMENTS.values():
        tasks = plan(experiment, 3)
        assert {task.seed for task in tasks} == set(REPORTING[:3])
        assert len(set(tasks)) == len(tasks)
        assert {task.method for task in tasks} == set(experiment.methods)


def test_tidy_leaves_failures_and_other_figures_out():
    good = {"cell": "connected-50", "method": "et", "seed": 1, "table": "a", "hamming": 3}
    bad = {**good, "seed": 2, "error": "ValueError: no"}
    other = {**good, "cell": "two-components-50"}
    frame = tidy([good, bad, other], EXPERIMENTS["figure2"])
    pd.testing.assert_series_equal(frame.hamming, pd.Series([3], name="hamming"))
