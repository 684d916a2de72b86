"""The rule for kinds: what a column's values mean, and which columns are useless.

In this order, over the values that are there:

1. No value, or one value only: left out; one word, 1 or True in some rows and nothing in others
   is a tick box, and binary.
2. Dates, times and durations, also as text: left out.
3. Two distinct values, of any type: binary.
4. Categories with an order: ordinal. Other categories and text: nominal, unless no value comes
   twice (an identifier), there are more than :data:`MOST_NOMINAL_LEVELS` of them, or fewer than
   :data:`ROWS_PER_NOMINAL_LEVEL` rows for each: left out.
5. Whole numbers that never repeat: left out if the column is named as an identifier
   (:data:`IDENTIFIER`), or if they follow each other, unless two columns look like that: these
   are ranks; or the column is named as a variable that counts (:data:`COUNTER`), such as a year.
6. A column that repeats as the number of a patient does, by its name or in blocks of rows
   (:func:`looks_like_unit`): left out, because rows of one patient belong together.
7. Numbers of at most :data:`MOST_ORDINAL_VALUES` distinct values, each there
   :data:`ROWS_PER_ORDINAL_VALUE` times on average: ordinal. Other numbers: continuous.
8. Last, columns that follow exactly from others (:mod:`spinney.tables.relations`): left out.

Whoever knows better says so by ``kind={...}``, which stands above 2 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney.exceptions import InputError
from spinney.tables.columns import RawColumn, days_of, numbers_of
from spinney.tables.relations import leave_out_relations
from spinney.tables.table import (
    BINARY,
    CONTINUOUS,
    EMPTY,
    KINDS,
    NOMINAL,
    ORDINAL,
    Column,
    Kind,
    LeftOut,
    Table,
    show,
    without_variation,
)

MOST_ORDINAL_VALUES = 10
"""Distinct numbers up to which a column of numbers is taken for a scale."""
ROWS_PER_ORDINAL_VALUE = 2
"""Mean repetitions of each number of a scale: a short continuous column is no scale."""
MOST_ORDINAL_LEVELS = 100
"""Levels that an ordinal column may have if it is categorical or declared ordinal."""
MOST_NOMINAL_LEVELS = 50
"""Levels that a nominal column may have: each is a row of a contingency table."""
ROWS_PER_NOMINAL_LEVEL = 5
"""Rows that each level of a nominal column must have on average, unless declared nominal."""
NUMBER_AND_MORE = re.compile(r"\s*[<>≤≥~≈±='(€$£]?\s*[-+−]?\d+([.,]\d+)*\s*[^\d\s.,].{0,9}"
                             r"|\s*[<>≤≥~≈±='(€$£]\s*[-+−]?\d+([.,]\d+)*\s*")  # fmt: skip
"""A number with a sign before it or a unit behind it, such as '<0.5' and '12 mg'."""
ROWS_OF_AN_IDENTIFIER = 10
"""Rows below which values that never repeat are no sign of an identifier."""
IDENTIFIER = re.compile(
    r"(?:.*[\s_.-])?[Ii][Dd]|.*[a-z](?:ID|Id)|Unnamed: 0"
    r"|(?i:index|case|case[\s_.-]?(?:no|nr|number)|row|row[\s_.-]?(?:names?|id)|obs|record)",
    re.DOTALL,
)
"""Names of identifiers: "ID", "patient_id", "SampleID", "case"; not "lipid"."""
PERSON = re.compile(
    r"(?:.*[\s_.-])?(?:subj|subject|patient|person|participant|respondent|individual|proband)s?"
    r"(?:[\s_.-]?(?:id|no|nr|num|number|code))?|id|pid|pidp",
    re.IGNORECASE,
)
"""Names of what has several rows wherever it comes again."""
UNIT = re.compile(
    r"(?:.*[\s_.-])?(?:id|animal|rat|mouse|herd|nest|litter|tree|plant|plot|farm|household|hh|"
    r"family|mother|twin|pair|dyad|firm|school|class|teacher|hospital|clinic|doctor|center|centre|"
    r"site|village|cluster|group|unit|batch|lot|run|event|operator|donor)"
    r"(?:[\s_.-]?(?:id|no|nr|num|number|code))?|.*[a-z](?:ID|Id|NR|No)",
    re.IGNORECASE,
)
"""Names of what may have several rows."""
COUNTER = re.compile(
    r"(?:.*[\s_.-])?(?:year|yr|month|week|day|hour|minute|min|second|sec|time|date|dose|age|visit|"
    r"wave|period|season|quarter|trial|session|generation|round|cycle|step|depth|distance|height|"
    r"temperature|temp|conc|concentration|score|rank|row|col|column|range|position|order|t)s?(?:[\s_.-].*)?"
    r"|.*[a-z](?:Year|Month|Week|Day|Hour|Time|Date|Dose|Age|Visit)s?",
    re.IGNORECASE,
)
"""Names of variables that count: whole numbers in a row are their values."""
NUMBERED = "identifier-numbers"
"""Code of columns that are left out because their whole numbers follow each other."""
RULE = object()
"""Marks columns for which the rule decides."""


def give_kinds(
    names: tuple[str, ...],
    n: int,
    raws: Iterable[RawColumn],
    kinds: Mapping[Any, Any] | None,
    keep: NDArray[np.intp] | None = None,
) -> Table:
    """Decide about every column, each on all its rows, and put n rows of them side by side."""
    wanted = _find_wanted(kinds, names)
    values = np.empty((len(names), n))
    found: list[Column | LeftOut] = []
    for k, raw in enumerate(raws):
        own, kind = _find_out(raw, wanted.get(k, RULE))
        values[k] = own.values if keep is None else own.values[keep]
        found.append(kind if isinstance(kind, LeftOut) else Column(own.name, kind, own.levels))
    numbered = [
        k for k, one in enumerate(found) if isinstance(one, LeftOut) and one.code == NUMBERED
    ]
    if len(numbered) > 1:  # several columns of whole numbers that follow each other are ranks
        for k in numbered:
            found[k] = Column(names[k], CONTINUOUS)
    columns = {k: one for k, one in enumerate(found) if isinstance(one, Column)}
    left_out = tuple(one for one in found if isinstance(one, LeftOut))
    if left_out:
        values = values[list(columns)]
    table = Table(np.ascontiguousarray(values.T), tuple(columns.values()), left_out, names)
    return leave_out_relations(table, keep=[names[k] for k in wanted])


def _find_out(raw: RawColumn, wanted: Any) -> tuple[RawColumn, Kind | LeftOut]:
    """Decide about one column, as far as possible without the others."""
    present = raw.present
    if raw.infinite > present.size:
        share = f"{raw.infinite} of {raw.infinite + present.size}"
        return raw, LeftOut(raw.name, "infinite", f"holds infinite numbers mostly ({share})")
    if not present.size or (present == present[0]).all():
        if wanted in (RULE, BINARY) and looks_like_tick_box(raw):
            ticks = np.where(np.isnan(raw.values), 0.0, 1.0)
            levels = (EMPTY, raw.levels[0] if raw.levels else 1)
            return RawColumn(raw.name, "labels", ticks, levels, ordered=True), BINARY
        return raw, without_variation(raw.name, present.size)
    if wanted is not RULE:
        return set_kind(raw, wanted)
    kind = find_kind(raw)
    return raw if isinstance(kind, LeftOut) or kind == CONTINUOUS else raw.with_levels(), kind


def looks_like_tick_box(raw: RawColumn) -> bool:
    """Whether a column holds one word, 1 or True where a box was ticked, and else nothing.

    Examples
    --------
    >>> looks_like_tick_box(RawColumn("email", "labels", np.array([0.0, np.nan, 0.0]), ("x",)))
    True
    """
    n, present = len(raw.values), raw.present
    if present.size < 2 or n - present.size < 0.1 * n or raw.infinite:
        return False
    return bool(raw.content == "labels" or (raw.levels or present)[0] == 1)


def _find_wanted(kinds: Mapping[Any, Any] | None, names: tuple[str, ...]) -> dict[int, Any]:
    """Return what `kind` asks for, by position."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise InputError(
            f"kind must be a mapping, such as {{'{names[0]}': 'ordinal'}}, not {kinds!r}."
        )
    wanted: dict[int, Any] = {}
    for column, kind in kinds.items():
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if whole and str(column) not in names and -len(names) <= column < len(names):
            wanted[int(column) % len(names)] = kind
        else:
            wanted[names.index(check_choice(str(column), names, "column"))] = kind
    return wanted


