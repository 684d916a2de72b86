"""From a table to a graph in one call."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from spinney.graph.graph import LearnedGraph
from spinney.judge import Judge
from spinney.judge.learner import Learner, Pairs
from spinney.notices import Notice
from spinney.tables import Kinds, Labels, Missing, RowsToUse, open_given


def learn(
    table: Any,
    *,
    cut: float = 0.5,
    fdr: float | None = None,
    sure: float = 0.9,
    min_strength: float = 0.0,
    required: Pairs = (),
    forbidden: Pairs = (),
    prior: Any = None,
    kind: Kinds | None = None,
    na: Any = (),
    labels: Labels = "no",
    layer: str | None = None,
    missing: Missing = "pairwise",
    precision: float | None = None,
    rows: RowsToUse = None,
    unit: Any = None,
    weights: Any = None,
    judge: Judge | str | Path | None = None,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = -1,
    progress: bool = False,
    device: str = "cpu",
) -> LearnedGraph:
    r"""Learn the graph of a table.

    Two columns are joined if they still depend on each other once all other columns are known
    [1]_:

    .. math:: u - v \quad \iff \quad x_u \not\perp\!\!\!\perp x_v \mid x_{-uv} .

    Parameters
    ----------
    table : data frame, array of shape (n, d), path of a file, TableFile or AnnData object
        Rows are samples, columns are variables of any kind; values may be missing. A file is read
        as the command line reads it.
    na : value or list of values
        Values that mean missing, besides empty cells and NaN: ``na=[-99, "unknown"]``.
    labels : {"no", "yes", "both"}
        Names of the columns of SPSS, Stata and SAS files: the variables' names, their labels, or
        both (``q1: How often?``).
    layer : str, optional
        The layer of an AnnData object to learn from, in place of ``X``.
    cut, fdr, sure, min_strength, required, forbidden, prior, kind, missing, unit, weights, judge
        As in :class:`GraphLearner`.
    random_state, n_jobs, device
        As in :class:`GraphLearner`.
    precision : float, optional
        Standard error that a correlation near 0 may have: as many rows are learned from as that
        needs (0.01: 10,001 rows), drawn at random if there are more.
    rows : int or "all", optional
        How many rows are learned from, in place of `precision`; at most 20,000 by default;
        longer tables are subsampled.
    progress : bool
        Whether to show progress bars.

    Returns
    -------
    LearnedGraph
        The edges with their probabilities and strengths, and methods for summaries, pictures and
        files.

    References
    ----------
    .. [1] S. L. Lauritzen (1996). Graphical Models. Oxford University Press, section 3.2.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(300, 5, random_state=0).X)
    >>> graph.edges[["source", "target", "sign"]]
      source target  sign
    0     x1     x2    -1
    1     x0     x3     1
    2     x0     x4    -1
    3     x2     x4     1
    >>> bool((graph.edges["probability"] > 0.99).all())
    True
    """
    table = open_given(table, na, kind, labels, layer)
    learner = Learner(
        judge,
        cut=cut,
        fdr=fdr,
        sure=sure,
        min_strength=min_strength,
        required=required,
        forbidden=forbidden,
        prior=prior,
        kind=kind,
        missing=missing,
        precision=precision,
        rows=rows,
        unit=unit,
        weights=weights,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        device=device,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(table)  # Table -> Scores -> Evidence -> judge
    raised = {}
    for warning in caught:  # kept for the summary, and raised again
        warnings.warn(warning.message, warning.category, stacklevel=2)  # the caller's line
        text = str(warning.message)
        raised[text] = getattr(warning.message, "notice", None) or Notice("as-warned", text)
    return LearnedGraph(learner, tuple(raised.values()))
