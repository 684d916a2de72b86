"""Tables for tests, and strengths by plain loops."""

import numpy as np
from scipy import special

from spinney.pairs.margins import Margins
from spinney.scale.score_tests import HANDICAP, PRODUCTS
from spinney.tables import Column, Table

PLAIN = {
    "score": special.ndtri,
    "square": lambda u: special.ndtri(u) ** 2,
    "low": np.log,
    "high": lambda u: np.log(1 - u),
    "bow": lambda u: 6 * u**2 - 6 * u + 1,
    "wave_3": lambda u: np.cos(3 * np.pi * u),
    "wave_4": lambda u: np.cos(4 * np.pi * u),
}


def mixed_table(X, **kinds):
    """Make a table of continuous columns, but for those that are named ``x3="ordinal"``."""
    columns = []
    for k in range(X.shape[1]):
        kind = kinds.get(f"x{k}", "continuous")
        seen = X[~np.isnan(X[:, k]), k]
        levels = () if kind == "continuous" else tuple(range(int(seen.max()) + 1))
        columns.append(Column(f"x{k}", kind, levels))
    return Table(X.astype(float), tuple(columns))


def pseudo_of(table):
    return Margins(smooth=None).fit(table).pseudo(table)


def standard(x):
    x = x - x.mean()
    return x / np.sqrt((x**2).mean()) if np.ptp(x) > 1e-9 else np.zeros_like(x)


def feature(name, u):
    x = standard(PLAIN[name](u))
    if name == "square":
        score = standard(special.ndtri(u))
        x = x - score * (x * score).mean()
        x = standard(x) if (x**2).mean() > 1e-6 else np.zeros_like(x)
    return x


def plain_strength(u, v):
    """Strength of two columns, NaN where a value is missing, in double precision."""
    there_u, there_v = ~np.isnan(u), ~np.isnan(v)
    both = there_u & there_v
    m, m_u, m_v = both.sum(), there_u.sum(), there_v.sum()
    if m < 10:
        return 0.0
    sizes = []
    for one, other in PRODUCTS:
        f, g = np.zeros((2, len(u)))
        f[there_u], g[there_v] = feature(one, u[there_u]), feature(other, v[there_v])
        T = (f * g).sum() / np.sqrt(m * (1 + (m - 1) / ((m_u - 1) * (m_v - 1))))
        skew = (f**3).sum() / m_u * (g**3).sum() / m_v * np.sqrt(m - 1) / (m - 2)
        if abs(skew) > 1e-3:  # see SMALLEST_SKEWNESS
            Z = 6 / skew * (np.cbrt(max(1 + skew * T / 2, 0)) - 1) + skew / 6
            T = min(abs(T), abs(Z)) if abs(skew) > 1 else Z
        short = 1 / m_u + 1 / m_v - 1 / m
        if short > 1e-6:
            rows = 1 / short
            nu = rows - 2
            r2 = min(T**2 / (rows - 1), 1 - 1e-6)
            T = (8 * nu + 1) / (8 * nu + 3) * np.sqrt(-nu * np.log(1 - r2))
        sizes.append(abs(T))
    return max(sizes[0], np.sqrt(max(max(sizes[1:]) ** 2 - HANDICAP, 0)))
