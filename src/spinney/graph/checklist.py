"""What reporting standards for networks ask for, and which of it a run has.

The items follow Burger et al. [1]_ and Epskamp, Borsboom and Fried [2]_, in our words.

References
----------
.. [1] J. Burger, A.-M. Isvoranu, G. Lunansky, J. M. B. Haslbeck, S. Epskamp, R. H. A. Hoekstra,
   E. I. Fried, D. Borsboom and T. F. Blanken (2023). Reporting standards for psychological network
   analyses in cross-sectional data. Psychological Methods 28, 806-824.
.. [2] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks and their
   accuracy: A tutorial paper. Behavior Research Methods 50, 195-212.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from spinney._core.text import counted
from spinney.graph.checks import missing_in_words
from spinney.graph.methods import software
from spinney.graph.words import EDGES_MEAN, rows_in_words
from spinney.tables.table import describe_kinds

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["COLUMNS", "STANDARDS", "checklist"]

COLUMNS = ("item", "standard", "status", "what")
B, E = "Burger et al. 2023", "Epskamp et al. 2018"
STANDARDS = (
    "Burger, J., Isvoranu, A.-M., Lunansky, G., Haslbeck, J. M. B., Epskamp, S., Hoekstra, R. H. "
    "A., Fried, E. I., Borsboom, D., & Blanken, T. F. (2023). Reporting standards for "
    "psychological network analyses in cross-sectional data. Psychological Methods, 28, 806–824. "
    "https://doi.org/10.1037/met0000471",
    "Epskamp, S., Borsboom, D., & Fried, E. I. (2018). Estimating psychological networks and their "
    "accuracy: A tutorial paper. Behavior Research Methods, 50, 195–212. "
    "https://doi.org/10.3758/s13428-017-0862-1",
)
HAS, LACKS, YOURS = "has", "lacks", "yours"
AGAIN = "Learn with --stability, or call learn_stability in Python."


def checklist(graph: LearnedGraph) -> pd.DataFrame:
    """List what reporting standards ask for, with what this run has and lacks.

    Returns
    -------
    data frame
        ``item``; ``standard``, which asks for it; ``status``: "has" (it is in the words for the
        paper or the files), "lacks", or "yours" (only the author knows); and ``what`` there is, or
        what to do.
    """
    return pd.DataFrame(_items(graph), columns=list(COLUMNS))


def _items(graph: LearnedGraph) -> Iterator[tuple[str, str, str, str]]:
    table, both = graph.table, f"{B}; {E}"
    yield "Sample", B, YOURS, "Say who or what the rows are, and how they were recruited."
    if table is None:
        yield "Sample size", B, LACKS, "The estimator does not keep its table."
    else:
        rows = rows_in_words(len(table), table.drawn)
        yield "Sample size", B, HAS, f"The graph was learned from {rows}."
        yield "Variables and their kinds", B, HAS, f"{describe_kinds(table)}."
    yield "Choice of variables", B, YOURS, "Say why these columns, and whether two ask the same."
    if table is not None:
        told = "No value is missing."
        if table.has_gaps:
            told = f"{missing_in_words(table)}. Pairs were judged from the rows with both values."
        yield "Missing values and their handling", B, HAS, told
        left = counted(len(table.left_out), "column")
        yield "Variables left out", B, HAS, f"{left} of the table left out."
    rows = "This estimator takes rows as independent."
    if graph.is_probability:
        rows = f"Effective sample size of the worst pair: {graph.learner.n_rows_counted_:,}."
    yield "Dependence of rows", B, HAS if graph.is_probability else LACKS, rows
    yield "Estimation method and settings", both, HAS, f"{graph.estimator}; see Methods."
    yield "Rule by which pairs are edges", both, HAS, "See Methods."
    intervals = "strength_low" in graph.edges
    numbers = "strengths and intervals" if intervals else "weights"
    yield "All edges with their numbers", B, HAS, f"{counted(graph.n_edges, 'edge')}, {numbers}."
    yield "Figure: layout, meaning of lines, maximum", B, HAS, "See the caption."
    told = "95 % intervals, for the graph as given." if intervals else "The estimator gives none."
    yield "Accuracy of edge strengths", both, HAS if intervals else LACKS, told
    found = graph.stability
    by_halves = found is not None and found.fitted_to == "halves"
    if found is None or not found.n_fits:
        stable = [(LACKS, AGAIN), (LACKS, f"{AGAIN} Needed if you report any."), (LACKS, AGAIN)]
    elif by_halves:
        fits = f"{counted(found.n_fits, 'fit')} to halves of the rows."
        told = "Intervals over halves (nodes.csv), but no CS coefficient: learn with --stability."
        stable = [(HAS, fits), (LACKS, told), (LACKS, "Learn with --stability.")]
    else:
        samples = counted(found.n_fits, "bootstrap sample")
        stable = [(HAS, f"Frequencies and intervals over {samples}.")]
        stable.append((HAS, "CS coefficients; see Results."))
        stable.append((HAS, "See stability-differences.csv."))
    yield "Stability of edges", both, *stable[0]
    yield "Stability of centralities", both, *stable[1]
    yield "Difference tests of edges", E, *stable[2]
    versions = ", ".join(f"{name} {number}" for name, number in software(graph).items())
    yield "Software and versions", B, HAS, f"{versions}."
    shared = "Share the table and the script."
    if graph.run is not None:
        shared = "Share the table and run.json, which has command, settings, seed and checksums."
    yield "Data and code", B, YOURS, shared
    yield "Interpretation", B, YOURS, f"{EDGES_MEAN} Say what follows."
