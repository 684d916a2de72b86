"""The candidates that compete for each pair, and the chosen copulas, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import SEARCH, Batch, Copula, flips_of
from spinney.pairs.copulas.block import Densities
from spinney.pairs.copulas.coordinates import Grid, row_of
from spinney.pairs.copulas.elliptical import tail_table
from spinney.pairs.copulas.kernels import NAMES
from spinney.pairs.copulas.registry import FAMILIES
from spinney.pairs.copulas.search import Candidates

_TAU_GRID = np.linspace(0.0, 1.0, 201)


def batch_of(family: str) -> Batch:
    """How a family is fitted to all pairs of a table.

    Examples
    --------
    >>> batch_of("frank").sign
    'mirror'
    """
    batch = FAMILIES[family].batch
    if batch is None:
        able = [name for name, cls in FAMILIES.items() if cls.batch is not None]
        raise InputError(
            f"PairCopulas cannot fit '{family}', which is for single pairs "
            f"({FAMILIES[family].__name__}.fit). Choose from {', '.join(able)}."
        )
    return batch


@lru_cache(maxsize=8)
def lay_out(families: tuple[str, ...]) -> tuple[Candidates, Ints]:
    """List every family and rotation, fewest parameters first; return their rotations, too."""
    entries = [
        (FAMILIES[name], batch_of(name), rotation)
        for name in sorted(families, key=lambda name: len(FAMILIES[name].bounds))
        for rotation in ((0, 90) if batch_of(name).sign == "mirror" else FAMILIES[name].rotations)
    ]
    row_u, row_v, tried = [], [], []
    for _, batch, rotation in entries:
        flip_u, flip_v = flips_of(rotation)
        row_u.append(row_of(batch.coordinate, flip_u))
        row_v.append(row_of(batch.coordinate, flip_v))
        positive = flip_u == flip_v
        tried.append([True, True] if batch.sign == "parameter" else [positive, not positive])
    bounds = np.array([_search_bounds(cls) for cls, _, _ in entries])
    candidates = Candidates(
        method=np.array([batch.method for _, batch, _ in entries]),
        family=np.array([NAMES.index(cls.family) for cls, _, _ in entries]),
        column=np.array([families.index(cls.family) for cls, _, _ in entries]),
        row_u=np.array(row_u),
        row_v=np.array(row_v),
        tried=np.array(tried),
        low=np.ascontiguousarray(bounds[:, 0]),
        high=np.ascontiguousarray(bounds[:, 1]),
        start=np.stack([_parameter_by_tau(cls) for cls, _, _ in entries]),
        scale=np.array([_scale(cls) for cls, _, _ in entries]),
        n_parameters=np.array([len(cls.bounds) for cls, _, _ in entries]),
    )
    return candidates, np.array([rotation for *_, rotation in entries])


def tail_tables(grid: Grid) -> Floats:
    """Tables of the conditional distributions of Student's copula on the grid, at least one."""
    return np.stack([tail_table(df + 1) for df in grid]) if grid else np.empty((1, 0))


def _scale(cls: type[Copula]) -> tuple[float, float]:
    """Weakest parameter and its distance from the one at tau = 1/2; (0, 0) for correlations."""
    if batch_of(cls.family).sign == "parameter":
        return 0.0, 0.0
    base = float(_search_bounds(cls)[0] >= 1.0)
    return base, float(_parameter_by_tau(cls)[_TAU_GRID.size // 2]) - base


def lay_out_densities(
    families: Sequence[str], column: Ints, flip_u: Ints, flip_v: Ints, parameters: Floats
) -> tuple[Densities, Grid]:
    """Lay out the chosen copula of every pair: ``families[column]``, mirrored by the flips.

    `parameters` has shape (pairs, folds, 2). Returns the degrees of freedom that occur, too.
    """
    batches = [batch_of(name) for name in families]
    row = np.array([row_of(batch.coordinate) for batch in batches])[column]
    mirrored = np.array([batch.sign == "mirror" for batch in batches])[column]
    parameters = np.where(mirrored[:, None, None], np.abs(parameters), parameters)
    family = np.array([NAMES.index(name) for name in families])[column]
    copulas = Densities(family, row + flip_u, row + flip_v, parameters)
    df = np.unique(parameters[:, :, 1])
    return copulas, tuple(df[~np.isnan(df)].tolist())


def _search_bounds(cls: type[Copula]) -> tuple[float, float]:
    """Bounds of the parameter that is searched."""
    if not cls.fit_bounds:
        return 0.0, 0.0
    low, high = next(iter(cls.fit_bounds.values()))
    weakest = batch_of(cls.family).weakest
    return (low if weakest is None else weakest), high


@cache
def _parameter_by_tau(cls: type[Copula]) -> Floats:
    """Parameter by |tau| on an even grid, where a search starts from that."""
    batch = batch_of(cls.family)
    if batch.method != SEARCH:
        return np.zeros(_TAU_GRID.size)
    low, high = _search_bounds(cls)
    base = float(low >= 1.0)
    parameters = base + np.geomspace(low - base, high - base, 400)
    return np.interp(_TAU_GRID, np.asarray(cls.kendall(parameters)), parameters)
