"""From a file to what is learned from: the columns, their kinds, groups, and known edges."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney.cli._columns import Kinds, choose_columns, read_kinds, take_group
from spinney.cli._constraints import Pairs, read_known_edges
from spinney.cli._estimators import TAKES_KINDS
from spinney.cli._line_numbers import rows_in_lines
from spinney.cli._settings import Settings
from spinney.exceptions import DataWarning, InputError

if TYPE_CHECKING:
    import pandas as pd

    from spinney.io import TableFile
    from spinney.tables import MixedTable

__all__ = ["Inputs", "read_inputs"]


@dataclass(frozen=True)
class Inputs:
    """What is learned from.

    Attributes
    ----------
    file : TableFile
        The file as it was read.
    frame : pandas.DataFrame
        The columns that were chosen.
    table : MixedTable or None
        The same as estimators that know kinds read it.
    by : pandas.Series or None
        The column that tells groups apart.
    kinds : dict or None
        Kinds that were given.
    known_edges : dict of lists of pairs
        Edges that are ``"required"`` and ``"forbidden"``.
    """

    file: TableFile
    frame: pd.DataFrame
    table: MixedTable | None
    by: pd.Series[Any] | None
    kinds: Kinds | None
    known_edges: dict[str, Pairs]

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
            "rows": len(self.frame),
            "columns": self.frame.shape[1],
            "decisions": list(self.file.decisions),
        }


def read_inputs(
    data: str, settings: Settings, known_edges: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> Inputs:
    """Read the file and all that the options say of it; what is wrong is found here.

    `known_edges` are those of an earlier run, in place of the files that the settings name.
    """
    from spinney._validation import check_table
    from spinney.io import open_table

    options: Any = {"header": settings.header, "decimal": settings.decimal, "sheet": settings.sheet}
    file = open_table(data, **options)
    frame = choose_columns(file.frame, file.extra, settings.columns, settings.drop, settings.kind)
    by = None
    if settings.group is not None:
        frame, by = take_group(frame, file.frame, file.extra, settings.group)
        _check_groups(frame, by)
    _check_enough(frame, settings)
    names = [str(name) for name in frame.columns]
    kinds = read_kinds(settings.kind, names)
    edges = read_known_edges(settings, names, known_edges)
    table = None
    with rows_in_lines(file.lines, Path(file.name).name):
        if settings.estimator in TAKES_KINDS:
            table = _read(frame, kinds, settings.missing)
            if by is None:
                _warn_of_sequence(table)
            _warn_of_repeats(table)
        else:
            check_table(frame, min_columns=2)
    return Inputs(file, frame, table, by, kinds, edges)


def _check_groups(frame: pd.DataFrame, by: Any) -> None:
    """Refuse a column that cannot tell groups apart, before anything is said of how long it takes.

    What is to be warned of is warned of here; each line comes once.
    """
    from spinney.learner.graph_learner import FEWEST_ROWS
    from spinney.learner.group_column import split_off_groups

    split_off_groups(frame, by, FEWEST_ROWS)


def _check_enough(frame: pd.DataFrame, settings: Settings) -> None:
    """Refuse a choice of columns that leaves no pair of them."""
    left = frame.shape[1]
    asked = [f"--{name}" for name in ("columns", "drop", "group") if getattr(settings, name)]
    if left < 2 and asked:
        what = "one column" if left else "no columns"
        raise InputError(
            f"{' and '.join(asked)} leave{'s' if len(asked) == 1 else ''} {what} to learn from, "
            "but at least two are needed to form a pair."
        )


def _read(frame: pd.DataFrame, kinds: Kinds | None, missing: str) -> MixedTable:
    from spinney.tables import read_mixed

    return read_mixed(frame, kinds=kinds, missing=missing, min_columns=2)


def _warn_of_sequence(table: MixedTable) -> None:
    """Warn of rows that follow each other; whoever learns from the table no longer sees that."""
    from spinney.tables.sequence import rows_in_sequence

    sentence = rows_in_sequence(table)
    if sentence is not None:
        warnings.warn(sentence, DataWarning, stacklevel=2)


def _warn_of_repeats(table: MixedTable) -> None:
    """Warn of rows and columns that repeat others, which the report says among its checks."""
    from spinney.report.content.looks import repeated_rows, twins

    for look in (repeated_rows, twins):
        for check in look(table):
            if check.level == "warning":
                warnings.warn(check.text, DataWarning, stacklevel=2)
