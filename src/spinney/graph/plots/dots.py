"""Names beside dots, where there is room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["HUBS", "Names", "place_names"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Names = dict[int, tuple[float, float, float]]

FONTS = (9.0, 6.5)
"""Font sizes of the names of hubs and of others."""
HUBS = 24
"""Number of hubs, which are always named."""
LEAST_HUB = 4
"""Fewest edges of a hub."""
CELL = 1.5
"""Width of a cell of the occupancy grid, in points."""
MOST_CROSSED = 0.12
"""Largest share of a name that lines may cross."""


def place_names(
    positions: Floats, sizes: Floats, ends: Ints, widths: Floats
) -> tuple[Names, Floats]:
    """Find room for names beside dots, those of hubs first.

    Hubs are named wherever their names cover least; others only where the name covers no dot, no
    name, and hardly a line. Nodes without an edge are not named.

    Parameters
    ----------
    positions, sizes : arrays of shape (d, 2)
        The dots.
    ends : int array of shape (m, 2)
        The edges.
    widths : array of shape (d,)
        Width of each name, in units of its font size.

    Returns
    -------
    names : dict
        Middle and font size of each name, by node.
    boxes : array of shape (k, 4)
        Left, lower, right and upper end of each.
    """
    room = _Room(positions, sizes, ends)
    degrees = np.bincount(ends.ravel(), minlength=len(positions))
    names: Names = {}
    boxes = []
    order = np.lexsort((np.arange(len(degrees)), -degrees))
    for rank, k in enumerate(order[degrees[order] > 0].tolist()):
        is_hub = rank < HUBS and degrees[k] >= LEAST_HUB
        font = FONTS[0] if is_hub else FONTS[1]
        size = np.array([widths[k] * font + 1.0, font])
        box = room.take(positions[k], sizes[k] / 2, size, forced=is_hub)
        if box is not None:
            names[k] = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, font
            boxes.append(box)
    return names, np.array(boxes).reshape(-1, 4)


class _Room:
    """A grid of the occupied cells of a picture: by dots and names, and by lines."""

    def __init__(self, positions: Floats, sizes: Floats, ends: Ints) -> None:
        self._low = positions.min(axis=0) - 200.0
        shape = np.ceil((positions.max(axis=0) + 200.0 - self._low) / CELL).astype(int)
        self._taken = np.zeros(shape, dtype=bool)
        self._lines = np.zeros(shape, dtype=bool)
        for at, size in zip(positions, sizes, strict=True):
            self._taken[self._cells([*(at - size / 2), *(at + size / 2)])] = True
        if len(ends):
            start, along = positions[ends[:, 0]], positions[ends[:, 1]] - positions[ends[:, 0]]
            steps = np.ceil(np.abs(along).max(axis=1) / CELL).astype(int) + 1
            line = np.repeat(np.arange(len(ends)), steps)
            place = np.arange(line.size) - np.repeat(np.cumsum(steps) - steps, steps)
            share = place / np.maximum(steps[line] - 1, 1)
            at = ((start[line] + share[:, None] * along[line] - self._low) / CELL).astype(int)
            self._lines[at[:, 0], at[:, 1]] = True

    def _cells(self, box: Sequence[float]) -> tuple[slice, slice]:
        left, lower, right, upper = box
        x, y = self._low
        return (
            slice(int((left - x) / CELL), int((right - x) / CELL) + 1),
            slice(int((lower - y) / CELL), int((upper - y) / CELL) + 1),
        )

    def take(
        self, at: Floats, half: Floats, size: Floats, *, forced: bool
    ) -> tuple[float, float, float, float] | None:
        """Find the best place for a name beside a dot and take it; None if there is none."""
        best, least = None, np.inf
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            # Beside or above the dot; slightly nearer at a corner.
            near = 0.75 if dx and dy else 1.0
            middle = at + (near * half + 1.2 + size / 2) * (dx, dy)
            left, lower = (middle - size / 2).tolist()
            box = left, lower, left + float(size[0]), lower + float(size[1])
            cells = self._cells(box)
            covered = float(self._taken[cells].mean())
            crossed = float(self._lines[cells].mean())
            if not forced and (covered > 0.0 or crossed > MOST_CROSSED):
                continue
            if covered + 0.3 * crossed < least:
                best, least = box, covered + 0.3 * crossed
        if best is not None:
            self._taken[self._cells(best)] = True
        return best
