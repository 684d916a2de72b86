r"""Pairs with a nominal column: sums of squares over its classes.

A nominal column with L classes has L - 1 scores, uncorrelated and of unit variance. The squares of
their statistics with one feature of another column sum to a variable that has nearly a chi-squared
distribution with L - 1 degrees of freedom (Kruskal and Wallis' test, where the feature is the
rank), and with the L' - 1 scores of another nominal column to :math:`(n - 1) / n` times Pearson's
:math:`\chi^2`, with (L - 1)(L' - 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.pseudo import PseudoTable
from spinney.scale.screening.blocks import Block, Blocks, scale_of
from spinney.scale.screening.features import FEATURES
from spinney.scale.screening.strength import join, z_of_chi_square

__all__ = ["class_scores", "nominal_strengths"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

_SCORE, _SQUARE = (list(FEATURES).index(name) for name in ("score", "square"))


def class_scores(mass: Floats) -> Floats:
    """Scores of L classes, shape (L, L - 1), of mean 0, unit variance and no correlation.

    Examples
    --------
    >>> scores = class_scores(np.array([0.5, 0.25, 0.25]))
    >>> (np.array([0.5, 0.25, 0.25]) @ scores).round(12) + 0.0
    array([0., 0.])
    >>> ((scores.T * [0.5, 0.25, 0.25]) @ scores).round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    share = np.sqrt(mass)
    basis = np.linalg.qr(share[:, None], mode="complete")[0][:, 1:]
    return np.asarray(basis / share[:, None])


def nominal_strengths(table: PseudoTable, blocks: Blocks) -> tuple[Ints, Singles]:
    """Strengths of the pairs of nominal columns with all columns.

    Returns
    -------
    columns : int array of shape (q,)
        The nominal columns that have more than one class.
    strengths : float32 array of shape (q, d)
        Of each with every column of the table.
    """
    columns = np.flatnonzero(table.nominal & (table.n_levels > 1))
    strengths = np.zeros((columns.size, table.n_columns), dtype=np.float32)
    if not columns.size:
        return columns, strengths
    scores = [_spread(table, int(k)) for k in columns]
    freedom = np.array([x.shape[1] for x in scores])
    starts = np.cumsum(freedom) - freedom
    every = np.hstack(scores)
    own = [_as_block(table, int(k), blocks.gaps) for k in columns]
    all_nominal = _joined(own)
    for row, (k, x) in enumerate(zip(columns, scores, strict=True)):
        scale = scale_of(own[row], all_nominal)
        chi = np.add.reduceat(((x.T @ every) ** 2).sum(axis=0, dtype=float), starts)
        chi *= np.broadcast_to(np.square(scale.factor, dtype=float), (1, columns.size))[0]
        strengths[row, columns] = z_of_chi_square(chi, float(freedom[row]) * freedom)
        strengths[row, k] = 0.0
    for place in range(len(blocks)):
        block = blocks[place]
        inside = np.flatnonzero(~table.nominal[block.columns])
        if not inside.size:
            continue
        for row, x in enumerate(scores):
            squared = np.square(scale_of(own[row], block).factor, dtype=float)
            sizes = [
                z_of_chi_square(
                    np.asarray(((x.T @ block.values[k]) ** 2).sum(axis=0) * squared).ravel(),
                    float(freedom[row]),
                ).astype(np.float32)
                for k in (_SCORE, _SQUARE)
            ]
            strengths[row, block.columns[inside]] = join(*sizes)[inside]
    return columns, strengths


def _spread(table: PseudoTable, column: int) -> Singles:
    """Class scores of every row, 0 where the value is missing; shape (n, L - 1)."""
    codes = table.codes[:, column]
    by_class = class_scores(table.masses[column])
    return np.where((codes >= 0)[:, None], by_class[codes], 0.0).astype(np.float32)


def _as_block(table: PseudoTable, column: int, gaps: bool) -> Block:
    """Tell of one nominal column which values are there, as blocks do."""
    there = (table.codes[:, [column]] >= 0).astype(np.float32)
    nothing = np.empty((0, len(there), 1), dtype=np.float32)
    counts = there.sum(axis=0)
    return Block(np.array([column]), nothing, nothing[:, 0], there if gaps else None, counts)


def _joined(blocks: list[Block]) -> Block:
    first = blocks[0]
    present = None
    if first.present is not None:
        present = np.hstack([b.present for b in blocks if b.present is not None])
    return first._replace(
        columns=np.concatenate([b.columns for b in blocks]),
        present=present,
        counts=np.concatenate([b.counts for b in blocks]),
    )
