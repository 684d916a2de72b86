"""A minimum cut between two merged sets of nodes of a small dense graph (Dinic's algorithm)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel

__all__ = ["minimum_cut"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def _levels(
    from_source: Floats, flow_room: Floats, first: int, level: Integers, queue: Integers
) -> int:
    """Find the distance of the open nodes from the source; -1: out of reach."""
    d = len(level)
    count = 0
    for v in range(first, d):
        level[v] = -1
        if from_source[v] > 0.0:
            level[v] = 0
            queue[count] = v
            count += 1
    head = 0
    while head < count:
        u = queue[head]
        head += 1
        for v in range(first, d):
            if level[v] < 0 and flow_room[u, v] > 0.0:
                level[v] = level[u] + 1
                queue[count] = v
                count += 1
    return count


@kernel
def minimum_cut(
    w: Floats,
    word: NDArray[np.bool_],
    first: int,
    from_source: Floats,
    into_sink: Floats,
    flow_room: Floats,
    scratch: Integers,
) -> None:
    """Complete `word` after its first `first` letters to a minimum cut.

    Given nodes are merged into the source (True) and the sink (False). Of all minimum cuts it is
    the one with fewest nodes on the source's side; that is the smallest word, too, unless rounding
    has left a trace of room where there should be none.
    The last four arguments are scratch: two of shape (d,), (d, d) and (3, d).
    """
    d = len(word)
    level, queue, arc = scratch[0], scratch[1], scratch[2]
    for v in range(first, d):
        a, b = 0.0, 0.0
        for u in range(first):
            if word[u]:
                a += w[u, v]
            else:
                b += w[u, v]
        straight = min(a, b)  # source - v - sink
        from_source[v] = a - straight
        into_sink[v] = b - straight
        for u in range(first, d):
            flow_room[u, v] = w[u, v]
        flow_room[v, v] = 0.0
    while True:
        reached = _levels(from_source, flow_room, first, level, queue)
        open_way = False
        for i in range(reached):
            open_way |= into_sink[queue[i]] > 0.0
        if not open_way:
            break
        for v in range(first, d):
            arc[v] = first
        for root in range(first, d):
            while from_source[root] > 0.0:
                # Walk along rising levels, back off at dead ends, until the sink is near.
                depth = 0
                queue[0] = root
                while depth >= 0 and into_sink[queue[depth]] <= 0.0:
                    u = queue[depth]
                    while arc[u] < d and not (
                        flow_room[u, arc[u]] > 0.0 and level[arc[u]] == level[u] + 1
                    ):
                        arc[u] += 1
                    if arc[u] < d:
                        depth += 1
                        queue[depth] = arc[u]
                    else:
                        level[u] = -2
                        depth -= 1
                        if depth >= 0:
                            arc[queue[depth]] += 1
                if depth < 0:
                    break
                amount = min(from_source[root], into_sink[queue[depth]])
                for i in range(depth):
                    amount = min(amount, flow_room[queue[i], queue[i + 1]])
                from_source[root] -= amount
                into_sink[queue[depth]] -= amount
                for i in range(depth):
                    flow_room[queue[i], queue[i + 1]] -= amount
                    flow_room[queue[i + 1], queue[i]] += amount
    for v in range(first, d):
        word[v] = level[v] >= 0
