"""The text of the page: summary, checks, calibration, words for a paper, and how it was made."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sized
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from spinney import __version__
from spinney._core.text import counted, shorten_end
from spinney.graph.checks import check_graph
from spinney.graph.methods import STANDARDS
from spinney.graph.report.content.facts import Facts
from spinney.graph.words import (
    card_of,
    cautions,
    first_cautions,
    size_row,
    summary_paragraphs,
)
from spinney.judge.judge import kept_apart, of_all_runs

NO_PROBABILITY = {
    "share": "The share of forests is the part of the model's forests that contain the edge. It is "
    "not a probability that the edge is real: a forest has no loops, so the edges of a loop must "
    "share.",
    "frequency": "The frequency is the share of fits to parts of the table in which the pair was "
    "an edge. It is not a probability that the edge is real.",
    "weight": "The weight ranks the edges of this model. It is not a probability, and weights of "
    "different tables or models cannot be compared.",
}


TEXT = (
    "The spinney developers. spinney: structure of Markov random fields from a table of data, "
    "version {version}. Founded on E. Arvaniti and M. Claassen (2014). "
    "Markov Network Structure Learning via Ensemble-of-Forests Models. Proceedings of the 30th "
    "Conference on Uncertainty in Artificial Intelligence (UAI)."
)
BIBTEX = """\
@software{{spinney,
  author = {{{{The spinney developers}}}},
  title = {{spinney: structure of {{Markov}} random fields from a table of data}},
  version = {{{version}}},
}}

@inproceedings{{arvaniti2014markov,
  author = {{Arvaniti, Eirini and Claassen, Manfred}},
  title = {{{{Markov}} Network Structure Learning via Ensemble-of-Forests Models}},
  booktitle = {{Proceedings of the 30th Conference on Uncertainty in Artificial Intelligence
               (UAI)}},
  year = {{2014}},
}}
"""


def head(facts: Facts) -> dict[str, Any]:
    """Name the graph, what learned it, and the score by which pairs are ranked."""
    graph, cut = facts.graph, None
    if graph.is_probability:
        cut = graph.learner.cut
        if graph.learner.fdr is not None:  # the smallest score kept
            cut = graph.scores[np.triu(graph.joined, 1)].min(initial=np.inf)
    return {
        "title": facts.say(graph.heading),
        "made": date.today().isoformat(),
        "version": __version__,
        "score": {
            "key": graph.score,
            "label": graph.score_label,
            "is_probability": graph.is_probability,
            "cut": cut,
        },
    }


def summary(facts: Facts) -> dict[str, Any]:
    """Summarise what was found, and what to be careful about."""
    sentences = [text for paragraph in summary_paragraphs(facts.graph) for text in paragraph]
    ranked = cautions(facts.graph)
    first = first_cautions(ranked)
    told: dict[str, list[Any]] = {"sentences": sentences, "cautions": first}
    told["more"] = [each for each in ranked if each not in first]
    return {"summary": {key: [facts.say(text) for text in told[key]] for key in told}}


def checks(facts: Facts) -> dict[str, Any]:
    """List the checks of the data, and their results."""
    cautioned = {each.code for each in cautions(facts.graph)}  # they stand in the summary
    found = [each for each in check_graph(facts.graph) if each.code not in cautioned]
    return {"checks": [{"level": each.level, "text": facts.say(each)} for each in found]}


def cite(facts: Facts) -> dict[str, Any]:
    """Cite the program and its founding paper, as text and in BibTeX."""
    return {"cite": {key: text.format(version=__version__)
                     for key, text in (("text", TEXT), ("bibtex", BIBTEX))}}  # fmt: skip


def calibration(facts: Facts) -> dict[str, Any]:
    """Say how far probabilities can be trusted, or what other scores do not mean."""
    graph = facts.graph
    if not graph.is_probability:
        told = [NO_PROBABILITY[graph.score]]
        return {"calibration": {"sentences": told, "reliability": None, "card": {}}}
    judge, card = graph.learner.judge_, card_of(graph)
    span, bins = _bins_of_size(card, facts.d)
    told = _trust(card, facts.d)
    if span:
        told.append(f"The picture: real tables of {span} columns to which known edges were added.")
    if graph.checked is not None:
        told.append(graph.checked.summary())
    about = {"judge": judge.name or "without a name", "fingerprint": judge.fingerprint}
    about |= _card_lines(card)
    return {"calibration": {"sentences": told, "reliability": bins or None, "card": about}}


def _trust(card: Mapping[str, Any], d: int) -> list[str]:
    """Say how far off probabilities were on other tables, and on those of this size.

    Examples
    --------
    >>> card = {"validation": {"columns": {"8-15": {"ece": 0.0321, "tables": 789.0}}}}
    >>> _trust(card, 11)[1:]
    ['With 8 to 15 columns, as here, they were off by 0.032 (789 tables).']
    >>> _trust(card, 300)[1:]
    ['No table of 300 columns was among those that the judge was tested on.']
    """
    told = [
        "Probabilities can be taken literally: on tables like those of the judge's training, about "
        "80 in 100 of the pairs with a probability of 0.8 are edges."
    ]
    after, size = kept_apart(card), size_row(card, d)
    if "ece" in after:
        tables = counted(int(after["tables"]), "table") if "tables" in after else "tables"
        told.append(
            f"On {tables} kept apart they were off by {after['ece']:.3f} on average (expected "
            f"calibration error)."
        )
    if size is not None:
        low, high, row = size
        tried = f" ({counted(int(row['tables']), 'table')})" if "tables" in row else ""
        told.append(
            f"With {low} to {high} columns, as here, they were off by {row['ece']:.3f}{tried}."
        )
    elif card.get("validation"):
        told.append(f"No table of {d} columns was among those that the judge was tested on.")
    if card.get("limits"):
        told.append(str(card["limits"]))
    if not card:
        told.append("The judge is not available here, so nothing more is known of its calibration.")
    return told


def _bins_of_size(card: Mapping[str, Any], d: int) -> tuple[str, list[tuple[float, float, int]]]:
    """Find the bins of real tables of this size, and the sizes, or else of all tables.

    Bins have the mean probability, the share of edges, and the number of pairs.
    """
    for span, bins in card.get("reliability", {}).get("grafts-tune", {}).items():
        fewest, most = map(int, span.split("-"))
        if fewest <= d <= most:
            return f"{fewest} to {most}", bins
    return "", (card.get("calibration") or {}).get("reliability") or []


def _card_lines(card: Mapping[str, Any]) -> dict[str, str]:
    """Summarise the card.

    Examples
    --------
    >>> _card_lines({"made": "2026-01-31", "runs": [{"tables": 1000, "steps": 50}] * 2})
    {'made': '2026-01-31', 'trained on': '1,000 tables'}
    """
    made, tables = str(card.get("made", "")), of_all_runs(card, "tables")
    lines = {"made": made, "trained on": f"{tables} tables" if tables else ""}
    return {name: line for name, line in lines.items() if line}


def paper(facts: Facts) -> dict[str, Any]:
    """Write the words for a paper, and list what reporting standards ask for."""
    words = {key: facts.say(text) for key, text in asdict(facts.graph.methods()).items()}
    listed: list[Any] = facts.graph.checklist().to_dict("records")
    items = [{key: facts.say(text) for key, text in item.items()} for item in listed]
    return {"paper": {**words, "checklist": items, "standards": list(STANDARDS)}}


# The run

LONGEST = 2000
"""Longest setting shown; run.json has all."""


def run(facts: Facts) -> dict[str, Any]:
    """Describe how the graph was made, as text."""
    record = dict(facts.graph.run or {})
    lines = {}
    for place, (label, text) in _LINES.items():
        value: Any = record
        for part in place.split("/"):
            value = (value or {}).get(part)
        empty = isinstance(value, Sized) and len(value) == 0
        if value is not None and value is not False and value != "auto" and not empty:
            lines[label] = facts.say(shorten_end(text(value), LONGEST))
    if "python" in record and "Versions" in lines:
        lines["Versions"] = f"Python {record['python']}, {lines['Versions']}"
    return {
        "reading": [facts.say(line) for line in facts.graph.reading],
        "command": shlex.join(map(str, record["command"])) if record.get("command") else None,
        "run": lines,
    }


def _text(value: Any) -> str:
    """Write a setting as text.

    Examples
    --------
    >>> _text(0.5), _text(True), _text(["a", 1]), _text({"a": 2, "b": None})
    ('0.5', 'yes', 'a, 1', 'a 2')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items() if part is not None)
    return ", ".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


