"""Words about a learned graph and the checks of its table."""

from __future__ import annotations

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
        return "No row stands in the table twice."
    return (
        f"{counted(count, 'row')} ({per_cent(count / n)}) {'repeats' if count == 1 else 'repeat'} "
        "an earlier row in every column. Copies look like evidence; drop them unless they were "
        "measured anew."
    )


def _twins(notice: Notice, door: Door) -> str:
    pairs = [f"{u} – {v}" for u, v in notice.facts["pairs"]]
    if not pairs:
        return "No two columns are nearly the same."
    return (
        f"Nearly the same (Kendall's tau beyond {notice.facts['tau']:g}): {listed(pairs, most=5)}. "
        "Each explains what the other has to do with the rest, so edges of both cannot be told "
        "apart; keep one of them."
    )


def _codes(notice: Notice, door: Door) -> str:
    named = [f"{name} ({value:g} in {count} rows)" for name, value, count in notice.facts["found"]]
    values = ",".join(dict.fromkeys(f"{value:g}" for _, value, _ in notice.facts["found"]))
    how = f"--na {values}" if door.options else f"na=[{values}]"
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
    return (
        f"{counted(len(pairs), 'pair')} could not be judged, because fewer than 10 independent "
        f"rows have both values: {listed(pairs, most=3)}. Their absence means nothing; more such "
        "rows are needed."
    )


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
            "Neighbouring rows are alike, as in a time series or in repeats of one unit, and say "
            f"no more than fewer independent rows ({few}){edges}. Only graph-learner counts them "
            "so."
        )
    lost = f" All hangs on that for {listed(pairs, most=3)}." if pairs else ""
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
    "enough-rows": "{n:,} rows are enough to tell a Kendall's tau of {tau:.2f} from chance (5 % "
    "over all pairs).",
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
    "every-judged-graph": "An edge has no direction, and a cause that is not in the table joins "
    "what it drives.",
    "every-graph": "An edge has no direction, and a cause that is not in the table joins what it "
    "drives; rows that depend on each other (a time series, repeats) say less than they seem to.",
}
"""A sentence for each code."""
