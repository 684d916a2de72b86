"""Which pairs are kept, against brute force."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spinney.judge import expected_false, expected_missed, keep_by_fdr

PROBABILITIES = st.lists(
    st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 0.9, 1.0])), max_size=12
)


def brute_force(P, target):
    """The largest set {P >= t} whose mean of 1 - P is within the target."""
    best = np.zeros(len(P), dtype=bool)
    for threshold in P:
        kept = [p >= threshold for p in P]
        false = [1.0 - p for p, keep in zip(P, kept, strict=True) if keep]
        if sum(false) / len(false) <= target + 1e-12 and sum(kept) > best.sum():
            best = np.array(kept)
    return best


@example([0.9, 0.7, 0.7], 0.2)  # one of two equal ones would be within the target
@given(PROBABILITIES, st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.1, 0.5, 1.0])))
def test_the_fdr_rule_is_that_of_brute_force(P, target):
    np.testing.assert_array_equal(keep_by_fdr(P, target), brute_force(P, target))


def test_what_is_not_known_is_not_kept():
    P = [np.nan, 0.9, np.nan]
    np.testing.assert_array_equal(keep_by_fdr(P, 0.2), [False, True, False])
    assert not keep_by_fdr([np.nan, np.nan], 1.0).any()
    assert expected_false(P, [False, True, False]) == pytest.approx(0.1)
    assert expected_missed(P, [False, True, False]) == 0.0


@given(PROBABILITIES, st.floats(0.0, 1.0))
def test_expected_numbers_are_means_over_all_graphs(P, cut):
    """Against the sum over all 2^m graphs with independent edges, for few pairs."""
    P = P[:6]
    kept = np.array(P) > cut
    false = missed = 0.0
    for graph in np.ndindex(*[2] * len(P)):
        weight = np.prod([p if edge else 1.0 - p for p, edge in zip(P, graph, strict=True)])
        false += weight * sum(k and not e for k, e in zip(kept, graph, strict=True))
        missed += weight * sum(e and not k for k, e in zip(kept, graph, strict=True))
    assert expected_false(P, kept) == pytest.approx(false, abs=1e-12)
    assert expected_missed(P, kept) == pytest.approx(missed, abs=1e-12)
