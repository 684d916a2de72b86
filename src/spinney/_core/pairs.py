"""The order of variable pairs, fixed once for the whole package.

Pairs are numbered as ``np.triu_indices(d, 1)`` lists them: (0, 1), (0, 2), …, (d-2, d-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats, Ints
from spinney._core.choices import column_position
from spinney.exceptions import InputError


@dataclass(frozen=True, eq=False, init=False)
class PairIndex:
    """All pairs of `d` columns, or a rising list of them.

    A wide table has more pairs than memory should hold: 12,497,500 for 5,000 columns. Values of a
    few of them are kept in the order of this index; only :meth:`spread` and :meth:`matrix` take
    memory for the others.

    Parameters
    ----------
    d : int
        Number of columns.
    numbers : array-like of int, optional
        Numbers of the listed pairs, strictly rising. By default every pair is listed, and the
        number of a pair is its place.

    Raises
    ------
    InputError
        If `numbers` does not rise, or holds a number that is not one of a pair.

    Examples
    --------
    >>> index = PairIndex(4, [0, 5])
    >>> len(index), index.ends
    (2, (array([0, 2]), array([1, 3])))
    >>> index.places_of([5, 1, 0])
    array([ 1, -1,  0])
    >>> 5 in index, 4 in index, len(PairIndex(4))
    (True, False, 6)
    """

    d: int
    numbers: Ints | None

    def __init__(self, d: int, numbers: ArrayLike | None = None) -> None:
        object.__setattr__(self, "d", d)
        rising = None if numbers is None else _check_rising(numbers, d)
        object.__setattr__(self, "numbers", rising)

    @classmethod
    def sorted(cls, d: int, numbers: ArrayLike | None = None) -> PairIndex:
        """List pairs given in any order, possibly more than once; None stands for all.

        Examples
        --------
        >>> PairIndex.sorted(4, [5, 0, 5]).numbers
        array([0, 5])
        """
        if numbers is None:
            return cls(d)
        return cls(d, np.unique(pair_positions(numbers, n_pairs(d))))

    @classmethod
    def of_model(cls, model: Any, d: int) -> PairIndex:
        """Return the pairs of `d` columns that a fitted model looked at.

        These are the pairs of its ``evidence_``, or else the ``pairs_`` of its ``potentials_`` if
        some were left out.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> potentials = SimpleNamespace(pairs_=np.array([0, 4]))
        >>> PairIndex.of_model(SimpleNamespace(potentials_=potentials), 4).numbers
        array([0, 4])
        >>> PairIndex.of_model(SimpleNamespace(), 4).numbers is None
        True
        """
        evidence = getattr(model, "evidence_", None)
        if evidence is not None:
            index: PairIndex = evidence.index
            return index
        found = getattr(getattr(model, "potentials_", None), "pairs_", None)
        return cls(d, found if isinstance(found, np.ndarray) else None)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PairIndex)
            and self.d == other.d
            and np.array_equal(self.listed, other.listed)
        )

    def __len__(self) -> int:
        return n_pairs(self.d) if self.numbers is None else len(self.numbers)

    def __contains__(self, number: object) -> bool:
        return bool(self.places_of(cast(int, number)) >= 0)

    @property
    def listed(self) -> Ints:
        """The numbers of the listed pairs, even if these are all."""
        return np.arange(n_pairs(self.d)) if self.numbers is None else self.numbers

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """Both columns of each listed pair, the smaller one first."""
        return pair_nodes(self.d) if self.numbers is None else pair_ends(self.numbers, self.d)

    def places_of(self, numbers: ArrayLike) -> Ints:
        """Find pairs among the listed ones by number; -1 stands for a pair not listed."""
        wanted = np.asarray(numbers, dtype=np.int64)
        if self.numbers is None:
            return np.where((wanted >= 0) & (wanted < n_pairs(self.d)), wanted, -1)
        return places_of(wanted, self.numbers)

    def spread(self, values: ArrayLike, absent: float = 0.0) -> Floats:
        """Put values (..., n_listed) in their places among all pairs, (..., n_pairs).

        Examples
        --------
        >>> PairIndex(3, [1]).spread([7.0])
        array([0., 7., 0.])
        """
        given = np.asarray(values, dtype=float)
        result = np.full((*given.shape[:-1], n_pairs(self.d)), absent)
        result[..., slice(None) if self.numbers is None else self.numbers] = given
        return result

    def matrix(self, values: ArrayLike, absent: float = 0.0, diagonal: float = 0.0) -> Floats:
        """Spread values (..., n_listed) over symmetric matrices (..., d, d).

        Examples
        --------
        >>> PairIndex(3, [1]).matrix([7.0])
        array([[0., 0., 7.],
               [0., 0., 0.],
               [7., 0., 0.]])
        """
        given, (first, second) = np.asarray(values, dtype=float), self.ends
        matrix = np.full((*given.shape[:-1], self.d, self.d), absent)
        nodes = np.arange(self.d)
        matrix[..., nodes, nodes] = diagonal
        matrix[..., first, second] = matrix[..., second, first] = given
        return matrix

    def look_up(
        self, values: ArrayLike, numbers: ArrayLike, missing: float = np.nan
    ) -> NDArray[Any]:
        """Read the values of some pairs by number.

        Parameters
        ----------
        values : array of shape (n_listed, ...) or (n_pairs, ...)
            Values of the listed pairs, or of all pairs.
        numbers : int array
            The pairs asked for.
        missing : float
            What stands for pairs that are not listed.

        Examples
        --------
        >>> PairIndex(4, [1, 4]).look_up([0.5, 0.7], [4, 3])
        array([0.7, nan])
        """
        known, wanted = np.asarray(values), np.asarray(numbers, dtype=np.int64)
        if len(known) == n_pairs(self.d):
            return known[wanted]
        at = self.places_of(wanted)
        if not len(self):
            return np.full(wanted.shape, missing)
        return known[at] if (at >= 0).all() else np.where(at >= 0, known[at], missing)


def places_of(wanted: ArrayLike, listed: Ints) -> Ints:
    """Find numbers in a rising list; -1 stands for those that are not there.

    Examples
    --------
    >>> places_of([7, 8, 2], np.array([2, 7, 9]))
    array([ 1, -1,  0])
    """
    wanted = np.asarray(wanted, dtype=np.int64)
    if not len(listed):
        return np.full(wanted.shape, -1)
    at = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    return np.where(listed[at] == wanted, at, -1)


def _check_rising(pairs: ArrayLike, d: int) -> Ints:
    listed = pair_positions(pairs, n_pairs(d))
    falling = np.flatnonzero(np.diff(listed) <= 0)
    if falling.size:
        k = int(falling[0])
        raise InputError(f"pairs must rise, each number once; {listed[k + 1]} follows {listed[k]}.")
    return listed


def _check_range(numbers: NDArray[Any], count: int) -> None:
    """Refuse a number that none of `count` pairs has."""
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        wrong = numbers[(numbers < 0) | (numbers >= count)].flat[0]
        raise InputError(f"There is no pair {wrong}: pairs are numbered from 0 to {count - 1}.")


def n_pairs(d: int) -> int:
    """Count the pairs of `d` variables.

    Examples
    --------
    >>> n_pairs(25)
    300
    """
    return d * (d - 1) // 2


def n_nodes(pairs: int) -> int:
    """Count the variables that give `pairs` pairs; the inverse of :func:`n_pairs`.

    Examples
    --------
    >>> n_nodes(300)
    25
    """
    d = (1 + isqrt(1 + 8 * max(pairs, 0))) // 2
    if n_pairs(d) != pairs:
        raise InputError(f"{pairs} is not d(d-1)/2, the number of pairs, for any d variables.")
    return d


def pair_nodes(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List both members of every pair, in order.

    Examples
    --------
    >>> pair_nodes(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    return np.triu_indices(d, 1)


def pair_ends(numbers: ArrayLike, d: int) -> tuple[Ints, Ints]:
    r"""Find both members of some pairs by their numbers, without listing all pairs.

    The pairs of variable u begin at :math:`s_u = u (2d - u - 1) / 2`, so that u is the integer part
    of :math:`\bigl(2d - 1 - \sqrt{(2d - 1)^2 - 8k}\bigr) / 2` for the pair number k. Whole numbers
    settle what the root may have rounded.

    Examples
    --------
    >>> pair_ends([0, 2, 1], d=3)
    (array([0, 1, 0]), array([1, 2, 2]))
    >>> pair_ends([4_999_949_999], d=100_000)
    (array([99998]), array([99999]))
    """
    wanted = np.asarray(numbers, dtype=np.int64)
    _check_range(wanted, n_pairs(d))
    wide = 2 * d - 1
    first = ((wide - np.sqrt(wide**2 - 8.0 * wanted)) / 2.0).astype(np.int64)
    first -= first * (wide - first) // 2 > wanted
    first += (first + 1) * (wide - first - 1) // 2 <= wanted
    return first, wanted - first * (wide - first) // 2 + first + 1


def pair_numbers(first: ArrayLike, second: ArrayLike, d: int) -> Ints:
    """Find the numbers of some pairs; the inverse of :func:`pair_ends`. The order of ends is free.

    Examples
    --------
    >>> pair_numbers([0, 2, 0], [1, 1, 2], d=3)
    array([0, 2, 1])
    """
    u, v = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    u, v = np.minimum(u, v), np.maximum(u, v)
    wrong = (u == v) | (u < 0) | (v >= d)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f"({u.flat[k]}, {v.flat[k]}) is not a pair of distinct variables among 0 … {d - 1}."
        )
    return u * (2 * d - u - 1) // 2 + v - u - 1


def pair_index(u: int, v: int, d: int) -> int:
    """Find the position of the pair {u, v}; the order of `u` and `v` does not matter.

    Examples
    --------
    >>> pair_index(2, 1, d=3)
    2
    """
    return int(pair_numbers(u, v, d))


def pair_positions(pairs: ArrayLike | None, count: int) -> Ints:
    """Check a choice among `count` pairs, given by position; None stands for all.

    Examples
    --------
    >>> pair_positions([2, 0], 3)
    array([2, 0])
    """
    if pairs is None:
        return np.arange(count)
    wanted = np.atleast_1d(np.asarray(pairs))
    if wanted.size == 0:
        return np.empty(0, dtype=np.int64)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
        raise InputError(
            "pairs must be whole numbers, a list of pair numbers; got type "
            f"{wanted.dtype} and shape {wanted.shape}."
        )
    _check_range(wanted, count)
    return wanted.astype(np.int64, copy=False)


def to_matrix(values: ArrayLike, diagonal: float = 0.0) -> Floats:
    """Spread pair values, shape (..., n_pairs), over symmetric matrices (..., d, d).

    Examples
    --------
    >>> to_matrix([1.0, 2.0, 3.0])
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    array = np.asarray(values, dtype=float)
    if array.ndim == 0:
        raise InputError("Pair values need at least one dimension, of length d(d-1)/2.")
    return PairIndex(n_nodes(array.shape[-1])).matrix(array, diagonal=diagonal)


