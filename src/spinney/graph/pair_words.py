"""What is known about one pair, in plain words, and its most telling evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_index
from spinney._core.text import counted, probability_text, signed
from spinney.evidence import N_EVEN, PLACES
from spinney.evidence.matrices import unit_columns
from spinney.graph.checks import FEWER
from spinney.graph.words import fill, strength_text, verdicts
from spinney.judge.learner import FEWEST_ROWS
from spinney.judge.strength import edge_strengths
from spinney.scores import read_scores

if TYPE_CHECKING:
    from spinney.evidence.thirds import Given, Thirds
    from spinney.graph.graph import LearnedGraph
    from spinney.tables import Table

MOST_THIRDS = 200
"""Columns up to which all of them are tried as a third one."""
INDEPENDENT, DEPENDENT = 0.05, 0.01
"""Chances above which a pair looks independent, and below which a third column makes it dependent
(over all columns tried)."""
MUCH = 0.9
"""Share of a correlation that is left where nothing explains it."""
NOT_MONOTONE = 3.0
"""Standard errors from which on a dependence of any shape is named."""


def tell_why(graph: LearnedGraph, i: int, j: int) -> str:
    """Explain a pair in a paragraph."""
    head = f"{graph.names[i]} – {graph.names[j]}: {'an edge' if graph.joined[i, j] else 'no edge'}."
    thirds = None if graph.table is None else thirds_of(graph, [(i, j)])[0]
    return fill(" ".join([head, *pair_sentences(graph, i, j, thirds)]))


def pair_sentences(graph: LearnedGraph, i: int, j: int, thirds: Thirds | None = None) -> list[str]:
    """Say how probable an edge is, and the evidence for and against it, in plain words.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.
    i, j : int
        The columns, i < j.
    thirds : Thirds, optional
        What other columns leave of the dependence, if it was measured (:func:`thirds_of`).
    """
    return list(filter(None, _Pair(graph, i, j).sentences(thirds)))


def thirds_of(graph: LearnedGraph, pairs: Sequence[tuple[int, int]]) -> list[Thirds]:
    """Measure pairs alone and given other columns: of a wide table, given neighbours of theirs."""
    from spinney.evidence.thirds import given_each_other

    assert graph.table is not None
    table, d = graph.table, len(graph.names)
    shares = np.ones(len(pairs))
    if graph.evidence is not None:
        numbers = [pair_index(i, j, d) for i, j in pairs]
        shares = graph.judged.look_up(graph.evidence.row_shares, numbers, missing=1.0)
    if d <= MOST_THIRDS:
        return given_each_other(table, pairs, shares.tolist())
    found: list[Thirds] = []
    for (i, j), share in zip(pairs, shares.tolist(), strict=True):
        near = np.flatnonzero(graph.joined[i] | graph.joined[j])
        own = np.array([i, j, *(k for k in near[:MOST_THIRDS] if k not in (i, j))])
        [told] = given_each_other(table.take_columns(own), [(0, 1)], [share])
        least, most = (
            given and given._replace(column=int(own[given.column]))
            for given in (told.least, told.most)
        )
        found.append(told._replace(least=least, most=most))
    return found


def brought_out_by(graph: LearnedGraph, i: int, j: int, found: Thirds) -> int | None:
    """Return the column without which an edge, or its sign, does not show, or None."""
    most = found.most
    if not graph.joined[i, j] or most is None or most.p * found.tried >= DEPENDENT:
        return None
    turns = found.alone.p >= INDEPENDENT or most.size * found.alone.size < 0
    return most.column if turns else None


@dataclass(frozen=True)
class _Pair:
    """Two columns of a graph, i < j, and the sentences about them."""

    graph: LearnedGraph
    i: int
    j: int

    @property
    def number(self) -> int:
        return int(pair_index(self.i, self.j, len(self.graph.names)))

    @property
    def is_edge(self) -> bool:
        return bool(self.graph.joined[self.i, self.j])

    @property
    def is_listed(self) -> bool:
        return self.number in self.graph.judged

    @property
    def is_nominal(self) -> bool:
        table = self.graph.table
        return table is not None and bool(table.nominal[[self.i, self.j]].any())

    @cached_property
    def rows(self) -> int:
        """Rows that have both values; 0 if the table is not kept."""
        if self.graph.table is None:
            return 0
        return int(self.graph.table.once.present[:, [self.i, self.j]].all(axis=1).sum())

    @cached_property
    def worth(self) -> float:
        """Independent rows that the rows of the pair are worth."""
        graph = self.graph
        if graph.table is None or graph.evidence is None:
            return self.rows
        rows = self.rows * len(graph.table) // len(graph.table.once)  # as weights repeat them
        return rows * float(graph.judged.look_up(graph.evidence.row_shares, [self.number])[0])

    def measured(self, channel: str) -> float:
        """Return one channel of the pair's evidence; 0 without any."""
        graph = self.graph
        if graph.evidence is None:
            return 0.0
        return float(graph.judged.look_up(graph.evidence.channel(channel), [self.number])[0])

    def sentences(self, thirds: Thirds | None) -> Iterator[str]:
        """Say all that is known in plain words; some sentences are empty."""
        graph = self.graph
        yield self._verdict()
        if not self.is_listed:
            return
        if thirds is not None and self.worth >= FEWEST_ROWS:
            yield from self._rows()
            yield from self._dependence(thirds)
        strength = float(graph.known_strengths[self.i, self.j])
        if not graph.is_probability:
            weight = f"{strength:.3g}".replace("-", "−")
            none = "It has no weight in the model."
            yield none if np.isnan(strength) else f"Its weight in the model is {weight}."
        elif not np.isnan(strength):
            place = graph.edge_positions.tolist().index([self.i, self.j])
            told = strength_text(graph.edges.iloc[place].to_dict())
            yield f"Given the neighbours, its strength is {told}."
            yield self._open_sign()
        stability = graph.stability
        if stability is not None and not np.isnan(stability.frequencies[self.i, self.j]):
            share = 100 * float(stability.frequencies[self.i, self.j])
            yield f"It was found in {share:.0f} % of {stability.n_fits} bootstrap samples."
        found = getattr(graph.potentials, "explained_", None)
        if found is not None and graph.judged.look_up(found.pairs, [self.number], missing=0)[0]:
            through = int(graph.judged.look_up(found.through, [self.number], missing=0)[0])
            yield (
                f"The dependence goes through {graph.names[through]}, which is measured only "
                "coarsely (levels or missing values)."
            )

    def _verdict(self) -> str:
        """Say what the estimator makes of the pair."""
        graph, learner = self.graph, self.graph.learner
        score = float(graph.scores[self.i, self.j])
        if not graph.is_probability:
            if np.isnan(score):
                return "Too few rows have both values to judge the pair."
            if graph.score == "weight":
                return ""
            label = graph.score_label[:1].upper() + graph.score_label[1:]
            return f"{label}: {score:.3f}. That is not a probability that the edge is real."
        if not self.is_listed:
            return "It is not among the most probable pairs, which are listed; it is not an edge."
        judged = probability_text(float(learner.judged_probabilities_[self.number]), in_words=True)
        judged = judged if judged.startswith(("above", "below")) else f"of {judged}"
        for decree, fixed in (("required", learner._required), ("forbidden", learner._forbidden)):
            if self.number in fixed:
                return f"It was {decree}; the judge alone gives it a probability {judged}."
        few = "too few to judge the pair, so it is undecided"
        if self.rows < FEWEST_ROWS:
            verb = "has" if self.rows == 1 else "have"
            return f"Only {counted(self.rows, 'row')} {verb} both values: {few}."
        if self.worth < FEWEST_ROWS:
            return (
                f"Its {self.rows:,} rows depend on each other so much that their effective sample "
                f"size is {int(self.worth)}: {few}."
            )
        return f"The judge gives it a probability {judged}: {verdicts(score, learner.sure)}."

    def _rows(self) -> Iterator[str]:
        """Say how many rows have both values, and the effective sample size if smaller."""
        table = self.graph.table
        assert table is not None
        n = len(table.once)
        if self.rows < FEWER * n:
            yield f"{self.rows:,} of {counted(n, 'row')} have both values."
        if self.worth < FEWER * self.rows:
            why = "Rows are weighted" if table.weighted else "Neighbouring rows are alike"
            count = f"{round(self.worth):,} of {self.rows:,}"
            yield f"{why}, so that the effective sample size is smaller ({count})."

    def _dependence(self, found: Thirds) -> Iterator[str]:
        """Say whether the pair is dependent alone, and what other columns do to that."""
        alone, least, most = found.alone, found.least, found.most
        brings_out = most is not None and most.p * found.tried < DEPENDENT
        independent = alone.p >= INDEPENDENT
        if not independent:
            yield f"Alone they depend on each other ({_sized(alone)})."
            if least is not None:
                yield self._explaining(least, alone)
            if most is not None and brings_out and most.size * alone.size < 0:
                yield f"{self._once(most)} the sign changes ({_sized(most)})."
        else:
            bent = not self.is_nominal and self.measured("shapes_z") > NOT_MONOTONE
            if bent:
                yield (
                    f"Alone they neither rise nor fall together ({_sized(alone)}), but they are "
                    "not independent: the dependence is non-monotone, or lies in the variance."
                )
            else:
                yield f"Alone they look independent ({_sized(alone)})."
            if most is not None and brings_out:
                how = ", as when both act on it" if self.is_edge and not bent else ""
                are = "they depend on each other" if bent else "they are not"
                yield f"{self._once(most)} {are} ({_sized(most)}){how}."
            elif not bent and least is not None:
                yield "No single other column brings out a correlation."
                if self.measured("most_z") > NOT_MONOTONE:
                    yield (
                        "But within parts of the table, given by the values of one other column, "
                        "they depend on each other."
                    )
        yield self._given_all(independent)

    def _explaining(self, least: Given, alone: Given) -> str:
        """Say what the column leaves that explains most of a dependence."""
        if least.p >= INDEPENDENT:
            return f"{self._once(least)} little of it is left ({_sized(least)})."
        some = f"some of it ({_sized(least)})"
        if not np.isnan(least.size):
            if abs(least.size) > MUCH * abs(alone.size):
                return "No other column explains it."
            some = f"a partial correlation of {signed(least.size)} ({_chance(least.p)})"
        return f"{self.graph.names[least.column]} explains a part of it, but leaves {some}."

    def _once(self, given: Given) -> str:
        name, table = self.graph.names[given.column], self.graph.table
        nominal = table is not None and table.nominal[given.column]
        return f"Within the classes of {name}" if nominal else f"Once {name} is known"

    def _given_all(self, independent: bool) -> str:
        """Say what is left given all other columns, unless other words say so."""
        graph = self.graph
        known = self.is_edge and graph.is_probability
        known = known and not np.isnan(graph.strengths[self.i, self.j]) and not independent
        if graph.evidence is None or len(graph.names) < 4 or known:
            return ""
        errors = abs(self.measured("partial_any_z" if self.is_nominal else "partial_z"))
        told = f"{errors:.1f} standard errors"
        if not self.is_nominal:
            told = f"partial correlation {signed(self.measured('partial'))}, {told}"
        if self.is_edge and errors < NOT_MONOTONE:
            return f"The evidence weakens once all other columns are taken into account ({told})."
        if self.is_edge:
            return f"Given all other columns they are dependent ({told})."
        if errors < NOT_MONOTONE:
            return ""
        return (
            f"Given all others they seem dependent ({told}), but the judge does not count this as "
            "an edge."
        )

    def _open_sign(self) -> str:
        """Say why an edge is probable whose sign is open."""
        graph, i, j = self.graph, self.i, self.j
        if graph.table is None or graph.evidence is None or self.is_nominal or graph.signs[i, j]:
            return ""
        near = np.flatnonzero(graph.joined[i] | graph.joined[j])
        own = graph.table.take_columns(np.array([i, j, *(k for k in near if k not in (i, j))]))
        if told := _split_words(own) or _shape_words(own):
            return told
        if self.measured("most_z") > NOT_MONOTONE:
            return (
                "The dependence shows within parts of the table, given by another column's values."
            )
        return "No single statistic shows the dependence; the judge combines all of them."


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _sized(given: Given) -> str:
    """Write a correlation, if there is one, and its chance."""
    noun = "correlation" if given.column < 0 else "partial correlation"
    size = "" if np.isnan(given.size) else f"{noun} {signed(given.size)}, "
    return size + _chance(given.p)


