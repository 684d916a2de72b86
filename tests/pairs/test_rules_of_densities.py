"""Rules of the evidence that a whole and its parts must share."""

import numpy as np

from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.pairs.densities import PairDensities


def test_parts_of_what_is_out_of_range_stay_logarithms():
    # The second and third pair alone would be in range; but W is prepared once, for all.
    log_density = np.array([[400.0, 0.5, -0.2], [1.0, 0.1, 0.3]])
    whole = PairDensities(log_density)
    columns = np.array([1, 2])
    part = whole.take(columns)
    beta = np.array([0.0, 0.7, 1.3])
    restricted = NegativeLogLikelihood(Rooted(3).restrict(columns), part).evaluate(beta[columns])
    expected = NegativeLogLikelihood(Rooted(3), whole).evaluate(beta)
    np.testing.assert_allclose(restricted[0], expected[0])
    np.testing.assert_allclose(restricted[1], expected[1][columns])


def test_absent_pairs_are_independent_in_logarithms_too():
    evidence = PairDensities([[400.0, 0.5]], [1, 1], [1, 1], pairs=[0, 2], n_nodes=3)
    assert evidence.log
    np.testing.assert_array_equal(evidence.W, [[400.0, 0.0, 0.5]])
    np.testing.assert_array_equal(evidence.n_rows, [1, 1, 1])
    np.testing.assert_array_equal(evidence.costs, [0, 0, 0])