def looks_like_unit(raw: RawColumn) -> bool:
    """Whether a column tells which patient, or other unit, each row belongs to.

    Its values are whole numbers or labels that come twice or more on average. It is named as a
    person (:data:`PERSON`), and has more values than a scale, or one run of rows for each; or it
    is named as another unit (:data:`UNIT`), and has both.

    Examples
    --------
    >>> who = np.repeat([308.0, 309.0, 335.0], 10)
    >>> looks_like_unit(RawColumn("Subject", "numbers", who))
    True
    >>> looks_like_unit(RawColumn("dose", "numbers", who))
    False
    """
    name, present = raw.name.strip(), raw.present
    person = bool(PERSON.fullmatch(name))
    if raw.ordered or is_counter(name) or not (person or UNIT.fullmatch(name)):
        return False
    values, runs = np.unique(present), 1 + np.count_nonzero(np.diff(present))
    if not 3 <= len(values) <= present.size / 2 or (values != np.rint(values)).any():
        return False
    blocks, many = runs == len(values), len(values) > MOST_ORDINAL_VALUES
    return bool(blocks or many) if person else bool(blocks and many)


def is_counter(name: str) -> bool:
    """Whether a name is that of a variable that counts, such as a year.

    Examples
    --------
    >>> is_counter("Year"), is_counter("study_day"), is_counter("yearID"), is_counter("person")
    (True, True, True, False)
    """
    return COUNTER.fullmatch(re.sub(r"[\s_.-]?id$", "", name.strip(), flags=re.I)) is not None


