"""What is known about one pair, in plain words, and its most telling evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from spinney._core.pairs import pair_index
from spinney._core.text import counted, probability_text
from spinney.evidence import CHANNELS
from spinney.graph.comparisons import METHODS
from spinney.graph.words import fill, signed, strength_text
from spinney.judge.graph_learner import FEWEST_ROWS
from spinney.pairs.copulas.registry import family_class

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["fitted_sentence", "leading_evidence", "pair_sentences", "tell_why"]

NOMINAL = {
    "table": "a table of how often its values meet",
    "classes": "how the shares of one column's values change with the other column",
}
"""What is fitted to pairs with a nominal column, by family."""


def tell_why(graph: LearnedGraph, i: int, j: int) -> str:
    """Describe one pair, then list its evidence channel by channel."""
    u, v, is_edge = graph.names[i], graph.names[j], graph.adjacency[i, j]
    lines = [f"{u} – {v}: {'an edge' if is_edge else 'no edge'}.", *pair_sentences(graph, i, j)]
    told = "\n".join(fill(line, rest="  ") for line in lines)
    if graph.evidence is None or pair_index(i, j, len(graph.names)) not in graph.judged:
        return told  # nothing else was measured for pairs that were not judged
    return f"{told}\n\n{_listed(graph.evidence.why(i, j))}"


def pair_sentences(
    graph: LearnedGraph, i: int, j: int, described: Mapping[str, Any] | None = None
) -> list[str]:
    """Say how probable an edge is, what was fitted to the pair, and what other methods say.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.
    i, j : int
        The columns, i < j.
    described : mapping, optional
        The pair's row of ``potentials_.describe()``, if available.
    """
    pair = pair_index(i, j, len(graph.names))
    if described is None and hasattr(graph.potentials, "describe") and pair in graph.judged:
        described = graph.potentials.describe(np.array([pair])).iloc[0].to_dict()
    if not graph.is_probability:
        return _by_score(graph, i, j, described)
    learner, lines = graph.learner, []
    if pair not in graph.judged:
        screened = getattr(learner, "screened_", None)
        reason = (
            "It passed the screening, but no neighbourhood of stronger pairs has both its columns"
            if screened is not None and pair in screened.pairs
            else "It did not pass the screening"
        )
        lines.append(f"{reason}, so it was not judged and counts as no edge.")
        return [*lines, *_said_by_others(graph, pair)]
    judged = _of(float(learner.judged_probabilities_[pair]))
    rows = int((~np.isnan(learner.table_.values[:, [i, j]])).all(axis=1).sum())
    if pair in learner._required or pair in learner._forbidden:
        decree = "required" if pair in learner._required else "forbidden"
        lines.append(f"It was {decree}; the judge alone gives it a probability {judged}.")
    elif rows < FEWEST_ROWS:
        verb = "has" if rows == 1 else "have"
        lines.append(f"Only {counted(rows, 'row')} {verb} both values: too few to say anything.")
    else:
        lines.append(f"The judge gives it a probability {judged}.")
    assert described is not None
    lines.append(fitted_sentence(described, rows))
    if graph.adjacency[i, j] and not np.isnan(graph.strengths[i, j]):
        lines.append(f"Given the neighbours, its strength is {strength_text(graph, i, j)}.")
    return [*lines, *_said_by_others(graph, pair), *_explained(graph, pair)]


def _by_score(
    graph: LearnedGraph, i: int, j: int, described: Mapping[str, Any] | None
) -> list[str]:
    """Describe a pair by what an estimator without the judge knows."""
    score, strength = float(graph.scores[i, j]), float(graph.known_strengths[i, j])
    lines = []
    if np.isnan(score):
        lines.append("Too few rows have both values to say anything.")
    elif graph.score != "weight":
        label = graph.score_label[:1].upper() + graph.score_label[1:]
        lines.append(f"{label}: {score:.3f}. That is no probability that the edge is real.")
    if not np.isnan(strength):
        lines.append(f"Its weight in the model is {strength:.3g}.".replace(" -", " −"))
    return lines if described is None else [*lines, fitted_sentence(described)]


def _explained(graph: LearnedGraph, pair: int) -> list[str]:
    """Name the column that explains the dependence of a pair, if its own evidence was set aside."""
    found = getattr(graph.potentials, "explained_", None)
    if found is None or not graph.judged.look_up(found.pairs, [pair], missing=0)[0]:
        return []
    through = graph.names[int(graph.judged.look_up(found.through, [pair], missing=0)[0])]
    return [
        f"The dependence goes through {through}, which shows only a part of itself (levels or "
        "gaps)."
    ]


def fitted_sentence(row: Mapping[str, Any], rows: int | None = None) -> str:
    """Say in a sentence what was fitted to a pair.

    Parameters
    ----------
    row : mapping
        The pair's row of ``potentials_.describe()``.
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
KNEE = 3.0


