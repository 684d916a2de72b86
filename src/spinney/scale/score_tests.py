r"""Functions of single columns whose products are score tests of independence.

Where a family of copulas has independence at :math:`\theta = 0`, the best test of a weak
dependence of its kind is the score :math:`\sum_i \partial_\theta \log c_0(u_i, v_i)` [1]_. For
many families that is a product of a function of u and one of v, so that the tests of all pairs of a
table are a product of two matrices:

========================  ============================================  ======================
family, parameter         score at independence                         product
========================  ============================================  ======================
Gaussian, ρ               :math:`z_u z_v`                               score, score
Clayton, θ                :math:`(1 + \log u)(1 + \log v)`              low, low
Clayton turned by 90°     :math:`(1 + \log \bar u)(1 + \log v)`         high, low
Clayton turned by 180°    :math:`(1 + \log \bar u)(1 + \log \bar v)`    high, high
Clayton turned by 270°    :math:`(1 + \log u)(1 + \log \bar v)`         low, high
Student, 1/ν at ρ = 0     :math:`\tfrac12 (z_u^2 - 1)(z_v^2 - 1)`       square, square
Frank, θ                  :math:`\tfrac12 (1 - 2u)(1 - 2v)`             (as score, score)
========================  ============================================  ======================

with :math:`z = \Phi^{-1}(u)` and :math:`\bar u = 1 - u`. Frank's is Spearman's correlation, which
is 3/π = 0.955 correlated with the first product and finds hardly more. Shapes that
rise and fall have products of their own: a score against a square (bends, and a spread that grows),
two bows :math:`6u^2 - 6u + 1` (rings, crosses, clusters), a score against a wave
:math:`\cos 3\pi u` or :math:`\cos 4\pi u` (up to two periods of a sine).

References
----------
.. [1] C. Genest and F. Verret (2005). Locally most powerful rank tests of independence for copula
   models. Journal of Nonparametric Statistics 17, 521-539.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import special

from spinney.pairs.pseudo import PseudoTable
from spinney.scores import class_scores

__all__ = [
    "FEATURES",
    "HANDICAP",
    "MIN_COMMON_ROWS",
    "PRODUCTS",
    "Block",
    "Blocks",
    "Features",
    "Scale",
    "class_scores",
    "features_of",
    "join",
    "nominal_strengths",
    "positions_of",
    "scale_of",
    "straighten",
    "strengths_between",
    "threshold",
    "unbend",
    "z_of_chi_square",
]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
SMALLEST_REST = 1e-6
"""Share of a feature's variance that must be left when what is linear in the score is taken out:
two levels leave none."""
SMALLEST_SPREAD = 1e-9
HANDICAP = 4.5
"""What is taken off the squares of all statistics but the main one. Chosen among 0, 3, 4.5 and 6 on
tuning pairs of 100 rows, at a level of 1 %: of pairs with a correlation of 0.3, 60 % are found in
place of 45 %, and of what the others find, up to four percentage points less."""
SMALLEST_SKEWNESS = 1e-3
"""Below that nothing is straightened: single precision could not do it."""
LARGEST_SKEWNESS = 1.0
"""Beyond that the gamma distribution is no guide to the shorter tail."""
_DRAWS = 4096
_GRID = 4096
MIN_COMMON_ROWS = 10
"""Pairs with fewer rows in common show nothing."""
MEMORY = 1 << 28
"""Bytes that the features of all columns may take; of more columns they are made when needed."""
WIDEST = 256
"""Columns to a block: their products stay in the processor's cache."""
SILENT = 1.5
"""Other statistics than the main one count for nothing below 2.1, the root of their handicap: what
is smaller than that need not be straightened, which makes it 2.05 at most."""


class Feature(NamedTuple):
    """A function of a column's pseudo-observations.

    Attributes
    ----------
    of : function
        What it is of u, strictly between 0 and 1.
    beside_score : bool
        Whether what is linear in the normal score is taken out.
    """

    of: Callable[[Floats], Floats]
    beside_score: bool = False


def _normal_score(u: Floats) -> Floats:
    return np.asarray(special.ndtri(u))


FEATURES: dict[str, Feature] = {
    "score": Feature(_normal_score),
    "square": Feature(lambda u: _normal_score(u) ** 2, beside_score=True),
    "low": Feature(np.log),
    "high": Feature(lambda u: np.log1p(-u)),
    "bow": Feature(lambda u: (u - 0.5) ** 2),
    "wave_3": Feature(lambda u: np.cos(3.0 * np.pi * u)),
    "wave_4": Feature(lambda u: np.cos(4.0 * np.pi * u)),
}
"""Functions of one column; see :data:`PRODUCTS`."""


