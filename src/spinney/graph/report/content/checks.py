"""What the data were looked over for: each check a function, and a line in `CHECKS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spinney._core.text import counted, listed
from spinney._wording.tables import MAY_BE
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.looks import (
    Check,
    codes,
    far_values,
    gaps,
    repeated_rows,
    ties,
    twins,
)
from spinney.tables import Table, describe_kinds, few_rows, smallest_tau
from spinney.tables.sequence import read_sequence, rows_in_sequence

__all__ = ["CHECKS", "checks", "look_over"]


def checks(facts: Facts) -> dict[str, Any]:
    """List what the data were looked over for, and what was found."""
    return {"checks": facts.checks}


def look_over(facts: Facts) -> list[dict[str, str]]:
    """Make all checks that can be made."""
    return [
        {"level": check.level, "text": facts.say(check.text)}
        for look in CHECKS
        for check in look(facts)
    ]


def _of_table(look: Callable[[Table], Iterable[Check]]) -> Callable[[Facts], Iterable[Check]]:
    """Make a check of the graph from one of the table; nothing is said where there is no table."""

    def check(facts: Facts) -> Iterable[Check]:
        return () if facts.table is None else look(facts.table)

    return check


def _size(table: Table) -> Iterator[Check]:
    n, d = table.values.shape
    yield Check("ok", f"{counted(n, 'row')} and {counted(d, 'column')} were learned from.")


def _kinds(table: Table) -> Iterator[Check]:
    kinds = describe_kinds(table).partition(": ")[2]
    yield Check("ok", f"Kinds of columns: {kinds}.")


def _left_out(table: Table) -> Iterator[Check]:
    if not table.left_out:
        yield Check("ok", "No column was left out.")
        return
    reasons = [f"'{column.name}' {column.reason}" for column in table.left_out]
    verb = "was" if len(reasons) == 1 else "were"
    yield Check(
        "note", f"{counted(len(reasons), 'column')} {verb} left out: {listed(reasons, most=10)}."
    )


def _few_rows(table: Table) -> Iterator[Check]:
    sentence = few_rows(table)
    if sentence is not None:
        yield Check("warning", str(sentence))
        return
    n, d = table.values.shape
    tau = smallest_tau(n, d * (d - 1) // 2)
    if tau is not None:
        yield Check(
            "ok",
            f"{counted(n, 'row')} are enough to tell a Kendall's tau of {tau:.2f} from chance (5 % "
            "over all pairs).",
        )


def _sequence(facts: Facts) -> Iterator[Check]:
    """Say whether rows follow each other, which only the table as it was given can tell."""
    given = facts.view.as_given
    warned = [text for text in facts.view.warnings if text.startswith(MAY_BE)]
    if warned:
        yield Check("warning", warned[0])
        return
    if given is None:
        yield Check(
            "note",
            "Rows are taken to be independent draws. Whether they are (no time series, no repeats "
            "of one sample) was not tested here.",
        )
        return
    sentence = rows_in_sequence(given)
    if sentence is not None:
        yield Check("warning", str(sentence))
    elif read_sequence(given) is not None:
        yield Check("ok", "Neighbouring rows are no more alike than independent rows would be.")


def _foreign(facts: Facts) -> Iterator[Check]:
    if facts.view.learned is None:
        return
    foreign = facts.view.learned.learner.out_of_distribution_
    if foreign:
        yield Check(
            "warning",
            "The table is unlike those that the judge was trained on, so its probabilities are "
            f"less to be trusted. {' '.join(map(str, foreign))}",
        )
    else:
        yield Check("ok", "Nothing shows that the table is unlike those the judge was trained on.")


CHECKS: tuple[Callable[[Facts], Iterable[Check]], ...] = (
    _of_table(_size),
    _of_table(_kinds),
    _of_table(_left_out),
    _of_table(gaps),
    _of_table(_few_rows),
    _sequence,
    _foreign,
    _of_table(repeated_rows),
    _of_table(twins),
    _of_table(ties),
    _of_table(codes),
    _of_table(far_values),
)
"""The checks, in the order in which they are told."""
