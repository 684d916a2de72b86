"""What happens to values between the truth and the table; none of it changes the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from training.world.source import Floats, between, log_between, spread

__all__ = ["MARGIN_MAPS", "SPOILS", "apply_spoils", "choose_spoils", "meaning", "meaning_of"]

Rng = np.random.Generator

SPOILS = {
    "common influence": 0.07,
    "swelling": 0.05,
    "populations": 0.04,
    "noise": 0.2,
    "floor": 0.07,
    "batches": 0.06,
    "outliers": 0.07,
    "rounding": 0.1,
    "margins": 0.15,
    "negation": 0.25,
}
"""Chance of each spoil in a continuous table of the wide part, independently, in this order."""
FAMILIAR_SPOILED = 0.15
"""Share of the continuous tables of the package's own simulators that are spoiled at all."""
MARGIN_MAPS: dict[str, Callable[[Floats], Floats]] = {
    "cube": lambda x: x**3,
    "root": np.cbrt,
    "logarithm": np.arcsinh,
    "growth": lambda x: np.exp(np.clip(x, -30, 30)) + x,
}
"""Strictly growing maps of columns with a spread of one."""


def choose_spoils(rng: Rng) -> list[str]:
    """Draw which spoils a table has."""
    return [name for name, chance in SPOILS.items() if rng.uniform() < chance]


def apply_spoils(rng: Rng, X: Floats, spoils: list[str]) -> Floats:
    """Spoil continuous columns; each spoil draws from a stream of its own."""
    spoiled = X - np.median(X, axis=0)
    spoiled /= spread(spoiled)
    streams = dict(zip(SPOILS, rng.spawn(len(SPOILS)), strict=True))
    for name in SPOILS:
        if name in spoils:
            spoiled = _APPLY[name](streams[name], spoiled)
    return spoiled


def _some(rng: Rng, d: int, least: float = 0.2) -> list[int]:
    """Draw a share of the columns, or all of them in two tables of five."""
    if rng.uniform() < 0.4:
        return list(range(d))
    k = max(1, round(d * rng.uniform(least, 1.0)))
    return sorted(rng.choice(d, k, replace=False).tolist())


def common_influence(rng: Rng, X: Floats) -> Floats:
    """Add one hidden series to all columns, with loadings of at most 0.1 to 0.5.

    In one table of four they are 0.3 … 0.8 and of one sign, as on a stock market; in one of four
    the series is skewed.
    """
    d = X.shape[1]
    if rng.uniform() < 0.25:
        loadings = rng.uniform(0.3, between(rng, 0.35, 0.8), d)
    else:
        loadings = rng.uniform(0, log_between(rng, 0.1, 0.5), d)
        if rng.uniform() < 0.5:
            loadings *= 2.0 * rng.integers(2, size=d) - 1.0
    series = rng.standard_normal(len(X))
    if rng.uniform() < 0.25:
        series = (series**2 - 1.0) / np.sqrt(2.0)
    return X + np.outer(series, loadings)


def swelling(rng: Rng, X: Floats) -> Floats:
    """Multiply all columns by one hidden positive series, log-normal with σ of 0.1 to 0.5.

    In half of the tables after a shift, so that all columns grow and spread together, as with the
    size of a cell.
    """
    shift = between(rng, 0.5, 3.0) if rng.uniform() < 0.5 else 0.0
    factor = np.exp(log_between(rng, 0.1, 0.5) * rng.standard_normal(len(X)))
    return (X + shift) * factor[:, None]


def populations(rng: Rng, X: Floats) -> Floats:
    """Shift and stretch rows of two to four populations of unequal size, each in its own way.

    Shifts are normal, times 0.2 … 1 (log-uniform); scales log-normal with 0.3.
    """
    k = int(rng.integers(2, 5))
    member = rng.choice(k, size=len(X), p=rng.dirichlet(2.0 * np.ones(k)))
    shifts = log_between(rng, 0.2, 1.0) * rng.standard_normal((k, X.shape[1]))
    scales = np.exp(0.3 * rng.standard_normal((k, X.shape[1])))
    return X * scales[member] + shifts[member]


