"""The smallest cuts of a weighted graph, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel
from spinney._core.pairs import to_matrix
from spinney.forests.inputs import read_count, read_matrix

MOST_CUTS = 100_000
TIED = 1e-12
"""Relative difference of weights that tie."""

HUGE = 2.0**990
"""Sums of weights below this stay within the range of doubles; those above do when shrunk."""
SHRINK = 2.0**-33
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Cuts:
    """Cuts in increasing weight.

    Attributes
    ----------
    weights : array of shape (n_cuts,)
        Sum of the edge weights across each cut; infinite if no double is large enough.
    sides : bool array of shape (n_cuts, d)
        True for the nodes that are cut off from node 0.
    """

    weights: Floats
    sides: Bools


def smallest_cuts(W: ArrayLike, k: int) -> Cuts:
    r"""List the `k` smallest cuts in increasing weight.

    Sums that are equal on paper differ by rounding, in a way that depends on the order of the
    nodes. So cuts whose weights differ by less than a relative :math:`10^{-12}` *tie*: the smallest
    cut and what ties with it are one group, so are the smallest of the others and what ties with
    it, and so on.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    k : int
        How many; fewer are returned if the graph has only ``2 ** (d - 1) - 1`` cuts. Where the
        k-th cut ties with the next, which of them is listed depends on the order of the nodes.

    Returns
    -------
    Cuts
        Ties are in the order of their words: 1 for a node that stays with node 0, else 0.

    Raises
    ------
    InputError
        If a weight or `k` is out of its range.

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
    pairs, d = read_matrix(W, log=False, as_log=False)
    k = read_count(k, "k", least=0, most=MOST_CUTS)
    if d == 1 or k == 0:
        return Cuts(np.empty(0), np.empty((0, d), dtype=np.bool_))
    w, unit = to_matrix(pairs[0]), 1.0
    if w.max() >= HUGE:
        w, unit = w * SHRINK, SHRINK
    found = list(islice(_rising_cuts(w), k))
    weights, words = np.array([weight for weight, _ in found]), np.array([x for _, x in found])
    rising = np.argsort(weights, kind="stable")
    chosen = rising[np.lexsort((*words[rising].T[::-1], _number_groups(weights[rising])))]
    with np.errstate(over="ignore"):
        return Cuts(weights[chosen] / unit, ~words[chosen])


def _rounding(d: int) -> float:
    """Bound the relative error of a flow in a graph of `d` nodes."""
    return 4.0 * EPSILON * d * d


def _number_groups(rising: Floats) -> Ints:
    """Give each weight the place of the first one that it ties with: the number of its group.

    Examples
    --------
    >>> _number_groups(np.array([1.0, 1.0 + 1e-14, 2.0]))
    array([0, 0, 2])
    """
    groups = np.zeros(len(rising), dtype=np.int64)
    begin = 0
    while begin < len(rising):
        end = int(np.searchsorted(rising, rising[begin] * (1.0 + TIED), side="right"))
        groups[begin:end] = begin
        begin = end
    return groups


def _rising_cuts(w: Floats) -> Iterator[tuple[float, Bools]]:
    """Yield all cuts by weight, up to rounding: the weight, and which nodes stay with node 0.

    Such a *word* has a letter for each node. Words are split by prefixes, and the best word of each
    prefix is a minimum cut with the prefix's nodes merged into source and sink. Taking the best
    word of all and splitting its prefix at each place after gives the next candidates. A candidate
    whose lower bound is too large is never solved.
    """
    heap: list[tuple[float, bool, bytes, int]] = []  # weight or bound, whether solved, word, prefix
    word, start = np.ones(len(w), dtype=np.bool_), 1  # no cut, but splitting it gives all of them
    while True:
        for j, bound in enumerate(_bounds(w, word)[start:], start):
            turned = np.append(word[: j + 1], np.zeros(len(w) - j - 1, dtype=np.bool_))
            turned[j] ^= True
            heappush(heap, (float(bound), False, turned.tobytes(), j + 1))
        while heap:
            weight, solved, letters, start = heappop(heap)
            word = np.frombuffer(letters, dtype=np.bool_).copy()
            if solved:
                yield weight, word
                break
            _complete(w, word, start)
            weight = fsum(w[word][:, ~word].flat)
            heappush(heap, (weight, True, word.tobytes(), start))
        else:
            return


def _bounds(w: Floats, word: Bools) -> Floats:
    """Bound the cuts that share a word's first j letters, but not the next, from below, for all j.

    Given nodes are on their sides; each other node pays at least the smaller of its links to them.
    """
    here, there = w * word[:, None], w * ~word[:, None]
    nothing = np.zeros((1, len(w)))
    to_source = np.cumsum(np.concatenate([nothing, here[:-1]]), axis=0)  # from the nodes before j
    to_sink = np.cumsum(np.concatenate([nothing, there[:-1]]), axis=0)
    source, sink = np.diag(to_source), np.diag(to_sink)
    across = np.cumsum(np.append(0.0, np.where(word, sink, source)[:-1]))
    others = np.triu(np.minimum(to_source + there, to_sink + here), 1).sum(axis=1)
    bounds = across + np.where(word, source, sink) + others
    return np.asarray(bounds * (1.0 - _rounding(len(w))))


@kernel
def _complete(w: Floats, word: Bools, given: int) -> None:
    """Complete `word` after its first `given` letters to a minimum cut, in place.

    Flow from the source (True) to the sink (False) is raised along shortest ways (Edmonds and
    Karp). Of all minimum cuts it is the one with fewest nodes on the source's side.
    """
    size = len(word) - given
    source, sink = size, size + 1
    room = np.zeros((size + 2, size + 2))
    room[:size, :size] = w[given:, given:]
    for v in range(size):
        for u in range(given):
            if word[u]:
                room[source, v] += w[u, given + v]
            else:
                room[v, sink] += w[u, given + v]
        straight = min(room[source, v], room[v, sink])
        room[source, v] -= straight
        room[v, sink] -= straight
    before = np.empty(size + 2, dtype=np.int64)
    queue = np.empty(size + 2, dtype=np.int64)
    while True:
        before[:] = -1
        before[source], queue[0] = source, source
        head, count = 0, 1
        while head < count and before[sink] < 0:
            u = queue[head]
            head += 1
            for v in range(size + 2):
                if before[v] < 0 and room[u, v] > 0.0:
                    before[v] = u
                    queue[count] = v
                    count += 1
        if before[sink] < 0:
            break
        amount, v = np.inf, sink
        while v != source:
            amount = min(amount, room[before[v], v])
            v = before[v]
        v = sink
        while v != source:
            room[before[v], v] -= amount
            room[v, before[v]] += amount
            v = before[v]
    word[given:] = before[:size] >= 0
