"""Pairs of columns from a file: edges that must be there, or must not."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from spinney._core.choices import did_you_mean
from spinney._core.text import counted, quoted, shortened
from spinney.exceptions import InputError
from spinney.tables.readers.sources import decode, open_source

SEPARATORS = "\t;, "
Pair = tuple[str, str]


def read_constraints(path: str | Path, names: Sequence[str]) -> list[Pair]:
    r"""Read pairs of columns, one on a line.

    The two names are separated by a comma, tab, semicolon or blanks; names that hold such things
    stand in quotes. Blank lines and those that start with ``#`` are skipped, and so is a header
    ``source,target``. Below it there may be further columns, as in ``edges.csv``, whose apostrophes
    before signs such as ``=`` are removed.

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
    >>> _ = path.write_text("# known since 1990\nRaf,Mek\nMek, IL-2\n")
    >>> read_constraints(path, ["Raf", "Mek", "IL-2"])
    [('Raf', 'Mek'), ('Mek', 'IL-2')]
    """
    source = open_source(path)
    text, _ = decode(source)
    example = f"Write two names of columns on each line, such as {','.join(names[:2])}."
    pairs: dict[frozenset[str], Pair] = {}
    first, more = True, False
    for number, line in enumerate(StringIO(text, newline=""), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = _cells(line.strip(), set(names))
        start = [cell.lower() for cell in cells[:2]]
        header = first and start in (["source", "target"], ["from", "to"])
        first = False
        if header and not set(names).issuperset(cells):
            more = len(cells) > 2
            continue
        where = f"Line {number} of {source.label}"
        if len(cells) < 2 or (len(cells) > 2 and not more):
            count = counted(len(cells), "name")
            raise InputError(
                f"{where} holds {count} ({quoted(line.strip())}), but a pair has two. {example}"
            )
        u, v = cells[:2]
        for name in (u, v):
            if name not in names:
                hint = did_you_mean(shortened(name), names)
                raise InputError(
                    f"{where} holds {quoted(name)}, which is not a column.{hint} Write names as in "
                    "the table."
                )
        if u == v:
            raise InputError(f"{where} pairs '{u}' with itself. Name two columns.")
        pairs.setdefault(frozenset((u, v)), (u, v))
    if not pairs:
        raise InputError(f"{source.label} holds no pairs. {example}")
    return list(pairs.values())


def _cells(line: str, known: set[str]) -> list[str]:
    """Cut a line at the first separator that gives two columns, else at the first there is."""
    cuts = []
    for separator in SEPARATORS:
        (cells,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
        found = [cell.strip() for cell in cells]
        while len(found) > 2 and not found[-1]:
            found.pop()
        # Tables of spinney put an apostrophe before a name that a spreadsheet would run.
        found = [c[1:] if c not in known and c.startswith("'") else c for c in found]
        if len(found) > 1:
            cuts.append(found)
    known_cuts = [found for found in cuts if known.issuperset(found[:2])]
    return [*known_cuts, *cuts, [line]][0]