PRODUCTS: tuple[tuple[str, str], ...] = (
    ("score", "score"),
    ("low", "low"),
    ("high", "high"),
    ("low", "high"),
    ("high", "low"),
    ("square", "square"),
    ("score", "square"),
    ("square", "score"),
    ("bow", "bow"),
    ("score", "wave_3"),
    ("wave_3", "score"),
    ("score", "wave_4"),
    ("wave_4", "score"),
)
"""Features of the first and of the second column whose correlation is a statistic of a pair. The
first is the main one."""
_PLACES = {name: k for k, name in enumerate(FEATURES)}
_PRODUCTS = [(_PLACES[one], _PLACES[other]) for one, other in PRODUCTS]
_SCORE, _SQUARE = (list(FEATURES).index(name) for name in ("score", "square"))


class Features(NamedTuple):
    """Standardised features of some columns, and their skewness.

    Attributes
    ----------
    values : float32 array of shape (n_features, n, d)
        Mean 0 and variance 1 over the rows that have a value, 0 in the others; 0 throughout where a
        column leaves nothing of a feature, and in nominal columns.
    skewness : array of shape (n_features, d)
        Mean cube of the values that are there.
    """

    values: Singles
    skewness: Floats


def positions_of(table: PseudoTable, columns: Ints) -> Floats:
    """Pseudo-observations of some columns, levels at the middle of their interval.

    NaN where a value is missing, and in nominal columns.
    """
    u = table.u[:, columns].copy()
    for place, k in enumerate(columns):
        mass = table.masses[k]
        if len(mass):
            codes = table.codes[:, k]
            middle = np.cumsum(mass) - mass / 2.0
            u[:, place] = np.where((codes >= 0) & ~table.nominal[k], middle[codes], np.nan)
    return u


def features_of(u: Floats) -> Features:
    """Compute all features of columns of pseudo-observations, NaN where there is none.

    Examples
    --------
    >>> found = features_of(np.arange(1.0, 8.0)[:, None] / 8.0)
    >>> found.values[0, :, 0].round(2)
    array([-1.57, -0.92, -0.43,  0.  ,  0.43,  0.92,  1.57], dtype=float32)
    >>> found.skewness[:2, 0].round(2)
    array([0.  , 0.65])
    """
    there = ~np.isnan(u)
    m = np.maximum(there.sum(axis=0), 1)
    filled = np.where(there, u, 0.5)
    score = _standardised(_normal_score(filled), there, m)
    values = np.empty((len(FEATURES), *u.shape), dtype=np.float32)
    skewness = np.empty((len(FEATURES), u.shape[1]))
    for k, feature in enumerate(FEATURES.values()):
        x = _standardised(feature.of(filled), there, m)
        if feature.beside_score:
            x = x - score * ((x * score).sum(axis=0) / m)
            x[:, ~((x**2).sum(axis=0) > SMALLEST_REST * m)] = 0.0
            x = _standardised(x, there, m)
        values[k], skewness[k] = x, (x**3).sum(axis=0) / m
    return Features(values, skewness)


def _standardised(x: Floats, there: Bools, m: Ints) -> Floats:
    """Centre and scale over the rows that are there; constant columns become 0."""
    x = np.where(there, x, 0.0)
    size = np.sqrt((x**2).sum(axis=0) / m)
    x = np.where(there, x - x.sum(axis=0) / m, 0.0)
    scale = np.sqrt((x**2).sum(axis=0) / m)
    varies = scale > SMALLEST_SPREAD * size  # more than rounding leaves of equal values
    return np.asarray(np.where(varies, x / np.where(varies, scale, 1.0), 0.0))


def straighten(T: Singles, skewness: Singles) -> Singles:
    r"""Take the skewness g out of statistics of mean 0 and variance 1, by Wilson and Hilferty.

    .. math:: Z = \frac6g \Bigl(\bigl(1 + \tfrac g2 T\bigr)^{1/3} - 1\Bigr) + \frac g6

    is standard normal, very nearly, where T is a standardised gamma variable of skewness g. Where
    the skewness exceeds 1, as that of rare levels does, no statistic is made larger than it is.

    Examples
    --------
    >>> T = np.array([-1.5, 0.0, 3.0], dtype=np.float32)
    >>> straighten(T, np.full(3, 0.5, dtype=np.float32)).round(2)
    array([-1.66,  0.08,  2.54], dtype=float32)
    """
    size = np.abs(skewness)
    skewed = size > np.float32(SMALLEST_SKEWNESS)
    if not skewed.any():
        return T
    g = np.where(skewed, skewness, np.float32(1.0))
    root = np.cbrt(np.maximum(1.0 + 0.5 * g * T, 0.0))
    Z = np.where(skewed, (root - 1.0) * (6.0 / g) + g / 6.0, T)
    if size.max() > LARGEST_SKEWNESS:
        Z = np.where(size > LARGEST_SKEWNESS, np.minimum(np.abs(Z), np.abs(T)), Z)
    return Z


