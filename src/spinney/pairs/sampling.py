r"""Drawing rows from forests of pair densities, and missing values of rows, of all kinds.

Given a forest F, a row has density :math:`\prod_i p_i(x_i) \prod_{\{u,v\} \in F} w_{uv}(x_u, x_v)`,
which is a Markov chain along every path: a child given its parent's *value* has density
:math:`p_v(x_v) \, w_{uv}(x_u, x_v)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.compile import kernel
from spinney._core.pairs import pair_numbers
from spinney.exceptions import InputError
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.copulas.rectangles import SMALLEST
from spinney.pairs.copulas.registry import FAMILIES
from spinney.pairs.pseudo import PseudoTable

DrawForests = Callable[[Floats], Ints]
"""From log w of shape (n, n_pairs), draws a forest for each row: parents (n, d), -1 for roots."""

ENTRIES_AT_A_TIME = 4_000_000
"""Entries of a table of candidates weighed at once, which bounds memory."""


class Potentials(Protocol):
    """What sampling needs of pair potentials.

    Pairs of ordered columns are drawn by their copulas, if the potentials are a
    :class:`spinney.PairCopulas` or have one as ``copulas_``; all others by their densities.
    """

    def log_density(self, table: PseudoTable, pairs: ArrayLike | None = None) -> Floats:
        """Log w of every row for some pairs, by position; by default all."""


def sample_down(
    potentials: PairCopulas,
    parents: ArrayLike,
    random_state: int | np.random.Generator | None = None,
) -> Floats:
    r"""Draw each row from its own forest of pair copulas.

    The density of a row with forest F is :math:`\prod_{\{u,v\} \in F} c_{uv}(u_u, u_v)`, whatever
    the roots. It is sampled without approximation from the roots down: a root is uniform, and a
    child v of u solves :math:`h_{v|u}(U_v \mid U_u) = P_v` with an independent uniform
    :math:`P_v`.

    Parameters
    ----------
    potentials : PairCopulas
        The fitted copula of every pair.
    parents : int array of shape (n, d)
        One forest per row: the next node on the way to the root, -1 for a root itself, as in
        :attr:`spinney.forests.SampledForests.parents`.
    random_state : int or Generator, optional
        Seed. The uniforms are drawn as one table of shape (n, d), row by row.

    Returns
    -------
    array of shape (n, d)
        Strictly inside (0, 1).

    Raises
    ------
    InputError
        If `parents` does not fit the potentials, or runs in a circle.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 6.9 (trees are vines truncated
       after the first level).

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton, PairCopulas
    >>> potentials = PairCopulas().fit(Clayton(2.0).sample(500, random_state=0))
    >>> together, apart = [[-1, 0]] * 2000, [[-1, -1]] * 2000
    >>> U = sample_down(potentials, together + apart, random_state=1)
    >>> from scipy.stats import kendalltau
    >>> [round(float(abs(kendalltau(*part.T)[0])), 1) for part in (U[:2000], U[2000:])]
    [0.5, 0.0]
    """
    check_is_fitted(potentials)
    d = potentials.n_features_in_
    columns = PseudoTable.of_ranks(np.empty((0, d)), tuple(map(str, range(d))))
    return sample_down_mixed(potentials, columns, parents, random_state).u


def sample_down_mixed(
    potentials: Potentials,
    columns: PseudoTable,
    parents: ArrayLike,
    random_state: int | np.random.Generator | None = None,
) -> PseudoTable:
    r"""Draw each row from the forest of pair potentials that it is given.

    A root is drawn from its margin, a child given its parent's value. For a copula, a parent with
    levels first gets a place within its interval, drawn anew for each of its edges:

    .. math:: P(x_v = b \mid x_u = a) = \frac{1}{|a|} \int_a \bigl(h_{v|u}(b^+ \mid s)
              - h_{v|u}(b^- \mid s)\bigr) \, ds = \frac{C(a \times b)}{|a|},

    as it must be. A child of a copula solves :math:`h_{v|u}(U_v \mid U_u) = P_v` with an
    independent uniform :math:`P_v`; if it has levels, its level is the one whose interval holds
    :math:`U_v`. Pairs with a nominal column are drawn by their densities: exactly if the child has
    levels, and else up to the width of some hundred cells.

    Parameters
    ----------
    potentials : PairFit, PairCopulas or another object with `log_density`
        The fitted pairs.
    columns : PseudoTable
        What the columns are (masses, kinds, names); its rows are not read.
    parents : int array of shape (n, d)
        One forest per row: the next node on the way to the root, -1 for a root itself, as in
        :attr:`spinney.forests.SampledForests.parents`.
    random_state : int or Generator, optional
        Seed. Where all columns are continuous, the result is that of
        :func:`sample_down`.

    Returns
    -------
    PseudoTable
        Without gaps.

    Raises
    ------
    InputError
        If `parents` does not fit the columns, or runs in a circle.

    Examples
    --------
    A column with two levels hangs from a continuous one:

    >>> from spinney.pairs.copulas import Clayton
    >>> potentials = PairCopulas().fit(Clayton(2.0).sample(500, random_state=0))
    >>> columns = PseudoTable(
    ...     np.empty((0, 2)),
    ...     np.empty((0, 2), dtype=int),
    ...     (np.empty(0), np.array([0.3, 0.7])),
    ...     np.array([False, False]),
    ...     ("a", "b"),
    ... )
    >>> drawn = sample_down_mixed(potentials, columns, [[-1, 0]] * 5000, random_state=0)
    >>> drawn.n_levels, round(float((drawn.codes[:, 1] == 0).mean()), 1)
    (array([0, 2]), 0.3)
    >>> [round(float(drawn.u[drawn.codes[:, 1] == code, 0].mean()), 1) for code in (0, 1)]
    [0.2, 0.6]
    """
    forest = _read_parents(parents, columns.n_columns)
    empty = np.full(forest.shape, np.nan), np.full(forest.shape, -1)
    rows = PseudoTable(*empty, columns.masses, columns.nominal, columns.names)
    todo = np.ones(forest.shape, dtype=bool)
    draw_down(potentials, rows, forest, todo, read_random_state(random_state))
    return rows


def draw_down(
    potentials: Potentials, rows: PseudoTable, parents: Ints, todo: Bools, rng: np.random.Generator
) -> None:
    """Draw the values marked `todo`, in place: roots from margins, children from parents.

    The parent of a marked value must be marked too, or have a value.
    """
    P = np.clip(rng.uniform(size=parents.shape), SMALLEST, 1.0 - SMALLEST)
    place = rng.uniform(size=parents.shape)  # of parents in their intervals, for each edge
    depth = _depths(parents, todo)
    row, child = np.nonzero(todo & (parents < 0))
    _put(rows, row, child, P[row, child])
    row, child = np.nonzero(todo & (parents >= 0))
    parent = parents[row, child]
    known = getattr(potentials, "copulas_", potentials)
    copulas = _CopulaSteps(known) if isinstance(known, PairCopulas) else None
    by_copula = ~(rows.nominal[parent] | rows.nominal[child]) & (copulas is not None)
    # Copulas of one family, or else the candidates of one child, are done together.
    kind = child
    if copulas is not None:
        kind = np.where(by_copula, parents.shape[1] + copulas.kinds(parent, child), child)
    steps = np.stack([depth[row, child], kind])
    order = np.lexsort(steps[::-1])  # parents first
    starts = np.flatnonzero(np.diff(steps[:, order]).any(axis=0)) + 1
    for step in np.split(order, starts) if order.size else []:
        r, u, v = row[step], parent[step], child[step]
        if copulas is not None and by_copula[step[0]]:
            given = _place(rows, r, u, place[r, v])
            _put(rows, r, v, copulas.invert(given, P[r, v], u, v))
        else:
            neighbours = np.zeros((len(r), parents.shape[1]), dtype=bool)
            neighbours[np.arange(len(r)), u] = True
            draw_given_neighbours(potentials, rows, r, int(v[0]), neighbours, P[r, v])


def draw_given_neighbours(
    potentials: Potentials,
    rows: PseudoTable,
    where: Ints,
    column: int,
    neighbours: Bools,
    P: Floats,
    accept: Floats | None = None,
) -> None:
    r"""Draw one column of some rows given the column's neighbours in each row's forest, in place.

    .. math:: p(x_v \mid \text{rest}) \propto p_v(x_v) \prod_{u \sim v} w_{uv}(x_u, x_v)

    Levels are weighed one by one. For a continuous column the density is taken at the middles of
    cells, which are narrow in normal scores, and as constant within them; with `accept` that is
    only a proposal, taken or left by the rule of Metropolis and Hastings, so that a value with the
    exact distribution keeps it.

    Parameters
    ----------
    potentials : Potentials
        The pairs.
    rows : PseudoTable
        The rows, with values wherever there are neighbours; the column is written.
    where : int array of shape (m,)
        Positions of the rows.
    column : int
        Position of the column.
    neighbours : bool array of shape (m, d)
        Which columns the row's forest joins it to.
    P : array of shape (m,)
        A uniform number for each row.
    accept : array of shape (m,), optional
        Another one, if the column has values already.

    References
    ----------
    .. [1] W. K. Hastings (1970). Monte Carlo sampling methods using Markov chains and their
       applications. Biometrika 57, 97-109.
    """
    masses = rows.masses[column]
    edges = _CELLS if accept is None else _WIDE_CELLS
    values = np.arange(len(masses)) if masses.size else (edges[:-1] + edges[1:]) / 2.0
    log_mass = np.log(masses if masses.size else np.diff(edges))
    at_a_time = max(1, ENTRIES_AT_A_TIME // (len(values) * rows.u.shape[1]))
    for begin in range(0, len(where), at_a_time):
        part = slice(begin, begin + at_a_time)
        chosen, near = where[part], neighbours[part]
        candidates = np.broadcast_to(values, (len(chosen), len(values)))
        log_p = log_mass + _log_given(potentials, rows, chosen, column, near, candidates)
        p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
        upto = np.cumsum(p, axis=1)
        target = P[part] * upto[:, -1]
        found = np.minimum((upto < target[:, None]).sum(axis=1), len(values) - 1)
        if masses.size:
            rows.codes[chosen, column] = found
            continue
        each = np.arange(len(chosen))
        way = (target - (upto - p)[each, found]) / p[each, found]
        new = edges[found] + np.clip(way, 0.0, 1.0) * (edges[found + 1] - edges[found])
        new = np.clip(new, SMALLEST, 1.0 - SMALLEST)
        if accept is not None:
            both = np.column_stack([rows.u[chosen, column], new])
            cells = np.column_stack([np.searchsorted(edges, both[:, 0]) - 1, found])
            log_q = np.take_along_axis(log_p, cells, axis=1) - log_mass[cells]
            old_log, new_log = (_log_given(potentials, rows, chosen, column, near, both) - log_q).T
            new = np.where(np.log(accept[part]) <= new_log - old_log, new, both[:, 0])
        rows.u[chosen, column] = new


def _log_given(
    potentials: Potentials,
    rows: PseudoTable,
    chosen: Ints,
    column: int,
    neighbours: Bools,
    candidates: NDArray[Any],
) -> Floats:
    """Sum log w over a column's neighbours for some candidates in each row, shape (m, size)."""
    others = np.flatnonzero(neighbours.any(axis=0))
    size = candidates.shape[1]
    if not others.size:
        return np.zeros(candidates.shape)
    # All other values are left missing: potentials skip them.
    u, codes = (
        np.where(neighbours, part[chosen], gap)
        for part, gap in ((rows.u, np.nan), (rows.codes, -1))
    )
    tried = replace(rows, u=np.repeat(u, size, axis=0), codes=np.repeat(codes, size, axis=0))
    if rows.masses[column].size:
        tried.codes[:, column] = candidates.ravel()
    else:
        tried.u[:, column] = candidates.ravel()
    pairs = pair_numbers(column, others, rows.u.shape[1])
    log_w = np.asarray(potentials.log_density(tried, pairs=pairs))
    log_w = log_w.reshape(*candidates.shape, others.size)
    return np.where(neighbours[:, None, others], log_w, 0.0).sum(axis=2)