def _split_words(table: Table) -> str:
    """Name the neighbour of the first two columns in whose classes their signs differ."""
    star = np.zeros((len(table.columns),) * 2, dtype=bool)
    star[0, 1:] = star[1:, 0] = True
    k = int(edge_strengths(table, star).split_by[0])
    return "" if k < 0 else f"Its sign is not the same for all values of {table.names[k]}."


def _shape_words(table: Table) -> str:
    """Say what shape the dependence of the first two columns has, if it is not monotone."""
    scores = read_scores(table.take_columns(np.array([0, 1])), degree=2)
    rows = scores.present.all(axis=1)
    values = unit_columns(scores.values[rows])
    found = []
    for a, b in product(*(np.flatnonzero(scores.owners == k) for k in (0, 1))):
        bends = int(scores.bends[a]), int(scores.bends[b])
        if any(bends):
            r = float(values[:, a] @ values[:, b])
            found.append((abs(r) * np.sqrt(rows.sum()), r, bends))
    size, r, bends = max(found, default=(0.0, 0.0, (0, 0)))
    if size < NOT_MONOTONE:
        return ""
    first, second = table.names[:2]
    if bends == (1, 1):
        how = "more" if r > 0 else "less"
        return (
            f"The dependence is in the extremes: where {first} is far from its middle, {second} is "
            f"{how} often far from its own."
        )
    bent, level = (first, second) if bends == (1, 0) else (second, first)
    return (
        f"The dependence is non-monotone, or lies in the variance: where {bent} is far from "
        f"its middle, {level} tends to be {'higher' if r > 0 else 'lower'}."
    )


