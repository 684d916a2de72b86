"""Wide tables: neighbourhoods judged apart agree with the whole, and results keep their form."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney import load_model
from spinney._core.pairs import n_pairs, pair_index, pair_numbers, to_pairs
from spinney.evidence import CHANNELS, Evidence
from spinney.evidence.out_of_distribution import size_notice
from spinney.exceptions import DataWarning, InputError
from spinney.graph import LearnedGraph, learn
from spinney.judge import GraphLearner, learner
from spinney.notices import Notice
from spinney.scale import wide
from spinney.scale.neighbourhoods import Neighbourhood, together_in
from spinney.scale.partners import Partners
from spinney.scale.wide import correct_for_chance
from spinney.simulate import copula_forest, gaussian_mrf, independent
from spinney.tables import read_table

DATA = copula_forest(250, 30, 5, random_state=1)


def judged_wide(X, **options):
    """Judge a small table as if it were a wide one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "WIDE", 2)
        return GraphLearner(**options).fit(X)


@pytest.fixture(scope="module", autouse=True)
def few_listed():
    """List three pairs for each column, not 50: there are but 30 columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wide, "LISTED", 3)
        yield


@pytest.fixture(scope="module")
def whole():
    return GraphLearner().fit(DATA.X)


@pytest.fixture(scope="module")
def some():
    return judged_wide(DATA.X)


@pytest.fixture
def small_parts(monkeypatch):
    """Cores of ten columns, neighbourhoods of twenty."""
    monkeypatch.setattr(wide, "CORE", 10)
    monkeypatch.setattr(wide, "SIZE", 20)


# One neighbourhood: the same numbers


def test_one_neighbourhood_says_what_the_whole_table_says(whole, some):
    listed = some.evidence_.numbers
    assert len(listed) == 90
    P = whole.judged_probabilities_
    np.testing.assert_array_equal(some.judged_probabilities_[listed], P[listed])
    np.testing.assert_array_equal(some.evidence_.values, whole.evidence_.values[listed])
    others = np.setdiff1d(np.arange(n_pairs(30)), listed)
    assert P[others].max() <= P[listed].min()
    assert (some.judged_probabilities_[others] == 0.0).all()
    np.testing.assert_array_equal(some.adjacency_, whole.adjacency_)
    np.testing.assert_array_equal(some.edge_weights_, whole.edge_weights_)


def test_fits_of_listed_pairs_are_those_of_the_whole_table(whole, some):
    listed = some.potentials_.pairs_
    np.testing.assert_array_equal(listed, some.evidence_.numbers)
    pd.testing.assert_frame_equal(
        some.potentials_.describe(listed), whole.potentials_.describe(listed)
    )


def test_expected_numbers_are_sums_over_listed_pairs(some):
    P = some.judged_probabilities_
    kept = to_pairs(some.adjacency_) > 0
    assert some.expected_false_ == pytest.approx((1 - P[kept]).sum())
    assert some.expected_missed_ == pytest.approx(P[~kept].sum())


# Several neighbourhoods


@pytest.mark.usefixtures("small_parts")
def test_several_neighbourhoods_find_the_graph():
    data = copula_forest(300, 45, 6, random_state=2, tau=(0.4, 0.7))
    found = judged_wide(data.X)
    assert np.exp(found.evidence_.channel("columns")).max() < 20.5
    assert int((found.adjacency_ != data.adjacency).sum()) == 0


@pytest.mark.usefixtures("small_parts")
def test_workers_do_not_change_a_bit():
    one, two = (judged_wide(DATA.X, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.judged_probabilities_, two.judged_probabilities_)
    np.testing.assert_array_equal(one.evidence_.values, two.evidence_.values)
    np.testing.assert_array_equal(one.edge_weights_, two.edge_weights_)


@pytest.mark.usefixtures("small_parts")
def test_causes_of_one_effect_are_judged_though_they_are_independent():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40))
    X[:, 2] += X[:, 0] + X[:, 1]
    assert judged_wide(X).adjacency_[0, 1]


def test_independent_columns_have_no_edges():
    found = judged_wide(independent(150, 40, random_state=3).X)
    assert not found.adjacency_.any()
    assert found.why_no_edges_.code == "no-edge-kept"


@pytest.mark.usefixtures("small_parts")
def test_progress_counts_columns_and_then_pairs(bars):
    judged_wide(DATA.X)
    assert [number for label, number in bars.told if label == "partners"] == [30, 30]
    total, *steps = (number for label, number in bars.told if label == "pairs in neighbourhoods")
    assert sum(steps) == total
    assert len(steps) > 2
    assert max(steps) <= n_pairs(20)


def test_nothing_is_compiled_for_a_wide_table():
    code = (
        "import sys, numpy as np\n"
        "from spinney.judge import GraphLearner, learner\n"
        "learner.WIDE = 2\n"
        "X = np.random.default_rng(0).normal(size=(60, 6))\n"
        "assert GraphLearner().fit(X).evidence_.numbers is not None\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_logits_are_averaged_where_pairs_are_known_best():
    """Against a plain loop over pairs and neighbourhoods."""
    rng = np.random.default_rng(0)
    d = 8
    parts, said = [], []
    for nodes in ([0, 1, 2, 3], [2, 3, 4, 5, 6], [0, 3, 5, 6]):
        parts.append(Neighbourhood(np.array(nodes), rng.uniform(size=len(nodes)) < 0.6))
        count = n_pairs(len(nodes))
        values = rng.normal(size=(count, 3)).astype(np.float32)
        said.append((rng.normal(size=count).astype(np.float32), values, ()))
    pairs, *found = wide._combine(parts, said, d)
    expected = {}
    for u in range(d):
        for v in range(u + 1, d):
            held = []
            for part, (logits, values, _) in zip(parts, said, strict=True):
                nodes, home = part.nodes.tolist(), set(part.nodes[part.home].tolist())
                if {u, v} <= set(nodes):
                    at = pair_index(nodes.index(u), nodes.index(v), len(nodes))
                    value = float(logits[at]), np.log(d / len(part))
                    held.append(((u in home) + (v in home), value, values[at]))
            best = [x for x in held if x[0] == max(y[0] for y in held)]
            if best:
                means = np.mean([x[1] for x in best], axis=0)
                expected[pair_index(u, v, d)] = *means, best[0][2]
    assert pairs.tolist() == sorted(expected)
    for at, field in enumerate(found):
        np.testing.assert_allclose(field, [expected[k][at] for k in pairs], rtol=1e-12)


def test_correction_for_chance_is_that_of_the_formula():
    """With E given by a fixed point, against the formula written out for each pair."""
    rng = np.random.default_rng(1)
    d, logits, z = 900, rng.normal(0, 3, 400), rng.uniform(2, 7, 400)
    away = np.log(d / rng.choice([150, 300], 400))
    found = correct_for_chance(logits, z, away, d)
    edges = sum(1 / (1 + np.exp(-x)) for x in found if x > 0)
    for k in range(400):
        m = d * (d - 1) * stats.norm.sf(z[k])
        x = 300.0 * m / (edges + 0.003 * d)
        left = 1 - m / (m + 0.3 * d) / (1 + np.exp(-logits[k]))
        fall = 2.0 * left * np.log((1 + x) / (1 + x * np.exp(-away[k])))
        assert found[k] == pytest.approx(logits[k] - fall, rel=1e-3, abs=1e-3)


# What is decreed or not known


@pytest.mark.usefixtures("small_parts")
def test_required_pairs_are_listed_and_judged(some):
    gone = np.setdiff1d(np.arange(n_pairs(30)), some.evidence_.numbers)[[0, 50]]
    u, v = np.triu_indices(30, 1)
    required = [(int(u[k]), int(v[k])) for k in gone]
    edges = np.argwhere(np.triu(some.adjacency_))
    forbidden = [tuple(map(int, edges[0]))]
    found = judged_wide(DATA.X, required=required, forbidden=forbidden)
    assert np.isin(gone, found.evidence_.numbers).all()
    for a, b in required:
        assert found.adjacency_[a, b]
        assert found.edge_probabilities_[a, b] == 1.0
    assert (found.judged_probabilities_[gone] > 0.0).all()
    assert not found.adjacency_[forbidden[0]]
    assert found.edge_probabilities_[forbidden[0]] == 0.0


def test_required_pairs_are_seen_in_some_neighbourhood(monkeypatch):
    """Blocks of ten fill all neighbourhoods, and one pair joins two of them."""
    monkeypatch.setattr(wide, "CORE", 10)
    monkeypatch.setattr(wide, "SIZE", 10)
    u, v = np.triu_indices(40, 1)
    inside = u // 10 == v // 10
    partners = Partners(u[inside], v[inside], np.full(inside.sum(), 30.0))
    required = pair_numbers([3], [36], 40)
    found = wide.neighbourhoods_of(partners, 40, required[:0])
    assert not together_in(found, [3], [36], 40).any()
    assert together_in(wide.neighbourhoods_of(partners, 40, required), [3], [36], 40).all()


def test_target_fdr_keeps_the_most_probable(some):
    few = judged_wide(DATA.X, fdr=0.001)
    P = to_pairs(few.edge_probabilities_)
    kept = to_pairs(few.adjacency_) > 0
    assert 0 < kept.sum() <= to_pairs(some.adjacency_).sum() + 1
    assert (1 - P[kept]).mean() <= 0.001
    assert P[kept].min() > P[~kept].max()


def mixed_table():
    data = gaussian_mrf(160, 14, 2.0, 2, random_state=4)
    frame = pd.DataFrame(data.X, columns=[f"c{k}" for k in range(14)])
    frame["c3"] = pd.Categorical.from_codes((frame["c3"] > 0).astype(int), ["no", "yes"])
    frame["c5"] = np.digitize(frame["c5"], [-1, 0, 1])
    colour = np.digitize(frame["c7"], [-0.5, 0.7])
    frame["c7"] = pd.Categorical.from_codes(colour, ["red", "green", "blue"])
    frame.loc[:60, "c9"] = np.nan
    frame.loc[55:, "c10"] = np.nan
    return frame


@pytest.fixture(scope="module")
def mixed():
    frame, kinds = mixed_table(), {"c5": "ordinal", "c7": "nominal"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of what is foreign, if anything
        return judged_wide(frame, kind=kinds), GraphLearner(kind=kinds).fit(frame)


def test_kinds_and_gaps_are_as_in_the_whole_table(mixed):
    found, known = mixed
    listed = found.potentials_.pairs_
    np.testing.assert_array_equal(
        found.judged_probabilities_[listed], known.judged_probabilities_[listed]
    )
    pd.testing.assert_frame_equal(found.unknown_pairs_, known.unknown_pairs_)
    assert len(found.unknown_pairs_)
    pd.testing.assert_frame_equal(
        found.potentials_.describe(listed), known.potentials_.describe(listed)
    )
    np.testing.assert_array_equal(found.evidence_.numbers, listed)


# Evidence, words, files


def test_evidence_reads_like_that_of_a_whole_table(whole, some):
    evidence = some.evidence_
    assert isinstance(evidence, Evidence)
    pair = int(evidence.numbers[4])
    u, v = (int(nodes[pair]) for nodes in np.triu_indices(30, 1))
    told, known = evidence.why(v, f"x{u}"), whole.evidence_.why(u, v)
    pd.testing.assert_frame_equal(told, known)
    frame = evidence.to_frame()
    assert list(frame.columns) == ["source", "target", *(channel.name for channel in CHANNELS)]
    assert tuple(frame.iloc[4][["source", "target"]]) == (f"x{u}", f"x{v}")
    assert (evidence.n_rows == 250).all()
    assert evidence.n_rows.shape == (len(evidence.index),)


def test_a_pair_that_is_not_listed_is_told_so(some):
    gone = int(np.setdiff1d(np.arange(n_pairs(30)), some.evidence_.numbers)[7])
    u, v = (int(nodes[gone]) for nodes in np.triu_indices(30, 1))
    assert some.evidence_.why(u, v).empty
    text = " ".join(LearnedGraph(some).why(u, v).split())
    assert "no edge." in text
    assert "It is not among the most probable pairs" in text


def test_why_asks_for_two_columns_of_the_table(some):
    with pytest.raises(InputError, match="two different columns, not 'x3' and itself"):
        some.evidence_.why(3, "x3")
    with pytest.raises(InputError, match="does not have"):
        some.evidence_.why(3, "nobody")


def test_learned_graph_lists_the_most_probable_pairs(monkeypatch):
    monkeypatch.setattr(learner, "WIDE", 2)
    graph = learn(DATA.X)
    listed = graph.learner.potentials_.pairs_
    assert len(graph.pairs) == len(listed)
    numbers = pair_numbers(
        graph.pairs["source"].str[1:].astype(int), graph.pairs["target"].str[1:].astype(int), 30
    )
    np.testing.assert_array_equal(np.sort(numbers), listed)
    assert int(graph.pairs["edge"].sum()) == len(graph.edges) > 20
    assert (graph.edges["rows"] == 250).all()
    words = " ".join(graph.summary().split())
    assert f"{len(listed)} of 435 pairs" in words
    assert "The others do not count as edges." in words
    first = graph.edges.iloc[0]
    assert "The judge gives it a probability" in graph.why(first["source"], first["target"])


def test_densities_on_the_graph_are_those_of_a_whole_table(whole, some):
    found, known = (LearnedGraph(learner).density() for learner in (some, whole))
    assert found.score(DATA.X) == pytest.approx(known.score(DATA.X), abs=1e-3)


@pytest.mark.parametrize("which", ["some", "mixed"])
def test_model_files_bring_everything_back(which, request, tmp_path):
    model = request.getfixturevalue(which)
    model = model[0] if which == "mixed" else model
    again = load_model(model.save(tmp_path / "wide.spinney"))
    for name in ("judged_probabilities_", "edge_probabilities_", "edge_weights_", "adjacency_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(again.evidence_.values, model.evidence_.values)
    assert again.expected_missed_ == model.expected_missed_
    pd.testing.assert_frame_equal(again.unknown_pairs_, model.unknown_pairs_)
    pd.testing.assert_frame_equal(again.edges_, model.edges_)
    np.testing.assert_array_equal(again.evidence_.numbers, model.evidence_.numbers)


# When, and with what words


def test_more_than_so_many_columns_are_judged_in_neighbourhoods(monkeypatch):
    monkeypatch.setattr(learner, "WIDE", 29)
    assert GraphLearner().fit(DATA.X).evidence_.numbers is not None
    assert GraphLearner().fit(DATA.X[:, :29]).evidence_.numbers is None


def test_what_is_foreign_is_said_once():
    table = read_table(DATA.X)
    parts = [
        Neighbourhood(np.arange(20), np.ones(20, bool)),
        Neighbourhood(np.arange(10, 30), np.ones(20, bool)),
    ]
    size = size_notice("columns", 20, 2, 12)
    odd = Notice("unlike-training-work", "It is odd.")
    whole, part = wide._unlike_training(table, parts, [(size,), (size, odd)])
    assert whole == size_notice("columns", 30, 2, 12)
    assert str(part).endswith("that of column 'x10', for example: It is odd.")
    assert part.columns == ("x10",)
    assert wide._unlike_training(table, parts, [(), ()]) == ()