def _cells(count: int) -> Floats:
    """Edges of the cells of (0, 1): equal in normal scores, and fifths, where tables may jump."""
    inner = np.concatenate([ndtr(np.linspace(-5.5, 5.5, count)), [0.2, 0.4, 0.6, 0.8]])
    return np.concatenate([[0.0], np.sort(inner), [1.0]])


_CELLS = _cells(111)
_WIDE_CELLS = _cells(34)  # enough for proposals: most are taken


class _CopulaSteps:
    """Steps from parents to children by copulas, by kind: the family, and which end is mirrored."""

    def __init__(self, copulas: PairCopulas) -> None:
        self.copulas, (flip_u, flip_v) = copulas, copulas.mirrored()
        family = 4 * copulas._columns()
        # Families are exchangeable before they are rotated: only the mirrors change places. Pairs
        # that are not listed, at place -1, have the first family, which is independence.
        both = [family + 2 * flip_u + flip_v, family + 2 * flip_v + flip_u]
        self._kinds = np.pad(both, ((0, 0), (0, 1)))  # down to the larger column, and up

    def kinds(self, parent: Ints, child: Ints) -> Ints:
        """Kinds of some steps."""
        return self._kinds[(parent > child).astype(int), self._places(parent, child)]

    def invert(self, known: Floats, p: Floats, parent: Ints, child: Ints) -> Floats:
        """Solve h(child | parent) = p for steps of one kind."""
        family, mirrors = divmod(int(self.kinds(parent[:1], child[:1])[0]), 4)
        cls = FAMILIES[self.copulas.families_[family]]
        if not cls.bounds:
            return p
        parameters = self.copulas.parameters_[self._places(parent, child), : len(cls.bounds)].T
        flips = (bool(mirrors & 2), bool(mirrors & 1))
        return cls.side_by_side(*parameters, mirrored=flips).hinv(known, p)

    def _places(self, parent: Ints, child: Ints) -> Ints:
        return self.copulas.places_of(pair_numbers(parent, child, self.copulas.n_features_in_))


