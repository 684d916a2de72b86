"""Calls of kernels by address: how the batch fit reaches the families, whichever there are.

A kernel that names the kernels of all families would have to be changed for each new one, and
would be compiled again with all of them. Instead the addresses of the families' machine code stand
in a table, and a call takes the address as its first argument. Numbers of arguments and their
types are fixed here; :func:`spinney._core.compile.address_of` compiles for these types only.
"""

from __future__ import annotations

from functools import cache
from inspect import Parameter, Signature
from typing import Any

from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from spinney._core.compile import address_of
from spinney.pairs.copulas.batch import Batch, Kernel

populate_array: Any = arrayobj.populate_array  # numba has no types for a checker

_ARRAY, _NUMBER = types.float64[::1], types.float64
_PLAIN = (_ARRAY, _ARRAY, _NUMBER, _ARRAY)
_PROFILE_DENSITY = (_ARRAY, _ARRAY, _ARRAY, _ARRAY, _NUMBER, _NUMBER, _NUMBER, _ARRAY)
_PROFILE_SCORE = (_ARRAY, _ARRAY, _NUMBER, _NUMBER, _ARRAY)
_STRIP = (_ARRAY, _ARRAY, types.int64[::1], _NUMBER, _NUMBER, _ARRAY, _ARRAY)
_CELLS = (_ARRAY, _ARRAY, _ARRAY, _ARRAY, _NUMBER, _NUMBER, _ARRAY)


def kernel_address(batch: Batch, name: str) -> int:
    """Address of one of a family's kernels, by its name in the batch; zero if it has none."""
    kinds = {
        "density": _PROFILE_DENSITY if batch.profile else _PLAIN,
        "score": _PROFILE_SCORE if batch.profile else _PLAIN,
        "strip": _STRIP,
        "cells": _CELLS,
    }
    return _address(getattr(batch, name), kinds[name])


@cache
def _address(function: Kernel | None, argument_types: tuple[Any, ...]) -> int:
    return (
        0 if function is None else address_of(getattr(function, "kernel", function), argument_types)
    )


def _caller(kinds: tuple[Any, ...], *, ranged: bool = False) -> Any:
    """Make the call of a kernel whose arguments are of some numba types.

    It takes the kernel's address and arguments; if `ranged`, between them the first sample and the
    one behind the last, to which arrays are cut.
    """
    n_leading = 3 if ranged else 1

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        # As numba calls a kernel, but for where it finds it.
        arguments = list(values[n_leading:])
        for k, kind in enumerate(kinds):
            if ranged and kind is _ARRAY:
                arguments[k] = _cut(context, builder, arguments[k], *values[1:3])
        convention = context.call_conv
        function_type = convention.get_function_type(types.none, kinds)
        callee = builder.inttoptr(values[0], function_type.as_pointer())
        status, _ = convention.call_function(builder, callee, types.none, kinds, arguments)
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    def call(typing_context: Any, *arguments: Any) -> Any:
        return types.none(*[types.int64] * n_leading, *kinds), generate

    names = ["typing_context", *(f"argument_{k}" for k in range(n_leading + len(kinds)))]
    own: Any = call
    own.__signature__ = Signature([Parameter(k, Parameter.POSITIONAL_OR_KEYWORD) for k in names])
    return intrinsic(own)


def _cut(context: Any, builder: Any, value: Any, start: Any, stop: Any) -> Any:
    """Return ``array[start:stop]`` as an array whose memory the caller keeps alive.

    References to it are not counted: atomic counts would take noticeable time with few samples.
    """
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


call_density: Any = _caller(_PLAIN, ranged=True)
call_score: Any = call_density
call_profile_density: Any = _caller(_PROFILE_DENSITY, ranged=True)
call_profile_score: Any = _caller(_PROFILE_SCORE, ranged=True)
call_strip: Any = _caller(_STRIP)
call_cells: Any = _caller(_CELLS)
