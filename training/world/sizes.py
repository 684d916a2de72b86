"""How many columns and rows a table has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from training.world.source import log_between

__all__ = [
    "CHEAP",
    "DEAR_CHEAP",
    "DEAR_SIZES",
    "FAMILIAR_SIZES",
    "LARGE",
    "LARGE_SIZES",
    "LONG",
    "LONG_CHEAP",
    "LONG_SIZES",
    "SIZES",
    "STEEPNESS",
    "WIDE",
    "WIDE_SIZES",
    "Sizes",
    "draw_size",
    "work",
]


class Sizes(NamedTuple):
    """Ranges of columns and rows, each drawn log-uniformly, and their shares."""

    columns: tuple[tuple[float, int, int], ...]
    rows: tuple[tuple[float, int, int], ...]


SIZES = Sizes(
    columns=((0.05, 2, 4), (0.875, 5, 40), (0.075, 40, 150)),
    rows=((0.75, 30, 1000), (0.25, 10, 5000)),
)
"""Share, fewest and most; ends included."""
FAMILIAR_SIZES = Sizes(columns=((1.0, 15, 40),), rows=((1.0, 40, 600),))
"""Where most users are."""
DEAR_SIZES = Sizes(
    columns=((0.06, 2, 4), (0.92, 5, 40), (0.02, 40, 100)),
    rows=SIZES.rows,
)
"""Of tables with levels, gaps or rounded columns, whose evidence takes several times as long."""
DEAR_CHEAP = 15_000
"""Work up to which each of their sizes is kept."""
LARGE_SIZES = Sizes(columns=((1.0, 30, 150),), rows=((1.0, 300, 2500),))
"""Tables with many columns and many rows, which are dear, and so rare."""
LARGE = 0.002
"""Share of such tables among those without levels, gaps and rounded columns whose size is not a
familiar one; they may be five times as much work as others."""
LONG_SIZES = Sizes(columns=((1.0, 2, 20),), rows=((1.0, 1500, 20_000),))
"""Tables as long as :func:`spinney.learn` takes them: it draws 20,000 rows of a longer one."""
LONG = 0.04
"""Share of such tables among those whose size is not a familiar one."""
LONG_CHEAP = 600_000
"""Work up to which each of their sizes is kept."""
WIDE_SIZES = Sizes(columns=((1.0, 150, 300),), rows=((1.0, 30, 300),))
"""Tables of more columns than others; they may be five times as much work."""
WIDE = 0.003
"""Share of such tables among those whose size is not a familiar one."""
CHEAP = 30_000
"""Work up to which every size is kept; beyond it, the more work the fewer are kept."""
STEEPNESS = 0.6
"""Power of work by which fewer are kept."""


def work(d: int, n: int) -> int:
    """Pairs times rows, to which the time that evidence takes is proportional.

    Examples
    --------
    >>> work(25, 100)
    30000
    """
    return d * (d - 1) // 2 * n


def draw_size(
    rng: np.random.Generator,
    sizes: Sizes,
    columns: tuple[int, int],
    rows: tuple[int, int],
    most_work: float,
    cheap: float = CHEAP,
) -> tuple[int, int]:
    r"""Draw columns and rows together, so that large tables are rare and none is too large.

    A number of rows is kept with probability :math:`\min(1, (c / w)^{0.6})` for the work w and
    c = `cheap`, and drawn again otherwise; the columns stay, so their law does not depend on this.

    Examples
    --------
    >>> draw_size(np.random.default_rng(0), SIZES, (2, 150), (10, 5000), 1.2e6)
    (8, 31)
    """
    d = _draw(rng, sizes.columns, columns)
    for _ in range(1000):
        n = _draw(rng, sizes.rows, rows)
        w = work(d, n)
        if w <= most_work and rng.uniform() < min(1.0, (cheap / w) ** STEEPNESS):
            return d, n
    return d, rows[0]


def _draw(
    rng: np.random.Generator,
    ranges: tuple[tuple[float, int, int], ...],
    limits: tuple[int, int],
) -> int:
    part = rng.choice(len(ranges), p=[share for share, _, _ in ranges])
    _, low, high = ranges[int(part)]
    value = int(np.floor(log_between(rng, low, high + 1)))
    return min(max(value, limits[0]), limits[1])