def to_pairs(matrix: ArrayLike) -> Floats:
    """Read the upper triangles of matrices (..., d, d) as pair values (..., n_pairs).

    Examples
    --------
    >>> to_pairs([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    array([1., 2., 3.])
    """
    array = np.asarray(matrix, dtype=float)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise InputError(
            f"Pair values are read from square matrices, not from shape {array.shape}."
        )
    first, second = pair_nodes(array.shape[-1])
    return array[..., first, second]


# Pairs of columns as users name them, for edges that are known in advance


def read_pair(edge: Sequence[Any], names: Sequence[str], what: str) -> int:
    """Find the position of a pair of columns, each given by name or position.

    `what` names the parameter.

    Examples
    --------
    >>> read_pair(("c", 0), ("a", "b", "c"), "required")
    1
    """
    if isinstance(edge, str) or not isinstance(edge, Sequence | np.ndarray) or len(edge) != 2:
        raise InputError(f"{what} must list pairs of columns; {edge!r} is not one.")
    i, j = (column_position(column, names, what) for column in edge)
    if i == j:
        raise InputError(f"{what} joins column {edge[0]!r} to itself.")
    return int(pair_index(i, j, len(names)))


def read_pairs(edges: Iterable[Sequence[Any]] | None, names: Sequence[str], what: str) -> Ints:
    """Find the positions of several pairs, rising, each once; None stands for none.

    Examples
    --------
    >>> read_pairs([("b", "c"), ("a", "b"), ("b", "a")], ("a", "b", "c"), "forbidden")
    array([0, 2])
    """
    if isinstance(edges, str):
        raise InputError(f"{what} must list pairs of columns; {edges!r} is not one.")
    wanted = {read_pair(edge, names, what) for edge in (edges if edges is not None else ())}
    return np.array(sorted(wanted), dtype=np.int64)


def both_required_and_forbidden(pair: int, names: Sequence[str]) -> InputError:
    """Error for a pair that is both."""
    u, v = (names[int(nodes[pair])] for nodes in pair_nodes(len(names)))
    return InputError(f"The edge '{u}' - '{v}' is both required and forbidden.")


def named_pairs(
    edges: Iterable[Sequence[Any]] | None, names: Sequence[str], what: str
) -> list[tuple[str, str]]:
    """Name pairs of columns that are given by name or position.

    Examples
    --------
    >>> named_pairs([(0, "c")], ("a", "b", "c"), "required")
    [('a', 'c')]
    """
    first, second = pair_ends(read_pairs(edges, names, what), len(names))
    return [(names[u], names[v]) for u, v in zip(first.tolist(), second.tolist(), strict=True)]


def pairs_among(pairs: Iterable[tuple[str, str]], names: Iterable[str]) -> list[tuple[str, str]]:
    """Keep the pairs with both columns among `names`."""
    known = set(names)
    return [pair for pair in pairs if known.issuperset(pair)]
