"""A learned graph in words for a paper, and the checklist of reporting standards.

Methods, results, a figure's caption and a table of edges: every number is one of the run, of its
record (``run.json``), of the table or of the graph's own tables. The checklist says what reporting
standards for networks ask for, and which of it a run has; its items follow [1]_ and [2]_, in our
words.

References
----------
.. [1] J. Burger, A.-M. Isvoranu, G. Lunansky, J. M. B. Haslbeck, S. Epskamp, R. H. A. Hoekstra,
   E. I. Fried, D. Borsboom and T. F. Blanken (2023). Reporting standards for psychological network
   analyses in cross-sectional data. Psychological Methods 28, 806-824.
.. [2] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks and their
   accuracy: A tutorial paper. Behavior Research Methods 50, 195-212.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney import __version__
from spinney._core.pairs import n_pairs
from spinney._core.registry import registered
from spinney._core.text import about, counted, listed, per_cent, plain_line, shorten_middle, signed
from spinney.graph.checks import FEWER
from spinney.graph.plots.graph import COUNTS_AS_HIGH, MEANINGS, STRONGEST, edge_shares
from spinney.graph.plots.layout import MOST_NAMED
from spinney.graph.stability import FIRM, cases_of
from spinney.graph.words import (
    EDGES_MEAN,
    components_in_words,
    judged_pairs,
    judges_a_pair,
    rows_in_words,
    score_text,
    strength_number,
    verdicts_in_words,
)
from spinney.judge.learner import FEWEST_ROWS
from spinney.tables import Table, describe_gaps
from spinney.tables.table import KINDS, NOMINAL, describe_kinds, left_out_words

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

EDGE_IS = (
    "Two columns are joined if they still depend on each other once all other columns are known."
)
MOST_LISTED = 200
"""Edges in the table for a paper; files of edges have all."""
LONGEST = 40
"""Letters of a column's name."""
LOOKS = {1: "blue, solid", -1: "orange, dashed", 0: "grey, solid"}
"""Lines of each sign, in words."""
PLACES = {
    "components": "Columns few edges apart are near each other; components are drawn apart.",
    "circle": "Columns are on a circle, in the order of the table.",
    "spring": "Columns are placed by the force-directed layout ForceAtlas2 (Jacomy et al., 2014).",
}

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


@dataclass(frozen=True)
class PaperText:
    """Words for a paper about one graph; printed, they are a document in Markdown.

    Attributes
    ----------
    methods : str
        A paragraph: the table, missing values, what an edge is, the method with its settings, and
        the software.
    results : str
        How many edges there are, how certain and how strong they are.
    caption : str
        Of the picture: what positions, width, ink and dashes mean.
    table : str
        The edges with intervals, in Markdown; at most 200.
    latex : str
        The same table in LaTeX (package ``booktabs``).
    """

    methods: str
    results: str
    caption: str
    table: str
    latex: str

    def __str__(self) -> str:
        parts = {"Methods": self.methods, "Results": self.results, "Figure": self.caption}
        parts["Edges"] = f"{self.table}\n\n```latex\n{self.latex}```" if self.table else ""
        return "\n\n".join(f"## {head}\n\n{text}" for head, text in parts.items() if text) + "\n"

    def _repr_markdown_(self) -> str:
        return str(self)


def paper_text(graph: LearnedGraph) -> PaperText:
    """Write the words for a paper about a graph."""
    parts = (_methods, _results, _caption)
    methods, results, caption = (" ".join(filter(None, tell(graph))) for tell in parts)
    table = latex = ""
    if graph.n_edges:
        cells = _edge_cells(graph)
        table, latex = markdown_table(cells), _latex(graph, cells)
        if graph.n_edges > MOST_LISTED:
            table += f"\n\nThe first {MOST_LISTED} of {counted(graph.n_edges, 'edge')}."
    return PaperText(methods, results, caption, table, latex)


def software(graph: LearnedGraph) -> dict[str, str]:
    """Return the versions of what made the graph: of its record, else of what is installed."""
    record = graph.run or {}
    found = {"spinney": record.get("spinney_version", __version__)}
    found["Python"] = record.get("python", platform.python_version())
    of_run = record.get("versions") or {}
    return found | {name: of_run.get(name) or version(name) for name in ("numpy", "scipy")}


# Methods


