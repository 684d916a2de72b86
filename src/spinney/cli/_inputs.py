"""From a file to what is learned from: the columns, their kinds, groups, and known edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney.cli._columns import Kinds, choose_columns, read_kinds, take_group
from spinney.cli._constraints import Pairs, read_known_edges
from spinney.cli._estimators import TAKES_KINDS
from spinney.cli._line_numbers import rows_in_lines
from spinney.cli._settings import Settings
from spinney.exceptions import InputError
from spinney.notices import warn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from spinney.tables import Drawn, Table
    from spinney.tables.readers import LongTable, TableFile

__all__ = ["Inputs", "check_enough", "draw", "read_inputs", "read_table", "warn_of_values"]


@dataclass(frozen=True)
class Inputs:
    """What is learned from.

    Attributes
    ----------
    file : TableFile
        The file as it was read.
    frame : pandas.DataFrame
        The columns that were chosen.
    table : Table or None
        The same as estimators that know kinds read it: the rows that are learned from.
    by : pandas.Series or None
        The column that tells groups apart.
    kinds : dict or None
        Kinds that were given.
    known_edges : dict of lists of pairs
        Edges that are ``"required"`` and ``"forbidden"``.
    long : LongTable or None
        The same columns of a table that is too long to be in memory; then `frame` has the rows
        that are learned from, as far as an estimator needs them.
    keep : int array or None
        Rows that were drawn, if not all.
    """

    file: TableFile
    frame: pd.DataFrame
    table: Table | None
    by: pd.Series[Any] | None
    kinds: Kinds | None
    known_edges: dict[str, Pairs]
    long: LongTable | None = None
    keep: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return len(self.frame) if self.long is None else self.long.n_rows

    @property
    def source(self) -> Any:
        """What is learned from, in the form in which it takes least memory."""
        if self.long is None:
            return self.frame
        return self.table if self.by is None else self.long

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return Path(self.file.name).name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that count: those that are not left out."""
        return self.frame.shape if self.table is None else self.table.values.shape

    def describe_data(self, path: str) -> dict[str, Any]:
        """Say what the data were, for the record of the run."""
        return {
            "path": path,
            "name": self.file.name,
            "format": self.file.format,
            "sha256": self.file.checksum,
            "bytes": self.file.n_bytes,
            "rows": self.n_rows,
            "columns": self.frame.shape[1],
            "decisions": list(self.file.decisions),
        }


def read_inputs(
    data: str, settings: Settings, known_edges: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> Inputs:
    """Read the file and all that the options say of it; what is wrong is found here.

    `known_edges` are those of an earlier run, in place of the files that the settings name.
    """
    from spinney.tables import MOST_ROWS, check_table
    from spinney.tables.readers import open_table

    options: Any = {"header": settings.header, "decimal": settings.decimal, "sheet": settings.sheet}
    file = open_table(data, **options, most_rows=MOST_ROWS)
    if file.long is not None:
        from spinney.cli._long_inputs import read_long_inputs

        return read_long_inputs(file, file.long, settings, known_edges)
    frame = choose_columns(file.frame, file.extra, settings.columns, settings.drop, settings.kind)
    by = None
    if settings.group is not None:
        frame, by = take_group(frame, file.frame, file.extra, settings.group)
        _check_groups(frame, by)
    check_enough(frame, settings)
    names = [str(name) for name in frame.columns]
    kinds = read_kinds(settings.kind, names)
    edges = read_known_edges(settings, names, known_edges)
    table = None
    keep, drawn = draw(len(frame), settings) if by is None else (None, None)
    with rows_in_lines(file.lines, Path(file.name).name):
        if settings.estimator in TAKES_KINDS:
            table = read_table(frame, kinds, settings, keep, drawn)
            warn_of_values(table)
        else:
            check_table(frame, min_columns=2)
    return Inputs(file, frame, table, by, kinds, edges, keep=keep)


def _check_groups(frame: pd.DataFrame, by: Any) -> None:
    """Refuse a column that cannot tell groups apart, before anything is said of how long it takes.

    What is to be warned of is warned of here; each line comes once.
    """
    from spinney.graph.groups import split_off_groups
    from spinney.judge.graph_learner import FEWEST_ROWS

    split_off_groups(frame, by, FEWEST_ROWS)


def check_enough(frame: pd.DataFrame, settings: Settings) -> None:
    """Refuse a choice of columns that leaves no pair of them."""
    left = frame.shape[1]
    asked = [f"--{name}" for name in ("columns", "drop", "group") if getattr(settings, name)]
    if left < 2 and asked:
        what = "one column" if left else "no columns"
        raise InputError(
            f"{' and '.join(asked)} leave{'s' if len(asked) == 1 else ''} {what} to learn from, "
            "but at least two are needed to form a pair."
        )


def draw(n: int, settings: Settings) -> tuple[NDArray[np.intp] | None, Drawn | None]:
    """Draw the rows that are learned from; None where these are all."""
    from spinney.tables import Drawn, draw_rows, rows_to_use

    m = rows_to_use(n, settings.n_rows, settings.precision)
    if m == n:
        return None, None
    return draw_rows(n, m, settings.seed), Drawn(m, n, settings.seed)


def read_table(
    source: Any,
    kinds: Kinds | None,
    settings: Settings,
    keep: NDArray[np.intp] | None = None,
    drawn: Drawn | None = None,
) -> Table:
    """Read the rows that are learned from, and warn of rows that follow each other.

    What a column is, is decided on all rows. Whoever learns from the table no longer sees what
    follows what; rows that were drawn from a long series are far apart, and so less alike.
    """
    from spinney.tables import read_table

    options: Any = {"kinds": kinds, "missing": settings.missing, "min_columns": 2}
    table = read_table(source, **options, keep=keep, drawn=drawn)
    if settings.group is None:
        _warn_of_sequence(table)
    return table


def _warn_of_sequence(table: Table) -> None:
    """Warn of rows that follow each other."""
    from spinney.tables.sequence import rows_in_sequence

    notice = rows_in_sequence(table)
    if notice is not None:
        warn(notice)


def warn_of_values(table: Table) -> None:
    """Warn of codes, and of rows and columns that repeat others, as the report does."""
    from spinney.graph.checks import codes, repeated_rows, twins

    for check in (codes, repeated_rows, twins):
        for notice in check(table):
            if notice.level == "warning":
                warn(notice)
