"""Words about a learned graph and the checks of its table."""

from __future__ import annotations

from shlex import quote

from spinney._core.text import counted, listed, per_cent
from spinney.notices import Notice
from spinney.wording import Door, Words

__all__ = ["WORDS"]


def _left_out(notice: Notice, door: Door) -> str:
    reasons = notice.facts["reasons"]
    if not reasons:
        return "No column was left out."
    verb = "was" if len(reasons) == 1 else "were"
    return f"{counted(len(reasons), 'column')} {verb} left out: {listed(reasons, most=10)}."


def _enough_rows(notice: Notice, door: Door) -> str:
    n, counts = notice.facts["n"], notice.facts["counted"]
    rows = f"{n:,} rows" if counts >= n else f"{n:,} rows, which count as {counts:,},"
    return (
        f"{rows} are enough to tell a Kendall's tau of {notice.facts['tau']:.2f} from chance (5 % "
        "over all pairs)."
    )


def _gaps(notice: Notice, door: Door) -> str:
    facts = notice.facts
    worst = [
        f"{name} ({per_cent(share)})"
        for name, share in zip(notice.columns, facts["shares"], strict=True)
    ]
    return (
        f"{per_cent(facts['share'])} of all values are missing, in "
        f"{counted(len(worst), 'column')}; most in {listed(worst, most=3)}. "
        f"{counted(facts['n_complete'], 'row')} of {facts['n']:,} "
        f"{'is' if facts['n_complete'] == 1 else 'are'} complete; each pair was learned from the "
        "rows that have both values."
    )


def _ties(notice: Notice, door: Door) -> str:
    named = [
        f"{name} ({value:g} in {per_cent(share)})"
        for name, (share, value) in zip(notice.columns, notice.facts["shares"], strict=True)
    ]
    if not named:
        return "No continuous column has one value in more than a fifth of its rows."
    return (
        f"{counted(len(named), 'continuous column')} {'has' if len(named) == 1 else 'have'} the "
        f"same value in many rows, such as a limit of detection: {listed(named, most=4)}. Equal "
        "values have no order, which leaves less to learn from."
    )


def _repeated(notice: Notice, door: Door) -> str:
    count, n = notice.facts["count"], notice.facts["n"]
    if not count:
        return "No duplicate rows."
    told = (
        f"{counted(count, 'row')} ({per_cent(count / n)}) {'repeats' if count == 1 else 'repeat'} "
        "an earlier row in every column."
    )
    if notice.facts["once"]:
        return f"{told} Each distinct row counts once; find out where the duplicates come from."
    cure = "remove them unless they are separate measurements"
    return f"{told} Duplicates inflate the evidence; {cure}."


def _twins(notice: Notice, door: Door) -> str:
    pairs = [f"{u} – {v}" for u, v in notice.facts["pairs"]]
    if not pairs:
        return "No two columns are nearly the same."
    one = "each pair" if len(pairs) > 1 else "them"
    return (
        f"Nearly the same (Kendall's tau beyond {notice.facts['tau']:g}): {listed(pairs, most=5)}. "
        f"Edges of one cannot be told from edges of the other; keep one of {one}."
    )


def _codes(notice: Notice, door: Door) -> str:
    named = [f"{name} ({value:g} in {count} rows)" for name, value, count in notice.facts["found"]]
    pairs = [(name, f"{value:g}") for name, value, _ in notice.facts["found"]]
    # A value that other columns hold, too, is named with its columns.
    values = [f"{name}={value}" if notice.facts["each"] else value for name, value in pairs]
    values = list(dict.fromkeys(values))
    how = f"--na {quote(','.join(values))}" if door.options else f"na={values}"
    if not door.options and not notice.facts["each"]:
        how = f"na=[{', '.join(values)}]"
    return (
        f"Numbers that may be codes for missing values: {listed(named, most=5)}. They are taken as "
        f"they are; if they are codes, say {how}."
    )


def _far(notice: Notice, door: Door) -> str:
    named = [f"{name} ({value:g})" for name, value in notice.facts["found"].items()]
    if not named:
        return "No value lies far from all others of its column."
    return (
        f"Far from all other values: {listed(named, most=5)}. Ranks are used, so they do little "
        "harm; but they may be slips, or codes for missing values."
    )


def _unknown(notice: Notice, door: Door) -> str:
    pairs = [f"{u} – {v}" for u, v in notice.facts["pairs"]]
    rows, cure = _LACK[notice.facts["lack"]]
    these = "these are not edges" if len(pairs) > 1 else "it is not an edge"
    return (
        f"{counted(len(pairs), 'pair')} could not be judged, because {rows} count as fewer than 10 "
        f"independent ones: {listed(pairs, most=3)}. That {these} means nothing; "
        f"{cure}."
    )


_LACK = {
    "values": ("rows with both values", "more rows with both values are needed"),
    "order": (
        "neighbouring rows are alike and",
        "if the order of rows means nothing, shuffle them",
    ),
    "units": ("rows of one unit are alike and", "more units are needed"),
}
"""Why the rows of a pair are too few, and what helps."""


def _too_many_groups(notice: Notice, door: Door) -> str:
    facts = notice.facts
    how = "" if door.options else " (pandas.cut)"
    cure = (
        f"cut it into a few classes first{how}, or name another column"
        if facts["ordered"]
        else "name a column with a few labels that come again and again"
    )
    return (
        f"Column '{notice.columns[0]}' has {facts['count']} distinct values in {facts['n']} rows, "
        f"too many for groups ({facts['most']} are the most): {cure}."
    )


def _rows_counted(notice: Notice, door: Door) -> str:
    facts = notice.facts
    few = f"{facts['counted']:,} of {facts['n']:,} for the worst pair"
    pairs = [f"{u} – {v}" for u, v in facts["pairs"]]
    if not facts["judged"]:
        edges = f": doubt {listed(pairs, most=3)}" if pairs else ""
        return (
            "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they "
            f"are worth fewer independent rows ({few}){edges}. Only graph-learner takes that into "
            "account."
        )
    lost = f" The result for {listed(pairs, most=3)} depends on this." if pairs else ""
    return (
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they count "
        f"as fewer ({few}).{lost} If rows belong to units, such as patients, name their column "
        f"({'--unit' if door.options else 'units='}); if their order means nothing, shuffle them."
    )


WORDS: dict[str, Words] = {
    "groups-too-many": _too_many_groups,
    "as-warned": "{text}",
    "table-size": "{n:#row} and {d:#column} were learned from.",
    "column-kinds": "Kinds of columns: {kinds}.",
    "left-out-columns": _left_out,
    "enough-rows": _enough_rows,
    "no-gaps": "No value is missing.",
    "gaps": _gaps,
    "ties": _ties,
    "repeated-rows": _repeated,
    "twins": _twins,
    "codes-for-missing": _codes,
    "far-values": _far,
    "rows-not-tested": "Rows are taken to be independent draws. Whether they are (no time series, "
    "no repeats of one sample) was not tested here.",
    "rows-independent": "Neighbouring rows are no more alike than independent rows would be.",
    "size-calibration": "On tables of {low} to {high} columns, as this one, probabilities are off "
    "by {error:.2f} on average.",
    "rows-counted": _rows_counted,
    "unknown-pairs": _unknown,
    "method-note": "{method}: {note}",
    "every-judged-graph": "An edge has no direction, and an unmeasured common cause can create an "
    "edge between its effects.",
    "every-graph": "An edge has no direction, and an unmeasured common cause can create an edge "
    "between its effects. Rows that depend on each other (a time series, repeats) are worth fewer "
    "independent rows.",
}
"""A sentence for each code."""
