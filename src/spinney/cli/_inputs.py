"""From a file to the input of learning: columns, their kinds, groups, and known edges."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._core.choices import check_choice, did_you_mean
from spinney._core.command_line import for_command_line
from spinney.cli._options import TAKES_GAPS, TAKES_KINDS
from spinney.cli._settings import LearnSettings
from spinney.exceptions import InputError, NotPlainError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from spinney.tables import Drawn, Table
    from spinney.tables.readers import TableFile


Pairs = list[tuple[str, str]]
Kinds = dict[str, str | list[str]]
"""By column, its kind, or its levels in their order."""
KNOWN = ("required", "forbidden")
WILDCARDS = "*?["


@dataclass(frozen=True)
class Inputs:
    """The input of learning.

    Attributes
    ----------
    file : TableFile
        The file, with the chosen columns.
    table : Table
        The rows to learn from.
    by : pandas.Series or None
        The group column.
    kinds : dict or None
        Kinds that were given.
    known_edges : dict of lists of pairs
        Edges that are ``"required"`` and ``"forbidden"``.
    keep : int array or None
        The rows drawn, if not all.
    units : int array or None
        The unit of each row of the file.
    persons : pandas.Series or None
        The person of each row of the file, for paired groups.
    colour_by : dict
        Groups of columns, which colour their names.
    file_weights : array or None
        The weight of each row of the file.
    """

    file: TableFile
    table: Table
    by: pd.Series[Any] | None
    kinds: Kinds | None
    known_edges: dict[str, Pairs]
    keep: NDArray[np.intp] | None = None
    units: NDArray[np.int64] | None = None
    persons: pd.Series[Any] | None = None
    colour_by: dict[str, str] = field(default_factory=dict)
    file_weights: NDArray[np.float64] | None = None

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each row of the source."""
        if self.file_weights is None or self.source is self.file:
            return self.file_weights
        found: NDArray[np.float64] = self.file_weights[self.table.units]
        return found

    @property
    def source(self) -> Any:
        """The table; or, with groups, which draw their own rows, the whole file."""
        return self.table if self.by is None or self.keep is None else self.file

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return Path(self.file.name).name

    @property
    def decisions(self) -> list[str]:
        """Decisions made in reading the file, one line each."""
        return list(map(for_command_line, self.file.decisions))

    def describe_data(self, path: str) -> dict[str, Any]:
        """Describe the data for the record of the run."""
        return {
            "path": path,
            "name": self.file.name,
            "format": self.file.format,
            "sha256": self.file.checksum,
            "bytes": self.file.n_bytes,
            "rows": len(self.file),
            "columns": len(self.file.names),
            "decisions": self.decisions,
        }


def read_inputs(
    data: str,
    settings: LearnSettings,
    known_edges: Mapping[str, Sequence[Sequence[str]]] | None = None,
    colour_by: str | Mapping[str, str] | None = None,
) -> Inputs:
    """Read the file as the options say, and refuse what is wrong.

    `known_edges` of an earlier run replace the files named in the settings; `colour_by` is the file
    with the groups of columns, or the groups of an earlier run.
    """
    import numpy as np

    from spinney.tables import check_rows, check_table, read_table, split_units
    from spinney.tables.readers import open_table
    from spinney.tables.rows import split_weights

    options: Any = {"header": settings.header, "decimal": settings.decimal, "sheet": settings.sheet}
    options["labels"] = settings.labels
    options["na"] = [value for words in settings.na for value in split_words(words)]
    check_rows(settings.n_rows, settings.precision)
    file = open_table(data, **options)
    aside = file.aside
    names = choose_columns(file.names, aside, settings.columns, settings.drop, settings.kind)
    for named in (settings.group, settings.paired, settings.unit, settings.weights):
        if named is not None:
            check_choice(named, [*file.names, *aside], "column")
            names = [name for name in names if name != named]
    by = None if settings.group is None else file.column(settings.group)
    persons = None if settings.paired is None else file.column(settings.paired)
    units = split_units(file, settings.unit)[1]
    weights = split_weights(file, settings.weights)[1]
    if weights is not None:
        units = np.arange(len(file))  # so that it is known which rows are left
    chosen = file.select(names)
    keep, drawn = _draw(chosen, by, settings)
    kinds = read_kinds(settings.kind, names)
    edges = read_known_edges(settings, names, known_edges)
    if isinstance(colour_by, str):
        colour_by = read_colours(colour_by, [*file.names, *aside])
    colours = dict(colour_by or {})
    if settings.estimator not in TAKES_KINDS:
        try:
            table = check_table(chosen, min_columns=2, keep=keep)
            return Inputs(chosen, table, by, kinds, edges, keep, colour_by=colours)
        except NotPlainError:
            if settings.estimator not in TAKES_GAPS:
                raise
    # Each group drops its own rows with gaps.
    missing = "pairwise" if by is not None and settings.missing == "drop" else settings.missing
    table = read_table(chosen, kinds, missing, keep=keep, drawn=drawn, unit=units)
    _warn(table, chosen)
    return Inputs(chosen, table, by, kinds, edges, keep, units, persons, colours, weights)


