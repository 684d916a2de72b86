"""What all forest estimators share: from a table to potentials, and a fitted model as a density."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney import tables
from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.graph import EdgeShare, GraphMixin
from spinney._core.pairs import PairIndex, n_pairs, pair_numbers
from spinney._core.protocols import DensityMixin
from spinney._core.text import counted
from spinney.exceptions import InputError
from spinney.models.objectives import Ensemble
from spinney.models.solvers import SolverResult
from spinney.notices import Notice
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import Margins, Ties, check_ties
from spinney.pairs.pair_fit import PairFit
from spinney.tables import Kinds, Missing, ReadsKindsMixin, Table

RandomState = int | np.random.Generator | None
Screen = Literal["auto"] | bool

ALL_PAIRS_UP_TO = 300
"""With ``screen="auto"``, only strong pairs of wider tables are fitted."""
MEANT_FOR = 1000
"""Columns up to which a number for every row and pair can be held."""
COUNT = Interval(Integral, 1, None, closed="left")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
FRACTION = Interval(Real, 0, 1, closed="both")
"""What parameters may be."""

TABLES = 3
"""Tables of that size that a fit holds: log-densities, densities, and a part of them at work."""


@dataclass(eq=False, repr=False)
class ForestEstimator(ReadsKindsMixin, GraphMixin, DensityMixin, BaseEstimator, ABC):
    """Base of the estimators that average over forests.

    A subclass is a dataclass whose fields are its parameters; `_parameter_constraints` holds the
    values that they may have, as in scikit-learn. It learns edge weights from log-densities
    (`_learn`) and says which forests it sums over (`_ensemble`); everything else is here.
    """

    _: KW_ONLY
    potentials: PairCopulas | PairFit | None = None
    marginals: Margins | None = None
    kind: Kinds | None = None
    missing: Missing = "pairwise"
    ties: Ties = "auto"
    n_jobs: int | None = None
    progress: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "potentials": [PairCopulas, PairFit, None],
        "marginals": [Margins, None],
        "n_jobs": [None, COUNT, Interval(Integral, None, -1, closed="right")],
        "screen": ["boolean", StrOptions({"auto"})],
        "tol": [NOT_NEGATIVE],
        "max_iter": [COUNT],
        "edge_tolerance": [FRACTION],
    }
    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_probabilities_", "probability", "share of forests"
    )

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d), PairFit or PairDensities
            The table; or fitted densities of its pairs, which are used unchanged. A model of
            :class:`~spinney.pairs.densities.PairDensities` knows no margins: it scores other
            PairDensities and draws nothing.
        y : ignored
        """
        # Not fitted until the new weights exist: old weights do not belong to new potentials.
        for name in ("edge_weights_", "edge_ranking_"):
            self.__dict__.pop(name, None)
        check_parameters(self)
        self._check_parameters()
        evidence = self._fit_pairs(X)
        beta = self._learn(evidence)
        self._keep(beta, evidence)
        self.why_no_edges_ = explain_empty(self.adjacency_, evidence, self.node_names_)
        return self

    # What a subclass provides

    @abstractmethod
    def _learn(self, evidence: PairDensities) -> Floats:
        """Learn edge weights, exactly zero where there is no edge."""

    @abstractmethod
    def _ensemble(self) -> Ensemble:
        """Return the forests that the fitted model sums over."""

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""

    def _prepare(self) -> None:
        """Read whatever depends on the columns, before any expensive step."""

    @property
    def _threads(self) -> int | None:
        """Most threads for sums over forests, as `n_jobs` allows."""
        return None if self.n_jobs is None else int(effective_n_jobs(self.n_jobs))

    @staticmethod
    def _falling(penalties: Any) -> Floats:
        """Read one penalty or several, the largest first."""
        try:
            values = np.atleast_1d(np.asarray(penalties, dtype=float))
            sound = values.ndim == 1 and values.size and ((values > 0) & (values < np.inf)).all()
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise InputError(f"penalties must be positive numbers, not {penalties!r}.")
        return np.sort(values)[::-1]

    # From the table to the densities of its pairs

    def _fit_pairs(self, X: Any) -> PairDensities:
        """Read the table, fit the densities of its pairs, and return them as evidence."""
        if isinstance(X, PairDensities):
            return self._read_densities(X)
        fitted = isinstance(X, PairFit)
        fit = X if fitted else self._new_pair_fit()
        if fitted:
            check_is_fitted(fit)
            table = fit.table_
            tables.check_features(self, table, reset=True)
        else:
            table = self._read_to_learn(X)
        self.node_names_ = table.names
        self._prepare()
        always = self._always_listed()
        if not fitted:
            fit.fit(table, pairs=pairs_to_fit(self, table, always))
        elif fit.pairs_ is None:
            _refuse_wide(self, table)
        self.pair_fit_ = fit
        return self.pair_fit_.densities_.including(always)

    def _always_listed(self) -> Ints:
        """Pairs that are fitted however weak they are."""
        return np.empty(0, dtype=np.int64)

    def _read_densities(self, densities: PairDensities) -> PairDensities:
        """Use given densities of all pairs."""
        d = densities.n_nodes
        tables.check_table(densities.listed, allow_constant=True)
        tables.check_features(self, np.empty((1, d)), reset=True)
        self.pair_fit_ = None
        self.node_names_ = tuple(f"x{k}" for k in range(d))
        self._prepare()
        if densities.pairs is None:
            return densities
        return PairDensities(densities.log_density, densities.n_parameters, densities.n_rows)

    def _new_pair_fit(self) -> PairFit:
        """Return an unfitted PairFit with the model's parameters."""
        given = PairCopulas() if self.potentials is None else clone(self.potentials)
        fit: PairFit = given if isinstance(given, PairFit) else PairFit(given)
        if fit.copulas is None:
            fit.copulas = PairCopulas()
        for name in ("n_jobs", "progress"):
            if getattr(self, name):
                fit.copulas.set_params(**{name: getattr(self, name)})
        if fit.margins is None:
            fit.margins = Margins() if self.marginals is None else clone(self.marginals)
            check_ties(self.ties)
            if self.ties != "auto":
                fit.margins.set_params(ties=self.ties)
        return fit

    @property
    def marginals_(self) -> Margins:
        """The smooth marginals, fitted when they are first needed: learning needs ranks only."""
        return self._known_pairs("knows no marginals").margins_

    @property
    def potentials_(self) -> Any:
        """The fitted densities of pairs: PairCopulas of plain columns, else a PairFit."""
        check_is_fitted(self, "pair_fit_")
        return None if self.pair_fit_ is None else self.pair_fit_.potentials

    @property
    def table_(self) -> Table:
        """The table that was learned from: kinds of the columns, values in an order of their own.

        Its ``left_out`` names the columns that could not be used.
        """
        return self._known_pairs("knows no table").table_

    def _known_pairs(self, otherwise: str) -> PairFit:
        check_is_fitted(self)
        if self.pair_fit_ is None:
            raise InputError(
                f"The model was fitted on PairDensities, so it {otherwise}. Fit it on a table."
            )
        return self.pair_fit_

    # The fitted graph

    def _keep(self, beta: Floats, evidence: PairDensities) -> None:
        self.edge_weights_ = evidence.index.matrix(beta)
        ensemble, own = self._ensemble(), self._beta
        self.edge_probabilities_ = self._index.matrix(ensemble.edge_probabilities(own))
        ratio = ensemble.log_likelihood_ratio(own, self._of_listed(evidence))
        self.log_likelihood_ = float(ratio.mean())
        if "edge_ranking_" not in self.__dict__:  # else that of a path, or of a ladder
            self.edge_ranking_ = self.edge_probabilities_
        self.adjacency_ = self.edge_weights_ > 0

    # Which pairs the fitted model knows

    @property
    def _listed(self) -> Ints | None:
        """Numbers of the pairs that forests are made of; None if these are all pairs."""
        if self.pair_fit_ is None or self.pair_fit_.pairs_ is None:
            return None
        first, second = np.nonzero(np.triu(self.edge_weights_, 1))
        return pair_numbers(first, second, len(self.edge_weights_))

    def _of_listed(self, evidence: PairDensities) -> Floats:
        """Log-densities of the listed pairs, in their order."""
        listed = self._listed
        if listed is None or evidence.pairs is None:
            return evidence.log_density
        if np.array_equal(listed, evidence.pairs):
            return evidence.listed
        return np.take(evidence.listed, np.searchsorted(evidence.pairs, listed), axis=1)

    @property
    def _index(self) -> PairIndex:
        return PairIndex(len(self.node_names_), self._listed)

    # The fitted density

    def log_likelihood_ratio(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns with the same margins.

        .. math:: \log Z(\beta \circ W(x)) - \log Z(\beta)

        It has no units. A model of PairDensities takes others as `X`.
        """
        return self._ensemble().log_likelihood_ratio(self._beta, self._read_log_density(X))

    def _log_margins(self, X: Any) -> Floats:
        known = self._known_pairs(
            "has no density in the units of a table: use log_likelihood_ratio, without margins"
        )
        return known.log_margins(self._read_rows(X))

    def edge_probabilities(self, X: ArrayLike | pd.DataFrame) -> Floats:
        """Probability of each edge given each row, shape (n, d, d)."""
        log_density = self._read_log_density(X)
        found = self._ensemble().posterior_edge_probabilities(self._beta, log_density)
        return self._index.matrix(found)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Any:
        """Draw rows from the fitted density.

        A forest is drawn for each row. The inverse h-functions of the pair copulas follow its trees
        from the roots down, and the smooth marginals lead back to the table's units.

        Returns
        -------
        data frame or array of shape (n_samples, d)
            A data frame if the model was fitted on one.
        """
        known = self._known_pairs("cannot draw rows")
        if n_samples < 1:
            raise InputError(f"n_samples must be at least 1, not {n_samples}.")
        rng = read_random_state(random_state)
        parents = self._ensemble().sample(self._beta, n_samples, rng)
        return self._as_given(known.draw(parents, rng))

    def impute(
        self, X: ArrayLike | pd.DataFrame, n_sweeps: int = 10, random_state: RandomState = None
    ) -> Any:
        """Fill the gaps of rows by draws from the model, given what is present.

        Forests and missing values are drawn in turn: a forest given the row, then each missing
        value given its neighbours in the forest (Gibbs sampling). Present values stay.
        One call gives one draw; several, with other seeds, show how far the gaps are open.

        Parameters
        ----------
        X : data frame or array of shape (m, d)
            Rows with gaps.
        n_sweeps : int
            How often all missing values are drawn again.
        random_state : int, Generator or None
            Seed.

        Returns
        -------
        data frame or array of shape (m, d)
            The columns that the model knows, without gaps.
        """
        known = self._known_pairs("cannot fill gaps")
        if not isinstance(n_sweeps, Integral) or n_sweeps < 1:
            raise InputError(f"n_sweeps must be a whole number of at least 1, not {n_sweeps!r}.")
        rng, ensemble, beta = read_random_state(random_state), self._ensemble(), self._beta

        listed, d = self._listed, len(self.node_names_)

        def draw_forests(log_density: Floats) -> Any:
            if listed is not None:
                fitted = PairDensities(log_density, pairs=known.pairs_, n_nodes=d)
                log_density = self._of_listed(fitted.including(listed))
            rows = [ensemble.sample(beta * np.exp(row), 1, rng) for row in log_density]
            return np.concatenate(rows)

        filled = known.impute(self._read_rows(X), draw_forests, n_sweeps, rng)
        given = self._as_given(filled)
        if isinstance(given, pd.DataFrame) and isinstance(X, pd.DataFrame):
            given.index = X.index
        return given

    def _as_given(self, table: Table) -> Any:
        """Return rows as what the model was fitted on: a data frame, or an array of numbers."""
        frame = tables.decode(table)
        return frame if hasattr(self, "feature_names_in_") else frame.to_numpy()

    @property
    def _beta(self) -> Floats:
        return self.edge_weights_[self._index.ends]

    def _read_rows(self, X: Any) -> Table:
        """Check rows that are to be scored."""
        known = self._known_pairs("reads no rows")
        return self._read_to_score(X, known.table_)

    def _read_log_density(self, X: Any) -> Floats:
        """Log-densities of the listed pairs for rows that are to be scored."""
        check_is_fitted(self)
        if self.pair_fit_ is None:
            d = len(self.node_names_)
            if not isinstance(X, PairDensities) or X.n_nodes != d:
                raise InputError(
                    "The model was fitted on PairDensities, so it scores PairDensities of the same "
                    f"{d} columns."
                )
            return tables.check_table(X.log_density, min_rows=1, allow_constant=True).values
        return self.pair_fit_.log_density(self._read_rows(X), self._listed)

    def _warn_if_stopped_early(self, result: SolverResult) -> None:
        if result.stop_reason not in ("converged", "small_change"):
            self._warn_of_early_stop(
                f"{type(self).__name__} stopped by {result.stop_reason} after "
                f"{result.n_iterations} iterations, {result.violation:.2g} from stationarity. "
                "Raise max_iter or tol."
            )

    def _warn_of_early_stop(self, message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=5)


def check_parameters(model: Any) -> None:
    """Refuse parameters that are not what their declarations (`_parameter_constraints`) allow."""
    try:
        model._validate_params()
    except InvalidParameterError as error:
        raise InputError(str(error)) from None


def explain_empty(adjacency: Bools, evidence: PairDensities, names: Sequence[str]) -> Notice | None:
    r"""Say why there is no edge, by the pair that comes closest to one.

    A pair that gains G nats from n rows is as strong as a Gaussian one with correlation
    :math:`\sqrt{1 - e^{-2G/n}}`. To stand out among N pairs it must gain about
    :math:`\tfrac{k}{2} \log n + \log N`, for its k parameters and for the search.

    Returns
    -------
    Notice or None
        None if there are edges.

    Examples
    --------
    >>> evidence = PairDensities(np.full((10, 3), [0.2, 0.0, 0.01]), n_parameters=[1, 0, 1])
    >>> print(explain_empty(np.zeros((3, 3), dtype=bool), evidence, ["a", "b", "c"]))
    No edge was kept. The strongest pair, 'a' and 'b', is as strong as a correlation of 0.57: a
    gain of 2.0 nats from 10 rows. To stand out among 3 pairs it needs a gain of about 2.2: use
    more rows or fewer columns.
    """
    if adjacency.any():
        return None
    parameters = evidence.listed_parameters
    gains = evidence.listed.sum(axis=0) - 1e9 * (parameters == 0)
    best = int(np.argmax(gains)) if gains.size else -1
    if best < 0 or parameters[best] == 0 or gains[best] <= 0.0:
        text = "No edge was kept: no pair predicts new rows better than independence does."
        return Notice("no-pair-gains", text, "note")
    rows = max(float(evidence.listed_rows[best]), 1.0)
    strength = np.sqrt(-np.expm1(-2.0 * gains[best] / rows))
    needed = 0.5 * parameters[best] * np.log(rows) + np.log(evidence.n_pairs)
    u, v = (names[int(ends[best])] for ends in evidence.index.ends)
    settle = f"it needs a gain of about {needed:.1f}: use more rows or fewer columns"
    if gains[best] >= needed:
        settle = f"a gain of about {needed:.1f} is enough: loosen the model's own penalty or "
        settle += "tolerance"
    text = (
        f"No edge was kept. The strongest pair, '{u}' and '{v}', is as strong as a correlation of "
        f"{strength:.2f}: a gain of {gains[best]:.1f} nats from {int(rows)} rows. To stand out "
        f"among {evidence.n_pairs} pairs {settle}."
    )
    return Notice("no-pair-stands-out", text, "note", (u, v))


def pairs_to_fit(model: Any, table: Table, always: Ints | None = None) -> Ints | None:
    """Choose the pairs that a model fits, by number; None stands for all.

    Parameters
    ----------
    model : estimator
        Its `screen` says whether only the strongest pairs of each column are fitted; "auto" does so
        beyond :data:`ALL_PAIRS_UP_TO` columns. Models without that parameter need all pairs.
    table : Table
        The table.
    always : array of pair numbers, optional
        Pairs that are fitted however weak they are.
    """
    value = getattr(model, "screen", False)
    if not (len(table.columns) > ALL_PAIRS_UP_TO if value == "auto" else value):
        _refuse_wide(model, table)
        return None
    from spinney.scale.partners import find_partners
    from spinney.scores import read_scores

    partners = find_partners(read_scores(table))
    strong = pair_numbers(partners.first, partners.second, len(table.columns))
    return strong if always is None else np.union1d(strong, always).astype(np.int64)


def _refuse_wide(model: Any, table: Table) -> None:
    """Refuse a table of which a number per row and pair would not fit into memory."""
    n, d = table.values.shape
    if d <= MEANT_FOR:
        return
    size = TABLES * 8.0 * n * n_pairs(d) / 2**30
    cure = (
        "Leave screen='auto', with potentials that are fitted here"
        if hasattr(model, "screen")
        else "Use SharedForest or RootedForests, which screen pairs first"
    )
    raise InputError(
        f"{type(model).__name__} holds a number for every row and pair, and is meant for tables of "
        f"up to {MEANT_FOR:,} columns; {counted(d, 'column')} and {counted(n, 'row')} would take "
        f"about {size:.1f} GiB. {cure}."
    )
