"""A learned graph in plain words: one summary for Python, the terminal and the page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._core.pairs import n_pairs
from spinney._core.text import about, counted, listed, per_cent, probability_text
from spinney._core.text import signed as _signed
from spinney.exceptions import InputError
from spinney.graph.checks import check_graph
from spinney.graph.comparisons import METHODS
from spinney.graph.verdicts import verdicts_in_words
from spinney.judge import Judge
from spinney.judge.judge import find_judge
from spinney.judge.judged_graph import FEWEST_ROWS
from spinney.notices import Notice
from spinney.tables import Drawn, Table

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = [
    *("as_text", "card_of", "cautions", "disagreements", "expected", "fill", "first_cautions"),
    *("judged_pairs", "judges_a_pair", "rank", "rows_in_words", "signed", "size_row"),
    *("strength_text", "summarise", "summary_paragraphs"),
]

WIDTH = 96
MOST_EDGES = 5
"""Edges named, by probability and by strength."""
MOST_DISAGREEMENTS = 5
SURE = 0.9
"""Share of forests at which they count as sure of an edge."""
FORESTS = ("ef_lambda", "shared_forest")
EDGES_MEAN = (
    "An edge has no direction, and an unmeasured common cause can create an edge between its "
    "effects."
)
ROWS_MEAN = (
    "Rows that depend on each other (a time series, repeats) are worth fewer independent rows."
)
LACKS = {
    "values": ("rows with both values", "more rows with both values are needed"),
    "order": (
        "neighbouring rows are alike and",
        "if the order of rows means nothing, shuffle them",
    ),
    "units": ("rows of one unit are alike and", "more units are needed"),
}
"""Why the rows of a pair are too few, and what helps."""
CLEARLY_OFF = 0.05
"""Mean error of probabilities that calls for a caution."""


def summarise(graph: LearnedGraph) -> str:
    """Summarise the graph: size, certainty, strongest edges, and what to be careful about."""
    paragraphs = [" ".join(told) for told in summary_paragraphs(graph)]
    paragraphs.append(EDGES_MEAN if graph.is_probability else f"{EDGES_MEAN} {ROWS_MEAN}")
    ranked = cautions(graph)
    first = first_cautions(ranked)
    notes = list(map(str, first))
    more = sum(each.level == "warning" for each in ranked) - len(first)
    notes += [f"{counted(more, 'more caution')} in .warnings."] if more else []
    return as_text(paragraphs, notes)


def as_text(sentences: list[str], notes: list[str]) -> str:
    """Write paragraphs for a terminal, followed by what to be careful about."""
    listing = [fill(note, "  - ", "    ") for note in notes]
    below = "\n".join(["Be careful:", *listing]) if listing else ""
    return "\n\n".join(part for part in (*map(fill, sentences), below) if part)


def fill(text: str, indent: str = "", rest: str | None = None) -> str:
    """Break a text into lines; those after the first are indented by `rest`."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=rest if rest is not None else indent,
        break_on_hyphens=False,
    )


def signed(value: float) -> str:
    """Write a number between -1 and 1 with its sign, using a true minus.

    Examples
    --------
    >>> signed(0.8), signed(-0.12), signed(float("nan"))
    ('+0.80', '−0.12', 'unknown')
    """
    return _signed(value, "unknown").replace("-", "−")


def strength_text(graph: LearnedGraph, i: int, j: int) -> str:
    """Write the strength of an edge with its interval, and what its sign means.

    For instance "+0.42 (+0.30 to +0.53): they rise together"; without a sign, "0.05 (−0.07 to
    +0.16): sign open".
    """
    place = graph.edge_positions.tolist().index([min(i, j), max(i, j)])
    return _strength(graph.edges.iloc[place].to_dict())


def _strength(row: Mapping[Any, Any], brief: bool = False) -> str:
    classes = bool(np.isnan(row.get("tau", 0.0)))  # columns without order have no tau
    sign, plain = int(row["sign"]), "{:.2f}".format
    told = signed(row["strength"]) if sign else plain(abs(row["strength"]))
    if "strength_low" in row:
        low, high = map(plain if classes else signed, (row["strength_low"], row["strength_high"]))
        told += f" ({low} to {high})"
    how = {1: "they rise together", -1: "one falls as the other rises"}
    means = row.get("sign_means") or how.get(sign, "no direction" if classes else "sign open")
    return told if brief and means in how.values() else f"{told}: {means}"


