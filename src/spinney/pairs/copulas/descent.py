"""Sampling down forests of pair copulas, a forest of its own for every row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import pair_numbers
from spinney.exceptions import InputError
from spinney.pairs.copulas.pair_copulas import PairCopulas
from spinney.pairs.copulas.registry import FAMILIES
from spinney.pairs.pseudo import PseudoTable


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

    Notes
    -----
    Forests differ from row to row, so few rows share a step between the same two variables. All
    steps of one depth and family are therefore taken together, with arrays of parameters.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 6.9 (trees are vines truncated
       after the first level).

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> potentials = PairCopulas().fit(Clayton(2.0).sample(500, random_state=0))
    >>> together, apart = [[-1, 0]] * 2000, [[-1, -1]] * 2000
    >>> U = sample_down(potentials, together + apart, random_state=1)
    >>> from scipy.stats import kendalltau
    >>> [round(float(abs(kendalltau(*part.T)[0])), 1) for part in (U[:2000], U[2000:])]
    [0.5, 0.0]
    """
    from spinney.pairs.sampling import sample_down_mixed

    check_is_fitted(potentials)
    d = potentials.n_features_in_
    columns = PseudoTable.of_ranks(np.empty((0, d)), tuple(map(str, range(d))))
    return sample_down_mixed(potentials, columns, parents, random_state).u


class DescentSteps(NamedTuple):
    """Copulas by the kind of step from a parent to a child.

    The kind of a step is the family, whether the parent is mirrored and whether the child is.
    """

    copulas: PairCopulas
    down: Ints  # the kind of each listed pair's step to its larger column, and of one not listed
    up: Ints  # the same of the step to its smaller column

    @classmethod
    def of(cls, copulas: PairCopulas) -> DescentSteps:
        """Lay out all steps between the columns of fitted copulas."""
        independence = copulas.families_.index("independence")
        family = np.full(len(copulas.family_) + 1, independence)
        for code, name in enumerate(copulas.families_):
            family[:-1][copulas.family_ == name] = code
        flip_u, flip_v = (np.append(flips, 0) for flips in copulas.mirrored())
        # Families are exchangeable before they are rotated: only the mirrors change places.
        return cls(copulas, 4 * family + 2 * flip_u + flip_v, 4 * family + 2 * flip_v + flip_u)

    def kinds(self, parent: NDArray[np.integer], child: NDArray[np.integer]) -> Ints:
        """Kinds of some steps."""
        places = self._places(parent, child)
        return np.where(parent < child, self.down[places], self.up[places])

    def invert(
        self, known: Floats, p: Floats, parent: NDArray[np.integer], child: NDArray[np.integer]
    ) -> Floats:
        """Solve h(child | parent) = p for steps of one kind."""
        family, mirrors = divmod(int(self.kinds(parent[:1], child[:1])[0]), 4)
        cls = FAMILIES[self.copulas.families_[family]]
        if not cls.bounds:
            return p
        parameters = self.copulas.parameters_[self._places(parent, child), : len(cls.bounds)].T
        flips = (bool(mirrors & 2), bool(mirrors & 1))
        return cls.side_by_side(*parameters, mirrored=flips).hinv(known, p)

    def _places(self, parent: NDArray[np.integer], child: NDArray[np.integer]) -> Ints:
        return self.copulas.places_of(pair_numbers(parent, child, self.copulas.n_features_in_))


def read_parents(parents: ArrayLike, d: int) -> Ints:
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
