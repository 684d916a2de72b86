"""What is measured of each table: plain arrays by name, such as ``SharedForest/adjacency_``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

import spinney
from spinney import forests
from tests.golden.tables import Table

Arrays = dict[str, np.ndarray]
Measure = Callable[[Table, int], Iterable[tuple[str, Any]]]

MOST = 500
"""Of larger arrays that are not mostly zeros every so many-th entry is kept, and sums of parts."""
SEED = 5
FAMILIES = ("independence", "gaussian", "student", "clayton", "gumbel", "frank", "joe")

ATTRIBUTES = (
    *("node_names_", "adjacency_", "edge_weights_", "edge_probabilities_", "edge_ranking_"),
    *("edge_signs_", "labels_", "log_likelihood_", "penalty_", "path_", "refits_", "cuts_"),
    *("cut_probabilities_", "n_renewals_", "tree_count_distribution_", "edge_weight_"),
    *("edge_frequencies_", "simultaneous_frequencies_", "threshold_", "expected_false_edges_"),
    *("partial_correlations_", "p_values_", "shrinkage_", "covariance_", "precision_"),
    *("unknown_pairs_", "explained_pairs_", "edges_"),
)
"""Whatever of these a fitted estimator has."""


def baseline(name: str) -> Any:
    """Find the class of a baseline: the one place that knows where they are."""
    from spinney.models import baselines

    return getattr(baselines, name)


def measure(name: str, table: Table, n_jobs: int = 1, only: Iterable[str] = ()) -> Arrays:
    """Measure all that `PLAN` asks of a table, without warnings and with one thread of BLAS.

    `only` limits it to some estimators, by the first words of what is measured.
    """
    found: Arrays = {}
    chosen = {*only}
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore")
        for job in PLAN[name]:
            if chosen and job.split()[0] not in chosen:
                continue
            for key, value in MEASURES[job](table, n_jobs):
                _put(found, f"{job}/{key}", value)
    return found


# From anything to plain arrays


def _put(found: Arrays, key: str, value: Any) -> None:
    if isinstance(value, pd.DataFrame):
        if set(value.dtypes) == {np.dtype(float)}:  # such as rows that were drawn
            found[key] = value.to_numpy()
            return
        for name in value:
            _put(found, f"{key}/{name}", value[name].tolist())
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            _put(found, f"{key}/{name}", part)
        return
    array = _as_array(value)
    if array.ndim == 2 and array.shape[0] == array.shape[1] and _equal(array, array.T):
        if array.diagonal().any():
            found[f"{key}/diagonal"] = array.diagonal().copy()
        array = array[np.triu_indices(len(array), 1)]
    if array.dtype.kind == "f" and np.count_nonzero(array) > MOST:
        flat = array.ravel()
        found[f"{key}/shape"] = np.array(array.shape)
        parts = np.array_split(np.nan_to_num(flat.astype(float), posinf=0.0, neginf=0.0), 50)
        found[f"{key}/sums"] = np.array([part.sum() for part in parts])
        array = flat[:: -(-flat.size // MOST)]
    found[key] = array


def _as_array(value: Any) -> np.ndarray:
    if isinstance(value, list) and any(isinstance(entry, tuple) for entry in value):
        width = max(map(len, value))  # parameters of copulas
        return np.array([[*entry, *[np.nan] * (width - len(entry))] for entry in value])
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind in "SU":
        return array.astype(str)  # texts, and missing beside true and false
    return array


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


# Estimators


def _fit(make: Callable[[int], Any]) -> Measure:
    """Measure a fitted estimator: its graph, and its density if it is one."""

    def run(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
        X = table.frame
        model = make(n_jobs).fit(X)
        yield from _attributes(model)
        yield from _solved(model)
        density = getattr(model, "estimator_", model)
        if hasattr(density, "score_samples"):
            yield "score_samples", density.score_samples(X.head(4))
            yield "log_likelihood_ratio", density.log_likelihood_ratio(X.head(4))
        if hasattr(density, "sample"):
            yield "sample", density.sample(5, random_state=SEED)
        if hasattr(model, "impute"):
            yield "impute", model.impute(_with_holes(X), n_sweeps=2, random_state=SEED)

    return run


def _attributes(model: Any) -> Iterable[tuple[str, Any]]:
    for name in ATTRIBUTES:
        value = getattr(model, name, None)
        if name == "edges_":
            value = value[["source", "target"]]  # in order; their numbers are elsewhere
        if value is not None and (name != "path_" or isinstance(value, pd.DataFrame)):
            yield name, value


def _solved(model: Any) -> Iterable[tuple[str, Any]]:
    """Tell how the solver went: its steps must stay the same too."""
    result = getattr(model, "result_", None)
    if result is not None:
        yield "result_", {"value": result.value, "steps": result.n_iterations}
        yield "result_/stop_reason", result.stop_reason


def _with_holes(X: pd.DataFrame) -> pd.DataFrame:
    holes = X.head(3).copy()
    for row in range(len(holes)):
        holes.iloc[row, (2 * row + 1) % X.shape[1]] = None
    return holes


def _judged(**options: Any) -> Measure:
    def run(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
        model = spinney.GraphLearner(n_jobs=n_jobs, **options).fit(table.frame)
        yield from _of_learner(model)

    return run


def _wide(measure: Measure) -> Measure:
    """Measure a table of any size as a wide one."""

    def run(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
        with mock.patch("spinney.judge.learner.WIDE", 2):
            yield from list(measure(table, n_jobs))

    return run


def _of_learner(model: Any) -> Iterable[tuple[str, Any]]:
    yield from _attributes(model)
    yield "judged_probabilities_", model.judged_probabilities_
    yield "expected", np.array([model.expected_false_, model.expected_missed_])
    yield "foreign_", "; ".join(map(str, model.out_of_distribution_))
    yield "kinds", list(model.table_.kinds)
    evidence = model.evidence_
    yield "evidence", evidence.values
    yield "channels", list(evidence.to_frame().columns)
    if evidence.numbers is not None:
        yield "evidence/pairs", evidence.index.numbers
    yield from _of_potentials(model.potentials_)


def _of_potentials(potentials: Any) -> Iterable[tuple[str, Any]]:
    yield "potentials", potentials.describe().drop(columns=["u", "v"])
    yield "potentials/n_rows_", potentials.n_rows_
    yield "potentials/n_parameters_", potentials.n_parameters_
    yield "potentials/fitted", potentials.fitted_log_density_[::40]
    yield "potentials/cross_fitted", potentials.cross_fitted_log_density_[::40]


def _learned(**options: Any) -> Measure:
    def run(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
        X = table.frame
        graph = spinney.learn(X, n_jobs=n_jobs, **options)
        yield "edges", graph.edges
        yield "pairs", _by_columns(graph).drop(columns=list(LATER_OF_PAIRS))
        yield "nodes", graph.nodes.drop(columns=list(LATER_OF_NODES))
        density = graph.density(n_jobs=n_jobs)
        yield "density/RootedForests/weights", density.edge_weights_
        yield "density/RootedForests/score", density.score_samples(X.head(4))
        yield "density/RootedForests/sample", density.sample(3, random_state=SEED)

    return run


LATER_OF_PAIRS = ("rank", "sign", "strength", "expected_fdr")
LATER_OF_NODES = ("betweenness", "closeness", "strength")
"""Columns that came after the numbers were stored."""


def _by_columns(graph: Any) -> pd.DataFrame:
    """List pairs in the order of the table's columns, as stored, not the best first."""
    place = {name: k for k, name in enumerate(graph.names)}
    return graph.pairs.sort_values(["source", "target"], key=lambda ends: ends.map(place))


