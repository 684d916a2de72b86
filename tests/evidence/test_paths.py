"""Paths that explain a pair, against a plain loop over thirds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from spinney.evidence.paths import BEYOND, BLURRED, COPY, path_shares


def by_loops(R, m, shown):
    d = len(R)
    found = np.zeros((d, d))
    for a in range(d):
        for c in range(d):
            least = np.inf
            for b in range(d):
                if len({a, b, c}) < 3 or 1 - shown[b] <= BLURRED:
                    continue
                own, one, other = R[a, c], R[a, b], R[b, c]
                if (
                    not 0 < abs(own) < min(abs(one), abs(other))
                    or max(abs(one), abs(other)) >= COPY
                ):
                    continue
                path = one * other
                v = other**2 * (1 - one**2) ** 2 / m[a, b] + one**2 * (1 - other**2) ** 2 / m[b, c]
                error = np.sqrt(1 / m[a, c] + v / (1 - path**2) ** 2)
                exceeds = np.sign(own) * (np.arctanh(own) - np.arctanh(path)) / error
                if exceeds < least:
                    least = exceeds
                    legs = [
                        np.sqrt(rows) * np.arctanh(abs(r))
                        for rows, r in ((m[a, b], one), (m[b, c], other))
                    ]
                    found[a, c] = expit(2 * (BEYOND - exceeds)) * expit(min(legs) - 4)
    return found


@given(st.integers(3, 7), st.integers(0, 10_000))
def test_shares_are_those_of_a_loop_over_thirds(d, seed):
    rng = np.random.default_rng(seed)
    R = np.corrcoef(rng.normal(size=(d, d + 3)) + rng.normal(size=d + 3))
    m = rng.uniform(20, 400, size=(d, d))
    m = (m + m.T) / 2
    shown = rng.choice([0.5, 0.97, 1.0], size=d)
    np.testing.assert_allclose(path_shares(R, m, shown), by_loops(R, m, shown), atol=1e-9)


def chain(direct):
    return np.array([[1.0, 0.7, direct], [0.7, 1.0, 0.7], [direct, 0.7, 1.0]])


def test_the_ends_of_a_chain_are_explained_and_no_other_pair():
    rows, shown = np.full((3, 3), 300.0), np.array([1.0, 0.64, 1.0])
    found = path_shares(chain(0.49), rows, shown)
    assert found[0, 2] > 0.99
    assert not found[[0, 1], [1, 2]].any()
    # A correlation beyond the path's is direct, one against its sign as well.
    assert path_shares(chain(0.69), 2 * rows, shown)[0, 2] < 0.01
    assert path_shares(chain(-0.4), rows, shown)[0, 2] < 1e-3
    # A column that is seen whole needs no help: the others are independent given what is seen.
    assert not path_shares(chain(0.49), rows, np.ones(3)).any()


def test_a_share_is_a_half_at_the_limit():
    rows, shown = np.full((3, 3), 1e8), np.array([1.0, 0.64, 1.0])
    v = 2 * 0.49 * 0.51**2 / 1e8 / (1 - 0.49**2) ** 2
    limit = np.tanh(np.arctanh(0.49) + BEYOND * np.sqrt(1e-8 + v))
    assert path_shares(chain(limit), rows, shown)[0, 2] == pytest.approx(0.5, abs=1e-3)
