"""The strongest pairs of each column: strengths against a plain loop, blocks that do not matter."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney._core.pairs import pair_index
from spinney.scale import partners
from spinney.scale.partners import find_partners
from spinney.scores import read_scores
from spinney.simulate import copula_forest, t_cliques
from spinney.tables import read_table


def mixed_scores(n=150, d=12, gaps=True):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(copula_forest(n, d, 2, random_state=5).X).add_prefix("c")
    frame["c2"] = np.digitize(frame["c2"], [-1.0, 0.0, 1.0])
    frame["c4"] = pd.Categorical.from_codes(np.digitize(frame["c4"], [-0.5, 0.7]), list("rgb"))
    if gaps:
        frame = frame.mask(rng.uniform(size=frame.shape) < 0.1)
    return read_scores(read_table(frame, kind={"c2": "ordinal", "c4": "nominal"}))


def plain_strength(scores, u, v):
    """One pair: the larger deviate of its normal scores and of all its scores."""
    both = scores.present[:, u] & scores.present[:, v]
    m = both.sum() * scores.row_shares[u, v]
    own = [scores.values[both][:, scores.owners == k] for k in (u, v)]
    sizes = [np.sqrt((x**2).sum(axis=0)) for x in own]
    r = own[0].T @ own[1] / np.outer(*sizes)
    p, q = r.shape
    leverage = [
        ((scores.values[:, scores.owners == k] ** 2).sum(axis=1) ** 2).sum()
        / scores.present[:, k].sum()
        for k in (u, v)
    ]
    usual = 2 * p * (m - 1 - p) * q * (m - 1 - q) / ((m - 1) ** 2 * (m + 1) * (m - 2))
    a, b = ((m + 1) * x - (m - 1) * k * (k + 2) for x, k in zip(leverage, (p, q), strict=True))
    variance = m**2 * max(usual + a * b / ((m + 1) * m * (m - 1) * (m - 2) * (m - 3)), 0.1 * usual)
    mean = p * q * m / (m - 1)
    share = variance / (9 * mean**2)
    every = (np.cbrt(m * (r**2).sum() / mean) - 1 + share) / np.sqrt(share)
    if scores.nominal[[u, v]].any():
        return every
    return max(abs(np.sqrt(m - 3) * np.arctanh(np.clip(r[0, 0], -0.9999, 0.9999))), every)


@pytest.mark.parametrize("gaps", [False, True])
def test_strengths_are_those_of_a_plain_loop(gaps):
    scores = mixed_scores(gaps=gaps)
    found = find_partners(scores)
    assert len(found.strength) > 40
    for u, v, strength in zip(*found, strict=True):
        assert strength == pytest.approx(plain_strength(scores, u, v), rel=1e-4)


def test_each_column_has_its_strongest_pairs():
    scores = mixed_scores()
    whole, few = find_partners(scores), find_partners(scores, 2)
    strength = np.zeros((12, 12))
    strength[whole.first, whole.second] = strength[whole.second, whole.first] = whole.strength
    best = {
        pair_index(*sorted((u, int(v))), 12)
        for u in range(12)
        for v in np.argsort(-strength[u])[:2]
    }
    assert {pair_index(u, v, 12) for u, v in zip(few.first, few.second, strict=True)} == best


def test_blocks_do_not_matter(monkeypatch):
    scores = mixed_scores()
    whole = find_partners(scores, 3)
    monkeypatch.setattr(partners, "BLOCK", 5)
    parts = find_partners(scores, 3)
    np.testing.assert_array_equal(parts.first, whole.first)
    np.testing.assert_array_equal(parts.second, whole.second)
    np.testing.assert_allclose(parts.strength, whole.strength, rtol=1e-5)


def test_columns_that_share_only_their_size_are_partners():
    data = t_cliques(200, 60, random_state=0)  # one degree of freedom
    found = find_partners(read_scores(read_table(data.X)), 5)
    listed = np.zeros((60, 60), dtype=bool)
    listed[found.first, found.second] = True
    assert listed[np.triu(data.adjacency)].all()


def test_pairs_with_too_few_rows_are_left_out():
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[:30, 0] = X[25:, 1] = np.nan  # no row has both
    found = find_partners(read_scores(read_table(X)))
    assert (0, 1) not in set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert (2, 3) in set(zip(found.first.tolist(), found.second.tolist(), strict=True))


def test_independent_pairs_are_seldom_strong():
    X = np.random.default_rng(1).normal(size=(200, 120))
    strength = find_partners(read_scores(read_table(X)), 119).strength
    share = (strength > 3.0).sum() / (120 * 119 / 2)
    assert share < 4 * 2 * stats.norm.sf(3.0)
