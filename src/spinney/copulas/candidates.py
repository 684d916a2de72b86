"""The candidates that compete for each pair, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from spinney.copulas import _kernels
from spinney.copulas._fit_one import Candidates
from spinney.copulas.base import flips_of
from spinney.copulas.registry import FAMILIES
from spinney.exceptions import InputError

__all__ = ["CODES", "lay_out"]

CODES = {
    "independence": _kernels.INDEPENDENCE,
    "gaussian": _kernels.GAUSSIAN,
    "student": _kernels.STUDENT,
    "clayton": _kernels.CLAYTON,
    "gumbel": _kernels.GUMBEL,
    "frank": _kernels.FRANK,
    "joe": _kernels.JOE,
}
"""Families that have a compiled kernel, with their codes."""

_WEAKEST_FRANK = 1e-3
_TAU_GRID = np.linspace(0.0, 1.0, 201)


def lay_out(families: Sequence[str]) -> tuple[Candidates, NDArray[np.int64]]:
    """List every family and rotation, fewest parameters first; return also the rotations."""
    missing = [name for name in families if name not in CODES]
    if missing:
        raise InputError(
            f"PairCopulas cannot fit '{missing[0]}', which is for single pairs "
            f"({FAMILIES[missing[0]].__name__}.fit). Choose from {', '.join(CODES)}."
        )
    entries = [
        (name, rotation)
        for name in sorted(families, key=lambda name: len(FAMILIES[name].bounds))
        for rotation in FAMILIES[name].rotations
    ]
    names = [name for name, _ in entries]
    bounds = np.array([_search_bounds(name) for name in names])
    flips = np.array([flips_of(rotation) for _, rotation in entries], dtype=np.int64)
    candidates = Candidates(
        family=np.array([CODES[name] for name in names]),
        column=np.array([list(families).index(name) for name in names]),
        flip_u=np.ascontiguousarray(flips[:, 0]),
        flip_v=np.ascontiguousarray(flips[:, 1]),
        low=np.ascontiguousarray(bounds[:, 0]),
        high=np.ascontiguousarray(bounds[:, 1]),
        start=np.stack([_parameter_by_tau(name) for name in names]),
        n_parameters=np.array([len(FAMILIES[name].bounds) for name in names]),
    )
    return candidates, np.array([rotation for _, rotation in entries])


def _search_bounds(family: str) -> tuple[float, float]:
    """Bounds of the parameter that is searched; Frank's sign is settled before."""
    bounds = FAMILIES[family].fit_bounds
    if not bounds:
        return 0.0, 0.0
    low, high = next(iter(bounds.values()))
    return (_WEAKEST_FRANK, high) if family == "frank" else (low, high)


@cache
def _parameter_by_tau(family: str) -> NDArray[np.float64]:
    """First parameter of a family with one, as a function of |tau| on an even grid."""
    cls = FAMILIES[family]
    if len(cls.bounds) != 1 or family == "gaussian":
        return np.zeros(_TAU_GRID.size)
    low, high = _search_bounds(family)
    base = 1.0 if low >= 1.0 else 0.0
    parameters = base + np.geomspace(low - base, high - base, 400)
    taus = np.asarray(cls.kendall(parameters))
    return np.interp(_TAU_GRID, taus, parameters)
