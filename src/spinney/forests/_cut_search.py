"""All cuts of a small dense graph in increasing weight, and ties in the order of their words.

A cut is a *word*: a letter for each node, True if it stays with node 0. Weights are rounded to
within :func:`slack` of what they are, so callers that need all cuts up to a weight ask for
that much more.
"""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel


@kernel
def slack(d: int) -> float:
    """Bound the relative error of a flow, or of a sum of weights, in a graph of `d` nodes."""
    return 4.0 * 2.220446049250313e-16 * d * d


@kernel
def _comes_before(i: int, j: int, weights: Floats, solved: Bools, words: Bools) -> bool:
    """Order candidates: by weight; bounds before solutions; then by word."""
    if weights[i] != weights[j]:
        return bool(weights[i] < weights[j])
    if solved[i] != solved[j]:
        return bool(solved[j])
    for v in range(words.shape[1]):
        if words[i, v] != words[j, v]:
            return bool(words[j, v])
    return i < j


@kernel
def _push(heap: Ints, size: int, item: int, weights: Floats, solved: Bools, words: Bools) -> None:
    place = size
    while place > 0:
        above = (place - 1) // 2
        if not _comes_before(item, heap[above], weights, solved, words):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


@kernel
def _pop(heap: Ints, size: int, weights: Floats, solved: Bools, words: Bools) -> int:
    first = heap[0]
    item = heap[size - 1]
    size -= 1
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and _comes_before(heap[below + 1], heap[below], weights, solved, words):
            below += 1
        if not _comes_before(heap[below], item, weights, solved, words):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = item
    return int(first)


@kernel
def cut_weight(w: Floats, word: Bools, nodes: Ints) -> float:
    """Add up the weights across a cut, from its smaller side; Kahan's sum. `nodes` is scratch."""
    d = len(word)
    n_true = 0
    for v in range(d):
        n_true += word[v]
    smaller = 2 * n_true <= d
    count, other = 0, d
    for v in range(d):
        if word[v] == smaller:
            nodes[count] = v
            count += 1
        else:
            other -= 1
            nodes[other] = v
    total, lost = 0.0, 0.0
    for i in range(count):
        row = w[nodes[i]]
        for j in range(other, d):
            more = row[nodes[j]] - lost
            longer = total + more
            lost = (longer - total) - more
            total = longer
    return total


@kernel
def number_groups(rising: Floats, tolerance: float) -> Ints:
    """Give each weight the place of the first one that it ties with: the number of its group.

    Examples
    --------
    >>> number_groups(np.array([1.0, 1.01, 2.0, 2.01, 2.05]), 0.02)
    array([0, 0, 2, 2, 4])
    """
    groups = np.empty(len(rising), dtype=np.int64)
    begin = 0
    for i in range(len(rising)):
        if rising[i] > rising[begin] * (1.0 + tolerance):
            begin = i
        groups[i] = begin
    return groups


@kernel
def enumerate_cuts(
    w: Floats, k: int, most: int, tolerance: float, stop: float
) -> tuple[Floats, Bools]:
    """List the `k` smallest cuts, and those that tie with the last of them, up to `most` in all.

    Words are split by prefixes, and the best word of each prefix is a minimum cut with the
    prefix's nodes merged into source and sink. Taking the best word of all and splitting its
    prefix at each place after gives the next candidates. A candidate whose cheap lower bound is
    too large is never solved. Cuts of weight `stop` or more are not listed.
    """
    d = w.shape[0]
    rounding = slack(d)
    room = 4 * d
    words = np.zeros((room, d), dtype=np.bool_)  # True: stays with node 0
    lengths = np.zeros(room, dtype=np.int64)  # how much of the word is given
    weights = np.zeros(room)  # of the best word, once solved; before, a lower bound
    solved = np.zeros(room, dtype=np.bool_)
    heap = np.zeros(room, dtype=np.int64)
    free = np.arange(room)[::-1].copy()  # places for candidates; a stack
    n_free, size = room, 0
    out_weights = np.empty(k + 1)
    out_words = np.empty((k + 1, d), dtype=np.bool_)
    to_source = np.zeros(d)
    to_sink = np.zeros(d)
    scratch_flow = np.zeros((d, d))
    scratch_nodes = np.zeros((3, d), dtype=np.int64)
    found = 0
    limit = np.inf
    word = np.ones(d, dtype=np.bool_)  # no cut itself, but splitting it gives all of them
    start = 1
    while True:
        # Split: keep the word up to j, turn j over, and leave the rest open.
        to_source[:] = 0.0
        to_sink[:] = 0.0
        across = 0.0
        for j in range(d):
            if j >= start:
                if n_free == 0:
                    words, lengths, weights, solved, heap, free, n_free = _grow(
                        words, lengths, weights, solved, heap
                    )
                n_free -= 1
                item = free[n_free]
                words[item, :j] = word[:j]
                words[item, j] = not word[j]
                lengths[item] = j + 1
                solved[item] = False
                bound = across + (to_source[j] if word[j] else to_sink[j])
                for v in range(j + 1, d):
                    a = to_source[v] + (0.0 if word[j] else w[j, v])
                    b = to_sink[v] + (w[j, v] if word[j] else 0.0)
                    bound += min(a, b)
                weights[item] = bound * (1.0 - rounding)  # rounding must not make it too large
                _push(heap, size, item, weights, solved, words)
                size += 1
            across += to_sink[j] if word[j] else to_source[j]
            for v in range(j + 1, d):
                if word[j]:
                    to_source[v] += w[j, v]
                else:
                    to_sink[v] += w[j, v]
        # Solve candidates until a solved one is on top.
        item = -1
        while size > 0:
            item = _pop(heap, size, weights, solved, words)
            size -= 1
            if solved[item]:
                break
            minimum_cut(
                w, words[item], lengths[item], to_source, to_sink, scratch_flow, scratch_nodes
            )
            weights[item] = cut_weight(w, words[item], scratch_nodes[0])
            solved[item] = True
            _push(heap, size, item, weights, solved, words)
            size += 1
            item = -1
        if item < 0 or weights[item] > limit or weights[item] >= stop:
            break
        if found == len(out_weights):
            out_weights = np.concatenate((out_weights, np.empty(found)))
            out_words = np.concatenate((out_words, np.empty((found, d), dtype=np.bool_)))
        out_weights[found] = weights[item]
        out_words[found] = words[item]
        found += 1
        if found == k:
            rising = np.sort(out_weights[:k])
            anchor = rising[number_groups(rising, tolerance)[k - 1]]
            limit = anchor * (1.0 + tolerance) * (1.0 + rounding)
        if found >= most:
            break
        word = words[item].copy()
        start = lengths[item]
        free[n_free] = item
        n_free += 1
    return out_weights[:found].copy(), out_words[:found].copy()


