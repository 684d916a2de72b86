"""How spinney compiles its kernels: one decorator, so that the options are chosen once.

Kernels are cached on disc, release the interpreter's lock (threads run them side by side) and
may fuse a multiplication with an addition, which only ever makes a rounding error smaller.
No other liberty of ``fastmath`` is taken: infinities are ordinary values here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["kernel"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` with numba on its first call; for type checkers it stays what it was."""
    compile_: Any = numba.njit(cache=True, nogil=True, fastmath={"contract"})
    compiled: F = compile_(function)
    return compiled
