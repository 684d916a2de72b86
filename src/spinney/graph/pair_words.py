"""What is known about one pair, in plain words, and its most telling evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.pairs import pair_index, pair_numbers
from spinney._core.text import counted, probability_text
from spinney.evidence.groups import N_EVEN, PLACES
from spinney.evidence.matrices import unit_columns
from spinney.graph.checks import FEWER
from spinney.graph.comparisons import METHODS
from spinney.graph.verdicts import verdicts
from spinney.graph.words import fill, signed, strength_text
from spinney.judge.judged_graph import FEWEST_ROWS
from spinney.judge.strength import NORMAL_95, edge_strengths
from spinney.scores import read_scores

if TYPE_CHECKING:
    from spinney.evidence.thirds import Given, Thirds
    from spinney.graph.graph import LearnedGraph
    from spinney.tables import Table

__all__ = [
    *("brought_out_by", "fitted_sentence", "leading_evidence", "pair_details"),
    *("pair_sentences", "tell_why", "thirds_of"),
]

NOMINAL = {
    "table": "a table of how often its values meet",
    "classes": "how the shares of one column's values change with the other column",
}
"""What is fitted to pairs with a nominal column, by family."""
MOST_THIRDS = 200
"""Columns up to which all of them are tried as a third one."""


def tell_why(graph: LearnedGraph, i: int, j: int, details: bool = False) -> str:
    """Explain a pair in a paragraph; with `details`, also what was fitted and measured."""
    u, v, is_edge = graph.names[i], graph.names[j], graph.joined[i, j]
    told = f"{u} – {v}: {'an edge' if is_edge else 'no edge'}."
    thirds = None if graph.table is None else thirds_of(graph, [(i, j)])[0]
    told = fill(" ".join([told, *pair_sentences(graph, i, j, thirds)]))
    if not details:
        return told
    more = [fill(line, rest="  ") for line in pair_details(graph, i, j)]
    if graph.evidence is not None and pair_index(i, j, len(graph.names)) in graph.judged:
        more.append(f"\n{_listed(graph.evidence.why(i, j))}")
    return "\n\n".join(filter(None, [told, "\n".join(more)]))


def pair_sentences(graph: LearnedGraph, i: int, j: int, thirds: Thirds | None = None) -> list[str]:
    """Say how probable an edge is, and what speaks for and against it, in plain words.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.
    i, j : int
        The columns, i < j.
    thirds : Thirds, optional
        What other columns leave of the dependence, if it was measured (:func:`thirds_of`).
    """
    pair = pair_index(i, j, len(graph.names))
    table = graph.table
    rows = None if table is None else int(table.once.present[:, [i, j]].all(axis=1).sum())
    lines = [_verdict(graph, i, j, rows)]
    if pair not in graph.judged:
        return lines
    if thirds is not None and rows is not None and _worth(graph, i, j, rows) >= FEWEST_ROWS:
        lines += _rows_of(graph, i, j, rows)
        lines += _dependence(graph, i, j, thirds)
    strength = float(graph.known_strengths[i, j])
    if not graph.is_probability:
        weight = f"{strength:.3g}".replace("-", "−")
        none = "It has no weight in the model."
        lines.append(none if np.isnan(strength) else f"Its weight in the model is {weight}.")
    elif not np.isnan(strength):
        lines.append(f"Given the neighbours, its strength is {strength_text(graph, i, j)}.")
        lines += _contradiction(graph, i, j)
    if graph.stability is not None and not np.isnan(graph.stability.frequencies[i, j]):
        share = 100 * float(graph.stability.frequencies[i, j])
        fits = f"{graph.stability.n_fits} {graph.stability.fitted_to}"
        lines.append(f"It was found in {share:.0f} % of {fits}.")
    return [*filter(None, lines), *_explained(graph, pair)]


def pair_details(
    graph: LearnedGraph, i: int, j: int, described: Mapping[str, Any] | None = None
) -> list[str]:
    """Say which copula describes an edge (its row of ``copulas``), and what others make of it."""
    pair = pair_index(i, j, len(graph.names))
    if described is None and graph.joined[i, j] and graph.copulas is not None:
        place = graph.edge_positions.tolist().index([min(i, j), max(i, j)])
        described = graph.copulas.iloc[place].to_dict()
    rows = None if graph.table is None else graph.table.once.present[:, [i, j]].all(axis=1).sum()
    known = described is not None and described["family"] != ""
    fitted = [fitted_sentence(described, rows and int(rows))] if described and known else []
    return [*fitted, *(_said_by_others(graph, pair) if graph.is_probability else [])]


def _verdict(graph: LearnedGraph, i: int, j: int, rows: int | None) -> str:
    """Say what the estimator makes of a pair."""
    pair, learner = pair_index(i, j, len(graph.names)), graph.learner
    score = float(graph.scores[i, j])
    if not graph.is_probability:
        if np.isnan(score):
            return "Too few rows have both values to judge the pair."
        if graph.score == "weight":
            return ""
        label = graph.score_label[:1].upper() + graph.score_label[1:]
        return f"{label}: {score:.3f}. That is not a probability that the edge is real."
    if pair not in graph.judged:
        return "It is not among the most probable pairs, which are listed, and counts as no edge."
    judged = _of(float(learner.judged_probabilities_[pair]))
    if pair in learner._required or pair in learner._forbidden:
        decree = "required" if pair in learner._required else "forbidden"
        return f"It was {decree}; the judge alone gives it a probability {judged}."
    if rows is not None and rows < FEWEST_ROWS:
        verb = "has" if rows == 1 else "have"
        return (
            f"Only {counted(rows, 'row')} {verb} both values: too few to judge the pair, so it is "
            "undecided."
        )
    if rows is not None and (worth := int(_worth(graph, i, j, rows))) < FEWEST_ROWS:
        return (
            f"Its {rows:,} rows depend on each other so much that they are worth {worth} "
            "independent ones: too few to judge the pair, so it is undecided."
        )
    verdict = verdicts(score, learner.sure)
    return f"The judge gives it a probability {judged}: {verdict}."


# Alone, and given another column

INDEPENDENT, DEPENDENT = 0.05, 0.01
"""Chances above which a pair looks independent, and below which a third column makes it dependent
(over all columns tried)."""
MUCH = 0.9
"""Share of a correlation that is left where nothing explains it."""
NOT_MONOTONE = 3.0
"""Standard errors at which a dependence of any shape is spoken of."""


def thirds_of(graph: LearnedGraph, pairs: Sequence[tuple[int, int]]) -> list[Thirds]:
    """Measure pairs alone and given other columns: of a wide table, given neighbours of theirs."""
    from spinney.evidence.thirds import given_each_other

    assert graph.table is not None
    table, d = graph.table, len(graph.names)
    shares = np.ones(len(pairs))
    if graph.evidence is not None:
        numbers = [pair_index(i, j, d) for i, j in pairs]
        lost = graph.evidence.channel("dependent_rows")
        shares = np.exp(-graph.judged.look_up(lost, numbers, missing=0))
    if d <= MOST_THIRDS:
        return given_each_other(table, pairs, shares.tolist())
    found: list[Thirds] = []
    for (i, j), share in zip(pairs, shares.tolist(), strict=True):
        near = np.flatnonzero(graph.joined[i] | graph.joined[j])
        own = np.array([i, j, *(k for k in near[:MOST_THIRDS] if k not in (i, j))])
        [told] = given_each_other(table.take_columns(own), [(0, 1)], [share])
        alone, least, most = (_named(given, own) for given in told[:3])
        found.append(told._replace(alone=alone, least=least, most=most))
    return found


def _named(given: Any, own: NDArray[np.intp]) -> Any:
    at_third = given is not None and given.column >= 0
    return given._replace(column=int(own[given.column])) if at_third else given


def _dependence(graph: LearnedGraph, i: int, j: int, found: Thirds) -> list[str]:
    """Say whether a pair is dependent alone, and what other columns do to that."""
    alone, least, most = found.alone, found.least, found.most
    is_edge = bool(graph.joined[i, j])
    if alone.p >= INDEPENDENT:
        bent = _is_bent(graph, i, j, found)
        told = [
            f"Alone they neither rise nor fall together ({_sized(alone)}), but they are not "
            "independent: the dependence is non-monotone, or lies in the variance."
            if bent
            else f"Alone they look independent ({_sized(alone)})."
        ]
        if most is not None and most.p * found.tried < DEPENDENT:
            how = ", as where both act on it" if is_edge and not bent else ""
            are = "they depend on each other" if bent else "they are not"
            told.append(f"{_once(graph, most.column)} {are} ({_sized(most)}){how}.")
        elif not bent and least is not None:
            told.append("No single other column brings out a correlation.")
            if graph.evidence is not None and _measured(graph, i, j, "most_z") > NOT_MONOTONE:
                told.append(
                    "But in parts of the table, by the values of one other column, they depend on "
                    "each other: how they do depends on that column."
                )
    else:
        told = [f"Alone they depend on each other ({_sized(alone)})."]
        if least is not None:
            told.append(_explaining(graph, least, alone))
        if most is not None and most.size * alone.size < 0 and most.p * found.tried < DEPENDENT:
            told.append(f"{_once(graph, most.column)} the sign changes ({_sized(most)}).")
    return [*told, _given_all(graph, i, j, alone.p >= INDEPENDENT)]


def brought_out_by(graph: LearnedGraph, i: int, j: int, found: Thirds) -> int | None:
    """Return the column without which an edge, or its sign, does not show, or None."""
    most = found.most
    if not graph.joined[i, j] or most is None or most.p * found.tried >= DEPENDENT:
        return None
    turns = found.alone.p >= INDEPENDENT or most.size * found.alone.size < 0
    return most.column if turns else None


def _explaining(graph: LearnedGraph, least: Given, alone: Given) -> str:
    """Say what the column leaves that explains most of a dependence."""
    if least.p >= INDEPENDENT:
        return f"{_once(graph, least.column)} little of it is left ({_sized(least)})."
    some = f"some of it ({_sized(least)})"
    if not np.isnan(least.size):
        if abs(least.size) > MUCH * abs(alone.size):
            return "No other column explains it."
        some = f"a partial correlation of {signed(least.size)} ({_chance(least.p)})"
    return f"{graph.names[least.column]} explains a part of it, but leaves {some}."


def _once(graph: LearnedGraph, k: int) -> str:
    name, table = graph.names[k], graph.table
    nominal = table is not None and table.columns[k].kind == "nominal"
    return f"Within the classes of {name}" if nominal else f"Once {name} is known"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _sized(given: Given) -> str:
    """Write a correlation, if there is one, and its chance."""
    noun = "correlation" if given.column < 0 else "partial correlation"
    size = "" if np.isnan(given.size) else f"{noun} {signed(given.size)}, "
    return size + _chance(given.p)


def _measured(graph: LearnedGraph, i: int, j: int, channel: str) -> float:
    pair = pair_index(i, j, len(graph.names))
    return float(graph.judged.look_up(graph.evidence.channel(channel), [pair])[0])


def _is_bent(graph: LearnedGraph, i: int, j: int, found: Thirds) -> bool:
    """Whether a pair is dependent, but neither rises nor falls together."""
    nominal = graph.table is not None and graph.table.nominal[[i, j]].any()
    if graph.evidence is None or nominal or found.alone.p < INDEPENDENT:
        return False
    return _measured(graph, i, j, "shapes_z") > NOT_MONOTONE


def _given_all(graph: LearnedGraph, i: int, j: int, independent: bool) -> str:
    """Say what is left given all other columns, unless other words say so."""
    is_edge = bool(graph.joined[i, j])
    strong = is_edge and graph.is_probability and not np.isnan(graph.strengths[i, j])
    if graph.evidence is None or len(graph.names) < 4 or (strong and not independent):
        return ""
    nominal = graph.table is not None and graph.table.nominal[[i, j]].any()
    channel = "partial_any_z" if nominal else "partial_z"
    errors = abs(_measured(graph, i, j, channel))
    if not is_edge and errors < NOT_MONOTONE:
        return ""
    told = f"{errors:.1f} standard errors"
    if not nominal:
        told = f"partial correlation {signed(_measured(graph, i, j, 'partial'))}, {told}"
    if is_edge:
        if errors < NOT_MONOTONE:
            return f"The evidence weakens once all other columns are taken into account ({told})."
        return f"Given all other columns they are dependent ({told})."
    return (
        f"Given all others they seem dependent ({told}), but the judge does not count this as an "
        "edge."
    )


# Where strength and probability seem to contradict each other

DOUBTED = 0.95
"""Probability below which the judge is said to doubt an edge of clear strength."""
CLEAR = 5.0
"""Standard errors from 0 at which a strength is clear."""


def _contradiction(graph: LearnedGraph, i: int, j: int) -> list[str]:
    """Say why an edge is probable whose sign is open, or doubtful though its strength is clear."""
    table, evidence = graph.table, graph.evidence
    if table is None or evidence is None or table.nominal[[i, j]].any():
        return []
    if not graph.signs[i, j]:
        near = np.flatnonzero(graph.joined[i] | graph.joined[j])
        own = table.take_columns(np.array([i, j, *(k for k in near if k not in (i, j))]))
        told = _split_words(own) or _shape_words(own)
        if not told and _measured(graph, i, j, "most_z") > NOT_MONOTONE:
            told = "The dependence shows in parts of the table, by the values of another column."
        return [told or "No single measure shows the dependence; the judge weighs all of them."]
    place = graph.edge_positions.tolist().index([i, j])
    low, high = np.arctanh(graph.learner.edge_intervals_[place])
    errors = abs(low + high) / (high - low) * NORMAL_95
    if graph.scores[i, j] >= DOUBTED or errors < CLEAR:
        return []
    others = np.delete(np.arange(len(graph.names)), [i, j])
    through = np.minimum(*(_shared(graph, end, others) for end in (i, j)))
    if through.max(initial=0.0) > _measured(graph, i, j, "information"):
        name = graph.names[int(others[np.argmax(through)])]
        return [
            f"The probability is lower than this strength suggests: both depend more on {name} "
            "than on each other."
        ]
    return ["The probability, which depends on all pairs, is lower than this strength suggests."]


def _shared(graph: LearnedGraph, end: int, others: NDArray[np.intp]) -> NDArray[np.float64]:
    """Information that a column and others have in common."""
    numbers = pair_numbers(np.minimum(end, others), np.maximum(end, others), len(graph.names))
    return graph.judged.look_up(graph.evidence.channel("information"), numbers, missing=0.0)


def _split_words(table: Table) -> str:
    """Name the neighbour of the first two columns in whose classes their signs differ."""
    star = np.zeros((len(table.columns),) * 2, dtype=bool)
    star[0, 1:] = star[1:, 0] = True
    k = int(edge_strengths(table, star).split_by[0])
    name = "" if k < 0 else table.columns[k].name
    return f"Its sign is not the same for all values of {name}." if name else ""


def _shape_words(table: Table) -> str:
    """Say what shape the dependence of the first two columns has, if it is not monotone."""
    scores = read_scores(table.take_columns(np.array([0, 1])), degree=2)
    rows = scores.present.all(axis=1)
    names, values = [column.name for column in table.columns[:2]], unit_columns(scores.values[rows])
    found = []
    for a, b in product(*(np.flatnonzero(scores.owners == k) for k in (0, 1))):
        r = float(values[:, a] @ values[:, b])
        bends = tuple(int(scores.bends[k]) for k in (a, b))
        found.append((abs(r) * np.sqrt(rows.sum()), r, bends))
    size, r, bends = max((own for own in found if any(own[2])), default=(0.0, 0.0, (0, 0)))
    if size < NOT_MONOTONE:
        return ""
    if bends == (1, 1):
        how = "more" if r > 0 else "less"
        return (
            f"The dependence is in the extremes: where {names[0]} is far from its middle, "
            f"{names[1]} is {how} often far from its own."
        )
    bent, level = names if bends == (1, 0) else names[::-1]
    return (
        f"The dependence is non-monotone, or lies in the variance: where {bent} is far from "
        f"its middle, {level} tends to be {'higher' if r > 0 else 'lower'}."
    )


def _rows_of(graph: LearnedGraph, i: int, j: int, rows: int) -> list[str]:
    """Say how many rows have both values, and as how many they count, where not all do."""
    n = 0 if graph.table is None else len(graph.table.once)
    told = [] if rows >= FEWER * n else [f"{rows:,} of {counted(n, 'row')} have both values."]
    worth = _worth(graph, i, j, rows)
    if worth < FEWER * rows:
        count = f"{round(worth):,} of {rows:,}"
        weighted = graph.table is not None and graph.table.weighted
        why = "Rows are weighted" if weighted else "Neighbouring rows are alike"
        told.append(f"{why}, so that the effective sample size is smaller ({count}).")
    return told


def _worth(graph: LearnedGraph, i: int, j: int, rows: int) -> float:
    """Independent rows that the rows of a pair are worth."""
    if graph.evidence is None:
        return rows
    if graph.table is not None:  # rows that weights repeat were counted once
        rows = rows * len(graph.table) // len(graph.table.once)
    return rows * float(np.exp(-_measured(graph, i, j, "dependent_rows")))


def _explained(graph: LearnedGraph, pair: int) -> list[str]:
    """Name the column that explains the dependence of a pair, if its own evidence was set aside."""
    found = getattr(graph.potentials, "explained_", None)
    if found is None or not graph.judged.look_up(found.pairs, [pair], missing=0)[0]:
        return []
    through = graph.names[int(graph.judged.look_up(found.through, [pair], missing=0)[0])]
    return [
        f"The dependence goes through {through}, which is measured only coarsely (levels or "
        "missing values)."
    ]


def fitted_sentence(row: Mapping[str, Any], rows: int | None = None) -> str:
    """Say in a sentence what was fitted to a pair.

    Parameters
    ----------
    row : mapping
        The pair's row of ``LearnedGraph.copulas``.
    rows : int, optional
        Rows that have both values.

    Examples
    --------
    >>> row = {"family": "student", "rotation": 0, "parameters": (0.74, 2.4), "tau": 0.53}
    >>> fitted_sentence(row, 853)  # doctest: +NORMALIZE_WHITESPACE
    "By itself, over 853 rows, the pair is best described by a Student copula (rho 0.74, 2.4
    degrees of freedom), with a Kendall's tau of +0.53."
    """
    start = "By itself" if rows is None else f"By itself, over {counted(rows, 'row')}"
    if row["family"] == "independence":
        return f"{start}, the pair looks independent."
    text = f"{start}, the pair is best described by {_name(row)}"
    if not np.isnan(row["tau"]):
        text += f", with a Kendall's tau of {signed(row['tau'])}"
    return f"{text}."


def _name(row: Mapping[str, Any]) -> str:
    """Name what was fitted."""
    family = str(row["family"])
    if family in NOMINAL:
        return NOMINAL[family]
    from spinney.pairs.copulas.registry import family_class

    found = family_class(family)
    turned = f", turned by {row['rotation']}°" if row["rotation"] else ""
    names = [field.name for field in fields(found) if field.name != "rotation"]
    told = [
        f"{value:.3g} degrees of freedom"
        if name == "df"
        else f"{name} {value:.3g}".replace("-", "−")
        for name, value in zip(names, row["parameters"], strict=False)
    ]
    return f"a {found.__name__} copula ({', '.join(told)}{turned})"


def _said_by_others(graph: LearnedGraph, pair: int) -> list[str]:
    lines = []
    said = graph.comparisons
    for name in said.kept:
        label = METHODS[name].split(" (")[0]
        kept = float(said.kept_of(name, [pair])[0])
        if np.isnan(kept):
            continue
        text = f"{label}: {'an edge' if kept else 'no edge'}"
        if name in said.shares:
            text += f", in {100 * float(said.shares_of(name, [pair])[0]):.0f} % of its forests"
        lines.append(f"{text}.")
    return lines


def _listed(table: pd.DataFrame) -> str:
    """List the channels of a pair: name, value, meaning."""
    width = max(len(str(name)) for name in table["channel"])
    lines = []
    for row in table.to_dict("records"):
        start = f"{row['channel']:<{width}} {row['value']:>8.3f}  "
        lines.append(fill(row["meaning"], indent=start, rest=" " * len(start)))
    return "\n".join(lines)


def _of(probability: float) -> str:
    text = probability_text(probability, in_words=True)
    return text if text.startswith(("above", "below")) else f"of {text}"


# The most telling evidence

MOST_LINES = 12


@dataclass(frozen=True)
class EvidenceLine:
    """A channel in words: its name and its meaning; left out where its value is `silent`.

    Channels with a sign are left out for nominal columns, which neither rise nor fall.
    """

    channel: str
    name: str
    meaning: str
    silent: float | None = None
    needs_levels: bool = False


LINES = (
    EvidenceLine("score", "correlation of normal scores", "how far the two rise together; −1 to 1"),
    EvidenceLine(
        "partial",
        "partial correlation",
        "what is left of the correlation given all other columns; −1 to 1",
    ),
    EvidenceLine(
        "partial_z",
        "partial correlation, in standard errors",
        "beyond 3 either way it is hardly chance",
    ),
    EvidenceLine(
        "partial_any_z",
        "any dependence given the others, in standard errors",
        "also non-monotone, or in the variance only; below 0 there is less than chance gives",
    ),
    EvidenceLine(
        "latent",
        "correlation behind the levels",
        "of the variables that the levels stand for; −1 to 1",
        needs_levels=True,
    ),
    EvidenceLine(
        "shapes_z",
        "dependence that is not monotone, in standard errors",
        "rings, waves, or a spread that moves; below 0 there is less than chance gives",
    ),
    EvidenceLine(
        "given_one_z",
        "correlation given one other column, in standard errors",
        "for the column that leaves the least of it",
    ),
    EvidenceLine(
        "least_z",
        "any dependence given one other column, in standard errors",
        "also non-monotone; for the column that leaves the least of it",
    ),
    EvidenceLine(
        "most_z",
        "any dependence in parts of the table, in standard errors",
        "within the classes of one other column; for the column that brings out most of it",
    ),
    EvidenceLine("tied", "ties", "share of pairs of rows that are equal in a column", silent=0.0),
)
"""Candidates in order; the first `MOST_LINES` that apply are listed."""
LEAST_HIDDEN = 0.01
"""Share of the variable behind a column that its values must hide to be spoken of."""


def leading_evidence(values: NDArray[np.float32]) -> list[tuple[EvidenceLine, float]]:
    """Choose the most telling channels of a pair, about a dozen, in readable units.

    Parameters
    ----------
    values : array of shape (n_channels,)
        The pair's evidence, as ``Evidence.values`` has it.

    Examples
    --------
    >>> lines = leading_evidence(np.zeros(len(PLACES), dtype=np.float32))
    >>> lines[0][0].name, lines[0][1]
    ('correlation of normal scores', 0.0)
    """
    has_levels = values[PLACES["shown_least"]] < 1.0 - LEAST_HIDDEN
    is_nominal = values[PLACES["nominal"]] > 0.0
    found = []
    for line in LINES:
        place = PLACES[line.channel]
        applies = (has_levels or not line.needs_levels) and not (is_nominal and place >= N_EVEN)
        if applies and values[place] != line.silent:
            found.append((line, float(values[place])))
    return found[:MOST_LINES]
