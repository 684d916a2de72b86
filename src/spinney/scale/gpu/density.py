"""Log-densities and Kendall's tau of many pairs on the GPU: the processor's numbers."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas import kendall
from spinney.pairs.copulas.addresses import kernel_address
from spinney.pairs.copulas.batch import NONE, PROFILE
from spinney.pairs.copulas.block import Densities
from spinney.pairs.copulas.coordinates import Coordinates
from spinney.pairs.copulas.kendall import KendallTable
from spinney.pairs.copulas.registry import FAMILIES
from spinney.scale.gpu.device import cuda_kernel, cuda_module, device_function, twin
from spinney.scale.gpu.lanes import Sent, by_number, no_density, send

__all__ = ["DeviceDensities", "tau"]

cuda: Any = cuda_module()  # by this name the simulator finds it

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

THREADS = 64
PIECE = 1 << 20
"""Pairs whose taus are counted at a time."""


class Chosen(NamedTuple):
    """The copulas of some pairs, as the kernel knows them."""

    method: Ints
    number: Ints  # of the density
    row_u: Ints
    row_v: Ints
    theta: Floats  # (pairs, folds)
    position: Ints  # (pairs, folds): of the second parameter on its grid


class DeviceDensities:
    """Log-densities of pairs of one table; its coordinates are sent once."""

    def __init__(self) -> None:
        self._where = Sent()

    def __call__(
        self, where: Coordinates, first: Ints, second: Ints, copulas: Densities, folds: Ints
    ) -> Any:
        """Compute log-densities of the pairs (first[p], second[p]): an array (n, pairs) there."""
        kernels, numbers = _kernels(copulas)
        second_parameter = copulas.parameters[..., 1]
        position = np.zeros(second_parameter.shape, dtype=np.int64)
        if where.grid.size:
            inside = np.searchsorted(where.grid, second_parameter)
            position = np.where(np.isnan(second_parameter), 0, inside)
        chosen = Chosen(
            copulas.method,
            numbers,
            copulas.row_u,
            copulas.row_v,
            np.ascontiguousarray(copulas.parameters[..., 0]),
            position,
        )
        out = cuda.device_array((int(folds[-1]), len(first)))
        blocks = -(-len(first) // THREADS)
        _compiled(*kernels)[blocks, THREADS](
            self._where(where), *send((first, second, folds)), send(chosen), out
        )
        return out


def _kernels(copulas: Densities) -> tuple[tuple[tuple[Any, ...], Any], Ints]:
    """Find the kernels behind addresses: those of one parameter, numbered, and the other one."""
    batches = [cls.batch for cls in FAMILIES.values() if cls.batch is not None]
    known = {kernel_address(b, "density"): b for b in batches}
    addresses, which = np.unique(copulas.density, return_inverse=True)
    plain: list[Any] = []
    profile, numbers = None, np.zeros(len(addresses), dtype=np.int64)
    for k, address in enumerate(addresses.tolist()):
        batch = known[address]
        if batch.method == PROFILE:
            profile = batch.density
        elif batch.method != NONE:
            numbers[k] = len(plain)
            plain.append(batch.density)
    return (tuple(plain), profile), numbers[which]


@lru_cache(maxsize=32)
def _compiled(plain: tuple[Any, ...], profile: Any) -> Any:
    kernels = [*plain, *([] if profile is None else [profile])]
    all_names = " ".join(f"{k.__module__}.{k.__name__}" for k in kernels)
    return cuda_kernel(
        write,
        name=sha256(all_names.encode()).hexdigest()[:12],  # themselves too long for a file
        files=tuple(k.__code__.co_filename for k in kernels),
        density=by_number(plain),
        profile_density=twin(no_density if profile is None else profile),
    )


def write(where, first, second, folds, chosen, out):  # type: ignore[no-untyped-def]
    """Write log-densities: a thread for each pair, so that rows are written side by side."""
    pair = cuda.grid(1)
    if pair >= first.size:
        return
    i, j, method = first[pair], second[pair], chosen.method[pair]
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        theta, own = chosen.theta[pair, fold], out[start:stop, pair]
        if method == NONE:
            for k in range(own.size):
                own[k] = 0.0
        elif method == PROFILE:
            k = chosen.position[pair, fold]
            profile_density(  # type: ignore[name-defined]  # noqa: F821
                where.profile[k, i, start:stop],
                where.profile[k, j, start:stop],
                where.profile_term[k, i, start:stop],
                where.profile_term[k, j, start:stop],
                theta,
                where.grid[k],
                where.constant[k],
                own,
            )
        else:
            x = where.plain[chosen.row_u[pair], i, start:stop]
            y = where.plain[chosen.row_v[pair], j, start:stop]
            density(chosen.number[pair], x, y, theta, own)  # type: ignore[name-defined]  # noqa: F821


def tau(table: KendallTable, first: Ints, second: Ints) -> Floats:
    """Kendall's tau-b of pairs of columns, from bits; the same numbers as the processor's."""
    out, kernel, bits = np.empty(len(first)), _compiled_tau(), send(table.columns)
    for k in range(0, len(first), PIECE):
        i, j = (cuda.to_device(np.ascontiguousarray(f[k : k + PIECE])) for f in (first, second))
        taus = cuda.device_array(i.size)
        blocks = -(-i.size // THREADS)
        kernel[blocks, THREADS](bits, i, j, taus)
        taus.copy_to_host(out[k : k + i.size])
    return out


def _count_ones(word):  # type: ignore[no-untyped-def]
    return cuda.popc(word)


@cache
def _compiled_tau() -> Any:
    names: dict[str, Any] = {"count_ones": device_function(_count_ones)}
    for name in ("_count_disagreements", "_count_with_ties", "tau_from_bits"):
        names[name] = twin(getattr(kendall, name), **names)
    return cuda_kernel(count, tau_from_bits=names["tau_from_bits"])


def count(bits, first, second, out):  # type: ignore[no-untyped-def]
    """Count bits: a thread for each pair."""
    pair = cuda.grid(1)
    if pair < first.size:
        out[pair] = tau_from_bits(bits, first[pair], second[pair])  # type: ignore[name-defined]  # noqa: F821
