"""What 32 lanes do together (sums over rows, a family's formulas), and how arrays reach the GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spinney.pairs.copulas.batch import PROFILE
from spinney.scale.gpu.device import cuda_module, device_function, simulated, twin

__all__ = ["LANES", "Sent", "by_number", "no_density", "primitives", "send"]

cuda: Any = cuda_module()  # by this name the simulator finds it

LANES = 32
"""Threads that work on one pair: a warp, which needs no barrier to add up."""


def primitives(density: Any, score: Any, profile: bool) -> dict[str, Any]:
    """Compile the functions in which the search on the GPU differs from that on the processor.

    Names and arguments are those of :mod:`spinney.pairs.copulas.search` and of the calls by address
    there, but that nothing is called by its address. `density` and `score` are the kernels of one
    family, with a second parameter if `profile`; of no family, if they are None.
    """
    over_lanes = _sum_over_lanes()
    plain = (None, None) if profile else (density, score)
    both = (density, score) if profile else (None, None)
    density, score = (twin(kernel or _no_kernel) for kernel in plain)
    profile_density, profile_score = twin(both[0] or no_density), twin(both[1] or _no_score)

    @device_function
    def first_of(start):  # type: ignore[no-untyped-def]
        """First row at or behind `start` that is this lane's: its number modulo 32."""
        return start + ((cuda.threadIdx.x - start) & (LANES - 1))

    @device_function
    def total(values, start, stop):  # type: ignore[no-untyped-def]
        own = values[first_of(start) : stop : LANES]
        result = 0.0
        for k in range(own.size):
            result += own[k]
        return over_lanes(result)

    @device_function
    def total_squares(values, start, stop):  # type: ignore[no-untyped-def]
        own = values[first_of(start) : stop : LANES]
        result = 0.0
        for k in range(own.size):
            result += own[k] * own[k]
        return over_lanes(result)

    @device_function
    def gaussian_sums(x, y, start, stop):  # type: ignore[no-untyped-def]
        begin = first_of(start)
        own_x, own_y = x[begin:stop:LANES], y[begin:stop:LANES]
        squares, products = 0.0, 0.0
        for k in range(own_x.size):
            squares += own_x[k] * own_x[k] + own_y[k] * own_y[k]
            products += own_x[k] * own_y[k]
        return over_lanes(squares), over_lanes(products)

    @device_function
    def call_density(_, start, stop, x, y, theta, out):  # type: ignore[no-untyped-def]
        k = first_of(start)
        density(x[k:stop:LANES], y[k:stop:LANES], theta, out[k:stop:LANES])

    @device_function
    def call_profile_density(_, start, stop, x, y, term_x, term_y, theta, second, constant, out):  # type: ignore[no-untyped-def]
        k = first_of(start)
        x, y, own = x[k:stop:LANES], y[k:stop:LANES], out[k:stop:LANES]
        term_x, term_y = term_x[k:stop:LANES], term_y[k:stop:LANES]
        profile_density(x, y, term_x, term_y, theta, second, constant, own)

    @device_function
    def call_profile_score(_, start, stop, x, y, theta, second, out):  # type: ignore[no-untyped-def]
        k = first_of(start)
        profile_score(x[k:stop:LANES], y[k:stop:LANES], theta, second, out[k:stop:LANES])

    @device_function
    def score_sums(search, theta):  # type: ignore[no-untyped-def]
        gradient, information, x, y = 0.0, 0.0, search.x, search.y
        for part in range(2):
            start = search.stop if part else search.start - search.start
            stop = x.size if part else search.start
            if start < stop:
                k = first_of(start)
                own = search.work[k:stop:LANES]
                if search.method == PROFILE:
                    profile_score(x[k:stop:LANES], y[k:stop:LANES], theta, search.second, own)
                else:
                    score(x[k:stop:LANES], y[k:stop:LANES], theta, own)
                for r in range(own.size):
                    gradient += own[r]
                    information += own[r] * own[r]
        return over_lanes(gradient), over_lanes(information)

    return {
        "total": total,
        "total_squares": total_squares,
        "gaussian_sums": gaussian_sums,
        "score_sums": score_sums,
        "call_density": call_density,
        "call_profile_density": call_profile_density,
        "call_profile_score": call_profile_score,
    }


def _no_kernel(x, y, theta, out):  # type: ignore[no-untyped-def]
    """Stand where no family has one parameter."""


def no_density(x, y, term_x, term_y, theta, second, constant, out):  # type: ignore[no-untyped-def]
    """Stand where no family has a second parameter."""


def _no_score(x, y, theta, second, out):  # type: ignore[no-untyped-def]
    """Stand where no family has a second parameter."""


def by_number(kernels: Sequence[Any]) -> Any:
    """Compile a function that calls the kernel whose number it is given."""

    @device_function
    def nothing(which, x, y, theta, out):  # type: ignore[no-untyped-def]
        pass

    def before(first: Any, rest: Any) -> Any:
        @device_function
        def call(which, x, y, theta, out):  # type: ignore[no-untyped-def]
            if which == 0:
                first(x, y, theta, out)
            else:
                rest(which - 1, x, y, theta, out)

        return call

    chain = nothing
    for kernel in reversed(kernels):
        chain = before(twin(kernel), chain)
    return chain


def _sum_over_lanes() -> Callable[[float], float]:
    """Compile the sum of 32 numbers, one per lane: ((0 + 16) + (8 + 24)) + … in every lane."""
    if not simulated():

        @device_function
        def exchanged(value):  # type: ignore[no-untyped-def]
            cuda.syncwarp()  # also makes writes of other lanes visible
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16)
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 8)
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 4)
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 2)
            value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 1)
            return value

        return exchanged

    @device_function
    def shared(value):  # type: ignore[no-untyped-def]
        # The simulator cannot exchange registers; the order of additions is the same.
        room = cuda.shared.array(LANES, "float64")
        lane = cuda.threadIdx.x
        cuda.syncthreads()
        room[lane] = value
        cuda.syncthreads()
        step = LANES // 2
        while step:
            if lane < step:
                room[lane] += room[lane + step]
            cuda.syncthreads()
            step //= 2
        return room[0]

    return shared


def send(arrays: Any) -> Any:
    """Copy the arrays of a tuple to the GPU; other members stay what they are."""
    moved = [
        cuda.to_device(np.ascontiguousarray(a)) if isinstance(a, np.ndarray) else a for a in arrays
    ]
    return type(arrays)(*moved) if hasattr(arrays, "_fields") else moved


class Sent:
    """The last tuple that was sent; the same one is not sent again."""

    def __init__(self) -> None:
        self._last: tuple[Any, Any] | None = None

    def __call__(self, arrays: Any) -> Any:
        """Give the arrays on the GPU."""
        if self._last is None or self._last[0] is not arrays:
            self._last = arrays, send(arrays)
        return self._last[1]
