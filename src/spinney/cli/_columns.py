"""Which columns to learn from, and their kinds: ``--columns``, ``--drop``, ``--kind``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from io import StringIO

from spinney._core.choices import check_choice, did_you_mean
from spinney.exceptions import InputError

__all__ = ["choose_columns", "find_names", "read_kinds", "split_words"]

WILDCARDS = "*?["


def choose_columns(
    names: Sequence[str],
    aside: Sequence[str],
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    kind: Sequence[str] = (),
) -> list[str]:
    """Choose the columns to learn from.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    aside : sequence of str
        Row names and columns that the reader set aside. They are used only if named in full;
        patterns do not match them.
    columns, drop, kind
        The options as given.
    """
    if columns:
        return list(dict.fromkeys(find_names(columns, names, aside)))
    if drop:
        gone = set(find_names(drop, names, aside))
        return [name for name in names if name not in gone]
    called = [option.rpartition("=")[0] for option in kind]
    return [*names, *dict.fromkeys(name for name in called if name in aside)]


def find_names(
    options: Iterable[str], names: Iterable[str], aside: Iterable[str] = ()
) -> Iterator[str]:
    """Read names and patterns with commas between them.

    A name that holds a comma stands in quotes, as in CSV, or alone.

    Examples
    --------
    >>> list(find_names(["a, x*"], ["a", "x1", "y", "x2"]))
    ['a', 'x1', 'x2']
    >>> list(find_names(['"a,b",c', "d,e"], ["a,b", "c", "d,e"]))
    ['a,b', 'c', 'd,e']
    >>> list(find_names(["pStat*"], ["pSTAT1", "Raf"]))
    Traceback (most recent call last):
    spinney.exceptions.InputError: No column matches 'pStat*'. Did you mean 'pSTAT1'? ...
    """
    names, aside = list(names), list(aside)
    known = {*names, *aside}
    for option in options:
        for word in [option] if option in known else split_words(option):
            if word in known:
                yield word
            elif any(sign in word for sign in WILDCARDS):
                yield from _matching(word, names)
            else:
                yield check_choice(word, [*names, *aside], "column")


def split_words(option: str) -> list[str]:
    """Split words at commas; one that holds a comma stands in double quotes."""
    try:
        # With line ends as they are: a name may hold one, within quotes.
        lines = csv.reader(StringIO(option, newline=""), skipinitialspace=True, strict=True)
        words = [word for line in lines for word in line]
    except csv.Error:
        raise InputError(
            f"The quotes in {option!r} do not pair. Put each name that holds a comma in double "
            "quotes, as in '\"a,b\",c'."
        ) from None
    return [word.strip() for word in words if word.strip()]  # as after a stray comma


def _matching(pattern: str, names: Sequence[str]) -> list[str]:
    found = [name for name in names if fnmatchcase(name, pattern)]
    if found:
        return found
    hint = did_you_mean("".join(letter for letter in pattern if letter not in "*?[]"), names)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    raise InputError(f"No column matches '{pattern}'.{hint} Choose from: {shown}.")


Kinds = dict[str, str | list[str]]
"""By column, its kind, or its levels in their order."""


def read_kinds(options: Sequence[str], names: Sequence[str]) -> Kinds | None:
    """Read ``age=ordinal``, ``q*=ordinal`` and ``pain=none<some<much``.

    Names may hold an equals sign themselves.

    Examples
    --------
    >>> read_kinds(["q*=ordinal", "q2=nominal"], ["q1", "q2", "age"])
    {'q1': 'ordinal', 'q2': 'nominal'}
    >>> read_kinds(["pain=none < some < much"], ["pain"])
    {'pain': ['none', 'some', 'much']}
    """
    kinds: Kinds = {}
    for option in options:
        column, separator, kind = option.rpartition("=")
        if not separator:
            raise InputError(
                f"--kind needs a column and its kind, such as age=ordinal, not '{option}'."
            )
        is_pattern = column not in names and any(sign in column for sign in WILDCARDS)
        found = _matching(column, names) if is_pattern else [check_choice(column, names, "column")]
        levels = [level.strip() for level in kind.split("<")]
        kinds |= dict.fromkeys(found, levels if len(levels) > 1 else kind.strip())
    return kinds or None
