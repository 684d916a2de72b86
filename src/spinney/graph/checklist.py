"""What reporting standards for networks ask for, and which of it a run has.

The items follow Burger et al. [1]_ and Epskamp, Borsboom and Fried [2]_, in our words.

References
----------
.. [1] J. Burger, A.-M. Isvoranu, G. Lunansky, J. M. B. Haslbeck, S. Epskamp, R. H. A. Hoekstra,
   E. I. Fried, D. Borsboom and T. F. Blanken (2022). Reporting standards for psychological network
   analyses in cross-sectional data. Psychological Methods 28, 806-824.
.. [2] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks and their
   accuracy: A tutorial paper. Behavior Research Methods 50, 195-212.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from spinney._core.text import counted
from spinney.graph.methods import software
from spinney.graph.words import rows_in_words
from spinney.tables.table import describe_gaps, describe_kinds

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["COLUMNS", "STANDARDS", "checklist"]

COLUMNS = ("item", "standard", "status", "what")
B, E = "Burger et al. 2022", "Epskamp et al. 2018"
STANDARDS = (
    "Burger, J., Isvoranu, A.-M., Lunansky, G., Haslbeck, J. M. B., Epskamp, S., Hoekstra, R. H. "
    "A., Fried, E. I., Borsboom, D., & Blanken, T. F. (2022). Reporting standards for "
    "psychological network analyses in cross-sectional data. Psychological Methods, 28, 806–824. "
    "https://doi.org/10.1037/met0000471",
    "Epskamp, S., Borsboom, D., & Fried, E. I. (2018). Estimating psychological networks and their "
    "accuracy: A tutorial paper. Behavior Research Methods, 50, 195–212. "
    "https://doi.org/10.3758/s13428-017-0862-1",
)
Item = tuple[str, str, str, str]


def checklist(graph: LearnedGraph) -> pd.DataFrame:
    """List what reporting standards ask for, with what this run has and lacks.

    Returns
    -------
    data frame
        ``item``; ``standard``, which asks for it; ``status``: "has" (it is in the words for the
        paper or the files), "lacks", or "yours" (only the author knows); and ``what`` there is, or
        what to do.
    """
    parts = (_data, _estimate, _accuracy, _rest)
    return pd.DataFrame([item for part in parts for item in part(graph)], columns=list(COLUMNS))


def _data(graph: LearnedGraph) -> Iterator[Item]:
    table = graph.table
    yield "Sample", B, "yours", "Say who or what the rows are, and how they were recruited."
    if table is None:
        yield "Sample size", B, "lacks", "The estimator does not keep its table."
    else:
        used = f"Learned from {rows_in_words(len(table), table.drawn)}."
        yield "Sample size", B, "has", used
        yield "Variables and their kinds", B, "has", f"{describe_kinds(table)}."
    yield "Choice of variables", B, "yours", "Say why these columns, and whether two ask the same."
    if table is not None:
        told = describe_gaps(table).removeprefix("gaps: ") if table.has_gaps else "none"
        handled = " Pairs were judged from common rows." if table.has_gaps else ""
        yield "Missing values and their handling", B, "has", f"Missing: {told}.{handled}"
        left = counted(len(table.left_out), "column")
        yield "Variables left out", B, "has", f"{left} of the table left out."
    if graph.is_probability:
        rows = graph.learner.n_rows_counted_
        yield "Dependence of rows", B, "has", f"Effective sample size of the worst pair: {rows:,}."
    else:
        yield "Dependence of rows", B, "lacks", "This estimator takes rows as independent."


def _estimate(graph: LearnedGraph) -> Iterator[Item]:
    both = f"{B}; {E}"
    yield "Estimation method and settings", both, "has", f"{graph.estimator}; see Methods."
    yield "Rule by which pairs are edges", both, "has", "See Methods."
    numbers = "strengths and intervals" if "strength_low" in graph.edges else "weights"
    yield "All edges with their numbers", B, "has", f"{counted(graph.n_edges, 'edge')}, {numbers}."
    yield "Figure: layout, meaning of lines, maximum", B, "has", "See the caption."


def _accuracy(graph: LearnedGraph) -> Iterator[Item]:
    both, stability = f"{B}; {E}", graph.stability
    if "strength_low" in graph.edges:
        yield "Accuracy of edge strengths", both, "has", "95 % intervals, for the graph as given."
    else:
        yield "Accuracy of edge strengths", both, "lacks", "This estimator gives no intervals."
    if stability is None or not stability.n_fits:
        again = "Learn with --stability, or call learn_stability in Python."
        yield "Stability of edges", both, "lacks", again
        yield "Stability of centralities", both, "lacks", f"{again} Needed if you report any."
        yield "Difference tests of edges", E, "lacks", again
    elif stability.fitted_to == "halves":
        fits = f"{counted(stability.n_fits, 'fit')} to halves of the rows"
        yield "Stability of edges", both, "has", f"{fits}."
        told = "Intervals over halves (nodes.csv), but no CS coefficient: learn with --stability."
        yield "Stability of centralities", both, "lacks", told
        yield "Difference tests of edges", E, "lacks", "Learn with --stability."
    else:
        samples = counted(stability.n_fits, "bootstrap sample")
        yield "Stability of edges", both, "has", f"Frequencies and intervals over {samples}."
        yield "Stability of centralities", both, "has", "CS coefficients; see Results."
        yield "Difference tests of edges", E, "has", "See stability-differences.csv."


def _rest(graph: LearnedGraph) -> Iterator[Item]:
    versions = ", ".join(f"{name} {number}" for name, number in software(graph).items())
    yield "Software and versions", B, "has", f"{versions}."
    if graph.run is None:
        yield "Data and code", B, "yours", "Share the table and the script."
    else:
        told = "Share the table and run.json, which has command, settings, seed and checksums."
        yield "Data and code", B, "yours", told
    yield (
        *("Interpretation", B, "yours"),
        "Edges have no direction, and an unmeasured common cause can create one. Say what follows.",
    )
