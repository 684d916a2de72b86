"""Calls of kernels by address: how the batch fit reaches the families, whichever there are.

A kernel that names the kernels of all families would have to be changed for each new one, and
would be compiled again with all of them. Instead the addresses of the families' machine code stand
in a table, and a call takes the address as its first argument. Numbers of arguments and their
types are fixed here; :func:`spinney._core.compile.address_of` compiles for these types only.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from spinney._core.compile import address_of
from spinney.pairs.copulas.batch import PROFILE, Batch, Kernel

__all__ = [
    "call_cells",
    "call_density",
    "call_profile_density",
    "call_profile_score",
    "call_score",
    "call_strip",
    "cells_address",
    "density_address",
    "score_address",
    "strip_address",
]

populate_array: Any = arrayobj.populate_array  # numba has no types for a checker

_ARRAY, _NUMBER = types.float64[::1], types.float64
_PLAIN = (_ARRAY, _ARRAY, _NUMBER, _ARRAY)
_PROFILE_DENSITY = (_ARRAY, _ARRAY, _ARRAY, _ARRAY, _NUMBER, _NUMBER, _NUMBER, _ARRAY)
_PROFILE_SCORE = (_ARRAY, _ARRAY, _NUMBER, _NUMBER, _ARRAY)
_STRIP = (_ARRAY, _ARRAY, types.int64[::1], _NUMBER, _NUMBER, _ARRAY, _ARRAY)
_CELLS = (_ARRAY, _ARRAY, _ARRAY, _ARRAY, _NUMBER, _NUMBER, _ARRAY)


def density_address(batch: Batch) -> int:
    """Address of a family's log-density; zero if it has none."""
    return _address(batch.density, _PROFILE_DENSITY if batch.method == PROFILE else _PLAIN)


def score_address(batch: Batch) -> int:
    """Address of a family's score; zero if it has none."""
    return _address(batch.score, _PROFILE_SCORE if batch.method == PROFILE else _PLAIN)


def strip_address(batch: Batch) -> int:
    """Address of a family's log-probabilities of levels given a number; zero if it has none."""
    return _address(batch.strip, _STRIP)


def cells_address(batch: Batch) -> int:
    """Address of a family's log-probabilities of pairs of levels; zero if it has none."""
    return _address(batch.cells, _CELLS)


@cache
def _address(function: Kernel | None, argument_types: tuple[Any, ...]) -> int:
    return 0 if function is None else address_of(function, argument_types)


def _by_address(argument_types: tuple[Any, ...]) -> Any:
    """Signature and code of a call on a range of samples: address, start, stop, arguments.

    As numba calls a kernel, but for where it finds it, and arrays are cut here, without counting
    references to them: those counts are atomic and would be felt with few samples.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, start, stop, *arguments = values
        for k, kind in enumerate(argument_types):
            if kind is _ARRAY:
                arguments[k] = _cut(context, builder, arguments[k], start, stop)
        return _jump(context, builder, address, argument_types, arguments)

    return types.none(types.int64, types.int64, types.int64, *argument_types), generate


def _whole_by_address(argument_types: tuple[Any, ...]) -> Any:
    """Signature and code of a call with arrays as they are: address, arguments."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, *arguments = values
        return _jump(context, builder, address, argument_types, arguments)

    return types.none(types.int64, *argument_types), generate


def _jump(
    context: Any, builder: Any, address: Any, argument_types: tuple[Any, ...], arguments: Any
) -> Any:
    """Code of a call of a kernel that returns nothing and stands at an address."""
    convention = context.call_conv
    function_type = convention.get_function_type(types.none, argument_types)
    callee = builder.inttoptr(address, function_type.as_pointer())
    status, _ = convention.call_function(builder, callee, types.none, argument_types, arguments)
    with builder.if_then(status.is_error, likely=False):
        convention.return_status_propagate(builder, status)
    return context.get_dummy_value()


def _cut(context: Any, builder: Any, value: Any, start: Any, stop: Any) -> Any:
    """Return ``array[start:stop]`` as an array that somebody else keeps alive."""
    make = context.make_array(_ARRAY)
    whole, part = make(context, builder, value), make(context, builder)
    populate_array(
        part,
        data=builder.gep(whole.data, [start]),
        shape=[builder.sub(stop, start)],
        strides=[whole.itemsize],
        itemsize=whole.itemsize,
        meminfo=None,
    )
    return part._getvalue()


def _call_plain(
    typing_context: Any,
    address: Any,
    start: Any,
    stop: Any,
    x: Any,
    y: Any,
    theta: Any,
    out: Any,
) -> Any:
    return _by_address(_PLAIN)


def _call_profile_density(
    typing_context: Any,
    address: Any,
    start: Any,
    stop: Any,
    x: Any,
    y: Any,
    term_x: Any,
    term_y: Any,
    theta: Any,
    second: Any,
    constant: Any,
    out: Any,
) -> Any:
    return _by_address(_PROFILE_DENSITY)


def _call_profile_score(
    typing_context: Any,
    address: Any,
    start: Any,
    stop: Any,
    x: Any,
    y: Any,
    theta: Any,
    second: Any,
    out: Any,
) -> Any:
    return _by_address(_PROFILE_SCORE)


def _call_strip(
    typing_context: Any,
    address: Any,
    x: Any,
    thresholds: Any,
    codes: Any,
    theta: Any,
    second: Any,
    table: Any,
    out: Any,
) -> Any:
    return _whole_by_address(_STRIP)


def _call_cells(
    typing_context: Any,
    address: Any,
    a: Any,
    b: Any,
    x: Any,
    y: Any,
    theta: Any,
    second: Any,
    out: Any,
) -> Any:
    return _whole_by_address(_CELLS)


# Called with an address, a range of samples and the kernel's arguments, which a type checker
# cannot see.
call_density: Any = intrinsic(_call_plain)
call_score: Any = call_density
call_profile_density: Any = intrinsic(_call_profile_density)
call_profile_score: Any = intrinsic(_call_profile_score)
# Called with an address and the kernel's arguments.
call_strip: Any = intrinsic(_call_strip)
call_cells: Any = intrinsic(_call_cells)
