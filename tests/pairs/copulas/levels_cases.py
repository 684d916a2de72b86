"""Tables with levels and gaps for tests, and plain log-likelihoods of them."""

import numpy as np
from scipy import optimize, stats

from spinney.pairs.copulas import FAMILIES
from spinney.pairs.copulas.levels import PRIOR_ROWS
from spinney.pairs.pseudo import PseudoTable


def pseudo(X, levels, gaps=None):
    """Cut columns of numbers into equally likely levels (0: leave them), and rank the others."""
    n, d = X.shape
    u, codes, masses = np.full((n, d), np.nan), np.full((n, d), -1), []
    for k in range(d):
        here = np.ones(n, dtype=bool) if gaps is None else ~gaps[:, k]
        values = X[here, k]
        if levels[k] == 0:
            u[here, k] = stats.rankdata(values) / (here.sum() + 1)
            masses.append(np.empty(0))
        else:
            cuts = np.quantile(values, np.arange(1, levels[k]) / levels[k])
            codes[here, k] = np.searchsorted(cuts, values)
            masses.append(np.bincount(codes[here, k], minlength=levels[k]) / here.sum())
    names = tuple(f"x{k}" for k in range(d))
    return PseudoTable(u, codes, tuple(masses), np.zeros(d, dtype=bool), names)


def sub_table(table, rows):
    """Rows as a table of their own: ranked anew, levels that do not occur left out."""
    u, codes, masses = table.u[rows].copy(), table.codes[rows].copy(), []
    for k in range(table.n_columns):
        if len(table.masses[k]):
            codes[:, k] = np.unique(codes[:, k], return_inverse=True)[1]
            masses.append(np.bincount(codes[:, k]) / len(rows))
        else:
            u[:, k] = stats.rankdata(u[:, k]) / (len(rows) + 1)
            masses.append(np.empty(0))
    return PseudoTable(u, codes, tuple(masses), table.nominal, table.names)


def ends(table, column):
    """Lower and upper end of each row's interval."""
    at = np.concatenate([[0.0], np.cumsum(table.masses[column])])
    at[-1] = 1.0
    codes = table.codes[:, column]
    return at[codes], at[codes + 1]


def log_w(copula, table, i, j):
    """Log-density of a pair by differences of the copula's own functions."""
    level_i, level_j = len(table.masses[i]) > 0, len(table.masses[j]) > 0
    if not level_i and not level_j:
        return copula.logpdf(table.u[:, i], table.u[:, j])
    if level_i and level_j:
        (a, b), (c, d) = ends(table, i), ends(table, j)
        volume = cdf(copula, b, d) - cdf(copula, a, d) - cdf(copula, b, c) + cdf(copula, a, c)
        return np.log(np.maximum(volume, 1e-300) / ((b - a) * (d - c)))
    if level_i:
        (a, b), x = ends(table, i), table.u[:, j]
        gap = conditional(copula, b, x, "v") - conditional(copula, a, x, "v")
    else:
        (a, b), x = ends(table, j), table.u[:, i]
        gap = conditional(copula, x, b, "u") - conditional(copula, x, a, "u")
    return np.log(np.maximum(gap, 1e-300) / (b - a))


def cdf(copula, u, v):
    inside = copula.cdf(np.clip(u, 1e-9, 1 - 1e-9), np.clip(v, 1e-9, 1 - 1e-9))
    return np.where(u * v == 0, 0.0, np.where(u == 1, v, np.where(v == 1, u, inside)))


def conditional(copula, u, v, given):
    other = v if given == "u" else u
    inside = copula.hfunc(np.clip(u, 1e-12, 1 - 1e-12), np.clip(v, 1e-12, 1 - 1e-12), given)
    return np.where(other == 0, 0.0, np.where(other == 1, 1.0, inside))


def prior(copula, table, i, j):
    """Log-likelihood of the rows that a search adds to cells, spread as if by independence."""
    n_u, n_v = table.n_levels[[i, j]]
    if n_u == 0 or n_v == 0:
        return 0.0
    codes = np.full((n_u * n_v, table.n_columns), -1)
    codes[:, i], codes[:, j] = np.divmod(np.arange(n_u * n_v), n_v)
    u = np.full(codes.shape, np.nan)
    cells = PseudoTable(u, codes, table.masses, table.nominal, table.names)
    rows = PRIOR_ROWS * np.outer(table.masses[i], table.masses[j]).ravel()
    return float(rows @ log_w(copula, cells, i, j))


def plain_fit(family, rotation, table, i, j, low=None, high=None):
    """Maximum likelihood of a family with one parameter by scipy, with the prior rows of cells."""
    cls = FAMILIES[family]
    bounds = next(iter(cls.fit_bounds.values()))
    bounds = (bounds[0] if low is None else low, bounds[1] if high is None else high)
    more = {"rotation": rotation} if rotation else {}
    best = optimize.minimize_scalar(
        lambda value: (
            -log_w(cls(value, **more), table, i, j).sum() - prior(cls(value, **more), table, i, j)
        ),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-9},
    )
    return cls(float(best.x), **more)
