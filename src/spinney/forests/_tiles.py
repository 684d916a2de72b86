"""Vectors of a few lanes for numba: one lane per sample, one register per number.

A *cell* is ``LANES`` doubles, as many as fit a register of the processor (eight with AVX-512, four
with AVX2, two with NEON): the same number of that many networks side by side. A cell lives in row i
of a C-contiguous float64 array of shape (n_cells, LANES); inside a kernel it is a value of type
``Lanes``. Plain inner loops over the lanes would say the same, but LLVM then guards every loop
against overlapping arrays and spills the sums.

A *tile* is ``ROWS`` x 4 cells, as many sums as the registers hold beside the factors: a block of
4 x 4 cells, or half of one. No operation here mixes lanes, and a sum is taken in the same order
whatever the tile: results depend on neither.

The docstring of each operation gives its meaning as a plain loop, ``for l in range(LANES)``, with r
below ``ROWS`` and c below 4. None checks an index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

from spinney._core.processor import lanes as count_lanes
from spinney._core.processor import tile_rows

LANES = count_lanes()
ROWS = tile_rows()

operation: Any = intrinsic  # `Any`: numba says nothing of what a kernel sees


DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_TILE = ir.LiteralStructType([DOUBLES] * (4 * ROWS))
_WORDS = ir.VectorType(ir.IntType(64), LANES)


class Lanes(types.Type):
    """Numba's name for a cell held in a register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class Tile(types.Type):
    """Numba's name for ``ROWS`` x 4 cells, held in as many registers."""

    def __init__(self) -> None:
        super().__init__(name="Tile")


lanes = Lanes()
tile = Tile()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, DOUBLES)  # type: ignore[no-untyped-call]


@register_model(Tile)
class _TileModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _TILE)  # type: ignore[no-untyped-call]


def _constant(value: float) -> ir.Constant:
    return ir.Constant(DOUBLES, [value] * LANES)


def _words(value: int) -> ir.Constant:
    return ir.Constant(_WORDS, [value] * LANES)


