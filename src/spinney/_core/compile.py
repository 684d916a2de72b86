"""How spinney compiles its kernels: four decorators, so that the options are chosen once.

Kernels are cached on disc, release the interpreter's lock (threads run them side by side), divide
as numpy does (a check for zero would keep loops from becoming vector code) and may fuse a
multiplication with an addition, which rounds once instead of twice. No other liberty of
``fastmath`` is taken, but that sums may be reordered where :func:`reduction` says so: infinities
are ordinary values here.

Numba's cache looks only at the file that a kernel stands in. After a change to a kernel that others
call from another file, delete their ``__pycache__``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from spinney._core.processor import lanes, native_lanes

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` with numba on its first call; for type checkers it stays what it was."""
    return _compile(function, {"contract"})


def reduction(function: F) -> F:
    """Compile a sum whose order of additions does not matter, so that it becomes vector code."""
    return _compile(function, {"contract", "reassoc"})


def inlined(function: F) -> F:
    """Compile a part of a kernel that is to become one with every kernel that calls it.

    Small problems would otherwise spend a tenth of their time on handing arrays around.
    """
    return _compile(function, {"contract"}, forceinline=True)


def merged(function: F) -> F:
    """Compile a step of one long kernel with that kernel, not by itself.

    It runs no faster than a kernel, but a third of the time that compiling takes is saved: numba
    optimises everything below a kernel again for each one that calls it.
    """
    return _compile(function, {"contract"}, inline="always")


def _compile(function: F, fastmath: set[str], **more: Any) -> F:
    # Code for a forced number of lanes is not kept: numba could not tell it from the native one.
    kept = lanes() == native_lanes()
    options = {"nogil": True, "error_model": "numpy", "fastmath": fastmath, **more}
    compiled: F = numba.njit(cache=kept, **options)(function)
    return compiled


class _Memory:
    """The memory of an array, offered to numpy as if one might write to it."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        address = array.__array_interface__["data"][0]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
        self.owner = array


def as_writeable(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """View an array that may be read-only as one that is not; for kernels that only read it.

    Numba compiles again, for ten seconds, when an argument is read-only, as memory-mapped tables
    are. An empty array has no memory and is copied.

    Examples
    --------
    >>> table = np.ones(3)
    >>> table.flags.writeable = False
    >>> view = as_writeable(table)
    >>> view.flags.writeable, np.shares_memory(view, table)
    (True, True)
    """
    if array.flags.writeable:
        return array
    return np.asarray(_Memory(array)) if array.size else array.copy()
