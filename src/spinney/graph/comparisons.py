"""What the forests, a Gaussian network and the best single forest say of each pair."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import pair_ends, places_of, to_pairs
from spinney._core.progress import progress_bar
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.judge.learner import Learner

if TYPE_CHECKING:
    pass

__all__ = ["METHODS", "Comparisons", "check_methods", "compare_methods"]

Floats = NDArray[np.float64]

METHODS: dict[str, str] = {
    "ef_lambda": "EF-λ (ForestsLambda)",
    "shared_forest": "SharedForest",
    "gaussian": "Gaussian network (partial correlations of normal scores, FDR 5 %)",
    "chow_liu": "Chow–Liu (best forest of pair copulas by BIC)",
}
"""The methods, by the names of their columns."""
MOST_COLUMNS = {"ef_lambda": 100, "shared_forest": 2000}
"""Columns beyond which a method takes minutes, and runs only if requested."""
MOST_HELD = 1 << 27
"""Most log-densities of a wide table that a method may hold: 1 GiB."""
WHOLE = {
    "ef_lambda": "it weighs the densities of all pairs",
    "gaussian": "it tests the partial correlations of all pairs",
}
"""Methods that need all pairs, and why."""


@storable("Comparisons")
@dataclass(frozen=True, eq=False)
class Comparisons:
    """What other methods say of all pairs, in the order of ``np.triu_indices(d, 1)``.

    For a wide table, the arrays have an entry for each pair that is listed.

    Attributes
    ----------
    kept : dict of arrays of shape (n_pairs,)
        By method, 1 where it has an edge and 0 where not; NaN throughout if it could not take the
        table.
    shares : dict of arrays of shape (n_pairs,)
        By method, the share of its forests that have the pair; only methods that have one.
    notes : dict of str
        By method, why it has nothing to say, or what it warned of.
    pairs : int array or None
        Numbers of the pairs covered, ascending; None means all.
    """

    kept: dict[str, Floats] = field(default_factory=dict)
    shares: dict[str, Floats] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    pairs: NDArray[np.int64] | None = None

    def kept_of(self, method: str, pairs: ArrayLike) -> Floats:
        """Return 1 where a method has an edge, for pairs by number; NaN for pairs not covered."""
        return self._of(self.kept[method], pairs)

    def shares_of(self, method: str, pairs: ArrayLike) -> Floats:
        """Return the share of a method's forests with each pair; NaN for pairs not covered."""
        return self._of(self.shares[method], pairs)

    def _of(self, values: Floats, pairs: ArrayLike) -> Floats:
        wanted = np.asarray(pairs, dtype=np.int64)
        if self.pairs is None:
            return values[wanted]
        at = places_of(wanted, self.pairs)
        found = np.full(wanted.shape, np.nan)
        found[at >= 0] = values[at[at >= 0]]
        return found


