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


@operation
def load_column(typingctx: Any, table: Any, first: Any, last: Any, column: Any) -> Any:
    """Read a column of a few rows: ``out[l] = table[min(first + l, last), column]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table, first, last, column = args
        array = context.make_array(signature.args[0])(context, builder, table)
        width = builder.extract_value(array.shape, 1)
        value = ir.Constant(DOUBLES, ir.Undefined)
        for lane in range(LANES):
            row = builder.add(first, ir.Constant(first.type, lane))
            row = builder.select(builder.icmp_signed("<", row, last), row, last)
            place = builder.add(builder.mul(row, width), column)
            number = builder.load(builder.gep(array.data, [place]))
            value = builder.insert_element(value, number, ir.Constant(ir.IntType(32), lane))
        return value

    position = cell_position(table)
    return lanes(table, position, position, position), codegen