def floor(rng: Rng, X: Floats) -> Floats:
    """Hide low values in noise from before a logarithm was taken.

    log(exp(s x) + c |e|), s from 0.5 to 1.5, c such that it outweighs 5 to 50 % of the values.
    """
    columns = _some(rng, X.shape[1], least=0.5)
    s, share = between(rng, 0.5, 1.5), between(rng, 0.05, 0.5)
    X = X.copy()
    raised = np.exp(np.clip(s * X[:, columns], -30, 30))
    drowned = np.quantile(raised, share, axis=0) * np.abs(rng.standard_normal(raised.shape))
    X[:, columns] = np.log(raised + drowned + 1e-12)
    return X


def noise(rng: Rng, X: Floats) -> Floats:
    """Add independent noise of 0.1 to 1 standard deviations to some columns."""
    columns = _some(rng, X.shape[1])
    size = log_between(rng, 0.1, 1.0)
    X = X.copy()
    X[:, columns] += size * rng.standard_normal((len(X), len(columns)))
    return X


def batches(rng: Rng, X: Floats) -> Floats:
    """Shift groups of rows in some columns, by normal amounts of 0.1 to 0.6 standard deviations."""
    k = int(rng.integers(2, 7))
    columns = _some(rng, X.shape[1])
    batch = rng.integers(k, size=len(X))
    shifts = log_between(rng, 0.1, 0.6) * rng.standard_normal((k, len(columns)))
    X = X.copy()
    X[:, columns] += shifts[batch]
    return X


def outliers(rng: Rng, X: Floats) -> Floats:
    """Put errors of 4 to 15 standard deviations in 0.5 to 5 % of the cells, or of the rows."""
    share, size = log_between(rng, 0.005, 0.05), between(rng, 4.0, 15.0)
    if rng.uniform() < 0.35:
        hit = np.broadcast_to(rng.uniform(size=(len(X), 1)) < share, X.shape)
    else:
        hit = rng.uniform(size=X.shape) < share
    return np.where(hit, X + size * rng.standard_normal(X.shape), X)


def rounding(rng: Rng, X: Floats) -> Floats:
    """Round some columns to multiples of 0.03 to 0.7 standard deviations, or cut off low values.

    Steps are no whole numbers, or a column could look like numbered rows.
    """
    columns = _some(rng, X.shape[1])
    X = X.copy()
    if rng.uniform() < 0.3:  # nothing can be measured below a limit
        floors = np.quantile(X[:, columns], between(rng, 0.05, 0.5), axis=0)
        X[:, columns] = np.maximum(X[:, columns], floors)
    else:
        step = log_between(rng, 0.03, 0.7)
        X[:, columns] = step * np.round(X[:, columns] / step)
    return X


def margins(rng: Rng, X: Floats) -> Floats:
    """Transform columns by increasing functions, which leave the ranks as they are."""
    names = list(MARGIN_MAPS)
    columns = X.T.copy()
    for k in range(len(columns)):
        choice = int(rng.integers(len(names) + 1))
        if choice < len(names):
            columns[k] = MARGIN_MAPS[names[choice]](columns[k])
    return np.ascontiguousarray(columns.T)


def negation(rng: Rng, X: Floats) -> Floats:
    """Change the sign of each column with probability one half."""
    return X * (2.0 * rng.integers(2, size=X.shape[1]) - 1.0)


_APPLY: dict[str, Callable[[Rng, Floats], Floats]] = {
    "common influence": common_influence,
    "swelling": swelling,
    "populations": populations,
    "noise": noise,
    "floor": floor,
    "batches": batches,
    "outliers": outliers,
    "rounding": rounding,
    "margins": margins,
    "negation": negation,
}


def meaning_of(spoil: str) -> str:
    """Say what a spoil does: the first sentence of the function that does it.

    Examples
    --------
    >>> meaning_of("negation")
    'change the sign of each column with probability one half'
    """
    return meaning(_APPLY[spoil])


def meaning(function: Callable[..., object]) -> str:
    """Say what a function draws or does: the first sentence of its docstring.

    Examples
    --------
    >>> meaning(negation)
    'change the sign of each column with probability one half'
    """
    text = (function.__doc__ or "").split("\n\n")[0].rstrip(". ")
    return text[0].lower() + text[1:]
