"""Long tables, which are read a column at a time: what is learned from is drawn on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.cli._columns import Kinds, choose_columns, read_kinds
from spinney.cli._constraints import read_known_edges
from spinney.cli._estimators import JUDGE, TAKES_KINDS
from spinney.cli._inputs import (
    Inputs,
    check_enough,
    draw,
    read_table,
    warn_of_values,
)
from spinney.cli._settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from spinney.tables import Table
    from spinney.tables.readers import LongTable, TableFile

__all__ = ["read_long_inputs"]


def read_long_inputs(
    file: TableFile,
    long: LongTable,
    settings: Settings,
    known_edges: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Inputs:
    """Settle what columns are on all rows, and keep those rows that are learned from.

    `known_edges` are those of an earlier run, in place of the files that the settings name.
    """
    header = long.header()
    chosen = choose_columns(header, None, settings.columns, settings.drop, settings.kind)
    names = [str(name) for name in chosen.columns if str(name) != settings.group]
    check_enough(chosen[names], settings)
    kinds = read_kinds(settings.kind, names)
    edges = read_known_edges(settings, names, known_edges)
    wanted = long.select(names)
    if settings.group is not None:
        return _in_groups(file, wanted, settings, kinds, edges)
    keep, drawn = draw(long.n_rows, settings)
    table = None
    if settings.estimator in TAKES_KINDS:
        table = read_table(wanted, kinds, settings, keep, drawn)
        _warn(table, wanted)
    frame = header[names]
    if settings.estimator != JUDGE:
        from spinney.tables import check_table

        frame = wanted.take(keep)
        if table is None:
            check_table(frame, min_columns=2)
    return Inputs(file, frame, table, None, kinds, edges, wanted, keep)


def _in_groups(
    file: TableFile,
    wanted: LongTable,
    settings: Settings,
    kinds: Kinds | None,
    edges: dict[str, Any],
) -> Inputs:
    """Draw from each group apart."""
    from spinney._core.choices import check_choice
    from spinney.graph.groups import split_off_groups
    from spinney.judge.graph_learner import FEWEST_ROWS
    from spinney.tables import draw_groups

    known = [*map(str, file.frame.columns)]
    known += [] if wanted.row_names is None else [wanted.row_names]
    by: pd.Series[Any] = wanted.column(check_choice(settings.group, known, "column"))
    groups = split_off_groups(wanted, by, FEWEST_ROWS)
    chosen = draw_groups(groups.rows, settings.n_rows, settings.precision, settings.seed)
    keep: NDArray[np.intp] = np.sort(np.concatenate(list(chosen.values())))
    table = read_table(wanted, kinds, settings, keep)
    warn_of_values(table)
    return Inputs(file, file.frame[list(wanted.names)], table, by, kinds, edges, wanted, keep)


def _warn(table: Table, wanted: LongTable) -> None:
    """Say what is to be said of a table that the estimator takes as it has been read."""
    from spinney.tables import warn_of_table

    warn_of_table(table, wanted)
    warn_of_values(table)
