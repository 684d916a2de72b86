"""What threads need to work together inside kernels: operations that happen all at once."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from spinney.forests._tiles import operation

__all__ = ["take_turn"]


@operation
def take_turn(typingctx: Any, turn: Any) -> Any:
    """Count a turn: ``out = turn[0]; turn[0] += 1``, for one thread at a time."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(turn), codegen
