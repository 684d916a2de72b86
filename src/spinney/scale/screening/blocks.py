"""Columns in blocks, prepared for products: features, gaps, and how products are scaled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.pseudo import PseudoTable
from spinney.scale.screening.features import FEATURES, PRODUCTS, features_of, positions_of
from spinney.scale.screening.strength import SMALLEST_SKEWNESS, join, straighten, unbend

__all__ = ["MIN_COMMON_ROWS", "Block", "Blocks", "Scale", "scale_of", "strengths_between"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

MIN_COMMON_ROWS = 10
"""Pairs with fewer rows in common show nothing."""
MEMORY = 1 << 28
"""Bytes that the features of all columns may take; of more columns they are made when needed."""
WIDEST = 256
"""Columns to a block: their products stay in the processor's cache."""

SILENT = 1.5
"""Other statistics than the main one count for nothing below 2.1, the root of their handicap: what
is smaller than that need not be straightened, which makes it 2.05 at most."""

_PLACES = {name: k for k, name in enumerate(FEATURES)}
_PRODUCTS = [(_PLACES[one], _PLACES[other]) for one, other in PRODUCTS]


class Block(NamedTuple):
    """Some columns that stand together.

    Attributes
    ----------
    columns : int array
        Their positions in the table.
    values, skewness
        See :class:`~spinney.scale.screening.features.Features`.
    present : float32 array of shape (n, c), or None
        Ones where a value is there; None if nothing is missing in the whole table.
    counts : array of shape (c,)
        Values in each column.
    """

    columns: Ints
    values: Singles
    skewness: Singles
    present: Singles | None
    counts: Singles


class Blocks:
    """The columns of a table in blocks, whose size follows from that of the table alone."""

    def __init__(self, table: PseudoTable) -> None:
        self.table = table
        n, d = table.u.shape
        self.gaps = not bool(table.present.all())
        per_column = 4 * max(n, 1) * (len(FEATURES) + self.gaps)
        width = int(np.clip(MEMORY // (4 * per_column), 8, WIDEST))
        self.starts = range(0, d, width)
        self._width = width
        self._kept: list[Block] | None = None
        if per_column * d <= MEMORY:
            self._kept = [self._read(start) for start in self.starts]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, k: int) -> Block:
        return self._read(self.starts[k]) if self._kept is None else self._kept[k]

    def _read(self, start: int) -> Block:
        n, d = self.table.u.shape
        columns = np.arange(start, min(start + self._width, d))
        u = positions_of(self.table, columns)
        found = features_of(u)
        present = None
        counts = np.full(columns.size, n, dtype=np.float32)
        if self.gaps:
            codes = self.table.codes[:, columns]
            present = ((codes >= 0) | ~np.isnan(self.table.u[:, columns])).astype(np.float32)
            counts = present.sum(axis=0)
        return Block(columns, found.values, found.skewness.astype(np.float32), present, counts)


class Scale(NamedTuple):
    """What makes sums of products standard.

    Attributes
    ----------
    rows : float or array
        Rows of a correlation whose tails are as short; without gaps, all rows. Infinite where gaps
        leave so few common rows that tails are no shorter than normal ones.
    factor : float or array
        One over the standard deviation of the sum over the common rows, if the values of each
        column are shuffled among the rows that have one.
    skewness : float or array
        What the product of two skewnesses is multiplied by.
    """

    rows: Singles | float
    factor: Singles | float
    skewness: Singles | float


def scale_of(left: Block, right: Block) -> Scale:
    r"""Find the scale of the products of two blocks, shape (c, c') if there are gaps.

    The sum of :math:`f_i g_i` over the m common rows of columns with :math:`m_u` and :math:`m_v`
    values, standardised over these, has variance

    .. math:: m \Bigl(1 + \frac{m - 1}{(m_u - 1)(m_v - 1)}\Bigr)

    if each column is shuffled among its rows: :math:`n^2 / (n - 1)` without gaps. For features that
    are nearly normal its excess kurtosis is :math:`-6 (1 / m_u + 1 / m_v - 1 / m)`, up to terms of
    second order: that of a correlation of as many rows as the bracket is the inverse of.
    """
    if left.present is None or right.present is None:
        n = float(left.counts[0])
        return Scale(n, np.sqrt(n - 1.0) / n, np.sqrt(n - 1.0) / (n - 2.0))
    rows = left.present.T @ right.present
    few = rows < MIN_COMMON_ROWS
    rows[few] = MIN_COMMON_ROWS
    free_left, free_right = (np.maximum(block.counts, 2.0) - 1.0 for block in (left, right))
    free = np.multiply.outer(free_left, free_right)
    factor = 1.0 / np.sqrt(rows * (1.0 + (rows - 1.0) / free))
    factor[few] = 0.0
    skewness = np.sqrt(rows - 1.0) / (rows - 2.0)
    short = np.add.outer(1.0 / (free_left + 1.0), 1.0 / (free_right + 1.0)) - 1.0 / rows
    rows = np.where(short > 1e-6, 1.0 / np.maximum(short, 1e-6), np.inf).astype(np.float32)
    return Scale(rows, factor.astype(np.float32), skewness.astype(np.float32))


def strengths_between(left: Block, right: Block) -> Singles:
    """Strengths of the pairs of two blocks, shape (c, c'); nominal columns have none."""
    scale = scale_of(left, right)
    main, others = np.zeros((2, left.columns.size, right.columns.size), dtype=np.float32)
    for place, (one, other) in enumerate(_PRODUCTS):
        T = left.values[one].T @ right.values[other]
        T *= scale.factor
        skewness = left.skewness[one], right.skewness[other]
        if place == 0:
            main = _straight_size(T, skewness, scale, least=0.0)
        else:
            np.maximum(others, _straight_size(T, skewness, scale, least=SILENT), out=others)
    strength = unbend(main, scale.rows)
    loud = np.nonzero(others > SILENT)
    rows = scale.rows[loud] if isinstance(scale.rows, np.ndarray) else scale.rows
    strength[loud] = join(strength[loud], unbend(others[loud], rows))
    if isinstance(scale.factor, np.ndarray):
        strength[scale.factor == 0.0] = 0.0
    return strength


def _straight_size(
    T: Singles, skewness: tuple[Singles, Singles], scale: Scale, least: float
) -> Singles:
    """Straighten statistics, as far as they exceed `least`, and return their sizes."""
    size = np.abs(T)
    most = np.abs(skewness[0]).max() * np.abs(skewness[1]).max() * np.max(scale.skewness)
    if most > SMALLEST_SKEWNESS:
        u, v = np.nonzero(size > least)
        of_scale = (
            scale.skewness[u, v] if isinstance(scale.skewness, np.ndarray) else scale.skewness
        )
        g = skewness[0][u] * skewness[1][v] * of_scale
        size[u, v] = np.abs(straighten(T[u, v], g.astype(np.float32)))
    return size
