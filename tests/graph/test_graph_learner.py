"""GraphLearner: from probabilities to a graph, and everything that a user may decree."""

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks.judge.random_network import random_network
from sklearn.exceptions import NotFittedError
from training.cloud import fit_cloud

from spinney import GraphLearner, load_model
from spinney._core.pairs import pair_index, to_matrix, to_pairs
from spinney.evidence import N_EVEN, judge_inputs, measure
from spinney.evidence.out_of_distribution import SUMMARY_NAMES
from spinney.exceptions import DataWarning, InputError
from spinney.judge import Judge, Settings, edge_strengths, keep_by_fdr, learner
from spinney.tables import read_table
from tests.graph.cases import chains, plain_judge, plain_judge_path, random_judge, with_gaps
from tests.models.real_tables import few_rows, left_out, mixed_frame

PLAIN = plain_judge()


@pytest.fixture(scope="module")
def table():
    return chains()


@pytest.fixture(scope="module")
def model(table):
    return GraphLearner(PLAIN).fit(table)


# What is judged is what is reported


def test_probabilities_are_those_of_the_judge(table, model):
    evidence = measure(table)
    read = judge_inputs(evidence.values)
    logits = PLAIN.logits(read[:, :N_EVEN], read[:, N_EVEN:]).astype(float)
    expected = to_matrix(1.0 / (1.0 + np.exp(-logits)))
    np.testing.assert_allclose(model.edge_probabilities_, expected, rtol=1e-12)
    np.testing.assert_array_equal(model.evidence_.values, evidence.values)
    np.testing.assert_array_equal(model.adjacency_, expected > 0.5)
    assert {frozenset(edge) for edge in model.graph_.edges} == {
        frozenset(pair) for pair in ("ab", "bc", "de")
    }
    assert model.n_components_ == 3
    assert (model.expected_false_, model.expected_missed_) == (
        pytest.approx((1.0 - expected[np.triu(expected > 0.5, 1)]).sum()),
        pytest.approx(expected[np.triu(expected <= 0.5, 1)].sum()),
    )
    assert model.why_no_edges_ is None
    assert model.judge_.name == "plain"
    assert model.table_.names == tuple(table.columns)


def test_strengths_are_those_of_the_edges(table, model):
    found = edge_strengths(read_table(table), model.adjacency_)
    u, v = np.nonzero(np.triu(model.adjacency_, 1))
    for ends in ((u, v), (v, u)):
        np.testing.assert_array_equal(model.edge_weights_[ends], found.values)
        np.testing.assert_array_equal(model.edge_signs_[ends], found.signs)
    np.testing.assert_array_equal(model.edge_intervals_, found.intervals)
    assert (model.edge_weights_[~model.adjacency_] == 0).all()
    signs = model.edge_signs_
    assert (signs[0, 1], signs[1, 2], signs[3, 4], signs[0, 2]) == (-1, 1, 1, 0)


