"""The smallest cuts of a weighted graph, one after another."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.forests._cut_search import cut_weight, enumerate_cuts, number_groups, slack, tied_words
from spinney.forests._input import read_count, read_matrix

TIES = ("first", "all", "none")
MOST_CUTS = 1_000_000

HUGE = 2.0**990
"""Sums of weights below this stay within the range of doubles; those above do when shrunk."""
SHRINK = 2.0**-33


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


def smallest_cuts(W: ArrayLike, k: int, *, ties: str = "first", tolerance: float = 1e-12) -> Cuts:
    r"""List the `k` smallest cuts in increasing weight.

    Sums that are equal on paper differ by rounding, in a way that depends on the order of the
    nodes. So cuts *tie* if they weigh the same within `tolerance`: the smallest cut, and all of
    weight at most :math:`1 + t` times its own, are one group; so are the smallest of the others and
    what ties with it; and so on.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    k : int
        How many; fewer are returned if the graph has only ``2 ** (d - 1) - 1`` cuts.
    ties : {"first", "all", "none"}
        What to do if the k-th cut ties with the next. Write each cut as a word, 1 for a node that
        stays with node 0. "first" takes those of the group whose words are the smallest as binary
        numbers: k cuts, but which they are depends on the order of the nodes. "all" takes the whole
        group, "none" leaves all of it out: more or fewer than k cuts, and the same ones if the
        nodes are relabelled.
    tolerance : float
        Relative difference :math:`t` of weights that still tie, at least zero and below one.

    Returns
    -------
    Cuts
        Ties are in the order of their words.

    Raises
    ------
    InputError
        If a weight or a number is out of its range, or more than a million cuts tie.

    Notes
    -----
    Weights may be any doubles; those whose sums are not are shrunk first.

    References
    ----------
    .. [1] V. V. Vazirani and M. Yannakakis (1992). Suboptimal cuts: their enumeration, weight
       and number. ICALP, LNCS 623.

    Examples
    --------
    >>> cuts = smallest_cuts([[0, 3, 1], [3, 0, 1], [1, 1, 0]], k=2)
    >>> cuts.weights, cuts.sides.astype(int).tolist()
    (array([2., 4.]), [[0, 0, 1], [0, 1, 1]])

    The last two of the three cuts tie:

    >>> cuts = smallest_cuts([[0, 3, 1], [3, 0, 1], [1, 1, 0]], k=2, ties="all")
    >>> cuts.weights, cuts.sides.astype(int).tolist()
    (array([2., 4., 4.]), [[0, 0, 1], [0, 1, 1], [0, 1, 0]])
    """
    pairs, d = read_matrix(W, log=False, as_log=False)
    k = read_count(k, "k", least=0, most=MOST_CUTS)
    if ties not in TIES:
        raise InputError(f"ties must be one of {', '.join(TIES)}; it is {ties!r}.")
    if not isinstance(tolerance, Real) or not 0 <= tolerance < 1:
        raise InputError(f"tolerance must be at least 0 and less than 1; it is {tolerance!r}.")
    if d == 1 or k == 0:
        return Cuts(np.empty(0), np.empty((0, d), dtype=np.bool_))
    w, t = to_matrix(pairs[0]), float(tolerance)
    if w.max() < HUGE:
        weights, words = _search(w, k, ties, t, np.inf)
        return Cuts(weights, ~words)
    # Cuts without a huge edge are found directly. If there are too few, the others are found in a
    # smaller unit, in which tiny edges may vanish without effect.
    weights, words = _search(np.minimum(w, HUGE), k, ties, t, HUGE)
    if len(weights) < k:
        far_weights, far_words = _search(w * SHRINK, k, ties, t, np.inf)
        far = far_weights >= HUGE * SHRINK
        with np.errstate(over="ignore"):
            weights = np.concatenate([weights, far_weights[far] / SHRINK])
        words = np.concatenate([words, far_words[far]])
    return Cuts(weights, ~words)


def _search(w: Floats, k: int, ties: str, tolerance: float, stop: float) -> tuple[Floats, Bools]:
    """List the smallest cuts that weigh less than `stop`, in order; ties by rule."""
    most = MOST_CUTS + 1 if ties == "all" else k + 1
    weights, words = enumerate_cuts(w, k, most, tolerance, stop)
    rising = np.argsort(weights, kind="stable")
    weights, words = weights[rising], words[rising]
    groups = number_groups(weights, tolerance)
    chosen = slice(None)
    if len(weights) > k:
        last = groups[k - 1]
        if ties == "all":
            if len(weights) > MOST_CUTS and groups[-1] == last:
                raise InputError(
                    f"More than {MOST_CUTS} cuts tie for a place among the {k} smallest; use "
                    "ties='none', which leaves them out."
                )
            chosen = slice(int(np.searchsorted(groups, last, side="right")))
        elif groups[k] != last:
            chosen = slice(k)
        else:
            begin = int(np.searchsorted(groups, last))
            chosen = slice(begin)
            if ties == "first":
                return _with_first_ties(w, k, weights, words, begin, tolerance)
    return _in_order(weights[chosen], words[chosen], groups[chosen])


def _in_order(weights: Floats, words: Bools, groups: Ints) -> tuple[Floats, Bools]:
    """Order ties by their words."""
    if (np.diff(groups) > 0).all():
        return weights, words
    order = np.lexsort((*words.T[::-1], groups))
    return weights[order], words[order]


def _with_first_ties(
    w: Floats, k: int, weights: Floats, words: Bools, begin: int, tolerance: float
) -> tuple[Floats, Bools]:
    """Keep the cuts before `begin`, and fill up with the first of all that tie with that one."""
    anchor = float(weights[begin])
    before = {word.tobytes() for word in words[:begin]}
    lowest, highest = anchor * (1.0 - slack(len(w))), anchor * (1.0 + tolerance)
    # Some of those before may be within rounding of the group; they are not counted twice.
    near = int(np.count_nonzero(weights[:begin] >= lowest))
    tied = tied_words(w, lowest, highest, k - begin + near)
    tied = tied[[word.tobytes() not in before for word in tied]][: k - begin]
    scratch = np.empty(len(w), dtype=np.int64)
    tied_weights = np.array([cut_weight(w, word, scratch) for word in tied])
    kept, kept_words = _in_order(
        weights[:begin], words[:begin], number_groups(weights[:begin], tolerance)
    )
    return np.concatenate([kept, tied_weights]), np.concatenate([kept_words, tied])