def _pair_copulas(**options: Any) -> Measure:
    def run(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
        U = pd.DataFrame(rankdata(table.values, axis=0) / (len(table.values) + 1))
        U.columns = table.frame.columns
        pairs = spinney.PairCopulas(n_jobs=n_jobs, **options).fit(U)
        yield "table_", pairs.table_
        yield "fold_parameters_", pairs.fold_parameters_
        yield "log_density", pairs.log_density(U.head(5))
        yield "cross_fitted_log_density_", pairs.cross_fitted_log_density_[::20]

    return run


def _stability(inner: Callable[[], Any]) -> Measure:
    return _fit(lambda n_jobs: spinney.StabilitySelection(inner(), n_splits=3, n_jobs=n_jobs))


# Sums over forests, on weights made from the table


def _sums(table: Table, n_jobs: int) -> Iterable[tuple[str, Any]]:
    """Evaluate sums over forests, with plain and with widely spread weights."""
    d = table.values.shape[1]
    rng = np.random.default_rng(table.values.size)
    W = np.triu(rng.gamma(0.7, size=(d, d)), 1)
    W += W.T
    spread = np.triu(rng.normal(0.0, 40.0, size=(d, d)), 1)
    spread += spread.T
    yield "log_partition", np.array([forests.log_partition(W, g) for g in (0.0, 0.3, 1.0)])
    yield "log_partition/spread", forests.log_partition(spread, log=True)
    yield "edge_marginals", forests.edge_marginals(W)
    yield "edge_marginals/trees", forests.edge_marginals(W, 0.0)
    yield "edge_marginals/spread", forests.edge_marginals(spread, log=True)
    beta = W[np.triu_indices(d, 1)]
    samples = rng.gamma(1.0, size=(20, beta.size))
    for engine in ("dense", "sparse", "log", "auto"):
        found = forests.evaluate(beta, samples, engine=engine, threads=n_jobs)
        yield f"evaluate/{engine}/log_partition", found.log_partition
        yield f"evaluate/{engine}/resistance", found.weighted_resistance
    for method in ("wilson", "elimination"):
        drawn = forests.sample(W, 0.5, 4, random_state=SEED, method=method)
        yield f"sample/{method}", drawn.parents
    yield "sample/trees", forests.sample(W, 0.0, 4, random_state=SEED).parents
    posterior = forests.forest_posterior(spread[np.triu_indices(d, 1)] / 10, threads=n_jobs)
    yield "posterior", posterior.probabilities
    yield "posterior/log_partition", posterior.log_partition
    yield "tree_counts", forests.tree_count_distribution(W)
    cuts = forests.smallest_cuts(W, 6)
    yield "cuts/weights", cuts.weights
    yield "cuts/sides", cuts.sides
    if d <= 9:
        yield "unrooted/log_partition", forests.log_partition_unrooted(W, 3)
        yield "unrooted/edge_marginals", forests.edge_marginals_unrooted(W)
        yield "unrooted/sample", forests.sample_unrooted(W, 3, 4, random_state=SEED).parents


def _own(name: str, **options: Any) -> Measure:
    return _fit(lambda n_jobs: getattr(spinney, name)(n_jobs=n_jobs, **options))


def _baseline(name: str, **options: Any) -> Measure:
    return _fit(lambda n_jobs: baseline(name)(**options))


def _pair_fit() -> Any:
    from spinney.pairs.pair_fit import PairFit

    return PairFit()


def _chow_liu(**options: Any) -> Measure:
    return _baseline("ChowLiu", potentials=_pair_fit(), **options)


MEASURES: dict[str, Measure] = {
    "GraphLearner": _judged(),
    "GraphLearner known": _judged(fdr=0.1, required=[(0, 1)], forbidden=[(0, 2)]),
    "GraphLearner wide": _wide(_judged()),
    "GraphLearner rows": _judged(rows=200),
    "GraphLearner drop": _judged(missing="drop"),
    "learn": _learned(),
    "learn wide": _wide(_learned()),
    "learn rows": _learned(rows=200),
    "EnsembleOfTrees": _own("EnsembleOfTrees"),
    # Weights grow without end, so that the default tolerance stops at values 1e-4 apart.
    "ExactForests": _own("ExactForests", tol=1e-7),
    "ExactForests 2": _own("ExactForests", tol=1e-7, max_trees=2),
    "ForestsCuts": _own("ForestsCuts", n_cuts=20),
    "ForestsLambda": _own("ForestsLambda"),
    "RootedForests": _own("RootedForests", n_penalties=12),
    "RootedForests known": _own("RootedForests", required=[(0, 1)], forbidden=[(0, 2)]),
    "RootedForests screen": _own("RootedForests", screen=True, n_penalties=6),
    "SharedForest": _own("SharedForest"),
    "SharedForest screen": _own("SharedForest", screen=True),
    "PairCopulas": _pair_copulas(),
    "PairCopulas bic": _pair_copulas(families=FAMILIES, criterion="bic"),
    "StabilitySelection": _stability(lambda: spinney.SharedForest()),
    "StabilitySelection rooted": _stability(lambda: spinney.RootedForests(n_penalties=6)),
    "StabilitySelection screen": _stability(lambda: spinney.SharedForest(screen=True)),
    "ChowLiu": _baseline("ChowLiu"),
    "ChowLiu copulas": _chow_liu(),
    "ChowLiu screen": _chow_liu(criterion="aic", screen=True),
    "GraphicalLasso": _baseline("GraphicalLasso"),
    "GraphicalLasso ebic": _baseline("GraphicalLasso", selection="ebic", dependence="kendall"),
    "NeighbourhoodSelection": _baseline("NeighbourhoodSelection"),
    "NeighbourhoodSelection ric": _baseline("NeighbourhoodSelection", selection="ric"),
    "PartialCorrelation": _baseline("PartialCorrelation"),
    "PartialCorrelation ranks": _baseline("PartialCorrelation", dependence="spearman"),
    "forests": _sums,
}

_ROOTED = ("GraphLearner", "SharedForest", "RootedForests")
_TREES = ("GraphLearner", "SharedForest", "EnsembleOfTrees")
_PENALISED = ("GraphicalLasso", "NeighbourhoodSelection", "PartialCorrelation", "ChowLiu")
_VARIANTS = (
    *("GraphicalLasso ebic", "NeighbourhoodSelection ric", "PartialCorrelation ranks"),
    "PairCopulas bic",
)

PLAN: dict[str, tuple[str, ...]] = {
    "gaussian": (*_ROOTED, *_PENALISED, "EnsembleOfTrees", "PairCopulas", "learn", "forests"),
    "few_rows": (*_ROOTED, *_PENALISED, *_VARIANTS),
    "dense": (*_TREES, *_VARIANTS, "ExactForests", "RootedForests known", "GraphLearner known"),
    "t_cliques": (*_ROOTED, "PairCopulas", "StabilitySelection"),
    "t_cliques_3": (*_TREES, *_PENALISED, "ExactForests 2", "GraphLearner wide"),
    "forest": (*_ROOTED, *_VARIANTS, "PairCopulas", "ChowLiu copulas", "ForestsLambda"),
    "forest_parts": (*_TREES, "PairCopulas", "StabilitySelection rooted", "forests"),
    "hubs": (*_TREES, *_PENALISED, "RootedForests screen", "SharedForest screen"),
    "grid": (*_ROOTED, *_VARIANTS, "GraphLearner known", "forests"),
    "independent": (*_TREES, *_PENALISED, "PairCopulas", "ExactForests", "RootedForests"),
    "ties": (*_TREES, *_VARIANTS, "PairCopulas", "ForestsCuts"),
    "margins": (*_ROOTED, *_PENALISED, "GraphLearner known", "StabilitySelection"),
    "tiny": (*_ROOTED, *_PENALISED, "PairCopulas", "ExactForests", "ForestsCuts"),
    "two_columns": (*_ROOTED, *_VARIANTS, *_PENALISED, "ForestsCuts", "ForestsLambda", "forests"),
    "three_columns": (*_TREES, *_VARIANTS, "ExactForests 2", "ForestsCuts", "forests"),
    "sachs": (*_ROOTED, *_PENALISED, "PairCopulas", "forests"),
    "collinear": (*_TREES, *_VARIANTS, "ExactForests"),
    "binary": (*_ROOTED, *_PENALISED, "ForestsLambda", "ExactForests 2"),
    "binary_two": (*_TREES, "ForestsCuts", "ExactForests", "ChowLiu copulas"),
    "ordinal": (*_TREES, *_PENALISED, "GraphLearner known", "RootedForests known"),
    "ordinal_three": (*_TREES, "ForestsCuts", "StabilitySelection", "ChowLiu copulas"),
    "nominal": (*_ROOTED, "ExactForests", "StabilitySelection rooted", "ChowLiu copulas"),
    "mixed": (*_TREES, "ForestsLambda", "SharedForest screen"),
    "mixed_forest": (*_ROOTED, *_PENALISED, "GraphLearner wide"),
    "mixed_all": (*_ROOTED, "EnsembleOfTrees", "ChowLiu copulas", "ChowLiu screen", "learn"),
    "mixed_few_rows": (*_TREES, "StabilitySelection", "GraphLearner known"),
    "voters": (*_ROOTED, "ChowLiu copulas"),
    "gaps": (*_ROOTED, "EnsembleOfTrees", "learn", "GraphLearner drop", "ChowLiu copulas"),
    "gaps_forest": (*_TREES, "ExactForests", "ForestsCuts", "StabilitySelection"),
    "gaps_pairwise": (*_ROOTED, "ExactForests 2", "RootedForests known"),
    "gaps_ordinal": (*_TREES, "ForestsCuts", "GraphLearner wide"),
    "gaps_mixed": (*_TREES, "ForestsLambda", "StabilitySelection rooted", "RootedForests screen"),
    "gaps_nominal": (*_TREES, "ExactForests", "SharedForest screen", "ChowLiu copulas"),
    "penguins": (*_ROOTED, "GraphLearner drop", "ChowLiu screen"),
    "wide": ("GraphLearner wide", "learn wide", "RootedForests screen", "PartialCorrelation"),
    "wide_mixed": ("GraphLearner wide", "SharedForest screen", "StabilitySelection screen"),
    "wide_forest": ("GraphLearner wide", "SharedForest screen", "ChowLiu screen"),
    "wide_parts": ("GraphLearner wide", "GraphicalLasso ebic"),
    "wide_auto": ("ChowLiu copulas",),
    "long": ("GraphLearner rows", "learn rows"),
}
"""What is measured of which table: each estimator sees plain columns, levels and gaps, if it can,
and some of the pairs."""
