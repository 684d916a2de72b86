"""Vectors of eight lanes for numba: one lane per sample, one register per number.

A *cell* is eight doubles: the same number of eight networks side by side. A cell lives in row i
of a C-contiguous float64 array of shape (n_cells, 8); inside a kernel it is a value of type
``Lanes``, which LLVM keeps in one 512-bit register (or in two or four smaller ones where the
processor has no such thing; the results are the same). Plain inner loops over the lanes would
say the same, but LLVM then guards every loop against overlapping arrays and spills the sums.

Each operation stands below with its meaning as a plain loop, ``for l in range(8)``.
None checks an index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
    "add",
    "add_outer",
    "broadcast",
    "divide",
    "fused",
    "highest_bits",
    "load",
    "load_tile",
    "lowest_bits",
    "mantissa",
    "multiply",
    "octave",
    "reciprocal_or_zero",
    "row_sum",
    "smallest",
    "store",
    "store_tile",
    "subtract",
    "transpose_rows",
    "zero_tile",
]

LANES = 8

operation: Any = intrinsic  # `Any`: numba says nothing of what a kernel sees


_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_TILE = ir.LiteralStructType([_DOUBLES] * 16)
_WORDS = ir.VectorType(ir.IntType(64), LANES)


class Lanes(types.Type):
    """Numba's name for a cell held in a register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class Tile(types.Type):
    """Numba's name for 4 x 4 cells held in sixteen registers."""

    def __init__(self) -> None:
        super().__init__(name="Tile")


lanes = Lanes()
tile = Tile()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _DOUBLES)  # type: ignore[no-untyped-call]


@register_model(Tile)
class _TileModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _TILE)  # type: ignore[no-untyped-call]


def _constant(value: float) -> ir.Constant:
    return ir.Constant(_DOUBLES, [value] * LANES)


def _words(value: int) -> ir.Constant:
    return ir.Constant(_WORDS, [value] * LANES)