def find_kind(raw: RawColumn) -> Kind | LeftOut:
    """Apply the rule of this module to a column of two or more distinct values.

    Whether whole numbers in a row are an identifier or ranks, :func:`give_kinds` decides.

    Examples
    --------
    >>> find_kind(RawColumn("x", "numbers", np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])))
    'ordinal'
    """
    if raw.content == "dates":
        return LeftOut(raw.name, "dates", "holds dates or times")
    if looks_like_unit(raw):
        count = f"{len(np.unique(raw.present)):,} values in {raw.present.size:,} rows"
        return LeftOut(raw.name, "unit", f"looks like the unit that rows belong to ({count})")
    if raw.content == "numbers":
        return _kind_of_numbers(raw)
    n, n_levels = raw.present.size, len(raw.levels)
    many = n_levels > MOST_NOMINAL_LEVELS or n < ROWS_PER_NOMINAL_LEVEL * n_levels
    if n_levels == 2:
        return BINARY
    if raw.ordered and n_levels <= MOST_ORDINAL_LEVELS:
        return ORDINAL
    if raw.ordered:
        code, reason = "ordered-levels", f"has {n_levels} ordered levels: group its categories"
    elif many and raw.stray is not None:
        code, reason = "text", f"holds text among numbers (first: '{raw.stray}')"
    elif many and all(map(NUMBER_AND_MORE.fullmatch, map(str, raw.levels))):
        code, reason = "units", f"holds numbers with signs or units (such as '{raw.levels[0]}')"
    elif n == n_levels >= ROWS_OF_AN_IDENTIFIER:
        code, reason = "identifier-text", "looks like an identifier: text that never repeats"
    elif many:
        code, reason = "levels", f"has {n_levels} levels in {n} rows: group its categories"
    else:
        return NOMINAL
    return LeftOut(raw.name, code, reason)


def set_kind(raw: RawColumn, wanted: object) -> tuple[RawColumn, Kind]:
    """Give a column the kind that `kind` asks for, or say why it cannot have it.

    A list of levels makes an ordinal column of text in that order.
    """
    name = raw.name
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return _in_order(raw, wanted), ORDINAL
    kind = next(known for known in KINDS if known == check_choice(wanted, KINDS, "kind of column"))
    if kind == CONTINUOUS:
        numbers = days_of(raw) if raw.content == "dates" else numbers_of(replace(raw, n_stray=0))
        return RawColumn(name, "numbers", numbers, whole=raw.whole), kind
    raw = raw.with_levels()
    n_levels = len(raw.levels)
    if kind == BINARY and n_levels > 2:
        raise InputError(
            f"Column '{name}' cannot be binary: it has {n_levels} distinct values. Make it "
            "ordinal or nominal in kind={...}."
        )
    if kind == ORDINAL and not raw.ordered and n_levels > 2:
        first = ", ".join(map(repr, raw.levels[:3]))
        raise InputError(
            f"Column '{name}' holds labels whose order is not known. Give them in their order, "
            f"kind={{{name!r}: [{first}, …]}}, or make the column an ordered categorical."
        )
    most = {BINARY: 2, ORDINAL: MOST_ORDINAL_LEVELS, NOMINAL: MOST_NOMINAL_LEVELS}[kind]
    if n_levels > most:
        raise InputError(
            f"Column '{name}' cannot be {kind}: it has {n_levels} levels, and {most} are the most. "
            "Group its values."
        )
    return raw, kind


def _kind_of_numbers(raw: RawColumn) -> Kind | LeftOut:
    present = raw.present
    # A few rows suffice to see that there are many values, and sorting a long column takes time.
    many = any(len(set(present[:m].tolist())) > MOST_ORDINAL_VALUES for m in (20, 1000))
    n_values = len(present) if many else len(np.unique(present))
    if n_values == 2:
        return BINARY
    alone = n_values == len(present) >= ROWS_OF_AN_IDENTIFIER
    if alone and (present == np.rint(present)).all():
        named = IDENTIFIER.fullmatch(raw.name.strip())
        follow = np.ptp(present) == len(present) - 1 and not is_counter(raw.name)
        # Only these are sorted.
        repeat = (named or follow) and len(np.unique(present)) < len(present)
        if named and not repeat:
            reason = "is named as an identifier, and its whole numbers never repeat"
            return LeftOut(raw.name, "identifier-name", reason)
        if follow and not repeat:
            reason = "looks like an identifier: whole numbers that follow each other"
            return LeftOut(raw.name, NUMBERED, reason)
    few = n_values <= min(MOST_ORDINAL_VALUES, len(present) / ROWS_PER_ORDINAL_VALUE)
    return ORDINAL if few else CONTINUOUS


def _in_order(raw: RawColumn, wanted: Sequence[Any]) -> RawColumn:
    """Put the levels of a column in the order that is asked for; those not there are dropped."""
    raw = raw.with_levels()
    places = {show(level): place for place, level in enumerate(wanted)}
    for level in raw.levels:
        if show(level) not in places:
            raise InputError(
                f"Column '{raw.name}' holds '{show(level)}', which kind does not list (listed: "
                f"{', '.join(places)}). Add it."
            )
    return raw.in_order(sorted(range(len(raw.levels)), key=lambda k: places[show(raw.levels[k])]))