def _read_parents(parents: ArrayLike, d: int) -> Ints:
    """Check forests given as the parent of each node, one forest per row."""
    array: NDArray[Any] = np.asarray(parents)
    if array.ndim != 2 or array.shape[1] != d or array.dtype.kind not in "iu":
        raise InputError(
            f"parents must be whole numbers of shape (n, {d}), a column per variable of the "
            f"potentials; it is of type {array.dtype} and shape {array.shape}."
        )
    outside = (array < -1) | (array >= d)
    if outside.any():
        row, child = np.argwhere(outside)[0]
        raise InputError(
            f"parents[{row}, {child}] is {array[row, child]}; parents are nodes from 0 to {d - 1}, "
            "or -1 for a root."
        )
    return array.astype(np.int64)


def _put(rows: PseudoTable, row: Ints, column: Ints, u: Floats) -> None:
    """Set values by their place in (0, 1): that of a level is anywhere in its interval."""
    thresholds = _intervals(rows)[0][column, 1:]
    levels = rows.n_levels[column] > 0
    rows.u[row[~levels], column[~levels]] = u[~levels]
    code = (u[levels, None] > thresholds[levels]).sum(axis=1)
    rows.codes[row[levels], column[levels]] = code


def _intervals(columns: PseudoTable) -> tuple[Floats, Floats]:
    """Return where the interval of each level begins, and its length, both (d, most levels).

    Where a column has fewer levels, intervals begin beyond all numbers.
    """
    shape = (columns.n_columns, max(int(columns.n_levels.max(initial=0)), 1))
    begin, length = np.full(shape, np.inf), np.zeros(shape)
    for k, masses in enumerate(columns.masses):
        begin[k, : len(masses)] = np.cumsum(masses) - masses
        length[k, : len(masses)] = masses
    return begin, length


