"""The judge that comes with the package: it reads what is measured, and knows what it should."""

import numpy as np
import pytest

from spinney import GraphLearner
from spinney._core.pairs import to_matrix, to_pairs
from spinney.evidence import CHANNELS, N_EVEN, N_ODD, measure
from spinney.evidence.out_of_distribution import SUMMARY_NAMES
from spinney.judge import SHIPPED, Judge
from spinney.simulate import copula_forest, gaussian, grid_graph
from spinney.tables import read_table
from training.world import World

# Seeds of the validation of training: nothing was learned from them.
WORLD, SEEDS = World(columns=(5, 25), rows=(40, 400)), range(9_950_000, 9_950_090)


@pytest.fixture(scope="module")
def judge():
    return Judge.load()


@pytest.fixture(scope="module")
def judged(judge):
    """Evidence, probabilities and truth of tables that the judge has not seen."""
    found = []
    for seed in SEEDS:
        data = WORLD.draw(seed)
        evidence = measure(read_table(data.table))
        P = judge.probabilities(*judge.reads(evidence))
        found.append((evidence, P, to_pairs(data.adjacency.astype(float)) > 0))
    return found


def test_it_is_small_and_has_a_card_and_a_cloud(judge):
    assert SHIPPED.stat().st_size < 10e6
    settings = judge.networks[0].settings
    assert (settings.n_even, settings.n_odd) == (N_EVEN, N_ODD)
    told = [(c["name"], c["parity"], c["group"]) for c in judge.card["channels"]]
    assert told == [(c.name, c.parity, c.group) for c in CHANNELS]
    assert len(judge.cloud.quantiles) == len(SUMMARY_NAMES)


def test_it_beats_partial_correlations_on_tables_of_its_world(judged):
    def brier(P):
        return np.mean(
            [np.mean((p - truth) ** 2) for p, (_, _, truth) in zip(P, judged, strict=True)]
        )

    ours = brier([P for _, P, _ in judged])
    tests = [
        brier([1.0 * (abs(e.channel("partial_z")) > z) for e, _, _ in judged]) for z in (2, 3, 4)
    ]
    empty = brier([np.zeros(len(truth)) for _, _, truth in judged])
    assert ours < 0.8 * min(tests)
    assert ours < 0.5 * empty


def test_probabilities_are_about_what_they_say(judged):
    P = np.concatenate([P for _, P, _ in judged])
    truth = np.concatenate([truth for _, _, truth in judged])
    # Mistakes within a table hang together, so the limits are wider than those of single pairs.
    assert truth.sum() == pytest.approx(P.sum(), rel=0.1)
    assert truth[P > 0.9].mean() > 0.9
    assert truth[P < 0.1].mean() < 0.1
    middle = (P > 0.25) & (P < 0.75)
    assert truth[middle].mean() == pytest.approx(P[middle].mean(), abs=0.12)


def test_trees_and_grids_with_many_rows_are_found():
    for data in (copula_forest(600, 8, random_state=1), gaussian(2000, grid_graph(3, 3), 1)):
        model = GraphLearner().fit(data.X)
        np.testing.assert_array_equal(model.adjacency_, data.adjacency)


def test_independent_columns_are_rarely_joined():
    rng = np.random.default_rng(0)
    learner, n_tables, d = GraphLearner(), 20, 12
    edges = [learner.fit(rng.standard_normal((100, d))).edges_.shape[0] for _ in range(n_tables)]
    assert sum(edges) <= 0.005 * n_tables * d * (d - 1) / 2
    # False edges come together, in tables that look like one with edges.
    assert edges.count(0) >= 0.8 * n_tables


def test_signs_of_columns_do_not_matter(judge, judged):
    evidence, P, _ = judged[0]
    sign = np.where(np.arange(evidence.n_nodes) % 3 == 0, -1.0, 1.0)
    even, odd = judge.reads(evidence)
    turned = odd * to_pairs(np.outer(sign, sign))[:, None].astype(np.float32)
    np.testing.assert_array_equal(judge.probabilities(even, turned), P)
    assert to_matrix(P).shape == (evidence.n_nodes, evidence.n_nodes)
