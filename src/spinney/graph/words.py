"""A learned graph in plain words: one summary for Python, the terminal and the page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, to_pairs
from spinney._core.text import about, counted, listed, per_cent, probability_text, signed
from spinney.exceptions import InputError
from spinney.graph.checks import check_graph
from spinney.judge.judge import find_judge
from spinney.judge.learner import FEWEST_ROWS
from spinney.notices import Notice
from spinney.tables import Drawn, Table

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

WIDTH = 96
MOST_EDGES = 5
"""Edges named, by probability and by strength."""
EDGES_MEAN = (
    "An edge has no direction, and an unmeasured common cause can create an edge between its "
    "effects."
)
ROWS_MEAN = (
    "Rows that depend on each other (a time series, repeats) reduce the effective sample size."
)
SIGNS_MEAN = {1: "they rise together", -1: "one falls as the other rises"}
PRESENT, ABSENT, UNDECIDED = "present", "absent", "undecided"
LIKELY = "likely"
"""What an edge is called whose pair is not present for sure."""
ROUNDING = 1e-12


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


def fill(text: str, indent: str = "", rest: str = "") -> str:
    """Break a text into lines; those after the first are indented by `rest`."""
    looks: Any = {"initial_indent": indent, "subsequent_indent": rest}
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, **looks)


# Numbers


def score_text(graph: LearnedGraph, value: float) -> str:
    """Write a probability, or another score."""
    text = probability_text(value) if graph.is_probability else f"{value:.2g}"
    return text.replace("-", "−")


def strength_number(row: Mapping[Any, Any], key: str = "strength") -> str:
    """Write a strength with its sign; columns without an order (and so without a tau) have none."""
    classes = np.isnan(row.get("tau", 0.0)) and row[key] == row[key]
    return f"{row[key]:.2f}" if classes else signed(row[key])


def strength_text(row: Mapping[Any, Any], brief: bool = False) -> str:
    """Write the strength of an edge (its row) with its interval, and what its sign means.

    For instance "+0.42 (+0.30 to +0.53): they rise together"; without a sign, "0.05 (−0.07 to
    +0.16): sign open". `brief` leaves the usual meanings out.
    """
    sign = int(row["sign"])
    told = signed(row["strength"]) if sign else f"{abs(row['strength']):.2f}"
    if "strength_low" in row:
        low, high = (strength_number(row, f"strength_{end}") for end in ("low", "high"))
        told += f" ({low} to {high})"
    if row.get("sign_means"):
        return f"{told}: {row['sign_means']}"
    if brief and sign:
        return told
    open_ = "no direction" if np.isnan(row.get("tau", 0.0)) else "sign open"
    return f"{told}: {SIGNS_MEAN.get(sign, open_)}"


def rows_in_words(n: int, drawn: Drawn | None) -> str:
    """Count rows, and those of the table they were drawn from.

    Examples
    --------
    >>> rows_in_words(853, None), rows_in_words(500, Drawn(500, 3000, 0))
    ('853 rows', '500 of 3,000 rows')
    """
    return counted(n, "row") if drawn is None else f"{n:,} of {drawn.n_whole:,} rows"


# Verdicts


def verdicts(probabilities: ArrayLike, sure: float = 0.9) -> NDArray[Any]:
    """Call each pair present (P ≥ sure), absent (P ≤ 1 - sure) or undecided.

    A pair whose probability is not known (NaN) is undecided.

    Examples
    --------
    >>> verdicts([0.95, 0.9, 0.6, 0.1, np.nan])
    array(['present', 'present', 'undecided', 'absent', 'undecided'], dtype=object)
    """
    P = np.asarray(probabilities, dtype=float)
    found = np.full(P.shape, UNDECIDED, dtype=object)
    found[1.0 - sure + ROUNDING >= P] = ABSENT
    found[sure - ROUNDING <= P] = PRESENT
    return found


def verdicts_in_words(graph: LearnedGraph, brief: bool = False) -> str:
    """Count the verdicts of edges and of the other pairs.

    For instance "10 edges: 8 present (P ≥ 0.9), 2 likely; 45 other pairs: 41 absent (P ≤ 0.1), 4
    undecided."; `brief` leaves out the number of edges and the full stop.
    """
    P, edge = to_pairs(graph.scores), to_pairs(graph.joined.astype(float)) > 0.0
    found, sure = verdicts(P, graph.learner.sure), graph.learner.sure
    bounds = {PRESENT: f" (P ≥ {sure:g})", ABSENT: f" (P ≤ {1.0 - sure:g})"}

    def told(some: NDArray[np.bool_], open_word: str) -> str:
        names = {PRESENT: PRESENT, ABSENT: ABSENT, UNDECIDED: open_word}
        counts = {name: int((found[some] == verdict).sum()) for verdict, name in names.items()}
        words = [f"{n:,} {name}{bounds.get(name, '')}" for name, n in counts.items() if n]
        few = int(np.isnan(P[some]).sum())
        return ", ".join(words) + (f" ({few:,} with too few rows)" if few else "")

    head = "" if brief else f"{counted(int(edge.sum()), 'edge')}: "
    parts = [f"{head}{told(edge, LIKELY)}"] if edge.any() else []
    if not edge.all():
        others = counted(int((~edge).sum()), "other pair" if parts else "pair")
        parts.append(f"{others}: {told(~edge, UNDECIDED)}")
    return "; ".join(parts) + ("" if brief else ".")


# What was found


def summary_paragraphs(graph: LearnedGraph) -> list[list[str]]:
    """Describe size and certainty, the components, and the leading edges."""
    found = (_found(graph), [components_in_words(graph)], [_leading(graph), _strongest(graph)])
    return list(filter(None, ([text for text in told if text] for told in found)))


def _found(graph: LearnedGraph) -> Iterator[str]:
    n_edges, table, learner = graph.n_edges, graph.table, graph.learner
    columns = f"{len(graph.names):,} columns"
    if table is not None:
        rows = rows_in_words(len(table.once), table.drawn)
        if table.weighted:
            rows += f", effective sample size {learner.n_rows_counted_:,} by their weights"
        columns += f" ({rows})"
    pairs = counted(n_pairs(len(graph.names)), "pair")
    start = f"{columns}: {n_edges:,} of {pairs} {'is an edge' if n_edges == 1 else 'are edges'}"
    if not n_edges:
        yield f"{columns}: no pair is an edge."
        reason = str(getattr(learner, "why_no_edges_", "") or "")
        yield reason.removeprefix("No edge was kept. ")  # said above
    elif not graph.is_probability:
        yield f"{start}, learned with {graph.estimator}."
    elif learner.fdr is None:
        yield f"{start} (probability above {learner.cut:g})."
    else:
        most = f"at most {per_cent(learner.fdr)} are expected to be false"
        yield f"{start}, the most probable ones, chosen so that {most}."
    if not graph.is_probability:
        if graph.score != "weight":
            yield f"Pairs are ranked by {graph.score_label}, which is not a probability."
        return
    yield verdicts_in_words(graph)
    yield expected(graph)
    yield str(learner.left_out_ or "") if n_edges else ""  # else it is the reason
    yield "" if table is None or table.drawn is None else table.drawn.sentence()
    yield judged_pairs(graph)
    required, forbidden = len(learner._required), len(learner._forbidden)
    if required or forbidden:
        yield (
            f"{counted(required, 'pair')} required and {forbidden} forbidden beforehand do not "
            "count in these numbers."
        )


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
        "most probable ones. The others do not count as edges."
    )


def components_in_words(graph: LearnedGraph) -> str:
    """Say how many components there are, how large they are, and which columns have no edge."""
    parts = graph.components
    sizes = [f"{len(part):,}" for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    if not sizes:
        return ""
    if len(parts) == 1:
        return f"All {len(graph.names):,} columns are connected."
    number = "one component" if len(sizes) == 1 else f"{len(sizes):,} components"
    text = f"The edges form {number} of {listed(sizes, most=6)} columns"
    if alone:
        verb = "has" if len(alone) == 1 else "have"
        text += f"; {counted(len(alone), 'column')} {verb} no edge ({listed(alone, most=6)})"
    return f"{text}."


def _leading(graph: LearnedGraph) -> str:
    """Name the first edges of the ranking."""
    rows = graph.edges.head(MOST_EDGES).to_dict("records")
    told = [
        f"{row['source']} – {row['target']} ({score_text(graph, float(row[graph.score]))})"
        for row in rows
    ]
    which = "most probable" if graph.is_probability else f"first by {graph.score_label}"
    if len(told) == 1:
        return f"It is {told[0]}."
    return f"The {which} are {listed(told)}." if told else ""


def _strongest(graph: LearnedGraph) -> str:
    """Name the strongest edges whose interval does not contain 0."""
    edges = graph.edges
    if "strength" not in edges or edges["strength"].isna().all():
        return ""
    order = edges["strength"].abs().sort_values(ascending=False, kind="stable").dropna().index
    rows = edges.loc[order].to_dict("records")
    if len(edges) == 1:
        return f"Its strength is {strength_text(rows[0])}."
    if "strength_low" in edges:
        rows = [row for row in rows if row["strength_low"] * row["strength_high"] > 0.0]
    rows = rows[:MOST_EDGES]
    if not rows:
        return ""
    named = [f"{row['source']} – {row['target']}, {strength_text(row, brief=True)}" for row in rows]
    verb = "is" if len(named) == 1 else "are"
    falls = any(row["sign"] < 0 for row in rows)
    minus = " A minus means that one falls as the other rises." if falls else ""
    return (
        f"The strongest, given the neighbours (95 % intervals), {verb} {'; '.join(named)}.{minus}"
    )


# What to be careful about


MOST_CAUTIONS = 3
"""Cautions shown at first; the others are kept under "more"."""
GRAVEST_FIRST = (
    *("table-transposed", "again-other-data", "codes-for-missing", "repeated-rows"),
    *("units-unnamed", "columns-follow", "rows-counted", "units-missing", "twins", "rows-few"),
    *("unlike-training", "unknown-pairs", "gaps-depend", "gaps", "columns-left-out"),
    *("infinite-as-gaps", "ties-many", "as-warned"),
    *("again-other-judge", "again-other-version"),
    *("every-judged-graph", "every-graph"),
)
"""Codes by gravity: what is wrong with the rows, with columns, with single pairs; then what is good
to know. A warning comes before a note whatever its code."""
LACKS = {
    "values": ("few rows have both values", "more rows with both values are needed"),
    "order": ("neighbouring rows are alike", "if the order of rows means nothing, shuffle them"),
    "units": ("rows of one unit are alike", "more units are needed"),
}
"""Why the rows of a pair are too few, and what helps."""


def cautions(graph: LearnedGraph) -> list[Notice]:
    """List what to be careful about, the gravest first, each thing once; notes come last."""
    found = [*graph.raised, *(each for each in check_graph(graph) if each.level == "warning")]
    unknown = getattr(graph.learner, "unknown_pairs_", None)
    if unknown is not None and len(unknown):
        found.append(_unknown_pairs(graph, unknown[["source", "target"]].to_numpy().tolist()))
    if not graph.is_probability:
        found.append(Notice("every-graph", f"{EDGES_MEAN} {ROWS_MEAN}", "note"))
    else:
        found.append(Notice("every-judged-graph", EDGES_MEAN, "note"))
    once: dict[str, Notice] = {}
    for each in found:
        once.setdefault(str(each) if each.code == "as-warned" else each.code, each)
    return rank(once.values())


def _unknown_pairs(graph: LearnedGraph, pairs: list[list[str]]) -> Notice:
    """Name pairs that could not be judged, and what the first of them lacks."""
    table: Table = graph.learner.table_
    first = table.values[:, [table.names.index(name) for name in pairs[0]]]
    lack = "order" if table.units is None else "units"
    if (~np.isnan(first)).all(axis=1).sum() < FEWEST_ROWS:
        lack = "values"
    rows, cure = LACKS[lack]
    text = (
        f"{counted(len(pairs), 'pair')} could not be judged, because {rows} (effective sample size "
        f"below {FEWEST_ROWS}): {listed([f'{u} – {v}' for u, v in pairs], most=3)}. "
        f"{'Its' if len(pairs) == 1 else 'Their'} absence from the graph means nothing; {cure}."
    )
    return Notice("unknown-pairs", text, facts={"lack": lack})


def rank(notices: Iterable[Notice]) -> list[Notice]:
    """Put notices in order: warnings first, the gravest of them first of all."""
    places = {code: place for place, code in enumerate(GRAVEST_FIRST)}
    last = len(GRAVEST_FIRST)
    return sorted(notices, key=lambda each: (each.level != "warning", places.get(each.code, last)))


def first_cautions(ranked: Sequence[Notice]) -> list[Notice]:
    """Choose what is shown at first: the gravest warnings."""
    return [each for each in ranked if each.level == "warning"][:MOST_CAUTIONS]


def card_of(graph: LearnedGraph) -> dict[str, Any]:
    """Return the card of the judge of a graph; empty if the judge is not available."""
    try:
        judge = find_judge(graph.learner.judge)
    except InputError:
        return {}
    return judge.card if judge.fingerprint == graph.learner.judge_.fingerprint else {}


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