def _splat(builder: Any, value: Any) -> Any:
    single = builder.insert_element(
        ir.Constant(_DOUBLES, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(_DOUBLES, ir.Undefined), zeros)


def _cell_pointer(context: Any, builder: Any, array_type: Any, array: Any, i: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    offset = builder.mul(i, ir.Constant(i.type, LANES))
    return builder.bitcast(builder.gep(data, [offset]), _DOUBLES.as_pointer())


def _position(*arrays: Any) -> Any:
    """Return the type of an index; refuse arrays whose cells do not lie one after another."""
    for array in arrays:
        if array.layout != "C" or array.dtype != types.float64 or array.ndim != 2:
            raise TypingError(f"cells must be a C-contiguous float64 array, not {array}")
    return types.intp


def _arithmetic(emit: Callable[..., Any], arity: int) -> Any:
    """Make an operation on `arity` cells out of the instruction that `emit` writes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *args)

    if arity == 1:

        @operation
        def one(typingctx: Any, a: Any) -> Any:
            return lanes(lanes), codegen

        return one
    if arity == 2:

        @operation
        def two(typingctx: Any, a: Any, b: Any) -> Any:
            return lanes(lanes, lanes), codegen

        return two

    @operation
    def three(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        return lanes(lanes, lanes, lanes), codegen

    return three


@operation
def load(typingctx: Any, cells: Any, i: Any) -> Any:
    """Read a cell: ``out[l] = cells[i, l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _cell_pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(pointer, align=8)

    return lanes(cells, _position(cells)), codegen


@operation
def store(typingctx: Any, cells: Any, i: Any, value: Any) -> Any:
    """Write a cell: ``cells[i, l] = value[l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _cell_pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(cells, _position(cells), lanes), codegen


@operation
def broadcast(typingctx: Any, value: Any) -> Any:
    """Repeat a number: ``out[l] = value``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return lanes(types.float64), codegen


def _step(i: Any, count: int, step: Any, builder: Any) -> Any:
    return builder.add(i, builder.mul(step, ir.Constant(i.type, count)))


@operation
def zero_tile(typingctx: Any) -> Any:
    """Start a tile: ``out[r, c] = 0``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_TILE, [_constant(0.0)] * 16)

    return tile(), codegen


@operation
def load_tile(typingctx: Any, cells: Any, i: Any, down: Any, across: Any) -> Any:
    """Read a tile: ``out[r, c] = cells[i + r * down + c * across]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(_TILE, ir.Undefined)
        for r in range(4):
            for c in range(4):
                place = _step(_step(args[1], r, args[2], builder), c, args[3], builder)
                pointer = _cell_pointer(context, builder, signature.args[0], args[0], place)
                value = builder.insert_value(value, builder.load(pointer, align=8), 4 * r + c)
        return value

    position = _position(cells)
    return tile(cells, position, position, position), codegen


@operation
def store_tile(typingctx: Any, cells: Any, i: Any, down: Any, across: Any, value: Any) -> Any:
    """Write a tile: ``cells[i + r * down + c * across] = value[r, c]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for r in range(4):
            for c in range(4):
                place = _step(_step(args[1], r, args[2], builder), c, args[3], builder)
                pointer = _cell_pointer(context, builder, signature.args[0], args[0], place)
                builder.store(builder.extract_value(args[4], 4 * r + c), pointer, align=8)
        return context.get_dummy_value()

    position = _position(cells)
    return types.void(cells, position, position, position, tile), codegen


@operation
def add_outer(
    typingctx: Any, value: Any, left: Any, i: Any, right: Any, j: Any, across: Any
) -> Any:
    """Add an outer product: ``out[r, c] = value[r, c] + left[i + r] * right[j + c * across]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, left, i, right, j, across = args
        one = ir.Constant(i.type, 1)
        rows = []
        for r in range(4):
            place = _step(i, r, one, builder)
            pointer = _cell_pointer(context, builder, signature.args[1], left, place)
            rows.append(builder.load(pointer, align=8))
        for c in range(4):
            place = _step(j, c, across, builder)
            pointer = _cell_pointer(context, builder, signature.args[3], right, place)
            factor = builder.load(pointer, align=8)
            for r in range(4):
                total = builder.extract_value(value, 4 * r + c)
                total = _emit_fused(builder, rows[r], factor, total)
                value = builder.insert_value(value, total, 4 * r + c)
        return value

    position = _position(left, right)
    return tile(tile, left, position, right, position, position), codegen


@operation
def row_sum(typingctx: Any, value: Any, r: Any) -> Any:
    """Sum a row of a tile: ``out = sum over c of value[r, c]``; `r` is a literal."""
    if not isinstance(r, types.IntegerLiteral):
        return None
    row = r.literal_value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = [builder.extract_value(args[0], 4 * row + c) for c in range(4)]
        return builder.fadd(builder.fadd(parts[0], parts[1]), builder.fadd(parts[2], parts[3]))

    return lanes(tile, r), codegen


add = _arithmetic(lambda builder, a, b: builder.fadd(a, b), 2)
"""``out[l] = a[l] + b[l]``"""

subtract = _arithmetic(lambda builder, a, b: builder.fsub(a, b), 2)
"""``out[l] = a[l] - b[l]``"""

multiply = _arithmetic(lambda builder, a, b: builder.fmul(a, b), 2)
"""``out[l] = a[l] * b[l]``"""

divide = _arithmetic(lambda builder, a, b: builder.fdiv(a, b), 2)
"""``out[l] = a[l] / b[l]``"""


def _emit_fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    # Contraction is allowed rather than demanded: without the instruction a library call per
    # lane would follow.
    return builder.fadd(builder.fmul(a, b, flags=("contract",)), c, flags=("contract",))


fused = _arithmetic(_emit_fused, 3)
"""``out[l] = a[l] * b[l] + c[l]``, rounded once where the processor can"""


def _emit_smallest(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


smallest = _arithmetic(_emit_smallest, 2)
"""``out[l] = a[l] if a[l] < b[l] else b[l]``"""


def _emit_highest_bits(builder: Any, a: Any, b: Any) -> Any:
    left, right = builder.bitcast(a, _WORDS), builder.bitcast(b, _WORDS)
    return builder.bitcast(
        builder.select(builder.icmp_unsigned(">", left, right), left, right), _DOUBLES
    )


highest_bits = _arithmetic(_emit_highest_bits, 2)
"""``out[l] = max(a[l], b[l])`` of the bit patterns as unsigned integers

For finite numbers that are not negative this is the larger one; infinity, NaN and anything with a
minus sign win over all of them, in this order.
"""


def _emit_lowest_bits(builder: Any, a: Any, b: Any) -> Any:
    # Less one, zero becomes the largest integer of all and so never wins.
    left, right = builder.bitcast(a, _WORDS), builder.sub(builder.bitcast(b, _WORDS), _words(1))
    return builder.bitcast(
        builder.select(builder.icmp_unsigned("<", left, right), left, right), _DOUBLES
    )


lowest_bits = _arithmetic(_emit_lowest_bits, 2)
"""``out[l] = min(a[l], b[l] less one)`` of the bit patterns as unsigned integers

Folded over numbers that are not negative, from infinity on, this ends one unit in the last place
below the smallest that is not zero.
"""


def _emit_reciprocal(builder: Any, a: Any) -> Any:
    present = builder.fcmp_ordered("!=", a, _constant(0.0))
    safe = builder.select(present, a, _constant(1.0))
    return builder.select(present, builder.fdiv(_constant(1.0), safe), _constant(0.0))


reciprocal_or_zero = _arithmetic(_emit_reciprocal, 1)
"""``out[l] = 1 / a[l] if a[l] != 0 else 0``"""


def _emit_mantissa(builder: Any, a: Any) -> Any:
    bits = builder.and_(builder.bitcast(a, _WORDS), _words(0x000FFFFFFFFFFFFF))
    return builder.bitcast(builder.or_(bits, _words(0x3FF0000000000000)), _DOUBLES)


mantissa = _arithmetic(_emit_mantissa, 1)
"""``out[l] = a[l] / 2 ** octave(a)[l]``, in [1, 2), for normal positive numbers"""


def _emit_octave(builder: Any, a: Any) -> Any:
    bits = builder.lshr(builder.bitcast(a, _WORDS), _words(52))
    return builder.sitofp(builder.sub(bits, _words(1023)), _DOUBLES)


octave = _arithmetic(_emit_octave, 1)
"""``out[l] = floor(log2(a[l]))``, for normal positive numbers"""


def _interleave(builder: Any, a: Any, b: Any, indices: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices)
    return builder.shuffle_vector(a, b, mask)


@operation
def transpose_rows(
    typingctx: Any, table: Any, first: Any, step: Any, column: Any, out: Any, i: Any
) -> Any:
    """Turn eight rows of a table into eight cells.

    ``for c in range(8): out[i + c, l] = table[first + min(l, step) , column + c]``, where `step`
    is the number of rows that there really are, less one: the last row fills the lanes left over.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table_type, out_type = signature.args[0], signature.args[4]
        source = context.make_array(table_type)(context, builder, args[0])
        width = builder.extract_value(source.shape, 1)
        _, first_row, last, first_column, target, cell = args
        rows = []
        for lane in range(LANES):
            this = ir.Constant(last.type, lane)
            lane_row = builder.select(builder.icmp_signed("<", this, last), this, last)
            row = builder.add(first_row, lane_row)
            start = builder.add(builder.mul(row, width), first_column)
            pointer = builder.bitcast(builder.gep(source.data, [start]), _DOUBLES.as_pointer())
            rows.append(builder.load(pointer, align=8))
        # Three rounds of swaps, of blocks of one, two and four.
        for half in (1, 2, 4):
            low = [k for k in range(LANES) if not k & half]
            for k in low:
                a, b = rows[k], rows[k + half]
                keep = [i if not i & half else i - half + LANES for i in range(LANES)]
                swap = [i + half if not i & half else i + LANES for i in range(LANES)]
                rows[k] = _interleave(builder, a, b, keep)
                rows[k + half] = _interleave(builder, a, b, swap)
        for column in range(LANES):
            place = builder.add(cell, ir.Constant(cell.type, column))
            pointer = _cell_pointer(context, builder, out_type, target, place)
            builder.store(rows[column], pointer, align=8)
        return context.get_dummy_value()

    position = _position(table, out)
    return types.void(table, position, position, position, out, position), codegen