def read_colours(path: str, names: Sequence[str]) -> dict[str, str]:
    """Read the group of each column, for the colours of the picture."""
    from spinney.graph.export.spreadsheet import read_columns

    table = read_columns(path, "name", "group", lacks="; --colour-by takes columns name and group")
    groups = dict(zip(table["name"], table["group"], strict=True))
    return {check_choice(name, names, "column"): group for name, group in groups.items() if group}


def _draw(
    file: TableFile, by: pd.Series[Any] | None, settings: LearnSettings
) -> tuple[NDArray[np.intp] | None, Drawn | None]:
    """Draw the rows to learn from, in each group separately; None means all."""
    import numpy as np

    from spinney.tables import Drawn, draw_groups, draw_rows, rows_to_use

    asked = settings.n_rows, settings.precision
    n = len(file)
    if by is None:
        m = rows_to_use(n, *asked)
        return (
            (None, None) if m == n else (draw_rows(n, m, settings.seed), Drawn(m, n, settings.seed))
        )
    from spinney.graph.groups import split_off_groups
    from spinney.judge.learner import FEWEST_ROWS

    # Refuse an unsuitable group column before any other message.
    rows = split_off_groups(file, by, FEWEST_ROWS).rows
    chosen = draw_groups(rows, *asked, settings.seed)
    if all(len(chosen[name]) == len(own) for name, own in rows.items()):
        return None, None
    return np.sort(np.concatenate(list(chosen.values()))), None


def _warn(table: Table, file: TableFile) -> None:
    """Warn about problems of the table; the estimators do not repeat these warnings."""
    from spinney.graph.checks import codes, copies, sums, twins
    from spinney.notices import warn
    from spinney.tables import warn_of_table

    warn_of_table(table, file)
    for check in (codes, copies, sums, twins):
        for notice in check(table):
            if notice.level == "warning":
                warn(notice)


# Known edges: --required and --forbidden


def read_known_edges(
    settings: LearnSettings,
    names: Sequence[str],
    recorded: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> dict[str, Pairs]:
    """Read both files, or take the pairs `recorded` by an earlier run.

    Examples
    --------
    >>> settings = LearnSettings(estimator="graph-learner", required="gone.csv")
    >>> read_known_edges(settings, ["a", "b"], {"required": [["a", "b"]]})
    {'required': [('a', 'b')], 'forbidden': []}
    """
    from spinney.tables.readers.constraints import read_constraints

    if recorded is not None:
        return {what: [(u, v) for u, v in recorded.get(what, ())] for what in KNOWN}
    files = {what: getattr(settings, what) for what in KNOWN}
    return {
        what: list(read_constraints(file, names)) if file else [] for what, file in files.items()
    }


# Columns and their kinds: --columns, --drop, --kind


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
