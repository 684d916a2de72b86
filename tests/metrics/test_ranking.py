"""Average precision against scikit-learn, edges before an FDR against enumerated prefixes."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as oracle

from spinney._core.pairs import n_pairs, to_matrix
from spinney.exceptions import InputError
from spinney.metrics import average_precision, true_edges_before_fdr


@st.composite
def ranked(draw):
    """Scores with many ties, and a truth with edges and non-edges."""
    m = n_pairs(draw(st.integers(3, 8)))
    scores = draw(st.lists(st.integers(-4, 4), min_size=m, max_size=m))
    truth = draw(st.lists(st.booleans(), min_size=m, max_size=m))
    assume(any(truth) and not all(truth))
    return np.array(scores) / 4, np.array(truth)


@given(ranked())
def test_average_precision_agrees_with_scikit_learn(case):
    scores, truth = case
    expected = oracle.average_precision_score(truth, scores)
    assert average_precision(to_matrix(scores), to_matrix(truth)) == pytest.approx(
        expected, abs=1e-12
    )


def before_fdr_reference(scores, truth, fdr):
    """Count over all prefixes that end between different scores, in exact arithmetic."""
    best = 0
    for threshold in sorted(set(scores), reverse=True):
        inside = scores >= threshold
        holds = Fraction(int((inside & ~truth).sum()), int(inside.sum())) <= fdr
        if not holds:
            break
        best = int((inside & truth).sum())
    return best


@given(ranked(), st.integers(0, 99))
def test_edges_before_an_fdr_agree_with_plain_enumeration(case, percent):
    scores, truth = case
    expected = before_fdr_reference(scores, truth, Fraction(percent, 100))
    found = true_edges_before_fdr(to_matrix(scores), to_matrix(truth), percent / 100)
    assert found == expected


def test_the_bound_itself_is_still_held():
    # 29 false among 100: exactly 29 %, though 0.29 * 100 < 29 in floating point.
    truth = np.r_[np.ones(71, bool), np.zeros(34, bool)]
    scores = np.r_[np.ones(100), np.zeros(5)]
    assert true_edges_before_fdr(to_matrix(scores), to_matrix(truth), 0.29) == 71
    assert true_edges_before_fdr(to_matrix(scores), to_matrix(truth), 0.28) == 0


@given(ranked(), st.randoms(use_true_random=False))
def test_only_the_order_of_the_scores_counts(case, random):
    scores, truth = to_matrix(case[0]), to_matrix(case[1])
    d = len(truth)
    order = random.sample(range(d), d)
    shuffle = np.ix_(order, order)
    expected = average_precision(scores, truth)
    turned = scores[shuffle], truth[shuffle]
    assert average_precision(*turned) == expected
    risen = np.exp(3 * scores)
    assert average_precision(risen, truth) == expected


def test_weights_of_networkx_graphs_and_infinite_scores():
    truth = nx.path_graph(3)
    scores = nx.Graph()
    scores.add_weighted_edges_from([(0, 1, 3.0), (1, 2, 1.0), (0, 2, 2.0)])
    assert average_precision(scores, truth) == pytest.approx((1 + 2 / 3) / 2)
    logs = np.array([[0, 1.0, -np.inf], [1.0, 0, 0.5], [-np.inf, 0.5, 0]])
    assert average_precision(logs, truth) == 1.0


def test_what_is_not_defined_is_refused():
    scores, empty, full = np.ones((3, 3)), np.zeros((3, 3)), np.ones((3, 3))
    with pytest.raises(InputError, match="no edge"):
        average_precision(scores, empty)
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        true_edges_before_fdr(scores, full, 1.0)
    assert true_edges_before_fdr(scores, empty) == 0