def _methods(graph: LearnedGraph) -> Iterator[str]:
    if graph.table is None:
        yield f"We estimated an undirected network of {counted(len(graph.names), 'column')}."
    else:
        yield from _data(graph, graph.table)
    yield EDGE_IS
    yield from _judged(graph) if graph.is_probability else _estimated(graph)
    stability = graph.stability
    if stability is not None and stability.n_fits:
        cases, subsets = (
            cases_of(graph.learner.table_)[1],
            counted(len(stability.subsets), "subset"),
        )
        yield (
            "To assess stability, we estimated the network again from "
            f"{counted(stability.n_fits, 'bootstrap sample')} of the {cases} and from {subsets} "
            "without 5 % to 75 % of them (Epskamp, Borsboom and Fried, 2018)."
        )
    seed = (graph.run or {}).get("seed", getattr(graph.learner, "random_state", None))
    if isinstance(seed, int):
        yield f"The random seed was {seed}."
    yield f"Software: {', '.join(f'{name} {number}' for name, number in software(graph).items())}."


def _data(graph: LearnedGraph, table: Table) -> Iterator[str]:
    record = graph.run or {}
    data, settings = record.get("data") or {}, record.get("settings") or {}
    grouped = graph.groups is not None
    name = graph.title if grouped or not data.get("name") else str(data["name"])
    n, rows = len(table.once), rows_in_words(len(table.once), table.drawn)
    if table.drawn is not None:
        rows += f" (drawn at random with seed {table.drawn.seed})"
    elif settings.get("missing") == "drop" and not grouped and data["rows"] > n:
        rows = f"the {n:,} of {data['rows']:,} rows without missing values"
    elif grouped and data:
        rows = f"{n:,} of {data['rows']:,} rows"
    source = f"the table {_short(name)}" if name else "a table"
    counts = Counter(table.kinds)
    kinds = listed([f"{counts[kind]:,} {kind}" for kind in KINDS if kind in counts])
    kinds = f"all {table.kinds[0]}" if len(counts) == 1 else kinds
    columns = f"{counted(len(table.columns), 'column')} ({kinds})"
    yield f"We estimated an undirected network from {source}: {rows} and {columns}."
    if table.left_out:
        why = plain_line(left_out_words(table.left_out)[0])
        yield f"We left out {counted(len(table.left_out), 'column')}: {why}."
    if table.weighted:
        yield "Rows were weighted: a row of weight w counts as w rows in ranks and correlations."
        yield f"The effective sample size is {graph.learner.n_rows_counted_:,}."
    elif table.units is not None:
        units = counted(len(np.unique(table.units)), "unit")
        yield f"The rows belong to {units}, within which they do not count as independent."
    worth = graph.learner.n_rows_counted_ if graph.is_probability else n
    if worth < FEWER * n and not table.weighted:
        which = "neighbouring rows" if table.units is None else "rows of one unit"
        yield (
            f"Because {which} are alike, the effective sample size is smaller: "
            f"{worth:,} for the most affected pair of columns."
        )
    if not table.has_gaps:
        yield "No value was missing." if n else ""
        return
    yield (
        f"{describe_gaps(table.once, 'were')}. We judged each pair of columns from the rows that "
        "have both values (pairwise deletion); no value was filled in."
    )


def _judged(graph: LearnedGraph) -> Iterator[str]:
    learner, pairs = graph.learner, counted(n_pairs(len(graph.names)), "pair")
    yield (
        f"For each of {pairs} of columns, spinney estimated the probability of an edge (graph "
        f"learner, judge {learner.judge_.fingerprint}): a neural network, trained on tables whose "
        "edges are known, weighs how much two columns depend on each other alone and given other "
        "columns. Columns enter by the normal scores of their ranks, or by their levels."
    )
    yield judged_pairs(graph)
    if learner.fdr is None:
        yield f"Pairs with a probability above {learner.cut:g} are edges."
    else:
        yield (
            "The most probable pairs are edges, as many as keep the expected share of false edges "
            f"at {per_cent(learner.fdr)} or less."
        )
    if isinstance(learner.prior, float | int):
        yield f"We set the prior probability of an edge to {learner.prior:g} for every pair."
    elif learner.prior is not None:
        yield "We set the prior probabilities of some pairs beforehand."
    if learner.min_strength:
        yield f"We kept an edge only if its interval lies beyond ±{learner.min_strength:g}."
    required, forbidden = len(learner._required), len(learner._forbidden)
    if required or forbidden:
        yield f"We fixed pairs beforehand: {required:,} required, {forbidden:,} forbidden."
    if unknown := len(learner.unknown_pairs_):
        yield (
            f"{counted(unknown, 'pair')} could not be judged, with fewer than {FEWEST_ROWS} "
            "independent rows in common."
        )
    if graph.n_edges:
        nominal = graph.table is not None and NOMINAL in graph.table.kinds
        cramer = " (with a nominal column: Cramér's V of what is left)" if nominal else ""
        yield (
            "The strength of an edge is the partial correlation of the two columns' normal scores "
            f"given the neighbours of both{cramer}. Its 95 % interval takes the graph as given."
        )