# What was found


def summary_paragraphs(graph: LearnedGraph) -> list[list[str]]:
    """Describe size and certainty, the leading edges, and what other methods say."""
    found = (_found(graph), _components(graph), [*_leading(graph), *_strongest(graph)])
    paragraphs = [
        [sentence for sentence in told if sentence] for told in (*found, disagreements(graph))
    ]
    return [told for told in paragraphs if told]


def _found(graph: LearnedGraph) -> Iterator[str]:
    d, n_edges, table = len(graph.names), graph.n_edges, graph.table
    rows = ""
    if table is not None:
        rows = rows_in_words(len(table.once), table.drawn)
        if table.weighted:
            rows += f", worth {graph.learner.n_rows_counted_:,} by their weights"
        rows = f" ({rows})"
    verb, pronoun = ("joins", "it was") if n_edges == 1 else ("join", "they were")
    start = f"{counted(n_edges, 'edge')} {verb} the {d:,} columns{rows}"
    if not n_edges:
        yield f"No edge joins the {d:,} columns{rows}."
        reason = str(getattr(graph.learner, "why_no_edges_", "") or "")
        yield reason.removeprefix("No edge was kept. ")  # said above
    elif not graph.is_probability:
        yield f"{start}; {pronoun} learned with {graph.estimator}."
    elif graph.learner.fdr is None:
        pairs = counted(n_pairs(d), "pair")
        yield f"{start}: those of {pairs} with a probability above {graph.learner.cut:g}."
    else:
        yield (
            f"{start}: the most probable of {counted(n_pairs(d), 'pair')}, chosen so that "
            + (
                f"at most {per_cent(graph.learner.fdr)} are expected to be false."
                if graph.learner.fdr < 1.0
                else "all of them may be false (fdr = 1)."
            )
        )
    if not graph.is_probability:
        if graph.score != "weight":
            label = graph.score_label
            yield f"Pairs are ranked by {label}, which is not a probability."
        return
    left_out = graph.learner.left_out_ if n_edges else None  # else it is the reason
    yield verdicts_in_words(graph)
    yield expected(graph)
    yield str(left_out or "")
    yield "" if table is None or table.drawn is None else table.drawn.sentence()
    yield judged_pairs(graph)
    required, forbidden = len(graph.learner._required), len(graph.learner._forbidden)
    if required or forbidden:
        yield (
            f"{counted(required, 'pair')} required and {forbidden} forbidden beforehand do not "
            "count in these numbers."
        )


def rows_in_words(n: int, drawn: Drawn | None) -> str:
    """Count rows, and those of the table they were drawn from.

    Examples
    --------
    >>> rows_in_words(853, None), rows_in_words(500, Drawn(500, 3000, 0))
    ('853 rows', '500 of 3,000 rows')
    """
    return counted(n, "row") if drawn is None else f"{n:,} of {drawn.n_whole:,} rows"


def expected(graph: LearnedGraph) -> str:
    """Say how many edges are expected to be wrong; nothing if no pair was judged."""
    if not judges_a_pair(graph):
        return ""
    false, missed = (about(float(n or 0)) for n in (graph.expected_false, graph.expected_missed))
    told = f"Of the edges that these rows could show, expect {missed} to be missing."
    return f"Expect {false} of them to be false. {told}" if graph.n_edges else told


def judges_a_pair(graph: LearnedGraph) -> bool:
    """Say whether any pair has a probability, so that something can be expected of the graph."""
    return bool(graph.learner._free.any())


def judged_pairs(graph: LearnedGraph) -> str:
    """Say how many pairs are listed, if not all."""
    if graph.judged.numbers is None:
        return ""
    return (
        f"{len(graph.judged):,} of {counted(n_pairs(len(graph.names)), 'pair')} are listed, the "
        "most probable ones. The others count as no edges."
    )


