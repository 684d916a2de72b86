"""What must hold between the parts of fitted pair copulas that come from a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._core.pairs import n_pairs
from spinney.exceptions import InputError
from spinney.pairs.copulas.registry import FAMILIES
from spinney.pairs.copulas.uneven import check_pseudo_table
from spinney.pairs.pseudo import PseudoTable

__all__ = ["check_fitted_parts"]


def check_fitted_parts(potentials: Any) -> None:
    """Refuse `PairCopulas` whose parts do not fit together: compiled kernels trust their shapes."""
    table = potentials._table
    if isinstance(table, PseudoTable):
        check_pseudo_table(table)
    n, d = (table.u if isinstance(table, PseudoTable) else table.values).shape
    pairs, families = _count_listed(potentials.pairs_, d), len(potentials.families_)
    folds = potentials.fold_parameters_.shape[1]
    shapes = {
        "family_": (pairs,),
        "rotation_": (pairs,),
        "parameters_": (pairs, 2),
        "fold_parameters_": (pairs, folds, 2),
        "fold_of_row_": (n,),
        "sample_tau_": (pairs,),
        "log_likelihood_": (pairs, families),
        "criterion_": (pairs, families),
        "_held_out": (pairs,),
    }
    for name, shape in shapes.items():
        if getattr(potentials, name).shape != shape:
            raise InputError(f"{name} of its PairCopulas is not of shape {shape}")
    if potentials.n_features_in_ != d or len(potentials._table.names) != d:
        raise InputError("its PairCopulas do not have the same number of columns throughout")
    if not ((potentials.fold_of_row_ >= 0) & (potentials.fold_of_row_ < folds)).all():
        raise InputError(f"its PairCopulas have rows outside of the {folds} folds")
    _check_copulas(potentials)


def _count_listed(numbers: Any, d: int) -> int:
    """Count the pairs that have an entry, and refuse a list that is none."""
    if numbers is None:
        return n_pairs(d)
    if not isinstance(numbers, np.ndarray) or numbers.ndim != 1 or numbers.dtype != np.int64:
        raise InputError("pairs_ of its PairCopulas is not a list of whole numbers")
    inside = (numbers >= 0) & (numbers < n_pairs(d))
    if not inside.all() or (np.diff(numbers) <= 0).any():
        raise InputError(f"pairs_ of its PairCopulas does not list pairs of {d} columns in order")
    return numbers.size


def _check_copulas(potentials: Any) -> None:
    every = np.concatenate([potentials.parameters_[:, None], potentials.fold_parameters_], axis=1)
    known = np.zeros(len(every), dtype=bool)
    for name in set(potentials.families_) & set(FAMILIES):
        if FAMILIES[name].batch is None:
            continue
        rows = potentials.family_ == name
        known |= rows & np.isin(potentials.rotation_, FAMILIES[name].rotations)
        for k, (low, high) in enumerate(FAMILIES[name].bounds.values()):
            if not ((every[rows, :, k] >= low) & (every[rows, :, k] <= high)).all():
                raise InputError(f"its PairCopulas have a {name} copula beyond its bounds")
    if not known.all():
        pair = int(np.argmin(known))
        raise InputError(
            f"its PairCopulas have a {potentials.family_[pair]!r} rotated by "
            f"{potentials.rotation_[pair]}, which is none of their families"
        )
