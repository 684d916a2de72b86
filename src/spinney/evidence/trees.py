r"""Evidence of trees: what forests that explain a table have to say of each pair.

A pair's gain is the information of its scores, as if they were normal,

.. math:: G = -\frac{m}{2} \log\det(I - R_{uv} R_{vu}) - \frac{k}{2} \log m

(normal scores alone with k = 1, or all k products of scores, whichever has more). A forest whose
pairs have these log-weights holds a pair if no path of stronger pairs joins its columns. This is
asked of one forest for all rows (the strongest forest: by how much does a pair exceed the weakest
pair of the strongest path that joins its columns?), and of all forests for 16 and 64 rows, whose
gains are that part of the whole: with few rows to a forest, cliques show, and with many, trees.
"""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats
from spinney.evidence.channels import even
from spinney.evidence.measured import Measured

__all__ = ["CHANNELS", "channels", "forest_probabilities", "tree_margins"]

SHARING = (16, 64)
"""Rows that share a forest."""
LARGEST_LOGIT = 12.0
LARGEST_WEIGHT = 150.0
"""Log-weights of pairs are no larger, nor smaller, so that weights and their products are numbers.
"""
AT_ONCE = 48
"""Columns that are eliminated together, so that most of the work is products of matrices."""

CHANNELS = (
    *even(
        "trees",
        "plain",
        **{
            f"forest_{m}": f"logit of the probability of the pair in a forest that {m} rows share"
            for m in SHARING
        },
    ),
    *even(
        "trees",
        "nats",
        tree="the pair's gain less the weakest gain along the strongest path that joins its "
        "columns otherwise, in nats",
    ),
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "trees", as matrices of columns by columns."""
    scores, d = measured.scores, measured.d
    rows = np.where(measured.known, measured.rows, 0.0)
    nominal = np.logical_or.outer(scores.nominal, scores.nominal)
    gains = (
        -0.5 * rows * np.log1p(-np.minimum(measured.score**2, 0.9999)),
        rows * measured.information,
    )
    costs = (np.ones((d, d)), np.multiply.outer(scores.counts, scores.counts).astype(float))
    weights = []
    for m in SHARING:
        share = np.minimum(m / np.maximum(rows, 1.0), 1.0)
        worth = np.log(np.maximum(share * rows, 1.0))
        parts = [share * gain - 0.5 * cost * worth for gain, cost in zip(gains, costs, strict=True)]
        parts[0] = np.where(nominal, -np.inf, parts[0])
        weights.append(np.logaddexp(*parts) - np.log(2.0) - np.log(d))
    logits = _logits(forest_probabilities(np.array(weights)))
    found = {f"forest_{m}": own for m, own in zip(SHARING, logits, strict=True)}
    worth = np.log(np.maximum(rows, 1.0))
    parts = [gain - 0.5 * cost * worth for gain, cost in zip(gains, costs, strict=True)]
    parts[0] = np.where(nominal, -np.inf, parts[0])
    found["tree"] = tree_margins(np.maximum(*parts))
    return found


def _logits(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-np.minimum(p, 1.0))
    return np.clip(odds, -LARGEST_LOGIT, LARGEST_LOGIT)


def forest_probabilities(log_weights: Floats) -> Floats:
    r"""Probability of each pair in a random forest with marked roots.

    .. math:: P(F) \propto \prod_{e \in F} w_e \prod_{T \in F} |T|, \qquad P(e) = w_e R_e

    with the effective resistance R between two columns, each of which is joined to a ground by a
    weight of 1. Columns are eliminated one by one, then resistances follow from the last back; no
    numbers are subtracted on the way there (design of the elimination: star and mesh [1]_).

    Parameters
    ----------
    log_weights : array of shape (..., d, d)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    array of shape (..., d, d)
        Zero on the diagonal.

    References
    ----------
    .. [1] W. K. Grassmann, M. I. Taksar and D. P. Heyman (1985). Regenerative analysis and steady
       state distributions for Markov chains. Operations Research 33, 1107-1116.

    Examples
    --------
    >>> forest_probabilities(np.log([[1.0, 2.0], [2.0, 1.0]])).round(3)
    array([[0. , 0.8],
           [0.8, 0. ]])
    """
    *_, d = log_weights.shape
    w = np.zeros((*log_weights.shape[:-2], d + 1, d + 1))
    w[..., 1:, 1:] = np.exp(np.clip(log_weights, -LARGEST_WEIGHT, LARGEST_WEIGHT))
    w[..., 0, 1:] = w[..., 1:, 0] = 1.0  # the ground is eliminated last, which is first here
    np.einsum("...ii->...i", w)[...] = 0.0
    given = w.copy()
    shares, totals = np.zeros_like(w), np.ones((*w.shape[:-2], d + 1, 1))
    blocks = [range(low, min(low + AT_ONCE, d + 1)) for low in range(1, d + 1, AT_ONCE)]
    for block in reversed(blocks):
        low, high = block.start, block.stop
        for k in reversed(block):
            row = w[..., k, :k]
            totals[..., k, :] = row.sum(axis=-1, keepdims=True)
            share = np.divide(row, totals[..., k, :], out=shares[..., k, :k])
            # Columns of the block are updated at once, all others after it.
            w[..., low:k, :k] += share[..., low:, None] * row[..., None, :]
        if low > 1:
            w[..., :low, :low] += (
                shares[..., low:high, :low].swapaxes(-1, -2) @ w[..., low:high, :low]
            )
    R = np.zeros_like(w)
    for block in blocks:
        low, high = block.start, block.stop
        ahead = shares[..., low:high, :low] @ R[..., :low, :low]
        for k in block:
            share, y = shares[..., k, :k], np.empty((*w.shape[:-2], k))
            near = share[..., None, low:]
            y[..., :low] = ahead[..., k - low, :] + (near @ R[..., low:k, :low])[..., 0, :]
            y[..., low:] = (share[..., None, :] @ R[..., :k, low:k])[..., 0, :]
            y += 1.0 / totals[..., k, :] - 0.5 * (share * y).sum(axis=-1, keepdims=True)
            R[..., k, :k] = R[..., :k, k] = y
    found = np.minimum(given * R, 1.0)[..., 1:, 1:]
    np.einsum("...ii->...i", found)[...] = 0.0
    return found


def tree_margins(gains: Floats) -> Floats:
    """By how much each pair exceeds the weakest pair of the strongest other path.

    The pairs of the maximum spanning tree are those with a positive margin.

    Parameters
    ----------
    gains : array of shape (d, d)
        Symmetric; the diagonal is ignored. A path can always be done without: gains below 0
        count as 0 along it.

    Examples
    --------
    >>> gains = np.array([[0.0, 5.0, 3.0], [5.0, 0.0, 4.0], [3.0, 4.0, 0.0]])
    >>> tree_margins(gains)
    array([[ 0.,  2., -1.],
           [ 2.,  0.,  1.],
           [-1.,  1.,  0.]])
    """
    d = len(gains)
    # The strongest tree, by Prim, and the weakest gain along its paths.
    best, parent = gains[0].copy(), np.zeros(d, dtype=np.int64)
    outside = np.ones(d, dtype=bool)
    outside[0], best[0] = False, -np.inf
    along = np.full((d, d), np.inf)
    tree: list[tuple[int, int]] = []
    for _ in range(d - 1):
        k = int(best.argmax())
        up = int(parent[k])
        weakest = np.minimum(along[up], gains[up, k])
        weakest[outside] = np.inf
        along[k] = along[:, k] = weakest
        outside[k] = False
        tree.append((up, k))
        closer = (gains[k] > best) & outside
        best[closer], parent[closer], best[k] = gains[k][closer], k, -np.inf
    other = np.maximum(along, 0.0)
    for (up, k), stronger in zip(tree, _replacements(gains, tree), strict=True):
        other[up, k] = other[k, up] = stronger
    margins = gains - other
    np.fill_diagonal(margins, 0.0)
    return margins


def _replacements(gains: Floats, tree: list[tuple[int, int]]) -> list[float]:
    """Find, for each pair of the tree, the strongest other pair that joins what it joins."""
    # Of the pairs of a tree, only the pair itself joins the two sides.
    strongest = gains.copy()
    for up, k in tree:
        strongest[up, k] = strongest[k, up] = 0.0
    below = np.eye(len(gains), dtype=bool)  # which columns hang below each
    found = []
    for up, k in reversed(tree):
        found.append(max(float(strongest[k][~below[k]].max(initial=0.0)), 0.0))
        below[up] |= below[k]
        np.maximum(strongest[up], strongest[k], out=strongest[up])
    return found[::-1]