def _data(data: Mapping[str, Any]) -> str:
    """Name the file and its size.

    Examples
    --------
    >>> _data({"path": "my/cells.csv", "rows": 120, "columns": 6, "bytes": 4390})
    'my/cells.csv, 120 rows, 6 columns, 4,390 bytes'
    """
    sizes = [f"{data[key]:,} {key}" for key in ("rows", "columns", "bytes") if data.get(key)]
    return ", ".join([str(data.get("path") or data.get("name") or "unknown"), *sizes])


def _moment(value: str) -> str:
    """Write a time stamp in a readable form.

    Examples
    --------
    >>> _moment("2026-11-16T07:10:12+00:00")
    '2026-11-16 07:10 UTC'
    """
    return f"{datetime.fromisoformat(value).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _edges(pairs: list[list[str]]) -> str:
    return ", ".join(" – ".join(pair) for pair in pairs)


def _values(parts: Mapping[str, Any]) -> str:
    return _text(list(parts.values()))


_LINES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "made": ("Made", _moment),
    "data": ("Data", _data),
    "data/sha256": ("Checksum of the data (SHA-256)", _text),
    "settings/estimator": ("Estimator", _text),
    "judge": ("Judge", _values),
    "result/left_out": (
        "Columns left out",
        lambda names: "; ".join(f"{name} ({why})" for name, why in names.items()),
    ),
    "known_edges/required": ("Required edges", _edges),
    "known_edges/forbidden": ("Forbidden edges", _edges),
    "settings/seed": ("Seed", _text),
    "time_s": ("Time", "{:.1f} s".format),
    "machine/threads": ("Threads used", _text),
    "machine/processor": ("Processor", _text),
    "machine/system": ("System", _text),
    "versions": ("Versions", _text),
}
"""Lines of the page in order: path within the record, label, and how the value is written. The
command, which is shown too, has the settings."""
