"""A learned graph in words for a paper: methods, results, a figure's caption, a table of edges.

Every number is one of the run: of the record (``run.json``), the table or the graph's own tables.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney import __version__
from spinney._core.pairs import n_pairs
from spinney._core.registry import registered
from spinney._core.storable import name_of
from spinney._core.text import (
    about,
    counted,
    listed,
    per_cent,
    plain_line,
    probability_text,
    shorten_middle,
)
from spinney.graph.checks import FEWER
from spinney.graph.plots.graph import COUNTS_AS_HIGH, MEANINGS, STRONGEST, edge_shares
from spinney.graph.plots.layout import MOST_NAMED
from spinney.graph.verdicts import verdicts_in_words
from spinney.graph.words import judged_pairs, rows_in_words, signed
from spinney.judge.judged_graph import FEWEST_ROWS
from spinney.tables import Table
from spinney.tables.table import KINDS, NOMINAL, left_out_words

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["EDGE_IS", "PaperText", "markdown_table", "paper_text", "software"]

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
    "spring": "Columns are placed by a force-directed layout (Fruchterman and Reingold, 1991).",
}
LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"−": "$-$", "–": "--", "<": "$<$", ">": "$>$"}
)
"""Signs that LaTeX writes otherwise."""


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
    cells = _edge_cells(graph)
    note = ""
    if graph.n_edges > MOST_LISTED:
        note = f"The first {MOST_LISTED} of {counted(graph.n_edges, 'edge')}."
    told = {name: " ".join(filter(None, tell(graph))) for name, tell in _PARAGRAPHS.items()}
    table = "\n\n".join(filter(None, [markdown_table(cells), note])) if len(cells) else ""
    return PaperText(**told, table=table, latex=_latex(graph, cells) if len(cells) else "")


def software(graph: LearnedGraph) -> dict[str, str]:
    """Return the versions of what made the graph: of its record, else of what is installed."""
    record = graph.run or {}
    found = {"spinney": record.get("spinney_version", __version__)}
    found["Python"] = record.get("python", platform.python_version())
    of_run = record.get("versions") or {}
    return found | {name: of_run.get(name) or version(name) for name in ("numpy", "scipy")}


# Methods


def _methods(graph: LearnedGraph) -> Iterator[str]:
    table = graph.table
    if table is None:
        yield f"We estimated an undirected network of {counted(len(graph.names), 'column')}."
    else:
        yield from _data(graph, table)
        yield _gaps(graph, table)
    yield EDGE_IS
    yield from _judged(graph) if graph.is_probability else _estimated(graph)
    yield _repeated(graph)
    seed = (graph.run or {}).get("seed", getattr(graph.learner, "random_state", None))
    if isinstance(seed, int):
        yield f"The random seed was {seed}."
    yield f"Software: {', '.join(f'{name} {number}' for name, number in software(graph).items())}."


def _data(graph: LearnedGraph, table: Table) -> Iterator[str]:
    record = graph.run or {}
    data, settings = record.get("data") or {}, record.get("settings") or {}
    grouped = graph.groups is not None
    name = graph.title if grouped or not data.get("name") else str(data["name"])
    n, rows = len(table), rows_in_words(len(table), table.drawn)
    if table.drawn is not None:
        rows += f" (drawn at random with seed {table.drawn.seed})"
    elif settings.get("missing") == "drop" and not grouped and data["rows"] > n:
        rows = f"the {n:,} of {data['rows']:,} rows without missing values"
    elif grouped and data:
        rows = f"{n:,} of {data['rows']:,} rows"
    source = f"the table {_short(name)}" if name else "a table"
    columns = f"{counted(len(table.columns), 'column')} ({_kinds(table)})"
    yield f"We estimated an undirected network from {source}: {rows} and {columns}."
    if table.left_out:
        why, _ = left_out_words(table.left_out)
        yield f"We left out {counted(len(table.left_out), 'column')}: {plain_line(why)}."
    if table.weighted:
        yield "Rows were weighted: a row of weight w counts as w rows in ranks and correlations."
    elif table.units is not None:
        units = counted(len(np.unique(table.units)), "unit")
        yield f"The rows belong to {units}, within which they do not count as independent."
    if graph.is_probability and graph.learner.n_rows_counted_ < FEWER * n:
        which = "neighbouring rows" if table.units is None else "rows of one unit"
        yield (
            f"Because {which} are alike, the effective sample size is smaller: "
            f"{graph.learner.n_rows_counted_:,} for the most affected pair of columns."
        )


def _kinds(table: Table) -> str:
    """Count the columns of each kind.

    Examples
    --------
    >>> from spinney.tables import Column
    >>> _kinds(Table.plain(np.eye(2), ("a", "b")))
    'all continuous'
    """
    counts = Counter(table.kinds)
    if len(counts) == 1:
        return f"all {table.kinds[0]}"
    return listed([f"{counts[kind]:,} {kind}" for kind in KINDS if kind in counts])


def _gaps(graph: LearnedGraph, table: Table) -> str:
    gaps = ~table.present
    if not gaps.any():
        return "No value was missing." if len(table) else ""
    columns, complete = int(gaps.any(axis=0).sum()), int((~gaps.any(axis=1)).sum())
    one = "was" if gaps.sum() == 1 else "were"
    return (
        f"{int(gaps.sum()):,} of {counted(gaps.size, 'value')} ({per_cent(float(gaps.mean()))}) "
        f"{one} missing, in {counted(columns, 'column')}; {complete:,} of {len(table):,} rows were "
        "complete. Each pair of columns was judged from the rows that have both values (pairwise "
        "deletion); no value was filled in."
    )


def _judged(graph: LearnedGraph) -> Iterator[str]:
    learner = graph.learner
    judge, pairs = learner.judge_, counted(n_pairs(len(graph.names)), "pair")
    yield (
        f"For each of {pairs} of columns, spinney estimated the probability of an edge (graph "
        f"learner, judge {judge.fingerprint}): a neural network, trained on tables whose edges are "
        "known, weighs how much two columns depend on each other alone and given other columns. "
        "Columns enter by the normal scores of their ranks, or by their levels."
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
        yield f"The prior probability of an edge was set to {learner.prior:g} for every pair."
    elif learner.prior is not None:
        yield "The prior probabilities of some pairs were set beforehand."
    if learner.min_strength:
        yield f"Edges were kept only if their interval lies beyond ±{learner.min_strength:g}."
    required, forbidden = len(learner._required), len(learner._forbidden)
    if required or forbidden:
        yield f"Pairs fixed beforehand: {required:,} required, {forbidden:,} forbidden."
    if unknown := len(learner.unknown_pairs_):
        yield (
            f"{counted(unknown, 'pair')} could not be judged, with fewer than {FEWEST_ROWS} "
            "independent rows in common."
        )
    if graph.n_edges:
        nominal = graph.table is not None and NOMINAL in graph.table.kinds
        yield (
            "The strength of an edge is the partial correlation of the two columns' normal scores "
            "given the neighbours of both"
            + (" (with a nominal column: Cramér's V of what is left)" if nominal else "")
            + ". Its 95 % interval takes the graph as given."
        )


def _estimated(graph: LearnedGraph) -> Iterator[str]:
    entry = registered().get(name_of(type(graph.learner)) or "")
    label = graph.estimator if entry is None else f"{entry.label} (estimator {entry.command})"
    yield f"The network was estimated with {label} of spinney."
    if graph.score != "weight":
        yield f"Pairs are ranked by {graph.score_label}, which is not the probability of an edge."


def _repeated(graph: LearnedGraph) -> str:
    found = graph.stability
    if found is None or not found.n_fits:
        return ""
    again = "To assess stability, the network was estimated again from"
    if found.fitted_to == "halves":
        return (
            f"{again} random halves of the rows ({found.n_rows:,} each), "
            f"{counted(found.n_fits, 'time')}."
        )
    cases = "rows" if graph.table is None or graph.table.units is None else "units"
    return (
        f"{again} {counted(found.n_fits, 'bootstrap sample')} of the {cases} and from "
        f"{counted(len(found.subsets), 'subset')} without 5 % to 75 % of them (Epskamp, Borsboom "
        "and Fried, 2018)."
    )


# Results


def _results(graph: LearnedGraph) -> Iterator[str]:
    d, edges = len(graph.names), graph.edges
    pairs = n_pairs(d)
    if not graph.n_edges:
        yield f"None of {counted(pairs, 'pair')} of columns is an edge."
        return
    share, verb = (
        per_cent(graph.n_edges / pairs),
        "is an edge" if graph.n_edges == 1 else "are edges",
    )
    yield f"{graph.n_edges:,} of {counted(pairs, 'pair')} ({share}) {verb}."
    if graph.is_probability and graph.learner._free.any():
        false, missed = (float(each or 0) for each in (graph.expected_false, graph.expected_missed))
        yield (
            f"Of these, {about(false)} are expected to be false; of the other pairs, "
            f"{about(missed)} are expected to be edges."
        )
        yield verdicts_in_words(graph)
    sizes = [len(part) for part in graph.components]
    alone = sizes.count(1)
    none = (
        f"; {counted(alone, 'column')} {'has' if alone == 1 else 'have'} no edge" if alone else ""
    )
    if len(sizes) == 1:
        yield f"All {d:,} columns are connected."
    else:
        parts = counted(len(sizes) - alone, "component")
        yield f"The edges form {parts}; the largest has {sizes[0]:,} of {d:,} columns{none}."
    yield from _strengths(graph, edges)
    found = graph.stability
    if found is not None and found.n_fits:
        from spinney.graph.stability import FIRM  # with joblib, which a plain run does not need

        stable = found.frequencies[tuple(graph.edge_positions.T)] >= FIRM
        yield (
            f"{int(stable.sum()):,} of {counted(len(stable), 'edge')} were found in at least "
            f"{100 * FIRM:.0f} % of the {found.fitted_to}."
        )
        if found.fitted_to != "halves" and len(found.subsets):
            told = [f"{name.replace('_', ' ')} {cs:.2f}" for name, cs in found.cs.dropna().items()]
            yield f"CS coefficients: {', '.join(told)}."


def _strengths(graph: LearnedGraph, edges: pd.DataFrame) -> Iterator[str]:
    if "strength_low" not in edges or edges["strength"].isna().all():
        return
    size = edges["strength"].abs()
    row: dict[Any, Any] = edges.to_dict("records")[int(size.argmax())]
    yield (
        f"Absolute strengths range from {size.min():.2f} to {size.max():.2f} (median "
        f"{size.median():.2f}); the strongest edge is {_edge(row)} ({_strength(row)}, 95 % "
        f"interval {_interval(row)})."
    )
    open_ = int((edges["strength_low"] * edges["strength_high"] <= 0.0).sum())
    if open_:
        yield (
            f"The {'interval' if open_ == 1 else 'intervals'} of {counted(open_, 'edge')} "
            f"{'contains' if open_ == 1 else 'contain'} 0."
        )


# A figure


def _caption(graph: LearnedGraph) -> Iterator[str]:
    d = len(graph.names)
    rows = "" if graph.table is None else f", {rows_in_words(len(graph.table), graph.table.drawn)}"
    title = f"{_short(graph.title)}: " if graph.title else ""
    yield f"{title}{counted(graph.n_edges, 'edge')} among {counted(d, 'column')}{rows}."
    yield f"{PLACES[graph.arranged]} Positions have no other meaning."
    drawn = graph.as_drawn
    if d > MOST_NAMED:
        yield "Each dot is a column, larger with more edges."
    shares = edge_shares([drawn.edges[u, v] for u, v in graph.edge_positions.tolist()])
    values = graph.edges[graph.score].abs()
    if shares.has_strength:
        largest = graph.edges[graph.strength].abs().max()
        yield (
            f"The wider a line, the stronger the edge, up to a strength of {STRONGEST:g}; the "
            f"strongest here has {largest:.2f}."
        )
    if len(values):
        low, high = (_score(graph, float(end)) for end in (values.min(), values.max()))
        what = "The darker" if shares.has_strength else "The wider and darker"
        yield f"{what} a line, the higher its {graph.score_label} (here {low} to {high})."
    present = [sign for sign in LOOKS if (graph.signs[tuple(graph.edge_positions.T)] == sign).any()]
    if present:
        told = "; ".join(f"{LOOKS[sign]}: {MEANINGS[sign]}" for sign in present)
        yield f"{told[0].upper()}{told[1:]}."
    nodes = [data for _, data in drawn.nodes(data=True)]
    if graph.table is not None and len(set(graph.table.kinds)) > 1 and d <= MOST_NAMED:
        yield "The mark beside a name shows the kind of the column."
    if any("up" in data for data in nodes):
        yield f"{COUNTS_AS_HIGH[0].upper()}{COUNTS_AS_HIGH[1:]}."
    if any("group" in data for data in nodes):
        yield "Names are coloured by group."


# The table of edges


def _edge_cells(graph: LearnedGraph) -> pd.DataFrame:
    """Return the edges as text: one row each, best first."""
    edges = graph.edges.head(MOST_LISTED)
    rows: list[dict[str, str]] = []
    for row in edges.to_dict("records"):
        cells = {"Edge": _edge(row)}
        cells[graph.score_label.capitalize()] = _score(graph, float(row[graph.score]))
        if "strength_low" in row:
            cells |= {"Strength": _strength(row), "95 % interval": _interval(row)}
        if "tau" in row:
            cells["Kendall's tau"] = signed(row["tau"]).replace("unknown", "–")
        if "rows" in row and graph.table is not None and graph.table.has_gaps:
            cells["Rows"] = f"{int(row['rows']):,}"
        rows.append(cells)
    found = pd.DataFrame(rows)
    if graph.stability is not None and graph.stability.n_fits:
        u, v = graph.edge_positions[: len(found)].T
        shares = graph.stability.frequencies[u, v]
        found[f"Found in {graph.stability.fitted_to}"] = [
            "–" if share != share else f"{100 * share:.0f} %" for share in shares
        ]
    return found


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
        caption = "Edges with strengths given the neighbours and their 95\\,\\% intervals."
    # Not by pandas, which loads a library of templates for it.
    lines = [list(cells.columns), *cells.to_numpy().tolist()]
    head, *rows = (" & ".join(cell.translate(LATEX) for cell in line) + r" \\" for line in lines)
    return "\n".join(
        [
            *(r"\begin{table}", rf"\caption{{{caption}}}", r"\label{tab:edges}"),
            *(
                rf"\begin{{tabular}}{{l{'r' * (cells.shape[1] - 1)}}}",
                r"\toprule",
                head,
                r"\midrule",
            ),
            *(*rows, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""),
        ]
    )


def _short(name: object) -> str:
    return shorten_middle(plain_line(name), LONGEST)


def _edge(row: Mapping[Any, Any]) -> str:
    return f"{_short(row['source'])} – {_short(row['target'])}"


def _score(graph: LearnedGraph, value: float) -> str:
    text = probability_text(value) if graph.is_probability else f"{value:.2g}"
    return text.replace("-", "−")


def _strength(row: Mapping[Any, Any], key: str = "strength") -> str:
    """Write a strength with its sign; columns without order (and so without a tau) have none."""
    plain = np.isnan(row.get("tau", 0.0)) and row[key] == row[key]
    return f"{row[key]:.2f}" if plain else signed(row[key])


def _interval(row: Mapping[Any, Any]) -> str:
    return f"[{_strength(row, 'strength_low')}, {_strength(row, 'strength_high')}]"


_PARAGRAPHS = {"methods": _methods, "results": _results, "caption": _caption}
