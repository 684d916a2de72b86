"""Pairs of columns from a file: edges that must be there, or must not."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from spinney._core.choices import did_you_mean
from spinney._core.text import counted, quoted, shortened
from spinney.exceptions import InputError
from spinney.tables.readers.sources import Source, decode, open_source

SEPARATORS = ("\t", ";", ",", "|")
DASHES = (r"--+", r"\s[-\u2013\u2014]\s", r"\s+")
"""Other separators of two names: dashes, and last of all blanks."""
HEADER = re.compile(r"(source|target|from|to|node|variable|column|name)[\s_.]*[12ab]?", re.I)
"""Words of a header above a list of pairs."""
Pair = tuple[str, str]


def read_constraints(path: str | Path, names: Sequence[str]) -> list[Pair]:
    r"""Read pairs of columns, one on a line.

    The two names are separated by a comma, tab, semicolon, bar, by blanks, or by a dash with
    blanks around it (``Raf - Mek``, ``Raf -- Mek``). Names that hold such things themselves are
    recognised, or put into quotes. Blank lines and those that start with ``#`` are skipped, and
    so is a header such as ``source,target``; with one there may be further columns, as in
    ``edges.csv``, whose apostrophes before signs such as ``=`` are removed.

    Parameters
    ----------
    path : path
        The file; "-" is standard input.
    names : sequence of str
        The columns that there are.

    Returns
    -------
    list of pairs of str
        Each pair once, in the order of the file.

    Raises
    ------
    InputError
        If a line holds no pair, an unknown name, or the same name twice.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
    >>> _ = path.write_text("# known since 1990\nRaf -- Mek\nMek, IL-2\n")
    >>> read_constraints(path, ["Raf", "Mek", "IL-2"])
    [('Raf', 'Mek'), ('Mek', 'IL-2')]
    """
    source = open_source(path)
    text, _ = decode(source)
    known = set(names)
    pairs: dict[frozenset[str], Pair] = {}
    first, more = True, False
    for number, line in enumerate(StringIO(text, newline=""), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        splits = list(_splits(bare))
        if first and (heading := _heading(splits, known)) is not None:
            first, more = False, len(heading) > 2
            continue
        first = False
        pair = _pair(splits, known, more)
        if pair is None:
            raise _complaint(splits, bare, names, source, number)
        if pair[0] == pair[1]:
            raise InputError(
                f"Line {number} of {source.label} pairs '{pair[0]}' with itself. Name two columns."
            )
        pairs.setdefault(frozenset(pair), pair)
    if not pairs:
        raise InputError(f"{source.label} holds no pairs. {_example(names)}")
    return list(pairs.values())


def _splits(line: str) -> Iterator[list[str]]:
    """Yield all ways to cut a line into two cells or more."""
    for separator in SEPARATORS:
        try:
            (cells,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
        except (csv.Error, ValueError):
            continue
        while len(cells) > 2 and not cells[-1].strip():
            cells.pop()
        if len(cells) > 1:
            yield [cell.strip() for cell in cells]
    for dash in DASHES:
        cells = [cell.strip().strip('"') for cell in re.split(dash, line)]
        if len(cells) > 1:
            yield cells


def _heading(splits: Sequence[list[str]], known: set[str]) -> list[str] | None:
    for cells in splits:
        two = cells[:2]
        if all(HEADER.fullmatch(cell) for cell in two) and not known.issuperset(cells):
            return cells
    return None


def _pair(splits: Sequence[list[str]], known: set[str], more: bool) -> Pair | None:
    for cells in splits:
        # Tables of spinney put an apostrophe before a name that a spreadsheet would run.
        u, v = (c[1:] if c not in known and c.startswith("'") else c for c in cells[:2])
        if (len(cells) == 2 or more) and u in known and v in known:
            return u, v
    return None


def _complaint(
    splits: Sequence[list[str]], line: str, names: Sequence[str], source: Source, number: int
) -> InputError:
    """Say which name is unknown, or that there are not two names."""
    where = f"Line {number} of {source.label}"
    twos = [cells for cells in splits if len(cells) == 2]
    if not twos:
        count = counted(len(splits[0]) if splits else 1, "name")
        return InputError(
            f"{where} holds {count} ({quoted(line)}), but a pair has two. {_example(names)}"
        )
    # Of the ways to cut the line, one in which a name is known is meant.
    cells = max(twos, key=lambda two: sum(cell in names for cell in two))
    wrong = next(cell for cell in cells if cell not in names)
    hint = did_you_mean(shortened(wrong), names)
    return InputError(
        f"{where} holds {quoted(wrong)}, which is not a column.{hint} Write names as in the table."
    )


def _example(names: Sequence[str]) -> str:
    return f"Write two names of columns on each line, such as {','.join(names[:2])}."