def _estimated(graph: LearnedGraph) -> Iterator[str]:
    entry = registered().get(type(graph.learner).__name__)
    label = graph.estimator if entry is None else f"{entry.label} (estimator {entry.command})"
    yield f"We estimated the network with {label} of spinney."
    if graph.score != "weight":
        yield f"Pairs are ranked by {graph.score_label}, which is not the probability of an edge."


# Results


def _results(graph: LearnedGraph) -> Iterator[str]:
    pairs = n_pairs(len(graph.names))
    if not graph.n_edges:
        yield f"None of {counted(pairs, 'pair')} of columns is an edge."
        return
    verb = "is an edge" if graph.n_edges == 1 else "are edges"
    share = per_cent(graph.n_edges / pairs)
    yield f"{graph.n_edges:,} of {counted(pairs, 'pair')} ({share}) {verb}."
    if graph.is_probability and judges_a_pair(graph):
        numbers = graph.expected_false, graph.expected_missed
        false, missed = (about(float(each or 0)) for each in numbers)
        yield (
            f"Of these, {false} are expected to be false; of the other pairs, {missed} are "
            "expected to be edges."
        )
        yield verdicts_in_words(graph)
    yield components_in_words(graph)
    edges = graph.edges
    if "strength_low" in edges and edges["strength"].notna().any():
        size = edges["strength"].abs()
        row: dict[Any, Any] = edges.to_dict("records")[int(size.argmax())]
        yield (
            f"Absolute strengths range from {size.min():.2f} to {size.max():.2f} (median "
            f"{size.median():.2f}); the strongest edge is {_edge(row)} ({strength_number(row)}, "
            f"95 % interval {_interval(row)})."
        )
        open_ = int((edges["strength_low"] * edges["strength_high"] <= 0.0).sum())
        if open_:
            verb = "contains" if open_ == 1 else "contain"
            yield f"The interval{'s' * (open_ > 1)} of {counted(open_, 'edge')} {verb} 0."
    found = graph.stability
    if found is not None and found.n_fits:
        stable = found.frequencies[tuple(graph.edge_positions.T)] >= FIRM
        yield (
            f"{int(stable.sum()):,} of {counted(len(stable), 'edge')} were found in at least "
            f"{100 * FIRM:.0f} % of the bootstrap samples."
        )
        if len(found.subsets):
            told = [f"{name.replace('_', ' ')} {cs:.2f}" for name, cs in found.cs.dropna().items()]
            yield f"CS coefficients: {', '.join(told)}."


# A figure


def _caption(graph: LearnedGraph) -> Iterator[str]:
    d, table, drawn = len(graph.names), graph.table, graph.as_drawn
    rows = "" if table is None else f", {rows_in_words(len(table.once), table.drawn)}"
    title = f"{_short(graph.title)}: " if graph.title else ""
    yield f"{title}{counted(graph.n_edges, 'edge')} among {counted(d, 'column')}{rows}."
    yield f"{PLACES[graph.arranged]} Positions have no other meaning."
    if d > MOST_NAMED:
        yield "Each dot is a column, larger with more edges."
    shares = edge_shares(drawn)
    if shares.has_strength:
        largest = graph.edges[graph.strength].abs().max()
        yield (
            f"The wider a line, the stronger the edge, up to a strength of {STRONGEST:g}; the "
            f"strongest here has {largest:.2f}."
        )
    if graph.n_edges:
        values = graph.edges[graph.score].abs()
        low, high = (score_text(graph, float(end)) for end in (values.min(), values.max()))
        if graph.is_probability:
            sure = f"Dark lines have a probability of at least {graph.learner.sure:g}"
            yield f"{sure}, pale lines a lower one (here {low} to {high})."
        else:
            label = graph.score_label
            yield f"The wider and darker a line, the higher its {label} (here {low} to {high})."
    signs = graph.signs[tuple(graph.edge_positions.T)]
    told = [f"{LOOKS[sign]}: {MEANINGS[sign]}" for sign in LOOKS if (signs == sign).any()]
    if told:
        yield _sentence("; ".join(told))
    if table is not None and len(set(table.kinds)) > 1 and d <= MOST_NAMED:
        yield "The mark before a name shows the kind of the column."
    nodes = [data for _, data in drawn.nodes(data=True)]
    if any("up" in data for data in nodes):
        yield _sentence(COUNTS_AS_HIGH)
    if any("group" in data for data in nodes):
        yield "Names are coloured by group."