def _components(graph: LearnedGraph) -> Iterator[str]:
    parts = graph.components
    joined = [f"{len(part):,}" for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    if not joined:
        return
    if len(parts) == 1:
        yield f"All {len(graph.names):,} columns are connected."
        return
    number = "one component" if len(joined) == 1 else f"{len(joined):,} components"
    text = f"The edges form {number} of {listed(joined, most=6)} columns"
    if alone:
        verb = "has" if len(alone) == 1 else "have"
        text += f"; {counted(len(alone), 'column')} {verb} no edge ({listed(alone, most=6)})"
    yield f"{text}."


def _leading(graph: LearnedGraph) -> Iterator[str]:
    """Name the first edges of the ranking."""
    told = []
    for row in graph.edges.head(MOST_EDGES).to_dict("records"):
        value = float(row[graph.score])
        text = probability_text(value) if graph.is_probability else f"{value:.2g}"
        told.append(f"{row['source']} – {row['target']} ({text.replace('-', '−')})")
    which = "most probable" if graph.is_probability else f"first by {graph.score_label}"
    if len(told) == 1:
        yield f"It is {told[0]}."
    elif told:
        yield f"The {which} are {listed(told)}."


def _strongest(graph: LearnedGraph) -> Iterator[str]:
    """Name the strongest edges whose interval does not hold 0."""
    edges = graph.edges
    if "strength" not in edges or edges["strength"].isna().all():
        return
    order = edges["strength"].abs().sort_values(ascending=False, kind="stable").dropna().index
    rows = edges.loc[order].to_dict("records")
    if len(edges) == 1:
        yield f"Its strength is {_strength(rows[0])}."
        return
    if "strength_low" in edges:
        rows = [row for row in rows if row["strength_low"] * row["strength_high"] > 0.0]
    rows = rows[:MOST_EDGES]
    named = [f"{row['source']} – {row['target']}, {_strength(row, brief=True)}" for row in rows]
    if named:
        verb = "is" if len(named) == 1 else "are"
        falls = any(row["sign"] < 0 for row in rows)
        minus = " A minus means that one falls as the other rises." if falls else ""
        yield (
            f"The strongest, given the neighbours (95 % intervals), {verb} {'; '.join(named)}."
            f"{minus}"
        )


def disagreements(graph: LearnedGraph) -> list[str]:
    """Count the edges that each forest method has, and name those that none has, and others."""
    said = graph.comparisons
    known = [name for name in FORESTS if not np.isnan(said.kept.get(name, np.nan)).any()]
    if not known:
        return []
    (first, second), numbers = graph.judged.ends, graph.judged.listed
    kept = np.column_stack([said.kept_of(name, numbers) > 0 for name in known])
    sure = np.all([said.shares_of(name, numbers) >= SURE for name in known], axis=0)
    edge = graph.joined[first, second]
    names = [METHODS[name].split(" (")[0] for name in known]
    has = [
        f"{name} has {count:,}" for name, count in zip(names, kept[edge].sum(axis=0), strict=True)
    ]
    told = [f"Of the {counted(int(edge.sum()), 'edge')}, {' and '.join(has)}"] if edge.any() else []
    who = " and ".join(names)
    for chosen, words in (
        (edge & ~kept.any(axis=1), "no forest method has"),
        (~edge & kept.all(axis=1) & sure, f"no edge here, but certain for {who}:"),
    ):
        if chosen.any():
            u, v = first[chosen], second[chosen]
            probability = graph.scores[u, v]
            pairs = [
                f"{graph.names[u[k]]} – {graph.names[v[k]]} ({probability_text(probability[k])})"
                for k in np.argsort(-probability, kind="stable").tolist()
            ]
            told.append(f"{words} {listed(pairs, most=MOST_DISAGREEMENTS)}")
    text = "; ".join(told) or f"{who} {'have' if len(names) > 1 else 'has'} no certain edge either"
    return [f"{text[0].upper()}{text[1:]}."]


# What to be careful about


MOST_CAUTIONS = 3
"""Cautions shown at first; the others are kept under "more"."""
GRAVEST_FIRST = (
    *("table-transposed", "again-other-data", "codes-for-missing", "repeated-rows"),
    *("units-unnamed", "columns-follow", "rows-counted", "units-missing", "twins", "rows-few"),
    *("unlike-training", "unknown-pairs", "gaps-depend", "gaps", "columns-left-out"),
    *("infinite-as-gaps", "ties-many", "as-warned"),
    *("again-other-judge", "again-other-version", "size-calibration"),
    *("method-note", "every-judged-graph", "every-graph"),
)
"""Codes by gravity: what is wrong with the rows, with columns, with single pairs; then what is good
to know. A warning comes before a note whatever its code."""
TOLD_BY = {
    "twins": "unlike-training-copies",
    "repeated-rows": "unlike-training-repeats",
    "rows-few": "unlike-training-few",
    "rows-counted": "unlike-training-alike-rows",
    "gaps": "unlike-training-gaps",
}
"""Codes that are left out where another, of the same gravity then, tells the same."""
OFTEN = ("as-warned", "method-note")
"""Codes that may be told more than once."""


def cautions(graph: LearnedGraph) -> list[Notice]:
    """List what to be careful about, the gravest first, each thing once; notes come last."""
    found = [*graph.raised, *(each for each in check_graph(graph) if each.level == "warning")]
    unknown = getattr(graph.learner, "unknown_pairs_", None)
    if unknown is not None and len(unknown):
        found.append(_unknown_pairs(graph, unknown[["source", "target"]].to_numpy().tolist()))
    if not graph.is_probability:
        found.append(Notice("every-graph", f"{EDGES_MEAN} {ROWS_MEAN}", "note"))
    else:
        size = size_row(card_of(graph), len(graph.names))
        if size is not None and size[2]["ece"] >= CLEARLY_OFF:
            low, high, row = size
            text = f"On tables of {low} to {high} columns, as this one, probabilities are off by "
            text += f"{row['ece']:.2f} on average."
            found.append(Notice("size-calibration", text, "note"))
        for name, note in graph.comparisons.notes.items():
            method = METHODS[name].split(" (")[0]
            found.append(Notice("method-note", f"{method}: {note}", "note"))
        found.append(Notice("every-judged-graph", EDGES_MEAN, "note"))
    told = {each.code for odd in found for each in odd.facts.get("notices", ())}
    found = [each for each in found if TOLD_BY.get(each.code) not in told]
    once = {str(each) if each.code in OFTEN else each.code: each for each in reversed(found)}
    return rank(reversed(once.values()))


def _unknown_pairs(graph: LearnedGraph, pairs: list[list[str]]) -> Notice:
    """Name pairs that could not be judged, and what the first of them lacks."""
    table: Table = graph.learner.table_
    first = table.values[:, [table.names.index(name) for name in pairs[0]]]
    lack = "order" if table.units is None else "units"
    if (~np.isnan(first)).all(axis=1).sum() < FEWEST_ROWS:
        lack = "values"
    rows, cure = LACKS[lack]
    these = "these are not edges" if len(pairs) > 1 else "it is not an edge"
    text = (
        f"{counted(len(pairs), 'pair')} could not be judged, because {rows} count as fewer than "
        f"{FEWEST_ROWS} independent ones: {listed([f'{u} – {v}' for u, v in pairs], most=3)}. "
        f"That {these} means nothing; {cure}."
    )
    return Notice("unknown-pairs", text, facts={"lack": lack})


def rank(notices: Iterable[Notice]) -> list[Notice]:
    """Put notices in order: warnings first, the gravest of them first of all."""
    places = {code: place for place, code in enumerate(GRAVEST_FIRST)}
    places |= {inner: places[code] for code, inner in TOLD_BY.items()}

    def place(each: Notice) -> int:
        codes = [each.code, *(inner.code for inner in each.facts.get("notices", ()))]
        return min(places.get(code, len(GRAVEST_FIRST)) for code in codes)

    return sorted(notices, key=lambda each: (each.level != "warning", place(each)))


def first_cautions(ranked: Sequence[Notice]) -> list[Notice]:
    """Choose what is shown at first: the gravest warnings."""
    return [each for each in ranked if each.level == "warning"][:MOST_CAUTIONS]


def card_of(graph: LearnedGraph) -> dict[str, Any]:
    """Return the card of the judge of a graph; empty if the judge is not available."""
    try:
        return find_judge(graph.learner.judge_).card
    except InputError:
        given = graph.learner.judge
        return given.card if isinstance(given, Judge) else {}


def size_row(card: Mapping[str, Any], d: int) -> tuple[int, int, Mapping[str, Any]] | None:
    """Find what a judge's card says of tables with `d` columns: lower, upper size, and results.

    Examples
    --------
    >>> card = {"validation": {"columns": {"2-7": {"ece": 0.09}, "8-15": {"ece": 0.03}}}}
    >>> size_row(card, 11), size_row(card, 300)
    ((8, 15, {'ece': 0.03}), None)
    """
    for words, row in ((card.get("validation") or {}).get("columns") or {}).items():
        low, _, high = str(words).partition("-")
        if low.isdigit() and high.isdigit() and "ece" in row and int(low) <= d <= int(high):
            return int(low), int(high), row
    return None