def test_the_strength_given_the_neighbours_is_not_that_of_the_pair():
    """A triangle whose third edge is negative given the middle, and none by itself."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4000, 2))
    X = np.column_stack([z[:, 0], z[:, 0] + z[:, 1] + 0.5 * rng.normal(size=4000), z[:, 1]])
    model = GraphLearner(PLAIN, required=[(0, 1), (1, 2), (0, 2)]).fit(X)
    # By hand: given y = x + z + e with var(e) = 1/4, the ends have correlation -1 / 1.25.
    assert model.edge_weights_[0, 2] == pytest.approx(-0.8, abs=0.02)
    assert model.edge_signs_[0, 2] == -1
    assert abs(model.evidence_.to_frame().loc[1, "score"]) < 0.05


# Which pairs are kept


def test_a_cut_and_a_target(table):
    P = to_pairs(GraphLearner(random_judge()).fit(table).edge_probabilities_)
    cut = float(np.median(P))
    strict = GraphLearner(random_judge(), cut=cut).fit(table)
    np.testing.assert_array_equal(to_pairs(strict.adjacency_), cut < P)
    for target in (0.1, 0.4, 0.6):
        model = GraphLearner(random_judge(), cut=0.99, fdr=target).fit(table)
        kept = to_pairs(model.adjacency_) > 0
        np.testing.assert_array_equal(kept, keep_by_fdr(P, target))
        assert model.expected_false_ <= target * max(kept.sum(), 1) + 1e-12


def test_the_cut_itself_is_not_kept():
    model = GraphLearner(PLAIN).fit(chains(100))
    P = model.judged_probabilities_
    np.testing.assert_array_equal(to_pairs(model.at(float(P[3])).adjacency_) > 0, P[3] < P)


def test_nothing_passes_an_impossible_cut(table):
    model = GraphLearner(PLAIN, cut=1.0).fit(table)
    assert not model.adjacency_.any()
    assert not model.edge_weights_.any()
    assert model.why_no_edges_.code == "no-edge-kept"
    assert model.expected_false_ == 0.0
    assert len(model.edges_) == 0
    strict = GraphLearner(PLAIN, fdr=0.0).fit(table)
    assert "fdr" in str(strict.why_no_edges_)


def test_what_is_decreed(table, model):
    required, forbidden = [("a", "lonely"), (3, "c")], [("a", "b"), (5, 4)]
    known = GraphLearner(PLAIN, required=required, forbidden=forbidden).fit(table)
    P, free = to_pairs(known.edge_probabilities_), np.ones(15, dtype=bool)
    at = {pair: pair_index(*pair, 6) for pair in ((0, 5), (2, 3), (0, 1), (4, 5))}
    for pair, expected in zip(at.values(), (1.0, 1.0, 0.0, 0.0), strict=True):
        assert P[pair] == expected
        free[pair] = False
    # What is judged of the others does not change.
    np.testing.assert_array_equal(P[free], to_pairs(model.edge_probabilities_)[free])
    np.testing.assert_array_equal(known.judged_probabilities_, model.judged_probabilities_)
    assert known.adjacency_[0, 5]
    assert known.adjacency_[2, 3]
    assert not known.adjacency_[0, 1]
    kept = to_pairs(known.adjacency_) > 0
    assert known.expected_false_ == pytest.approx((1.0 - P[free & kept]).sum())
    assert known.expected_missed_ == pytest.approx(P[free & ~kept].sum())
    ranks = np.argsort(-to_pairs(known.edge_ranking_))
    assert set(ranks[:2]) == {at[0, 5], at[2, 3]}
    assert list(known.edges_["probability"][:2]) == [1.0, 1.0]


def test_targets_leave_out_what_is_decreed(table):
    base = GraphLearner(random_judge()).fit(table)
    P = base.judged_probabilities_.copy()
    required, forbidden = int(np.argmin(P)), int(np.argmax(P))
    first, second = np.triu_indices(6, 1)
    decree = {
        "required": [(int(first[required]), int(second[required]))],
        "forbidden": [(int(first[forbidden]), int(second[forbidden]))],
    }
    found = GraphLearner(random_judge(), fdr=0.5, **decree).fit(table)
    P[[required, forbidden]] = np.nan
    expected = keep_by_fdr(P, 0.5)
    expected[required] = True
    np.testing.assert_array_equal(to_pairs(found.adjacency_) > 0, expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cut": 1.2}, "cut must be a number between 0 and 1"),
        ({"cut": None}, "cut must be a number"),
        ({"fdr": -0.1}, "fdr must be a number"),
        ({"fdr": "0.1"}, "fdr must be a number"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"missing": "none"}, "missing"),
        ({"judge": 3}, "judge must be a Judge, a path or None, not 3"),
        ({"required": [("a", "z")]}, "required names a column 'z'"),
        ({"required": "ab"}, "must list pairs"),
        ({"forbidden": [("a", "a")]}, "forbidden joins column 'a' to itself"),
        ({"forbidden": [3]}, "forbidden must list pairs of columns; 3 is not one"),
        ({"required": [("a", "b")], "forbidden": [(1, 0)]}, "'a' - 'b' is both required and"),
    ],
)
def test_refusals(table, parameters, message):
    with pytest.raises(InputError, match=message):
        GraphLearner(**{"judge": PLAIN, **parameters}).fit(table)


# Nothing depends on the order of rows and columns, the signs of columns, or threads


@pytest.mark.parametrize("judge", [PLAIN, random_judge(3)], ids=["plain", "random"])
def test_order_and_signs(table, judge):
    rng = np.random.default_rng(1)
    model = GraphLearner(judge).fit(table)
    shuffled = GraphLearner(judge).fit(table.iloc[rng.permutation(len(table))])
    np.testing.assert_array_equal(shuffled.adjacency_, model.adjacency_)
    np.testing.assert_allclose(shuffled.edge_weights_, model.edge_weights_, atol=1e-12)
    np.testing.assert_allclose(shuffled.edge_probabilities_, model.edge_probabilities_, atol=2e-5)
    order = rng.permutation(6)
    at = np.ix_(order, order)
    moved = GraphLearner(judge).fit(table.iloc[:, order])
    signs = np.array([1, -1, 1, -1, -1, 1])
    turned = GraphLearner(judge).fit(table * signs)
    for other, expected in ((moved, model.edge_probabilities_[at]), (turned, None)):
        P = model.edge_probabilities_ if expected is None else expected
        np.testing.assert_allclose(other.edge_probabilities_, P, atol=2e-5)
    np.testing.assert_array_equal(moved.adjacency_, model.adjacency_[at])
    np.testing.assert_allclose(moved.edge_weights_, model.edge_weights_[at], atol=1e-6)
    np.testing.assert_array_equal(turned.adjacency_, model.adjacency_)
    flips = np.outer(signs, signs)
    np.testing.assert_allclose(turned.edge_weights_, model.edge_weights_ * flips, atol=1e-6)


def test_no_seed_changes_a_probability(table):
    one, other = (
        GraphLearner(PLAIN, random_state=seed).fit(table) for seed in (0, np.random.default_rng(1))
    )
    np.testing.assert_array_equal(one.edge_probabilities_, other.edge_probabilities_)


def test_monotone_transforms_change_nothing(table, model):
    stretched = GraphLearner(PLAIN).fit(np.exp(table))
    np.testing.assert_array_equal(stretched.edge_probabilities_, model.edge_probabilities_)


# Tables as people have them


@left_out
def test_columns_of_all_kinds():
    frame = mixed_frame()
    model = GraphLearner(PLAIN).fit(frame)
    assert set(model.node_names_).isdisjoint({"id"})
    assert model.n_features_in_ == frame.shape[1]
    where = {name: k for k, name in enumerate(model.node_names_)}
    assert model.adjacency_[where["weight"], where["grade"]]
    assert model.adjacency_[where["smoker"], where["colour"]]
    # Behind the grades lies a variable with a correlation of 1.2 / √(1 + 1.2²); levels show less.
    strength = model.edge_weights_[where["weight"], where["grade"]]
    assert 0.6 < strength < 1.2 / np.sqrt(2.44)
    assert 0.0 < model.edge_weights_[where["smoker"], where["colour"]] < 1.0
    assert model.edge_signs_[where["smoker"], where["colour"]] == 0
    taus = model.edges_.set_index(["source", "target"])["tau"]
    assert taus["weight", "grade"] > 0.4
    assert np.isnan(taus["smoker", "colour"])
    assert model.potentials_.tables_ is not None  # fitted now


def test_pairs_without_common_rows_are_unknown(table):
    frame = table.copy()
    frame.loc[:74, "a"] = np.nan
    frame.loc[70:, "b"] = np.nan
    model = GraphLearner(PLAIN).fit(frame)
    assert model.unknown_pairs_.to_numpy().tolist() == [["a", "b", 0]]
    assert np.isnan(model.edge_probabilities_[0, 1])
    assert not model.adjacency_[0, 1]
    assert model.edge_ranking_[0, 1] == 0.0
    assert np.isfinite([model.expected_false_, model.expected_missed_]).all()
    required = GraphLearner(PLAIN, required=[("a", "b")]).fit(frame)
    assert required.edge_probabilities_[0, 1] == 1.0
    assert required.adjacency_[0, 1]
    unseen = np.argwhere(np.isnan(required.edge_weights_)).tolist()
    assert unseen == [[0, 1], [1, 0]]


def test_gaps_are_looked_over(table, model):
    holed = GraphLearner(PLAIN).fit(with_gaps(chains(300)))
    np.testing.assert_array_equal(holed.adjacency_, model.adjacency_)
    full = GraphLearner(PLAIN).fit(chains(300))
    np.testing.assert_allclose(holed.edge_weights_, full.edge_weights_, atol=0.12)


@few_rows
def test_tiny_tables_have_no_judgement():
    rng = np.random.default_rng(0)
    model = GraphLearner(PLAIN).fit(rng.normal(size=(4, 3)))
    assert len(model.unknown_pairs_) == 3
    assert not model.adjacency_.any()
    assert model.why_no_edges_.code == "no-pair-to-judge"
    two = GraphLearner(PLAIN).fit(rng.normal(size=(12, 2)))
    assert two.edge_probabilities_.shape == (2, 2)
    assert np.isfinite(two.edge_probabilities_).all()


@few_rows
def test_more_columns_than_rows():
    X = np.random.default_rng(0).normal(size=(12, 20))
    model = GraphLearner(PLAIN, required=[(i, j) for i in range(20) for j in range(i)]).fit(X)
    assert np.isfinite(model.edge_weights_).all()
    assert np.abs(model.edge_weights_).max() < 1.0


# Fits that fail, and fits that follow


def test_a_failed_fit_leaves_nothing_behind(table, monkeypatch):
    model = GraphLearner(PLAIN).fit(table)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(learner, "measure_scores", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table[["a", "b", "c"]])
    with pytest.raises(NotFittedError):
        model.edges_  # noqa: B018
    assert not hasattr(model, "evidence_")
    monkeypatch.undo()
    assert model.fit(table[["a", "b", "c"]]).adjacency_.shape == (3, 3)
    assert model.evidence_.n_nodes == 3


def test_progress_is_shown_if_asked_for(table, monkeypatch):
    done = []

    @contextmanager
    def bar(total, label, shown):
        done.append((total, shown))
        yield done.append

    monkeypatch.setattr(learner, "progress_bar", bar)
    for shown in (False, True):
        GraphLearner(PLAIN, progress=shown).fit(table)
    assert done == [(3, False), 2, 1, (3, True), 2, 1]


# Judges


def test_judges_from_files_and_by_name(table, model, tmp_path):
    path = plain_judge_path()
    for judge in (path, Path(path)):
        found = GraphLearner(judge).fit(table)
        np.testing.assert_array_equal(found.adjacency_, model.adjacency_)
    loaded = load_model(model.save(tmp_path / "model"))
    assert loaded.judge_ == model.judge_
    loaded.fit(table)
    np.testing.assert_array_equal(loaded.edge_weights_, model.edge_weights_)


def test_judges_have_fingerprints():
    from spinney.judge import JudgeReference

    one, two = (JudgeReference.to(random_judge(seed)) for seed in (0, 1))
    assert one == JudgeReference.to(random_judge(0))
    assert one.fingerprint != two.fingerprint
    # Calibration is part of what a judge says.
    for other in ({"scale": 1.1}, {"shift": 0.1}):
        assert JudgeReference.to(replace(random_judge(0), **other)).fingerprint != one.fingerprint


@pytest.fixture(scope="module")
def clouded():
    """A judge that was trained on tables of 100 to 200 columns and rows."""
    rng = np.random.default_rng(0)
    summaries = rng.normal(size=(800, len(SUMMARY_NAMES)))
    summaries[:, :2] = np.log(rng.uniform(100, 200, size=(800, 2)))
    cloud = fit_cloud(summaries)
    plain = plain_judge()
    return Judge(plain.networks, plain.card, cloud=cloud)


def test_foreign_tables_are_told_once(clouded, table):
    with pytest.warns(DataWarning, match="unlike those that the judge was trained on") as said:
        model = GraphLearner(clouded).fit(table)
    assert len(said) == 1
    first = model.out_of_distribution_[0]
    assert (first.code, first.facts["size"]) == ("unlike-training-columns", 6)
    assert all(str(notice) in str(said[0].message) for notice in model.out_of_distribution_)


def test_a_judge_without_a_cloud_calls_nothing_foreign(model):
    assert model.out_of_distribution_ == ()


def test_a_judge_of_other_evidence_is_refused(table):
    other = Judge([random_network(Settings(3, 1, width=8, n_blocks=1))])
    with pytest.raises(InputError, match="reads 3 even and 1 odd channels"):
        GraphLearner(other).fit(table)


# Files


def test_nothing_is_known_of_random_walks():
    walks = np.random.default_rng(3).normal(size=(300, 3)).cumsum(axis=0)
    model = GraphLearner().fit(pd.DataFrame(walks, columns=list("abc")))
    assert len(model.unknown_pairs_) == 3
    assert (model.unknown_pairs_["rows"] < 10).all()
    assert np.isnan(model.edge_probabilities_[0, 1])
    assert not model.adjacency_.any()