# The table of edges


def _edge_cells(graph: LearnedGraph) -> pd.DataFrame:
    """Return the edges as text: one row each, best first."""
    rows = graph.edges.head(MOST_LISTED).to_dict("records")
    cells = {
        "Edge": [_edge(row) for row in rows],
        graph.score_label.capitalize(): [score_text(graph, row[graph.score]) for row in rows],
    }
    if "strength_low" in graph.edges:
        cells["Strength"] = [strength_number(row) for row in rows]
        cells["95 % interval"] = [_interval(row) for row in rows]
    if "tau" in graph.edges:
        cells["Kendall's tau"] = [signed(row["tau"]).replace("unknown", "–") for row in rows]
    if "rows" in graph.edges and graph.table is not None and graph.table.has_gaps:
        cells["Rows"] = [f"{int(row['rows']):,}" for row in rows]
    found = graph.stability
    if found is not None and found.n_fits:
        shares = found.frequencies[tuple(graph.edge_positions[: len(rows)].T)]
        cells["Found in bootstrap samples"] = [
            "–" if share != share else f"{100 * share:.0f} %" for share in shares
        ]
    return pd.DataFrame(cells)


def markdown_table(cells: pd.DataFrame) -> str:
    r"""Write text in a table of Markdown, columns of numbers to the right.

    Examples
    --------
    >>> print(markdown_table(pd.DataFrame({"Edge": ["a|b – c"], "Strength": ["+0.50"]})))
    | Edge | Strength |
    |:--|--:|
    | a\|b – c | +0.50 |
    """
    lines = [list(cells.columns), *cells.to_numpy().tolist()]
    told = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    words = [k == 0 or cells[name].str.contains("[a-z]").any() for k, name in enumerate(cells)]
    sides = "|".join(":--" if each else "--:" for each in words)
    return "\n".join([told[0], f"|{sides}|", *told[1:]])


def _latex(graph: LearnedGraph, cells: pd.DataFrame) -> str:
    caption = "Edges, the first in the ranking first."
    if "strength_low" in graph.edges:
        caption = r"Edges with strengths given the neighbours and their 95\,\% intervals."
    sides = "l" + "r" * (cells.shape[1] - 1)
    look: Any = {"index": False, "escape": True, "column_format": sides, "label": "tab:edges"}
    text = cells.to_latex(caption=caption, **look)
    for sign, code in {"−": "$-$", "–": "--", "<": "$<$", ">": "$>$"}.items():
        text = text.replace(sign, code)
    return text


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _short(name: object) -> str:
    return shorten_middle(plain_line(name), LONGEST)


def _edge(row: dict[Any, Any]) -> str:
    return f"{_short(row['source'])} – {_short(row['target'])}"


def _interval(row: dict[Any, Any]) -> str:
    return f"[{strength_number(row, 'strength_low')}, {strength_number(row, 'strength_high')}]"


# The checklist


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
        rows = rows_in_words(len(table.once), table.drawn)
        yield "Sample size", B, HAS, f"The graph was learned from {rows}."
        yield "Variables and their kinds", B, HAS, f"{describe_kinds(table)}."
    yield "Choice of variables", B, YOURS, "Say why these columns, and whether two ask the same."
    if table is not None:
        told = "No value is missing."
        if table.has_gaps:
            told = f"{describe_gaps(table.once)}. Pairs were judged from the rows with both values."
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
    n_fits = 0 if graph.stability is None else graph.stability.n_fits
    samples = f"Frequencies and intervals over {counted(n_fits, 'bootstrap sample')}."
    for item, standard, told in (
        ("Stability of edges", both, samples),
        ("Stability of centralities", both, "CS coefficients; see Results."),
        ("Difference tests of edges", E, "See stability-differences.csv."),
    ):
        yield item, standard, HAS if n_fits else LACKS, told if n_fits else AGAIN
    versions = ", ".join(f"{name} {number}" for name, number in software(graph).items())
    yield "Software and versions", B, HAS, f"{versions}."
    shared = "Share the table and the script."
    if graph.run is not None:
        shared = "Share the table and run.json, which has command, settings, seed and checksums."
    yield "Data and code", B, YOURS, shared
    yield "Interpretation", B, YOURS, f"{EDGES_MEAN} Say what follows."