def unbend(Z: Singles, n_rows: Singles | float) -> Singles:
    r"""Undo the end that correlations of n rows have, by Wallace's normal deviate of Student's t.

    .. math:: \frac{8\nu + 1}{8\nu + 3} \sqrt{-\nu \log(1 - r^2)}, \qquad
              \nu = n - 2, \quad r = Z / \sqrt{n - 1}

    With infinitely many rows nothing is changed.

    Examples
    --------
    >>> unbend(np.array([0.0, 2.0, 4.0], dtype=np.float32), 20.0).round(2)
    array([0.  , 2.03, 5.69], dtype=float32)
    """
    rows = np.asarray(n_rows, dtype=np.float32)
    nu = np.where(np.isinf(rows), np.float32(1e6), rows) - np.float32(2.0)
    square = np.minimum(Z * Z / (nu + 1.0), np.float32(1.0 - 1e-6))
    factor = (8.0 * nu + 1.0) / (8.0 * nu + 3.0)
    straight = np.asarray(factor * np.sqrt(-nu * np.log1p(-square)), dtype=np.float32)
    return np.where(np.isinf(rows), Z, straight)


def join(main: Singles, others: Singles) -> Singles:
    """Join the main statistic and the largest of the others, both by size, to a pair's strength.

    Examples
    --------
    >>> join(np.float32([1.0, 3.0]), np.float32([4.0, 3.2])).round(2)
    array([3.39, 3.  ], dtype=float32)
    """
    rest = np.sqrt(np.maximum(others * others - np.float32(HANDICAP), 0.0))
    return np.asarray(np.maximum(main, rest), dtype=np.float32)


def z_of_chi_square(statistic: Floats, freedom: Floats | float) -> Floats:
    """Size of a normal variable that is as rare as a sum of squares.

    Examples
    --------
    >>> z_of_chi_square(np.array([3.8415, 3000.0]), 1.0).round(2)
    array([ 1.96, 54.77])
    """
    half, x = np.asarray(freedom, dtype=float) / 2.0, np.asarray(statistic, dtype=float) / 2.0
    tail = special.gammaincc(half, x)
    # By logarithms where the tail is too small for a number.
    beyond = (half - 1.0) * np.log(np.maximum(x, 1.0)) - x - special.gammaln(half)
    log_tail = np.where(tail > 1e-290, np.log(np.maximum(tail, 1e-290)), beyond)
    return np.asarray(-special.ndtri_exp(log_tail - np.log(2.0)))


@cache
def threshold(level: float) -> float:
    r"""Strength that a share `level` of independent pairs exceeds.

    The statistics of a pair are jointly normal, where rows abound, with correlations
    :math:`\rho_{kk'} \rho_{ll'}` for products of features k, l and k', l'. The probability that any
    of them exceeds its threshold is

    .. math:: P = \sum_j P(|Z_j| > t_j) \, E\bigl[1 / N \bigm| |Z_j| > t_j\bigr],

    with N the number of those that do: each conditional mean is found from a few thousand draws
    with a fixed seed, at any level equally well [1]_.

    References
    ----------
    .. [1] D. Q. Naiman and C. E. Priebe (2001). Computing scan statistic p values using importance
       sampling. Journal of Computational and Graphical Statistics 10, 296-328.

    Examples
    --------
    >>> [round(threshold(level), 1) for level in (0.05, 0.01, 0.001)]
    [2.2, 2.8, 3.5]
    """
    names = list(FEATURES)
    values = features_of((np.arange(_GRID) + 0.5)[:, None] / _GRID).values[:, :, 0].astype(float)
    correlation = values @ values.T / _GRID
    left, right = np.array([[names.index(name) for name in pair] for pair in PRODUCTS]).T
    C = correlation[np.ix_(left, left)] * correlation[np.ix_(right, right)]
    rng = np.random.default_rng(0)
    eigenvalues, vectors = np.linalg.eigh(C)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    Y = rng.standard_normal((_DRAWS, len(C))) @ root.T
    uniform = rng.uniform(size=_DRAWS)
    handicap = np.where(np.arange(len(C)) == 0, 0.0, HANDICAP)

    def share(t: float) -> float:
        ends = np.sqrt(t * t + handicap)
        total = 0.0
        for j, end in enumerate(ends):
            tail = special.ndtr(-end)
            beyond = -special.ndtri(uniform * tail)
            Z = Y + np.multiply.outer(beyond - Y[:, j], C[j])
            count = np.maximum((np.abs(Z) > ends).sum(axis=1), 1)
            total += 2.0 * tail * float((1.0 / count).mean())
        return total

    if share(0.1) <= level:  # nearly all pairs
        return 0.0
    return float(scipy.optimize.brentq(lambda t: np.log(share(t) / level), 0.1, 30.0, xtol=1e-6))


class Block(NamedTuple):
    """Some columns that stand together.

    Attributes
    ----------
    columns : int array
        Their positions in the table.
    values, skewness
        See :class:`~spinney.scale.score_tests.Features`.
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
