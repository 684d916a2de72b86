"""Words of the judge about a table and its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.text import listed
from spinney.wording import sentence

if TYPE_CHECKING:
    from spinney.notices import Notice
    from spinney.wording import Door, Words


def _unlike(notice: Notice, door: Door) -> str:
    if not notice.facts["notices"]:
        return "Nothing shows that the table is unlike those the judge was trained on."
    reasons = " ".join(sentence(each, door) for each in notice.facts["notices"])
    check = "--check" if door.options else ".check()"
    return (
        f"The table is unlike those that the judge was trained on, so doubt its probabilities "
        f"({check} shows how well they do here). {reasons}"
    )


def _copies(notice: Notice, door: Door) -> str:
    pairs = [f"{u} – {v}" for u, v in notice.facts["pairs"]]
    one = "one of each pair" if len(pairs) > 1 else "one of them"
    return f"{listed(pairs, most=3)} carry nearly the same information: keep {one}."


def _other(notice: Notice, door: Door) -> str:
    how = "--compare" if door.options else "compare=True"
    return f"No single column or row explains it: see which edges other methods find, too ({how})."


def _columns(notice: Notice, door: Door) -> str:
    return _size(notice, "columns", notice.facts["d"])


def _rows(notice: Notice, door: Door) -> str:
    return _size(notice, "rows", notice.facts["n"])


def _size(notice: Notice, noun: str, size: int) -> str:
    least, most = notice.facts["least"], notice.facts["most"]
    return f"The table has {size:,} {noun}; the judge has seen tables with {least:,} to {most:,}."


def _summary(notice: Notice, door: Door) -> str:
    facts = notice.facts
    side = f"at {'most' if facts['above'] else 'least'} {facts['limit']:,.3g}"
    return (
        f"With {facts['d']:,} columns and {facts['n']:,} rows, {facts['summary']} is "
        f"{facts['value']:,.3g}; in 99.9 % of such tables that the judge has seen it is {side}."
    )


def _parts(notice: Notice, door: Door) -> str:
    facts = notice.facts
    count, verb = facts["count"], "is" if facts["count"] == 1 else "are"
    neighbourhoods = f"{count:,} neighbourhood{'' if count == 1 else 's'}"
    where = (
        f"{neighbourhoods} of {facts['of']} {verb} unlike them in other ways; that of column "
        f"{notice.columns[0]!r}, for example:"
    )
    return " ".join([where, *(sentence(each, door) for each in facts["notices"])])


def _no_edges(notice: Notice, door: Door) -> str:
    facts = notice.facts
    u, v = notice.columns
    if facts["target_fdr"] is None:
        rule = f"more than {facts['cut']:g} is asked for" + ("" if door.options else " (cut)")
    else:
        option = "--fdr" if door.options else "target_fdr"
        rule = f"at most {facts['target_fdr']:g} of the edges may be false ({option})"
    return (
        f"No edge was kept. The most probable pair, '{u}' and '{v}', has a probability of "
        f"{facts['probability']:.2g}, and {rule}."
    )


def _weak(notice: Notice, door: Door) -> str:
    facts = notice.facts
    one = facts["count"] == 1
    which = "edge was left out: its" if one else "edges were left out: their"
    option = "--min-strength" if door.options else "min_strength"
    return (
        f"{facts['count']:,} weak {which} strength is below {facts['min_strength']:g}, or may be "
        f"({option})."
    )


WORDS: dict[str, Words] = {
    "unlike-training": _unlike,
    "unlike-training-columns": _columns,
    "unlike-training-rows": _rows,
    "unlike-training-work": (
        "The table has {n:,} rows; of {d:,} columns, the judge has seen tables with {most:,} rows "
        "at most."
    ),
    "unlike-training-summary": _summary,
    "unlike-training-together": (
        "With {d:,} columns and {n:,} rows, no number by itself is unusual, but together they lie "
        "at distance {distance:.1f} from the middle of the tables that the judge has seen (99.5 % "
        "of them within {limit:.1f}); most of it comes from {first} ({first_value:,.3g}) beside "
        "{second} ({second_value:,.3g})."
    ),
    "unlike-training-parts": _parts,
    "unlike-training-copies": _copies,
    "unlike-training-follows": "'{column}' follows from the other columns: leave it out.",
    "unlike-training-repeats": "{count:,} of {n:,} rows repeat others: drop the repeats.",
    "unlike-training-few": "It has only {n:#row} for {d:#column}: choose fewer columns, or collect "
    "rows.",
    "unlike-training-gaps": "'{column}' is missing in {percent} % of the rows: leave it out.",
    "unlike-training-one-value": "'{column}' has one value in {percent} % of the rows: leave it "
    "out.",
    "unlike-training-alike-rows": "Neighbouring rows are much alike: name their units ({units}), "
    "or take rows that are further apart.",
    "unlike-training-other": _other,
    "no-pair-to-judge": (
        "No edge was kept, because no pair could be judged: each is forbidden, or its rows count "
        "as fewer than {fewest} independent ones."
    ),
    "no-edge-kept": _no_edges,
    "weak-edges": _weak,
}
