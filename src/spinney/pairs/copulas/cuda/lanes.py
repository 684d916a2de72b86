"""What 32 lanes do together: sums over rows, and a family's formulas on their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from spinney.pairs.copulas.batch import PROFILE
from spinney.scale.gpu.device import cuda_module, device_function, simulated, twin

__all__ = ["LANES", "Primitives", "by_number", "no_density", "primitives"]

cuda: Any = cuda_module()  # by this name the simulator finds it

LANES = 32
"""Threads that work on one pair: a warp, which needs no barrier to add up."""


class Primitives(NamedTuple):
    """The functions in which the search on the GPU differs from that on the processor.

    Names and arguments are those of :mod:`spinney.pairs.copulas._call` and
    :mod:`spinney.pairs.copulas._search`, but that nothing is called by its address.
    """

    total: Any
    total_squares: Any
    gaussian_sums: Any
    score_sums: Any
    call_density: Any
    call_profile_density: Any
    call_profile_score: Any


def primitives(
    density: Any | None, score: Any | None, profile_density: Any | None, profile_score: Any | None
) -> Primitives:
    """Compile what lanes do with the kernels of one family; of no family, if all are None.

    Parameters
    ----------
    density, score : kernels, optional
        Those of a family with one parameter.
    profile_density, profile_score : kernels, optional
        Those of the family with a second parameter.
    """
    over_lanes = _sum_over_lanes()
    density, score = twin(density or _no_kernel), twin(score or _no_kernel)
    profile_density = twin(profile_density or no_density)
    profile_score = twin(profile_score or _no_score)

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
        profile_density(
            x[k:stop:LANES],
            y[k:stop:LANES],
            term_x[k:stop:LANES],
            term_y[k:stop:LANES],
            theta,
            second,
            constant,
            out[k:stop:LANES],
        )

    @device_function
    def call_profile_score(_, start, stop, x, y, theta, second, out):  # type: ignore[no-untyped-def]
        k = first_of(start)
        profile_score(x[k:stop:LANES], y[k:stop:LANES], theta, second, out[k:stop:LANES])

    @device_function
    def score_sums(method, _, x, y, second, theta, skip_start, skip_stop, work):  # type: ignore[no-untyped-def]
        gradient, information = 0.0, 0.0
        for part in range(2):
            start = skip_stop if part else skip_start - skip_start
            stop = x.size if part else skip_start
            if start < stop:
                k = first_of(start)
                own = work[k:stop:LANES]
                if method == PROFILE:
                    profile_score(x[k:stop:LANES], y[k:stop:LANES], theta, second, own)
                else:
                    score(x[k:stop:LANES], y[k:stop:LANES], theta, own)
                for r in range(own.size):
                    gradient += own[r]
                    information += own[r] * own[r]
        return over_lanes(gradient), over_lanes(information)

    return Primitives(
        total,
        total_squares,
        gaussian_sums,
        score_sums,
        call_density,
        call_profile_density,
        call_profile_score,
    )


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