def _place(rows: PseudoTable, row: Ints, column: Ints, within: Floats) -> Floats:
    """Return values as places in (0, 1), those of levels somewhere in their intervals."""
    place = rows.u[row, column]
    levels = np.flatnonzero(rows.n_levels[column] > 0)
    begin, length = _intervals(rows)
    of_level = column[levels], rows.codes[row[levels], column[levels]]
    place[levels] = begin[of_level] + within[levels] * length[of_level]
    return np.clip(place, SMALLEST, 1.0 - SMALLEST)


def _depths(parents: Ints, todo: Bools) -> Ints:
    """Count the edges from each node to a known value."""
    depth, at = np.zeros(parents.shape, dtype=np.int64), np.indices(parents.shape)[1]
    for _ in range(parents.shape[1] + 1):
        up = np.take_along_axis(parents, at, axis=1)
        on = (up >= 0) & np.take_along_axis(todo, at, axis=1)
        if not on.any():
            return depth
        depth, at = depth + on, np.where(on, up, at)
    row = int(np.flatnonzero(on.any(axis=1))[0])
    raise InputError(
        f"The parents of row {row} form a cycle, so they are not a forest: {parents[row].tolist()}."
    )


# Missing values


def draw_missing(
    potentials: Potentials,
    table: PseudoTable,
    draw_forests: DrawForests,
    n_sweeps: int = 10,
    random_state: int | np.random.Generator | None = None,
) -> PseudoTable:
    r"""Draw missing values given those that are present, by Gibbs sampling.

    A sweep draws in turn

    * a forest given the whole row, :math:`P(F \mid x) \propto \prod_{e \in F} \beta_e w_e(x)`;
    * each missing value that stands between others in F, given its neighbours,
      :math:`p_v(x_v) \prod_{u \sim v} w_{uv}(x_u, x_v)`;
    * all other missing values, whose subtrees hold missing values only, from parents to
      children. Summed over these, the density of the rest does not change.

    The first forests are drawn from what is present, with w = 1 for pairs that lack a value.

    Parameters
    ----------
    potentials : PairFit, PairCopulas or another object with `log_density`
        The fitted pairs.
    table : PseudoTable
        Rows with gaps.
    draw_forests : function
        From log w of shape (n, n_pairs), draws a forest for each row: parents (n, d), -1 for
        roots.
    n_sweeps : int
        How often all missing values are drawn again.
    random_state : int or Generator, optional
        Seed.

    Returns
    -------
    PseudoTable
        Without gaps.

    Examples
    --------
    Two columns agree nine times out of ten, and one value is missing:

    >>> class Alike:
    ...     def log_density(self, table, pairs=None):
    ...         a, b = table.codes.T
    ...         w = np.where((a < 0) | (b < 0), 1.0, np.where(a == b, 1.8, 0.2))
    ...         return np.log(w)[:, None]
    >>> half = np.array([0.5, 0.5])
    >>> table = PseudoTable(
    ...     np.full((2000, 2), np.nan),
    ...     np.array([[0, -1], [1, -1]] * 1000),
    ...     (half, half),
    ...     np.array([True, True]),
    ...     ("a", "b"),
    ... )
    >>> joined = lambda log_w: np.array([[-1, 0]] * len(log_w))
    >>> a, b = draw_missing(Alike(), table, joined, random_state=0).codes.T
    >>> round(float((a == b).mean()), 1)
    0.9
    """
    rng = read_random_state(random_state)
    missing = ~table.present
    rows = replace(table, u=table.u.copy(), codes=table.codes.copy())
    log_w = np.asarray(potentials.log_density(table))
    for sweep in range(n_sweeps):
        if sweep > 0:
            log_w = np.asarray(potentials.log_density(rows))
        parents = np.ascontiguousarray(draw_forests(log_w), dtype=np.int64)
        hanging = np.empty(parents.shape, dtype=np.int64)
        _hang(parents, missing, hanging)
        between = missing & (hanging == _STAYS)
        known = ~missing if sweep == 0 else ~(missing & ~between)
        for column in np.flatnonzero(between.any(axis=0)):
            where = np.flatnonzero(between[:, column])
            near = _neighbours(parents[where], int(column)) & known[where]
            P, accept = rng.uniform(size=(2, len(where)))
            last = accept if sweep > 0 else None
            draw_given_neighbours(potentials, rows, where, int(column), near, P, last)
            known[where, column] = True
        draw_down(potentials, rows, np.maximum(hanging, -1), missing & ~between, rng)
    return rows


def _neighbours(parents: Ints, column: int) -> Bools:
    """Which columns each row's forest joins to one."""
    near = parents == column
    up = parents[:, column]
    near[np.flatnonzero(up >= 0), up[up >= 0]] = True
    return near


_STAYS = -2


@kernel
def _hang(parents: Ints, missing: Bools, hanging: Ints) -> None:
    """Cut leaves that are missing off each forest until none is left.

    `hanging` is what each of them hung from when it was cut, -1 if nothing; other nodes get
    `_STAYS`.
    """
    n, d = parents.shape
    for r in range(n):
        hanging[r] = _STAYS
        for start in range(d - 1, -1, -1):
            v = start
            # Where a cut makes the next node a leaf, that is cut at once.
            while v >= 0 and missing[r, v] and hanging[r, v] == _STAYS:
                degree, last = 0, -1
                for u in range(d):
                    if hanging[r, u] == _STAYS and (parents[r, u] == v or parents[r, v] == u):
                        degree, last = degree + 1, u
                if degree > 1:
                    break
                hanging[r, v] = last
                v = last
