"""Words about tables, their columns and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spinney._core.text import counted, listed
from spinney.notices import Notice
from spinney.wording import Door, Words

__all__ = ["WORDS", "why_left_out"]

MOST_SHOWN = 20
"""Most levels or columns listed in a sentence."""
MOST_TERMS = 6
"""Most columns that another follows from, listed in a sentence."""
MOST_GAPS_NAMED = 3
"""Most columns with dependent gaps named in a sentence."""

REASONS = {
    "empty": "has no values{where}",
    "constant": "is constant{where}",
    "infinite": "holds infinite numbers mostly ({count} of {n})",
    "dates": "holds dates or times",
    "levels": "has {levels} levels in {n} rows: group its categories",
    "ordered-levels": "has {levels} ordered levels: group its categories",
    "text": "holds text among numbers (first: '{first}')",
    "units": "holds numbers with signs or units (such as '{first}')",
    "identifier-text": "looks like an identifier: text that never repeats",
    "identifier-name": "is named as an identifier, and its whole numbers never repeat",
    "identifier-numbers": "looks like an identifier: whole numbers that follow each other",
    "unit": "looks like the unit that rows belong to: {count} values in {n} rows",
    "sum": "is the sum of {of}",
    "difference": "is {of} less {less}",
    "mean": "is the mean of {of}",
    "multiple": "is the sum of {of} in other units",
    "rest": "sums to {total:g} with {of}, in every row",
    "one-hot": "is set where none of {of} is, in every row",
    "combination": "follows exactly from {of}",
}
"""Why a column is left out, by the code of :class:`spinney.tables.LeftOut`."""


def why_left_out(code: str, facts: Mapping[str, Any]) -> str:
    """Say why a column is left out; an unknown code is taken literally.

    Examples
    --------
    >>> why_left_out("levels", {"levels": 60, "n": 200})
    'has 60 levels in 200 rows: group its categories'
    """
    lists = {name: listed(fact, most=MOST_TERMS) for name, fact in facts.items() if _is_list(fact)}
    return REASONS.get(code, code).format_map({"where": "", **facts, **lists})


def _is_list(fact: Any) -> bool:
    return isinstance(fact, Sequence) and not isinstance(fact, str)


def _reasons(left: Sequence[Any], in_kinds: str) -> tuple[str, str]:
    """Say why columns are left out, and how to keep those that can be kept."""
    shown = [f"'{column.name}' {column.reason}" for column in left[:MOST_SHOWN]]
    if len(left) > MOST_SHOWN:
        shown.append(f"and {len(left) - MOST_SHOWN} more")
    codes = {column.code if "where" not in column.facts else "" for column in left}
    advice = ""
    if codes & {"text", "units"}:
        advice += " Write numbers alone, and nothing where there is none, to keep such a column."
    if codes - {"text", "units", "empty", "constant", "infinite"}:
        advice += f" To keep a column that has two values or more, give its kind {in_kinds}."
    return "; ".join(shown), advice


def _in_kinds(door: Door) -> str:
    return "with --kind COLUMN=KIND" if door.options else "in kinds={...}"


def _columns_left_out(notice: Notice, door: Door) -> str:
    left = notice.facts["left"]
    reasons, advice = _reasons(left, _in_kinds(door))
    return f"{len(left)} column{'s are' if len(left) > 1 else ' is'} left out: {reasons}.{advice}"


def _columns_follow(notice: Notice, door: Door) -> str:
    left = notice.facts["left"]
    reasons = "; ".join(f"'{column.name}' {column.reason}" for column in left[:MOST_TERMS])
    more = f"; and {len(left) - MOST_TERMS} more" if len(left) > MOST_TERMS else ""
    codes = {column.code for column in left}
    advice = ""
    if "rest" in codes:
        advice += " The others are still parts of one whole, which alone makes them fall as others "
        advice += "rise; logarithms of their ratios avoid that."
    if "one-hot" in codes:
        advice += " Put one-hot columns together in one column of categories."
    kept = notice.facts["kept"]
    if kept:
        return (
            f"{reasons}{more}. Given the others each of these columns is known, so their edges "
            f"show no more than that. Leave one out of each.{advice}"
        )
    name = f"'{left[0].name}'" if len(left) == 1 else "such a column"
    return (
        f"{'Left out, because it follows' if len(left) == 1 else 'Left out, because they follow'} "
        f"from other columns: {reasons}{more}. To keep {name}, give its kind "
        f"{_in_kinds(door)}.{advice}"
    )


def _units_unnamed(notice: Notice, door: Door) -> str:
    name, count, n = notice.columns[0], notice.facts["count"], notice.facts["n"]
    unit = f"--unit {name}" if door.options else f"units={name!r}"
    kind = notice.facts["kind"]
    how = f"--kind {name}={kind}" if door.options else f"kinds={{{name!r}: {kind!r}}}"
    return (
        f"'{name}' looks like the unit that rows belong to, such as a patient ({count:,} values in "
        f"{n:,} rows), so it was not learned from. If it is, say {unit}: rows of one unit then "
        f"count as fewer. If it is a variable, say {how}."
    )


def _columns_left_few(notice: Notice, door: Door) -> str:
    count, left = notice.facts["count"], notice.facts["left"]
    reasons, advice = _reasons(left, _in_kinds(door))
    return (
        f"{count} of {count + len(left)} column(s) can be learned from, but at least "
        f"{notice.facts['least']} are needed to form a pair: {reasons}.{advice or ' Add columns.'}"
    )


def _few_columns(notice: Notice, door: Door) -> str:
    shape, least = notice.facts["shape"], notice.facts["least"]
    if shape[1] == 0:  # in the words that scikit-learn's own checks look for
        return (
            f"The table has too few columns: 0 feature(s) (shape={shape}) while a minimum of "
            f"{least} is required."
        )
    return (
        f"The table has {shape[1]} column(s), but at least {least} are needed to form a pair. "
        "Add the columns that it may depend on."
    )


def _few_rows_read(notice: Notice, door: Door) -> str:
    count = f"({'' if door.options else 'n_samples = '}{notice.facts['n']})"
    least = notice.facts["least"]
    return f"The table has too few rows {count}; at least {least} are needed. Collect more rows."


def _gaps(notice: Notice, door: Door) -> str:
    facts = notice.facts
    advice = "Drop those rows or fill them before fitting."
    if facts["can_keep"]:
        advice = (
            'Use missing="pairwise" to learn each pair from the rows that have both values, '
            'missing="drop", or fill them before fitting.'
        )
        if door.options:
            advice = advice.replace('missing="', "--missing ").replace('"', "")
    return (
        f"Column '{notice.columns[0]}' has {facts['count']} missing value(s) (NaN) of {facts['n']} "
        f"(first: {door.row_of(notice)}). {advice}"
    )


def _infinite(notice: Notice, door: Door) -> str:
    counts = zip(notice.columns, notice.facts["counts"], strict=True)
    parts = [f"{count} in '{name}'" for name, count in counts]
    parts[MOST_SHOWN:] = [f"{len(parts) - MOST_SHOWN} more columns"] * (len(parts) > MOST_SHOWN)
    return f"Infinite numbers are taken as missing values: {', '.join(parts)}."


def _order(notice: Notice, door: Door) -> str:
    name, levels = notice.columns[0], notice.facts["levels"]
    how = f"kinds={{{name!r}: [{', '.join(map(repr, levels))}, …]}}, or make the column an ordered "
    how += "categorical"
    if door.options:
        how = f"--kind '{name}={'<'.join(map(str, levels))}<…'"
    return (
        f"Column '{name}' holds labels whose order is not known. Give them in their order, {how}."
    )


def _rows_lack_columns(notice: Notice, door: Door) -> str:
    first, *others = notice.columns
    more = f" (nor {len(others)} other(s))" if others else ""
    return (
        f"The table has no column '{first}', which the model was fitted on{more}. Add it, with "
        "gaps if its values are not known."
    )


def _level_unknown(notice: Notice, door: Door) -> str:
    known = notice.facts["known"]
    shown = ", ".join(known[:MOST_SHOWN]) + (", …" if len(known) > MOST_SHOWN else "")
    return (
        f"Column '{notice.columns[0]}' holds {notice.facts['value']}, which was not there when the "
        f"model was fitted (known: {shown})."
    )


def _gaps_depend(notice: Notice, door: Door) -> str:
    columns, causes = notice.columns, notice.facts["depend_on"]
    named = list(zip(columns, causes, strict=True))[:MOST_GAPS_NAMED]
    p, more = notice.facts["p"], len(columns) - len(named)
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.1g}"
    if len(columns) == 1:
        where = f" of '{columns[0]}'"
        why, cause = f"whether they are missing depends on '{causes[0]}'", f"'{causes[0]}'"
    else:
        where, parts = "", [f"in '{column}' on '{cause}'" for column, cause in named]
        parts += [f"likewise in {counted(more, 'more column')}"] if more else []
        why, cause = f"whether they are missing depends {listed(parts)}", "such a cause"
    return (
        f"Values{where} are not missing at random: {why} ({chance}). Doubt edges between columns "
        f"that both depend on {cause}."
    )


def _rows_few(notice: Notice, door: Door) -> str:
    facts = notice.facts
    rows = f"{facts['n']} rows" + (
        " in common (the median of all pairs)" if facts["in_common"] else ""
    )
    pairs = f"{facts['pairs']:,} pair{'s' if facts['pairs'] > 1 else ''} of columns"
    what = "not even two columns in the same order can be told from chance"
    expect = "no edges"
    if facts["tau"] is not None:
        what = f"only pairs with a Kendall's tau of at least {facts['tau']:.2f} can be told from"
        what, expect = f"{what} chance", "only the strongest edges"
    return (
        f"{rows} are few for {pairs}: {what} (5 % over all pairs). Expect {expect}, or collect "
        "more rows."
    )


WORDS: dict[str, Words] = {
    "table-sparse": "The table is a sparse matrix, but ranks need every entry. Use X.toarray().",
    "table-ragged": "The rows of the table differ in length ({cause}).",
    "table-complex": "Complex data not supported: the table must hold real numbers.",
    "table-without-shape": (
        "A table has rows and columns, but the input is a {type} without them. Pass a data frame, "
        "such as pandas.DataFrame(X), or an array of shape (n, d)."
    ),
    "table-inside": "A {type} is not a table, but holds one: pass its attribute .X.",
    "table-dimensions": (
        "A table has rows and columns, but the input has {ndim} dimension(s). Reshape your data: "
        "X.reshape(-1, 1) makes one column of a plain list."
    ),
    "table-few-columns": _few_columns,
    "table-few-rows": _few_rows_read,
    "table-transposed": (
        "Are the variables in the rows? The table has {n} rows and {d} columns, which rise and "
        "fall together (median rank correlation {tau:.2f}) on one scale. If each column is a "
        "sample, transpose it{with_T}."
    ),
    "column-name-twice": (
        "The column name '{column}' occurs {count} times. Give each column a name of its own."
    ),
    "column-complex": "Complex data not supported: column '{column}' must be real.",
    "column-integers": (
        "Column '{column}' holds whole numbers beyond 2^53 that cannot be told apart as "
        "floating-point numbers. Subtract a common offset, or leave it out if it is a label."
    ),
    "column-long-integer": (
        "Column '{column}' holds a whole number of {digits} digits, too large for a floating-point "
        "number. Take its logarithm or leave it out."
    ),
    "column-object": (
        "Column '{column}' holds a {type}, but each argument must be a string-free number. Leave "
        "the column out."
    ),
    "column-dates": (
        "Column '{column}' holds dates or times. Turn them into numbers or leave it out."
    ),
    "column-dates-unclear": (
        "Column '{column}' holds dates in which day and month cannot be told apart (first: "
        "'{first}'). Write them as 2024-12-31."
    ),
    "column-text": (
        "Column '{column}' holds text (first: '{first}'). Encode it as numbers or leave it out."
    ),
    "column-infinite": (
        "Column '{column}' has {count} infinite value(s) (inf) of {n} (first: {row}). Replace them "
        "by finite numbers or drop those rows."
    ),
    "infinite-as-gaps": _infinite,
    "column-gaps": _gaps,
    "column-constant": "Column '{column}' is constant over {n} rows, so it has no ranks. Drop it.",
    "not-inside-unit": (
        "U must lie strictly between 0 and 1; column '{column}' reaches {value:.6} at {row}. Use "
        "pseudo_observations(X) first."
    ),
    "kinds-mapping": "kinds must be a mapping, such as {{'{column}': 'ordinal'}}, not {given}.",
    "kind-binary": (
        "Column '{column}' cannot be binary: it has {levels} distinct values. Make it ordinal or "
        "nominal {in_kinds}."
    ),
    "kind-order": _order,
    "kind-levels": (
        "Column '{column}' cannot be {kind}: it has {levels} levels, and {most} are the most. "
        "Group its values."
    ),
    "kind-unlisted": (
        "Column '{column}' holds '{value}', which {kinds} does not list (listed: {listed}). Add it."
    ),
    "rows-complete-few": (
        "{complete} of {n} row(s) have no gaps, but at least {least} are needed; column '{column}' "
        "has most gaps ({gaps}). Leave it out, or use {missing_pairwise}."
    ),
    "columns-left-few": _columns_left_few,
    "columns-left-out": _columns_left_out,
    "columns-follow": _columns_follow,
    "units-unnamed": _units_unnamed,
    "rows-lack-columns": _rows_lack_columns,
    "rows-of-other-width": (
        "The table has {found} column(s), but the model was fitted on {expected}. Pass rows with "
        "the same columns."
    ),
    "level-unknown": _level_unknown,
    "gaps-depend": _gaps_depend,
    "rows-few": _rows_few,
    "rows-in-units": (
        "{units:#unit}: the {n:#row} count as {counted:,} independent ones for the worst-affected "
        "pair."
    ),
    "units-length": (
        "{units} takes the name of a column, or one label for each of the {n:,} rows; it has "
        "{count:,} entries."
    ),
    "units-missing": (
        "{count:,} of {n:,} rows have no value in '{column}', so each is a unit of its own."
    ),
    "choice-unknown": "There is no {what} {value!r}.{hint} Choose from: {shown}.",
    "column-unknown": "{parameter} names a column {column!r} that the table does not have.{hint}",
}