def _standard_errors(x: float) -> float:
    """Undo s(x) = 3 arsinh(x / 3): back to standard errors."""
    return float(KNEE * np.sinh(x / KNEE))


def _gain(x: float) -> float:
    """Undo s(root(2 G)): back to a difference of log-likelihoods."""
    errors = _standard_errors(x)
    return 0.5 * errors * abs(errors)


def _probability(x: float) -> float:
    """Undo the logit."""
    return float(expit(x))


@dataclass(frozen=True)
class EvidenceLine:
    """A channel in words: its name, its meaning, and the function that makes it readable.

    It is left out where its value is `silent`.
    """

    channel: str
    name: str
    meaning: str
    read: Callable[[float], float] = float
    silent: float | None = None
    needs_levels: bool = False

    @property
    def is_probability(self) -> bool:
        """Whether its readable value is a probability."""
        return self.read is _probability


LINES = (
    EvidenceLine(
        "tau", "Kendall's tau", "how far the two rise together, whatever the others; −1 to 1"
    ),
    EvidenceLine(
        "partial",
        "partial correlation",
        "what is left of the correlation given all other columns; −1 to 1",
    ),
    EvidenceLine(
        "partial_z",
        "partial correlation, in standard errors",
        "beyond 3 either way it is hardly chance",
        _standard_errors,
    ),
    EvidenceLine(
        "partial_any_z",
        "any dependence given the others, in standard errors",
        "also bent, or in the spread only; below 0 there is less than chance gives",
        _standard_errors,
    ),
    EvidenceLine(
        "ladder_all",
        "forests over all rows",
        "probability of the edge where one forest must serve all rows",
        _probability,
    ),
    EvidenceLine(
        "ladder_64",
        "forests over 64 rows",
        "the same where 64 rows share a forest (or all, if there are fewer)",
        _probability,
    ),
    EvidenceLine(
        "ladder_8",
        "forests over 8 rows",
        "the same where 8 rows share a forest: only strong pairs reach far up",
        _probability,
    ),
    EvidenceLine(
        "penalised",
        "gain on new rows",
        "log-likelihood that fitted copulas gain over independence, less what their parameters "
        "gain by chance; below 0 they predict worse",
        _gain,
    ),
    EvidenceLine(
        "information",
        "information, as a correlation",
        "the normal correlation that would hold as much information; 0 to 1",
        lambda x: float(np.tanh(x)),
    ),
    EvidenceLine(
        "explained",
        "explained by others",
        "1: a path over a column with levels or gaps explains the dependence",
        silent=0.0,
    ),
    EvidenceLine("gaps", "rows without both values", "share of all rows", silent=0.0),
    EvidenceLine(
        "latent",
        "correlation behind the levels",
        "of the variables that the levels stand for; −1 to 1",
        needs_levels=True,
    ),
    EvidenceLine(
        "bends",
        "asymmetry, in standard errors",
        "how far one column follows the square of the other, as when only high values go together",
        _standard_errors,
    ),
    EvidenceLine(
        "shapes_z",
        "dependence that is not monotone, in standard errors",
        "rings, waves, or a spread that moves; below 0 there is less than chance gives",
        _standard_errors,
    ),
    EvidenceLine(
        "given_one_z",
        "correlation given one other column, in standard errors",
        "for the column that leaves the least of it",
        _standard_errors,
    ),
    EvidenceLine("tied", "ties", "share of pairs of rows that are equal in a column", silent=0.0),
)
"""Candidates in order; the first `MOST_LINES` that apply are listed."""
LEAST_HIDDEN = 0.01
"""Share of the variable behind a column that its values must hide to be spoken of."""
_PLACES = {channel.name: k for k, channel in enumerate(CHANNELS)}


def leading_evidence(values: NDArray[np.float32]) -> list[tuple[EvidenceLine, float]]:
    """Choose the most telling channels of a pair, about a dozen, in readable units.

    Parameters
    ----------
    values : array of shape (n_channels,)
        The pair's evidence, as ``Evidence.values`` has it.

    Examples
    --------
    >>> lines = leading_evidence(np.zeros(len(CHANNELS), dtype=np.float32))
    >>> lines[0][0].name, lines[4][1]
    ("Kendall's tau", 0.5)
    """
    has_levels = values[_PLACES["shown_least"]] < 1.0 - LEAST_HIDDEN
    found = [(line, float(values[_PLACES[line.channel]])) for line in LINES]
    return [
        (line, line.read(value))
        for line, value in found
        if value != line.silent and (has_levels or not line.needs_levels)
    ][:MOST_LINES]
