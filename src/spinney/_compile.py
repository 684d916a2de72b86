"""How spinney compiles its kernels: one decorator, so that the options are chosen once.

Kernels are cached on disc, release the interpreter's lock (threads run them side by side), divide
as numpy does (a check for zero would keep loops from becoming vector code) and may fuse a
multiplication with an addition, which rounds once instead of twice. No other liberty of
``fastmath`` is taken: infinities are ordinary values here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

__all__ = ["kernel", "reduction"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` with numba on its first call; for type checkers it stays what it was."""
    compile_: Any = numba.njit(
        cache=True, nogil=True, error_model="numpy", fastmath={"contract"}
    )
    compiled: F = compile_(function)
    return compiled


def reduction(function: F) -> F:
    """Compile a sum whose order of additions does not matter, so that it becomes vector code."""
    compile_: Any = numba.njit(
        cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"}
    )
    compiled: F = compile_(function)
    return compiled
