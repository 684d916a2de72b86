"""Squares of numbers turned over, for numba: where rows of a table become lanes, and lanes rows.

A table has a row per sample and numbers of one sample side by side; cells (see
:mod:`spinney.forests._tiles`) have numbers of several samples side by side.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError

from spinney.forests._tiles import DOUBLES, LANES, cell_pointer, cell_position, lanes, operation

AHEAD = 512
"""Bytes between what is read of a row and what is asked for."""

__all__ = ["load_row", "store_row", "transpose_cells", "transpose_rows"]


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
