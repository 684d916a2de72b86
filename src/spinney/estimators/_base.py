"""What all forest estimators share: from a table to potentials, and a fitted model as a density."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from spinney import forests
from spinney._density import DensityMixin
from spinney._graph import EdgeShare, GraphMixin
from spinney._pairs import n_nodes, n_pairs, to_matrix, to_pairs
from spinney._validation import check_table, read_features
from spinney.copulas import PairCopulas, sample_down
from spinney.evidence import Evidence
from spinney.exceptions import InputError
from spinney.marginals import Marginals, canonical_order
from spinney.marginals.transformer import SMALLEST_U
from spinney.objectives import Ensemble
from spinney.solvers import SolverResult

__all__ = ["ForestEstimator", "RandomState", "check_number"]

Floats = NDArray[np.float64]
RandomState = int | np.random.Generator | None


class ForestEstimator(GraphMixin, DensityMixin, BaseEstimator, ABC):
    """Base of the estimators that average over forests.

    A subclass learns edge weights from log-densities (`_learn`) and says which forests it sums over
    (`_ensemble`); everything else is here.
    """

    potentials: Any
    marginals: Any
    n_jobs: int | None
    progress: bool

    edge_probabilities_: Floats
    log_likelihood_: float
    potentials_: Any
    n_features_in_: int

    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_probabilities_", "probability", "share of forests"
    )
    _stored: ClassVar[tuple[str, ...]] = (
        "n_features_in_",
        "feature_names_in_",
        "node_names_",
        "edge_weights_",
        "edge_probabilities_",
        "log_likelihood_",
        "potentials_",
        "_values",
        "_fitted_marginals",
    )

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table; or with ``potentials="precomputed"`` log-densities of shape (n, n_pairs),
            pairs in the order of ``np.triu_indices(d, 1)``.
        y : ignored
        """
        self._check_common_parameters()
        self._check_parameters()
        # Until the new weights are there the model is not fitted: old ones fit no new potentials.
        self.__dict__.pop("edge_weights_", None)
        evidence = self._fit_potentials(X)
        beta = self._learn(evidence)
        self._keep(beta, evidence)
        return self

    # What a subclass provides

    @abstractmethod
    def _learn(self, evidence: Evidence) -> Floats:
        """Learn edge weights, exactly zero where there is no edge."""

    @abstractmethod
    def _ensemble(self) -> Ensemble:
        """Return the forests that the fitted model sums over."""

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, by one sentence each."""

    def _prepare(self) -> None:
        """Read what depends on the columns, before anything expensive is done."""

    def _check_common_parameters(self) -> None:
        for name, value in self.get_params(deep=False).items():
            if name == "n_jobs" and value == 0:
                raise InputError(
                    "n_jobs must be a number of threads, or -1 for all cores; it is 0."
                )
            if name in ("tol", "edge_tolerance"):
                check_number(name, value, low=0.0, high=1.0 if name != "tol" else np.inf)
            elif name == "max_iter":
                check_number(name, value, low=1, whole=True)

    @property
    def _context(self) -> forests.Context:
        """How sums over forests are computed: on as many threads as `n_jobs` allows."""
        return forests.Context(
            threads=None if self.n_jobs is None else effective_n_jobs(self.n_jobs)
        )

    # From the table to the potentials

    def _fit_potentials(self, X: Any) -> Evidence:
        """Fit marginals and pair copulas, and return what the table says of its pairs."""
        precomputed = isinstance(self.potentials, str)
        if precomputed and self.potentials != "precomputed":
            raise InputError(
                f"potentials must be a PairCopulas, None or 'precomputed', not {self.potentials!r}."
            )
        table = check_table(X, min_columns=1 if precomputed else 2, allow_constant=precomputed)
        read_features(self, X, table, reset=True)
        self._values: Floats | None = None
        self._fitted_marginals: Marginals | None = None
        if precomputed:
            self.potentials_ = None
            self.node_names_ = tuple(f"x{k}" for k in range(n_nodes(table.values.shape[1])))
            self._prepare()
            return Evidence(table.values)
        self.node_names_ = table.names
        self._prepare()
        self._values = table.values
        U = self._pseudo_observations()
        # Folds are drawn by position, and sums depend on the order in their last digits: rows are
        # put in an order of their own, so that nothing depends on that of the table.
        order = canonical_order(U.to_numpy())
        self._values, U = self._values[order], U.iloc[order].reset_index(drop=True)
        pairs = PairCopulas() if self.potentials is None else self.potentials
        if not hasattr(pairs, "log_density"):
            raise InputError(
                f"potentials must offer fit and log_density, as PairCopulas does, not {pairs!r}."
            )
        pairs = clone(pairs)
        for name in ("n_jobs", "progress"):
            if getattr(self, name) and name in pairs.get_params():
                pairs.set_params(**{name: getattr(self, name)})
        if isinstance(pairs, FrozenEstimator):
            check_is_fitted(pairs)
            self.potentials_ = pairs.estimator
        else:
            self.potentials_ = pairs.fit(U)
        fitted = self.potentials_
        return Evidence(
            self._pair_log_density(U),
            getattr(fitted, "n_parameters_", None),
            getattr(fitted, "n_rows_", None),
        )

    def _pseudo_observations(self) -> pd.DataFrame:
        """Map the table to ranks, unless smooth marginals were asked for."""
        values = self._named(self._values)
        marginals = self._new_marginals()
        if marginals.transform_by == "smooth":
            self._fitted_marginals = marginals.fit(values)
        else:
            marginals = marginals.set_params(smooth=None).fit(values)
        U: pd.DataFrame = marginals.transform(values)
        return U

    def _named(self, values: Any) -> pd.DataFrame:
        """Put the names of the columns to an array, so that every message can use them."""
        return pd.DataFrame(values, columns=list(self.node_names_))

    def _pair_log_density(self, U: pd.DataFrame) -> Floats:
        """Log-densities of all pairs; frozen potentials may not know the columns by name."""
        pairs = self.potentials_
        n_known = getattr(pairs, "n_features_in_", len(self.node_names_))
        if n_known != len(self.node_names_):
            raise InputError(
                f"The potentials were fitted on {n_known} columns, but the table has "
                f"{len(self.node_names_)}. Fit them on the same columns."
            )
        known = getattr(pairs, "feature_names_in_", None)
        if known is None:
            found = pairs.log_density(U.to_numpy())
        elif hasattr(self, "feature_names_in_"):
            found = pairs.log_density(U)
        else:
            found = pairs.log_density(U.set_axis(known, axis=1))
        log_density = np.asarray(found, dtype=float)
        expected = (len(U), n_pairs(len(self.node_names_)))
        if log_density.shape != expected or np.isnan(log_density).any():
            raise InputError(
                f"The potentials must give a number for each row and pair, shape {expected}, but "
                f"{type(pairs).__name__} gave {log_density.shape} or NaN."
            )
        return log_density

    def _new_marginals(self) -> Marginals:
        if self.marginals is None:
            return Marginals()
        if not isinstance(self.marginals, Marginals):
            raise InputError(f"marginals must be a Marginals() or None, not {self.marginals!r}.")
        fresh: Marginals = clone(self.marginals)
        return fresh

    @property
    def marginals_(self) -> Marginals:
        """The smooth marginals, fitted when they are first needed: learning needs ranks only."""
        check_is_fitted(self)
        if self._fitted_marginals is None:
            if self._values is None:
                raise InputError(
                    "The model was fitted on precomputed log-densities, so it knows no marginals. "
                    "Fit it on a table."
                )
            marginals = self._new_marginals()
            if marginals.smooth is None:
                raise InputError(
                    "The model's marginals have smooth=None, so it has no density in the units of "
                    "the table. Fit it with Marginals(smooth='auto')."
                )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ties: `fit` has warned
                self._fitted_marginals = marginals.fit(self._named(self._values))
        return self._fitted_marginals

    # The fitted graph

    def _keep(self, beta: Floats, evidence: Evidence) -> None:
        self.edge_weights_ = to_matrix(beta)
        ensemble = self._ensemble()
        self.edge_probabilities_ = to_matrix(ensemble.edge_probabilities(beta))
        ratio = ensemble.log_likelihood_ratio(beta, evidence.log_density)
        self.log_likelihood_ = float(ratio.mean())
        self._restore()

    def _restore(self) -> None:
        """Rebuild what follows from the edge weights; refuse weights that do not fit the names."""
        d = len(self.node_names_)
        if "edge_ranking_" not in self._stored:  # one of its own is learned, not rebuilt
            self.edge_ranking_ = self.edge_probabilities_
        for weights in (self.edge_weights_, self.edge_probabilities_, self.edge_ranking_):
            sound = weights.shape == (d, d) and np.isfinite(weights).all()
            if not sound or (weights < 0).any() or (weights != weights.T).any():
                raise InputError(f"its {type(self).__name__} has edge weights that are no graph")
        if self.potentials_ is not None and getattr(self.potentials_, "n_features_in_", d) != d:
            raise InputError(f"its {type(self).__name__} and their potentials differ in columns")
        self._ensemble()
        self.adjacency_ = self.edge_weights_ > 0

    # The fitted density

    def log_likelihood_ratio(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns with the same margins.

        .. math:: \log Z(\beta \circ W(x)) - \log Z(\beta)

        It has no units. With ``potentials="precomputed"`` `X` holds log-densities, as in `fit`.
        """
        return self._ensemble().log_likelihood_ratio(self._beta, self._read_log_density(X))

    def _log_margins(self, X: Any) -> Floats:
        check_is_fitted(self)
        if self.potentials_ is None:
            raise InputError(
                "The model was fitted on precomputed log-densities, so it has no density in the "
                "units of a table. Use log_likelihood_ratio, which needs no margins."
            )
        rows = self._named(self._read_rows(X))
        log_density: Floats = self.marginals_.log_density(rows).to_numpy()
        return log_density.sum(axis=1)

    def edge_probabilities(self, X: ArrayLike | pd.DataFrame) -> Floats:
        """Probability of each edge given each row, shape (n, d, d)."""
        log_density = self._read_log_density(X)
        return to_matrix(self._ensemble().posterior_edge_probabilities(self._beta, log_density))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Any:
        """Draw rows from the fitted density.

        A forest is drawn for each row, its trees are gone down from their roots by the inverse
        h-functions of the pair copulas, and the smooth marginals lead back to the table's units.

        Returns
        -------
        data frame or array of shape (n_samples, d)
            A data frame if the model was fitted on one.
        """
        check_is_fitted(self)
        if self.potentials_ is None:
            raise InputError(
                "The model was fitted on precomputed log-densities, so it cannot draw rows. Fit it "
                "on a table."
            )
        if n_samples < 1:
            raise InputError(f"n_samples must be at least 1, not {n_samples}.")
        rng = np.random.default_rng(random_state)
        parents = self._ensemble().sample(self._beta, n_samples, rng)
        U = sample_down(self.potentials_, parents, rng)
        drawn = self.marginals_.inverse_transform(U)
        if hasattr(self, "feature_names_in_"):
            return pd.DataFrame(drawn, columns=self.feature_names_in_)
        return drawn

    @property
    def _beta(self) -> Floats:
        return to_pairs(self.edge_weights_)

    def _read_rows(self, X: Any) -> Floats:
        """Check rows that are to be scored."""
        check_is_fitted(self)
        table = check_table(X, min_rows=1, allow_constant=True)
        read_features(self, X, table, reset=False)
        return table.values

    def _read_log_density(self, X: Any) -> Floats:
        """Log-densities of all pairs for rows that are to be scored."""
        rows = self._read_rows(X)
        if self.potentials_ is None:
            return rows
        U = self.marginals_.cdf(self._named(rows)).clip(SMALLEST_U, 1.0 - SMALLEST_U)
        return self._pair_log_density(U)

    def _warn_if_stopped_early(self, result: SolverResult, advice: str) -> None:
        if result.stop_reason not in ("converged", "small_change"):
            self._warn_of_early_stop(
                f"{type(self).__name__} stopped by {result.stop_reason} after "
                f"{result.n_iterations} iterations, {result.violation:.2g} from stationarity. "
                f"{advice}",
            )

    def _warn_of_early_stop(self, message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=5)


def check_number(
    name: str, value: Any, *, low: float, high: float = np.inf, whole: bool = False
) -> None:
    """Refuse a parameter that is no number, or none between `low` and `high`.

    Examples
    --------
    >>> check_number("n_cuts", 2.5, low=1, whole=True)
    Traceback (most recent call last):
    spinney.exceptions.InputError: n_cuts must be a whole number of at least 1, not 2.5.
    """
    sound = isinstance(value, int | np.integer) or (
        isinstance(value, float | np.floating) and not whole
    )
    if sound and not isinstance(value, bool) and low <= value <= high:
        return
    between = f"between {low:g} and {high:g}" if high < np.inf else f"of at least {low:g}"
    number = "whole number" if whole else "number"
    raise InputError(f"{name} must be a {number} {between}, not {value!r}.")