def compare_methods(
    learner: Learner,
    methods: Iterable[str] | None = None,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Comparisons:
    """Learn the graph by other methods; pair densities are fitted once for all of them.

    A method that cannot take the table (a Gaussian network needs numbers without gaps) gets missing
    values and a note. Forests have default settings.

    Parameters
    ----------
    learner : Learner
        Fitted to the table.
    methods : names of :data:`METHODS`, optional
        By default those that do not take minutes with so many columns (EF-λ beyond 100). For a
        wide table, only those that can work with the pairs that are listed.
    n_jobs : int, optional
        Threads.
    progress : bool
        Whether to show a progress bar.
    """
    found = Comparisons(pairs=learner.evidence_.numbers)
    wanted = list(METHODS if methods is None else methods)
    check_methods(wanted)
    count = len(learner.evidence_.values)
    for name in wanted:
        reason = _left_out(name, learner, named=methods is not None)
        if reason is not None:
            found.kept[name], found.notes[name] = np.full(count, np.nan), reason
    wanted = [name for name in wanted if name not in found.kept]
    ask: dict[str, Callable[[], tuple[Floats, Floats | None]]] = {
        "ef_lambda": partial(_forests, "ForestsLambda", learner, n_jobs),
        "shared_forest": partial(_forests, "SharedForest", learner, n_jobs),
        "gaussian": partial(_gaussian, learner),
        "chow_liu": partial(_chow_liu, learner),
    }
    with progress_bar(len(wanted), "other methods", progress) as advance:
        for name in wanted:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    found.kept[name], shares = ask[name]()
                    if shares is not None:
                        found.shares[name] = shares
                    notes = [str(warning.message) for warning in caught]
                except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                    found.kept[name] = np.full(count, np.nan)
                    notes = [f"It cannot take this table: {error}"]
            if notes:
                found.notes[name] = " ".join(dict.fromkeys(notes))
            advance(1)
    return found


def _left_out(name: str, learner: Learner, named: bool) -> str | None:
    """Return the reason why a method is not run, or None; one that was named may be slow."""
    evidence = learner.evidence_
    if evidence.numbers is not None:
        if name in WHOLE:
            return f"Not run: {WHOLE[name]}, and of a wide table only some are fitted."
        n, n_pairs = evidence.n_samples, len(evidence.values)
        if n * n_pairs > MOST_HELD:
            return (
                f"Not run: it holds a number for each of {n:,} rows and {n_pairs:,} pairs, about "
                f"{8e-9 * n * n_pairs:.1f} GB; to have it, learn from fewer rows (rows=...)."
            )
    most = MOST_COLUMNS.get(name, evidence.n_nodes)
    if not named and evidence.n_nodes > most:
        return (
            f"Not run: with more than {most:,} columns it takes minutes; to have it nevertheless, "
            f"say compare=[{name!r}]."
        )
    return None


def check_methods(methods: Iterable[str]) -> None:
    """Refuse unknown methods."""
    for name in methods:
        if name not in METHODS:
            raise InputError(
                f"There is no method {name!r} to compare with; known are {', '.join(METHODS)}."
            )


def _forests(name: str, learner: Learner, n_jobs: int | None) -> tuple[Floats, Floats]:
    """Fit a model over forests to the fitted pair densities."""
    from spinney import models

    model: Any = getattr(models, name)(n_jobs=n_jobs).fit(learner.pair_fit_)
    first, second = learner.evidence_.index.ends
    return model.adjacency_[first, second].astype(float), model.edge_probabilities_[first, second]


def _gaussian(learner: Learner) -> tuple[Floats, None]:
    table = learner.table_
    if not table.is_plain:
        raise InputError("it takes numbers only, without levels and gaps.")
    from spinney.models.baselines import PartialCorrelation

    model = PartialCorrelation(dependence="shrinkage").fit(table.values)
    return to_pairs(model.adjacency_), None


def _chow_liu(learner: Learner) -> tuple[Floats, None]:
    densities, evidence = learner.pair_fit_.densities_, learner.evidence_
    if evidence.numbers is None:
        from spinney.models.baselines.chow_liu import best_forest

        return to_pairs(best_forest(densities.total() - 0.5 * densities.costs)), None
    rows = np.log(np.maximum(densities.listed_rows, 1.0))
    gains = densities.listed.sum(axis=0) - 0.5 * densities.listed_parameters * rows
    return _best_listed_forest(evidence.index.listed, gains, evidence.n_nodes), None


def _best_listed_forest(pairs: NDArray[np.int64], gains: Floats, d: int) -> Floats:
    """Find the forest of listed pairs with the largest sum of gains: 1 for its edges, else 0."""
    from spinney._core.component_kernels import join_greedily

    useful = np.flatnonzero(gains > 0.0)
    order = useful[np.argsort(-gains[useful], kind="stable")]
    kept = np.zeros(len(pairs))
    kept[order[join_greedily(*pair_ends(pairs[order], d), d)]] = 1.0
    return kept
