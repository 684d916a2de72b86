"""The smallest cuts of a weighted graph, one after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._compile import kernel
from spinney._pairs import to_matrix
from spinney.exceptions import InputError
from spinney.forests._input import read_matrices
from spinney.forests._maxflow import minimum_cut

__all__ = ["Cuts", "smallest_cuts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

MOST_CUTS = 1_000_000


@dataclass(frozen=True)
class Cuts:
    """Cuts in increasing weight.

    Attributes
    ----------
    weights : array of shape (n_cuts,)
        Sum of the edge weights across each cut.
    sides : bool array of shape (n_cuts, d)
        True for the nodes that are cut off from node 0.
    """

    weights: Floats
    sides: Booleans


def smallest_cuts(W: ArrayLike, k: int) -> Cuts:
    """List the `k` smallest cuts in increasing weight.

    Every cut is a 0/1 word: which nodes stay with node 0. The words are split by prefixes, and
    the best word of each prefix is a minimum cut with the prefix's nodes merged into source and
    sink. Taking the best word of all and splitting its prefix at each place after gives the
    next candidates. A candidate whose cheap lower bound is too large is never solved.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    k : int
        How many; fewer are returned if the graph has only ``2 ** (d - 1) - 1`` cuts.

    Returns
    -------
    Cuts
        Among cuts of equal weight, the first is the one whose word (1: stays with node 0) is
        the smaller as a binary number.

    References
    ----------
    .. [1] V. V. Vazirani and M. Yannakakis (1992). Suboptimal cuts: their enumeration, weight
       and number. ICALP, LNCS 623.

    Examples
    --------
    >>> cuts = smallest_cuts([[0, 3, 1], [3, 0, 1], [1, 1, 0]], k=2)
    >>> cuts.weights, cuts.sides.astype(int).tolist()
    (array([2., 4.]), [[0, 0, 1], [0, 1, 1]])
    """
    pairs, shape, d = read_matrices(W, log=False, as_log=False)
    if shape:
        raise InputError("Cuts are listed for one matrix at a time; loop over the stack.")
    if not 0 <= k <= MOST_CUTS:
        raise InputError(f"k must be between 0 and {MOST_CUTS}; it is {k}.")
    if d == 1 or k == 0:
        return Cuts(np.empty(0), np.empty((0, d), dtype=np.bool_))
    largest = pairs.max(initial=0.0)
    scale = 2.0 ** np.floor(np.log2(largest)) if largest > 0 else 1.0  # exact, and no overflow
    most = min(k, 2 ** (d - 1) - 1) if d < 60 else k
    weights, together = _enumerate_cuts(to_matrix(pairs[0] / scale), most)
    return Cuts(weights * scale, ~together)


@kernel
def _comes_before(i: int, j: int, weights: Floats, solved: Booleans, words: Booleans) -> bool:
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
def _push(
    heap: Integers, size: int, item: int, weights: Floats, solved: Booleans, words: Booleans
) -> None:
    place = size
    while place > 0:
        above = (place - 1) // 2
        if not _comes_before(item, heap[above], weights, solved, words):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


@kernel
def _pop(heap: Integers, size: int, weights: Floats, solved: Booleans, words: Booleans) -> int:
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
def _cut_weight(w: Floats, word: Booleans) -> float:
    total = 0.0
    for u in range(len(word)):
        for v in range(u + 1, len(word)):
            if word[u] != word[v]:
                total += w[u, v]
    return total


@kernel
def _enumerate_cuts(w: Floats, k: int) -> tuple[Floats, Booleans]:
    d = w.shape[0]
    room = 4 * d
    words = np.zeros((room, d), dtype=np.bool_)  # True: stays with node 0
    lengths = np.zeros(room, dtype=np.int64)  # how much of the word is given
    weights = np.zeros(room)  # of the best word, once solved; before, a lower bound
    solved = np.zeros(room, dtype=np.bool_)
    heap = np.zeros(room, dtype=np.int64)
    free = np.arange(room)[::-1].copy()  # places for candidates; a stack
    n_free, size = room, 0
    out_weights = np.empty(k)
    out_words = np.empty((k, d), dtype=np.bool_)
    to_source = np.zeros(d)
    to_sink = np.zeros(d)
    scratch_flow = np.zeros((d, d))
    scratch_nodes = np.zeros((3, d), dtype=np.int64)
    found = 0
    word = np.ones(d, dtype=np.bool_)  # no cut itself, but splitting it gives all of them
    start = 1
    while found < k:
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
                weights[item] = bound * (1.0 - 1e-13)  # rounding must not make it too large
                _push(heap, size, item, weights, solved, words)
                size += 1
            across += to_sink[j] if word[j] else to_source[j]
            for v in range(j + 1, d):
                if word[j]:
                    to_source[v] += w[j, v]
                else:
                    to_sink[v] += w[j, v]
        # Solve candidates until a solved one is on top.
        while True:
            item = _pop(heap, size, weights, solved, words)
            size -= 1
            if solved[item]:
                break
            minimum_cut(
                w, words[item], lengths[item], to_source, to_sink, scratch_flow, scratch_nodes
            )
            weights[item] = _cut_weight(w, words[item])
            solved[item] = True
            _push(heap, size, item, weights, solved, words)
            size += 1
        out_weights[found] = weights[item]
        out_words[found] = words[item]
        word = words[item].copy()
        start = lengths[item]
        free[n_free] = item
        n_free += 1
        found += 1
    return out_weights, out_words


@kernel
def _grow(
    words: Booleans, lengths: Integers, weights: Floats, solved: Booleans, heap: Integers
) -> tuple[Booleans, Integers, Floats, Booleans, Integers, Integers, int]:
    """Double the room for candidates; the new half is free."""
    old, d = words.shape
    new_words = np.zeros((2 * old, d), dtype=np.bool_)
    new_words[:old] = words
    new_lengths = np.zeros(2 * old, dtype=np.int64)
    new_lengths[:old] = lengths
    new_weights = np.zeros(2 * old)
    new_weights[:old] = weights
    new_solved = np.zeros(2 * old, dtype=np.bool_)
    new_solved[:old] = solved
    new_heap = np.zeros(2 * old, dtype=np.int64)
    new_heap[:old] = heap
    free = np.zeros(2 * old, dtype=np.int64)
    for i in range(old):
        free[i] = 2 * old - 1 - i
    return new_words, new_lengths, new_weights, new_solved, new_heap, free, old