# The most telling evidence

ERRORS = "in standard errors"
NOT_SIGNED = "also non-monotone, or in the variance only; below 0: less than expected by chance"
LINES = {
    "score": ("correlation of normal scores", "how far the two rise together; −1 to 1"),
    "partial": ("partial correlation", "what is left of it given all other columns; −1 to 1"),
    "partial_z": (f"partial correlation, {ERRORS}", "beyond ±3, chance is an unlikely explanation"),
    "partial_any_z": (f"any dependence given the others, {ERRORS}", NOT_SIGNED),
    "latent": ("correlation behind the levels", "of the variables that the levels stand for"),
    "shapes_z": (
        f"dependence that is not monotone, {ERRORS}",
        "rings, waves, or a changing spread; below 0: less than expected by chance",
    ),
    "given_one_z": (
        f"correlation given one other column, {ERRORS}",
        "for the column that leaves the least of it",
    ),
    "least_z": (
        f"any dependence given one other column, {ERRORS}",
        "also non-monotone; for the column that leaves the least of it",
    ),
    "most_z": (
        f"any dependence in parts of the table, {ERRORS}",
        "within the classes of one other column; for the column that brings out most of it",
    ),
    "tied": ("ties", "share of pairs of rows that are equal in a column"),
}
"""Channels of the page, in order: name and meaning."""
LEAST_HIDDEN = 0.01
"""Share of the variable behind a column that its values must hide for it to have levels."""


def leading_evidence(values: NDArray[Any]) -> list[dict[str, Any]]:
    """List the most telling channels of a pair: ``channel``, ``name``, ``meaning``, ``value``.

    Channels with a sign are left out for nominal columns, which neither rise nor fall.

    Parameters
    ----------
    values : array of shape (n_channels,)
        The pair's evidence, as ``Evidence.values`` has it.

    Examples
    --------
    >>> lines = leading_evidence(np.zeros(len(PLACES), dtype=np.float32))
    >>> lines[0]["name"], lines[0]["value"]
    ('correlation of normal scores', 0.0)
    """
    found = {channel: float(values[PLACES[channel]]) for channel in LINES}
    if values[PLACES["shown_least"]] >= 1.0 - LEAST_HIDDEN:
        del found["latent"]
    if found["tied"] == 0.0:
        del found["tied"]
    if values[PLACES["nominal"]] > 0.0:
        found = {channel: value for channel, value in found.items() if PLACES[channel] < N_EVEN}
    keys = ("channel", "name", "meaning", "value")
    return [dict(zip(keys, (k, *LINES[k], value), strict=True)) for k, value in found.items()]
