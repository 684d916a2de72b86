"""Tables as people have them: columns of several kinds, with gaps, read once and then trusted."""

from spinney.tables.advice import few_rows, looks_transposed, smallest_tau, warn_of_table
from spinney.tables.columns import ColumnSource
from spinney.tables.drawing import (
    MOST_ROWS,
    Drawn,
    RowsToUse,
    check_rows,
    draw_groups,
    draw_rows,
    rows_to_use,
)
from spinney.tables.features import ReadsKindsMixin, check_features
from spinney.tables.gaps import common_rows, speaking_gaps
from spinney.tables.pseudo import PseudoTable
from spinney.tables.reading import (
    MIN_ROWS,
    Kinds,
    Missing,
    check_inside_unit,
    check_table,
    check_unit_table,
    read_rows,
    read_table,
)
from spinney.tables.table import (
    BINARY,
    CONTINUOUS,
    KINDS,
    NOMINAL,
    ORDINAL,
    Column,
    Kind,
    LeftOut,
    Table,
    decode,
    describe_gaps,
    describe_kinds,
    part_of,
    summary,
)

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "MIN_ROWS",
    "MOST_ROWS",
    "NOMINAL",
    "ORDINAL",
    "Column",
    "ColumnSource",
    "Drawn",
    "Kind",
    "Kinds",
    "LeftOut",
    "Missing",
    "PseudoTable",
    "ReadsKindsMixin",
    "RowsToUse",
    "Table",
    "check_features",
    "check_inside_unit",
    "check_rows",
    "check_table",
    "check_unit_table",
    "common_rows",
    "decode",
    "describe_gaps",
    "describe_kinds",
    "draw_groups",
    "draw_rows",
    "few_rows",
    "looks_transposed",
    "part_of",
    "read_rows",
    "read_table",
    "rows_to_use",
    "smallest_tau",
    "speaking_gaps",
    "summary",
    "warn_of_table",
]