@kernel
def _grow(
    words: Bools, lengths: Ints, weights: Floats, solved: Bools, heap: Ints
) -> tuple[Bools, Ints, Floats, Bools, Ints, Ints, int]:
    """Double the room for candidates; the new half is free."""
    old = len(heap)
    free = np.zeros(2 * old, dtype=np.int64)
    free[:old] = np.arange(2 * old - 1, old - 1, -1)
    return (
        np.concatenate((words, np.zeros_like(words))),
        np.concatenate((lengths, np.zeros_like(lengths))),
        np.concatenate((weights, np.zeros_like(weights))),
        np.concatenate((solved, np.zeros_like(solved))),
        np.concatenate((heap, np.zeros_like(heap))),
        free,
        old,
    )


@kernel
def tied_words(w: Floats, lowest: float, highest: float, count: int) -> Bools:
    """List the first `count` words whose cuts weigh `lowest` to `highest`, in increasing order.

    Letter by letter, False first, and only into prefixes with a cut of weight `highest` or less. A
    word that completes a prefix serves for the longer prefix with its next letter as well, so that
    only turns away from it are solved.
    """
    d = w.shape[0]
    within = highest * (1.0 + slack(d))
    out = np.empty((count, d), dtype=np.bool_)
    found = 0
    word = np.ones(d, dtype=np.bool_)
    tried = np.zeros(d + 1, dtype=np.int64)  # letters tried at each place
    completions = np.ones((d + 1, d), dtype=np.bool_)
    is_cut = np.zeros(d + 1, dtype=np.bool_)  # whether a prefix turns anywhere, so has completions
    to_source = np.zeros(d)
    to_sink = np.zeros(d)
    scratch_flow = np.zeros((d, d))
    scratch_nodes = np.zeros((3, d), dtype=np.int64)
    j = 1
    while j > 0 and found < count:
        if j == d:
            weight = cut_weight(w, word, scratch_nodes[0])
            if is_cut[d] and lowest <= weight <= highest:
                out[found] = word
                found += 1
            j -= 1
            continue
        if tried[j] == 2:
            tried[j] = 0
            j -= 1
            continue
        letter = tried[j] == 1
        word[j] = letter
        tried[j] += 1
        is_cut[j + 1] = is_cut[j] or not letter
        possible = True
        if is_cut[j] and completions[j, j] == letter:
            completions[j + 1] = completions[j]
        elif is_cut[j + 1]:
            completions[j + 1] = word
            minimum_cut(
                w, completions[j + 1], j + 1, to_source, to_sink, scratch_flow, scratch_nodes
            )
            possible = cut_weight(w, completions[j + 1], scratch_nodes[0]) <= within
        if possible:
            j += 1
    return out[:found].copy()


@kernel
def _levels(from_source: Floats, flow_room: Floats, first: int, level: Ints, queue: Ints) -> int:
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
    word: Bools,
    first: int,
    from_source: Floats,
    into_sink: Floats,
    flow_room: Floats,
    scratch: Ints,
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
