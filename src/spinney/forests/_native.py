"""What threads need to work together inside kernels, where the interpreter cannot help them.

Operations that happen all at once, for any thread that looks on; a pause for the one that waits;
and calls of a kernel by its address with arguments that another thread has left in memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.np import arrayobj

from spinney.forests._tiles import LANES, operation

__all__ = ["call_kept", "exchange", "keep", "look", "pause", "take_turn", "tell"]

populate_array: Any = arrayobj.populate_array  # numba has no types for a checker

_WORD = ir.IntType(64)


def _word_pointer(context: Any, builder: Any, array_type: Any, array: Any, i: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [i])


def _check_words(words: Any) -> None:
    if words != types.int64[::1]:
        raise TypingError(f"words must be a C-contiguous int64 array, not {words}")


@operation
def take_turn(typingctx: Any, turn: Any) -> Any:
    """Count a turn: ``out = turn[0]; turn[0] += 1``."""
    _check_words(turn)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _word_pointer(context, builder, turn, args[0], ir.Constant(_WORD, 0))
        return builder.atomic_rmw("add", place, ir.Constant(_WORD, 1), "seq_cst")

    return types.int64(turn), codegen


@operation
def look(typingctx: Any, words: Any, i: Any) -> Any:
    """Read what others may write: ``out = words[i]``, and all that they wrote before."""
    _check_words(words)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_word_pointer(context, builder, words, *args), "seq_cst", 8)

    return types.int64(words, types.int64), codegen


@operation
def tell(typingctx: Any, words: Any, i: Any, value: Any) -> Any:
    """Write what others may read: ``words[i] = value``, after all that was written before."""
    _check_words(words)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _word_pointer(context, builder, words, *args[:2])
        builder.store_atomic(args[2], place, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), codegen


@operation
def exchange(typingctx: Any, words: Any, i: Any, old: Any, new: Any) -> Any:
    """Change a word if it is what one thinks.

    ``out = words[i] == old; if out: words[i] = new``
    """
    _check_words(words)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _word_pointer(context, builder, words, *args[:2])
        found = builder.cmpxchg(place, args[2], args[3], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(words, types.int64, types.int64, types.int64), codegen


@operation
def pause(typingctx: Any) -> Any:
    """Do nothing for a moment, and leave the processor to others that share it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        triple, nothing = builder.module.triple, ir.VoidType()
        if triple.startswith(("x86", "i686")):
            kind = ir.FunctionType(nothing, [])
            wait = builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind)
            builder.call(wait, [])
        elif triple.startswith(("aarch64", "arm64")):
            kind = ir.FunctionType(nothing, [ir.IntType(32)])
            hint = builder.module.declare_intrinsic("llvm.aarch64.hint", (), kind)
            builder.call(hint, [ir.Constant(ir.IntType(32), 1)])  # "yield"
        return context.get_dummy_value()

    return types.void(), codegen


@operation
def keep(typingctx: Any, words: Any, value: Any) -> Any:
    """Leave a value of any type in the memory of `words`, for :func:`call_kept`; return its place.

    Arrays in it are kept as places and shapes: somebody must see to it that they live on.
    """
    _check_words(words)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _word_pointer(context, builder, words, args[0], ir.Constant(_WORD, 0))
        borrowed = _without_owner(context, builder, value, args[1])
        builder.store(borrowed, builder.bitcast(data, borrowed.type.as_pointer()), align=8)
        return builder.ptrtoint(data, _WORD)

    return types.int64(words, value), codegen


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Make every array in a value one that nobody counts the users of."""
    tuples: Any = types.BaseTuple
    if isinstance(kind, types.Array):
        for field in (0, 1):  # who owns the memory, to numba and to Python
            owner = ir.Constant(value.type.elements[field], None)
            value = builder.insert_value(value, owner, field)
    elif isinstance(kind, tuples):
        for k, part in enumerate(kind.types):
            inner = _without_owner(context, builder, part, builder.extract_value(value, k))
            value = builder.insert_value(value, inner, k)
    return value


@operation
def call_kept(
    typingctx: Any, address: Any, example: Any, place: Any, room: Any, n_cells: Any
) -> Any:
    """Call the kernel at an address with a kept value and with cells at another place.

    ``kernel(value, cells)``, where `example` is a type: that of the value.
    """
    if not isinstance(example, types.TypeRef):
        raise TypingError(f"example must be a type, not {example}")
    kind, cells_type = example.instance_type, types.Array(types.float64, 2, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address, _, place, room, n_cells = args
        pointer = builder.inttoptr(place, context.get_value_type(kind).as_pointer())
        value = builder.load(pointer, align=8)
        cells = context.make_array(cells_type)(context, builder)
        size = ir.Constant(_WORD, 8)
        populate_array(
            cells,
            data=builder.inttoptr(room, ir.DoubleType().as_pointer()),
            shape=[n_cells, ir.Constant(_WORD, LANES)],
            strides=[ir.Constant(_WORD, 8 * LANES), size],
            itemsize=size,
            meminfo=None,
        )
        convention = context.call_conv
        function = convention.get_function_type(types.none, (kind, cells_type))
        callee = builder.inttoptr(address, function.as_pointer())
        convention.call_function(
            builder, callee, types.none, (kind, cells_type), [value, cells._getvalue()]
        )
        return context.get_dummy_value()

    word = types.int64
    return types.void(word, example, word, word, word), codegen
