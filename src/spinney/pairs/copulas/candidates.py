"""The candidates that compete for each pair, and the chosen copulas, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import PROFILE, Batch, Copula, flips_of
from spinney.pairs.copulas.block import Densities
from spinney.pairs.copulas.coordinates import Grid, mirrors_of, row_of
from spinney.pairs.copulas.elliptical import strip_table
from spinney.pairs.copulas.kernels import NAMES
from spinney.pairs.copulas.levels import LevelKernels
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


def lay_out(families: Sequence[str]) -> tuple[Candidates, Ints]:
    """List every family and rotation, fewest parameters first; return their rotations, too."""
    return _lay_out(tuple(FAMILIES[name] for name in families))


@lru_cache(maxsize=8)
def _lay_out(classes: tuple[type[Copula], ...]) -> tuple[Candidates, Ints]:
    families = [cls.family for cls in classes]
    entries = _entries(families)
    row_u, row_v, tried, start = [], [], [], []
    for cls, batch, rotation in entries:
        flip_u, flip_v = flips_of(rotation)
        turned = flip_u != (batch.sign == "mirror")  # whether u is mirrored at negative tau
        row_u.append([row_of(batch.coordinate, flip_u), row_of(batch.coordinate, turned)])
        row_v.append(row_of(batch.coordinate, flip_v))
        positive = flip_u == flip_v
        tried.append([positive, not positive] if batch.sign == "rotation" else [True, True])
        start.append(_parameter_by_tau(cls))
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
        start=np.stack(start),
        n_parameters=np.array([len(cls.bounds) for cls, _, _ in entries]),
    )
    return candidates, np.array([rotation for *_, rotation in entries])


def _entries(families: Sequence[str]) -> list[tuple[type[Copula], Batch, int]]:
    """Class, batch and rotation of every candidate."""
    return [
        (FAMILIES[name], batch_of(name), rotation)
        for name in sorted(families, key=lambda name: len(FAMILIES[name].bounds))
        for rotation in FAMILIES[name].rotations
    ]


def lay_out_kernels(
    families: Sequence[str], grid: Grid, column: Ints | None = None
) -> LevelKernels:
    """List what the candidates of :func:`lay_out` do with levels.

    With `column`, what the families ``families[column]`` do, for the copulas of
    :func:`lay_out_densities`.
    """
    classes = [FAMILIES[name] for name in families]
    if column is None:
        classes = [cls for cls, _, _ in _entries(families)]
        column = np.arange(len(classes))
    return LevelKernels(
        family=np.array([NAMES.index(cls.family) for cls in classes])[column],
        mirrors=mirrors_of(grid),
        tables=np.stack([strip_table(df) for df in grid]) if grid else np.empty((0, 0)),
        scale=np.array([_scale(cls) for cls in classes])[column],
    )


@cache
def _scale(cls: type[Copula]) -> tuple[float, float]:
    """Weakest parameter and its distance from the one at tau = 1/2; (0, 0) for correlations."""
    low, high = _search_bounds(cls)
    if low < 0.0 and high <= 1.0:
        return 0.0, 0.0
    base = 1.0 if low >= 1.0 else min(low, 0.0)
    return base, float(_parameter_by_tau(cls)[0, _TAU_GRID.size // 2]) - base


def lay_out_densities(
    families: Sequence[str], column: Ints, flip_u: Ints, flip_v: Ints, parameters: Floats
) -> tuple[Densities, Grid]:
    """Lay out the chosen copula of every pair: ``families[column]``, mirrored by the flips.

    `parameters` has shape (pairs, folds, 2). Returns the degrees of freedom that occur, too.
    """
    batches = [batch_of(name) for name in families]
    method = np.array([batch.method for batch in batches])[column]
    row = np.array([row_of(batch.coordinate) for batch in batches])[column]
    mirrored = np.array([batch.sign == "mirror" for batch in batches])[column]
    parameters = np.where(mirrored[:, None, None], np.abs(parameters), parameters)
    family = np.array([NAMES.index(name) for name in families])[column]
    copulas = Densities(method, family, row + flip_u, row + flip_v, parameters)
    return copulas, tuple(np.unique(parameters[method == PROFILE, :, 1]).tolist())


def _search_bounds(cls: type[Copula]) -> tuple[float, float]:
    """Bounds of the parameter that is searched."""
    if not cls.fit_bounds:
        return 0.0, 0.0
    low, high = next(iter(cls.fit_bounds.values()))
    weakest = batch_of(cls.family).weakest
    return (low if weakest is None else weakest), high


@cache
def _parameter_by_tau(cls: type[Copula]) -> Floats:
    """First parameter of a family with one, by the sign of tau (rows) and |tau| on an even grid."""
    if len(cls.bounds) != 1:
        return np.zeros((2, _TAU_GRID.size))
    low, high = _search_bounds(cls)
    if low < 0.0:
        parameters = np.linspace(low, high, 801)
        signed = (_TAU_GRID, -_TAU_GRID)
    else:
        base = 1.0 if low >= 1.0 else 0.0
        parameters = base + np.geomspace(low - base, high - base, 400)
        signed = (_TAU_GRID, _TAU_GRID)
    taus = np.asarray(cls.kendall(parameters))
    return np.stack([np.interp(tau, taus, parameters) for tau in signed])