def _splat(builder: Any, value: Any) -> Any:
    single = builder.insert_element(
        ir.Constant(DOUBLES, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, ir.Constant(DOUBLES, ir.Undefined), zeros)


def cell_pointer(context: Any, builder: Any, array_type: Any, array: Any, i: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    offset = builder.mul(i, ir.Constant(i.type, LANES))
    return builder.bitcast(builder.gep(data, [offset]), DOUBLES.as_pointer())


def cell_position(*arrays: Any) -> Any:
    """Return the type of an index; refuse arrays whose cells do not lie one after another."""
    for array in arrays:
        if array.layout != "C" or array.dtype != types.float64 or array.ndim != 2:
            raise TypingError(f"cells must be a C-contiguous float64 array, not {array}")
    return types.intp


def _arithmetic(emit: Callable[..., Any], arity: int) -> Any:
    """Make an operation on `arity` cells out of the instruction that `emit` writes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *args)

    def one(typingctx: Any, a: Any) -> Any:
        return lanes(lanes), codegen

    def two(typingctx: Any, a: Any, b: Any) -> Any:
        return lanes(lanes, lanes), codegen

    def three(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
        return lanes(lanes, lanes, lanes), codegen

    return operation((one, two, three)[arity - 1])


@operation
def load(typingctx: Any, cells: Any, i: Any) -> Any:
    """Read a cell: ``out[l] = cells[i, l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = cell_pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(pointer, align=8)

    return lanes(cells, cell_position(cells)), codegen


@operation
def store(typingctx: Any, cells: Any, i: Any, value: Any) -> Any:
    """Write a cell: ``cells[i, l] = value[l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = cell_pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(cells, cell_position(cells), lanes), codegen


@operation
def broadcast(typingctx: Any, value: Any) -> Any:
    """Repeat a number: ``out[l] = value``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return lanes(types.float64), codegen


def _step(i: Any, count: int, step: Any, builder: Any) -> Any:
    return builder.add(i, builder.mul(step, ir.Constant(i.type, count)))


def _tile_pointers(context: Any, builder: Any, cells_type: Any, args: Any) -> list[Any]:
    """Point to the cells of a tile, row by row; `args` begin with cells, i, down, across."""
    cells, i, down, across = args[:4]
    places = [
        _step(_step(i, r, down, builder), c, across, builder) for r in range(ROWS) for c in range(4)
    ]
    return [cell_pointer(context, builder, cells_type, cells, place) for place in places]


@operation
def zero_tile(typingctx: Any) -> Any:
    """Start a tile: ``out[r, c] = 0``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_TILE, [_constant(0.0)] * (4 * ROWS))

    return tile(), codegen


@operation
def load_tile(typingctx: Any, cells: Any, i: Any, down: Any, across: Any) -> Any:
    """Read a tile: ``out[r, c] = cells[i + r * down + c * across]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(_TILE, ir.Undefined)
        for k, pointer in enumerate(_tile_pointers(context, builder, signature.args[0], args)):
            value = builder.insert_value(value, builder.load(pointer, align=8), k)
        return value

    position = cell_position(cells)
    return tile(cells, position, position, position), codegen


@operation
def store_tile(typingctx: Any, cells: Any, i: Any, down: Any, across: Any, value: Any) -> Any:
    """Write a tile: ``cells[i + r * down + c * across] = value[r, c]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for k, pointer in enumerate(_tile_pointers(context, builder, signature.args[0], args)):
            builder.store(builder.extract_value(args[4], k), pointer, align=8)
        return context.get_dummy_value()

    position = cell_position(cells)
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
        for r in range(ROWS):
            place = _step(i, r, one, builder)
            pointer = cell_pointer(context, builder, signature.args[1], left, place)
            rows.append(builder.load(pointer, align=8))
        for c in range(4):
            place = _step(j, c, across, builder)
            pointer = cell_pointer(context, builder, signature.args[3], right, place)
            factor = builder.load(pointer, align=8)
            for r in range(ROWS):
                total = builder.extract_value(value, 4 * r + c)
                total = _emit_fused(builder, rows[r], factor, total)
                value = builder.insert_value(value, total, 4 * r + c)
        return value

    position = cell_position(left, right)
    return tile(tile, left, position, right, position, position), codegen


@operation
def add_row_sums(typingctx: Any, cells: Any, i: Any, value: Any) -> Any:
    """Add the sums of a tile's rows: ``cells[i + r] += sum over c of value[r, c]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cells, i, value = args
        for r in range(ROWS):
            a, b, c, d = (builder.extract_value(value, 4 * r + k) for k in range(4))
            own = builder.fadd(builder.fadd(a, b), builder.fadd(c, d))
            place = _step(i, r, ir.Constant(i.type, 1), builder)
            pointer = cell_pointer(context, builder, signature.args[0], cells, place)
            builder.store(builder.fadd(builder.load(pointer, align=8), own), pointer, align=8)
        return context.get_dummy_value()

    return types.void(cells, cell_position(cells), tile), codegen


add = _arithmetic(lambda builder, a, b: builder.fadd(a, b), 2)
"""``out[l] = a[l] + b[l]``"""

multiply = _arithmetic(lambda builder, a, b: builder.fmul(a, b), 2)
"""``out[l] = a[l] * b[l]``"""


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
        builder.select(builder.icmp_unsigned(">", left, right), left, right), DOUBLES
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
        builder.select(builder.icmp_unsigned("<", left, right), left, right), DOUBLES
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
    return builder.bitcast(builder.or_(bits, _words(0x3FF0000000000000)), DOUBLES)


mantissa = _arithmetic(_emit_mantissa, 1)
"""``out[l] = a[l] / 2 ** octave(a)[l]``, in [1, 2), for normal positive numbers"""


def _emit_octave(builder: Any, a: Any) -> Any:
    bits = builder.lshr(builder.bitcast(a, _WORDS), _words(52))
    return builder.sitofp(builder.sub(bits, _words(1023)), DOUBLES)


octave = _arithmetic(_emit_octave, 1)
"""``out[l] = floor(log2(a[l]))``, for normal positive numbers"""


AHEAD = 512
"""Bytes between what is read of a row and what is asked for."""


def _row_pointer(
    context: Any, builder: Any, table_type: Any, table: Any, row: Any, column: Any
) -> Any:
    array = context.make_array(table_type)(context, builder, table)
    width = builder.extract_value(array.shape, 1)
    start = builder.add(builder.mul(row, width), column)
    return builder.bitcast(builder.gep(array.data, [start]), DOUBLES.as_pointer())


@operation
def load_row(typingctx: Any, table: Any, row: Any, column: Any) -> Any:
    """Read neighbours in a row: ``out[l] = table[row, column + l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _row_pointer(context, builder, signature.args[0], *args)
        _fetch_ahead(builder, pointer)
        return builder.load(pointer, align=8)

    position = cell_position(table)
    return lanes(table, position, position), codegen


@operation
def store_row(typingctx: Any, table: Any, row: Any, column: Any, value: Any) -> Any:
    """Write neighbours in a row: ``table[row, column + l] = value[l]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _row_pointer(context, builder, signature.args[0], *args[:3])
        builder.store(args[3], pointer, align=8)
        return context.get_dummy_value()

    position = cell_position(table)
    return types.void(table, position, position, lanes), codegen


def _fetch_ahead(builder: Any, pointer: Any) -> None:
    """Ask for what will be read from a row a little later, whether or not it is still the row.

    Rows of several samples are read at once, and each goes on to the next page of memory after 512
    numbers: too many streams, and too short ones, for processors to see them coming.
    """
    byte = ir.IntType(8).as_pointer()
    number, kind = ir.IntType(32), ir.FunctionType(ir.VoidType(), [byte] + [ir.IntType(32)] * 3)
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
    ahead = builder.gep(builder.bitcast(pointer, byte), [ir.Constant(ir.IntType(64), AHEAD)])
    # To read, to be kept in all caches, data.
    builder.call(prefetch, [ahead, *(ir.Constant(number, k) for k in (0, 3, 1))])


def _turn_over(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose a square of numbers, by swaps of blocks of one, two and four."""
    indices = range(LANES)
    mask = ir.VectorType(ir.IntType(32), LANES)
    half = 1
    while half < LANES:
        keep = ir.Constant(mask, [i if not i & half else i - half + LANES for i in indices])
        swap = ir.Constant(mask, [i + half if not i & half else i + LANES for i in indices])
        for k in indices:
            if not k & half:
                a, b = rows[k], rows[k + half]
                rows[k] = builder.shuffle_vector(a, b, keep)
                rows[k + half] = builder.shuffle_vector(a, b, swap)
        half *= 2
    return rows


def _store_square(
    context: Any, builder: Any, out_type: Any, out: Any, i: Any, rows: list[Any]
) -> None:
    for k, row in enumerate(rows):
        place = builder.add(i, ir.Constant(i.type, k))
        pointer = cell_pointer(context, builder, out_type, out, place)
        builder.store(row, pointer, align=8)


@operation
def transpose_rows(
    typingctx: Any, table: Any, first: Any, step: Any, column: Any, out: Any, i: Any
) -> Any:
    """Turn a few rows of a table into cells.

    ``for c in range(LANES): out[i + c, l] = table[first + min(l, step), column + c]``, where `step`
    is the number of rows that there really are, less one: the last row fills the lanes left over.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table, first_row, last, column, out, i = args
        rows = []
        for lane in range(LANES):
            this = ir.Constant(last.type, lane)
            lane_row = builder.select(builder.icmp_signed("<", this, last), this, last)
            row = builder.add(first_row, lane_row)
            pointer = _row_pointer(context, builder, signature.args[0], table, row, column)
            _fetch_ahead(builder, pointer)
            rows.append(builder.load(pointer, align=8))
        rows = _turn_over(builder, rows)
        _store_square(context, builder, signature.args[4], out, i, rows)
        return context.get_dummy_value()

    position = cell_position(table, out)
    return types.void(table, position, position, position, out, position), codegen


@operation
def transpose_cells(typingctx: Any, cells: Any, slots: Any, e: Any, out: Any, i: Any) -> Any:
    """Turn a few cells into rows, one per lane.

    ``for k in range(LANES): out[i + k, l] = cells[slots[e + l], k]``
    """
    if not isinstance(slots, types.Array) or slots.dtype != types.int64 or slots.layout != "C":
        raise TypingError(f"slots must be a C-contiguous int64 array, not {slots}")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cells, slots, e, out, i = args
        numbers = context.make_array(signature.args[1])(context, builder, slots).data
        rows = []
        for k in range(LANES):
            number = builder.load(builder.gep(numbers, [builder.add(e, ir.Constant(e.type, k))]))
            pointer = cell_pointer(context, builder, signature.args[0], cells, number)
            rows.append(builder.load(pointer, align=8))
        rows = _turn_over(builder, rows)
        _store_square(context, builder, signature.args[3], out, i, rows)
        return context.get_dummy_value()

    position = cell_position(cells, out)
    return types.void(cells, slots, position, out, position), codegen
