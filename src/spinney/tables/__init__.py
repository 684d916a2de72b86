"""Tables as people have them: columns of several kinds, with gaps, read once and then trusted."""

from spinney.tables.advice import few_rows, looks_transposed, smallest_tau
from spinney.tables.columns import ColumnSource
from spinney.tables.drawing import (
    MOST_ROWS,
    Drawn,
    RowsToUse,
    check_rows,
    draw_groups,
    draw_rows,
    rows_for,
    rows_to_use,
)
from spinney.tables.features import ReadsKindsMixin, keep_features
from spinney.tables.gaps import (
    SpeakingGap,
    common_rows,
    speaking_gaps,
    warn_of_speaking_gaps,
)
from spinney.tables.mixed import (
    BINARY,
    CONTINUOUS,
    KINDS,
    NOMINAL,
    ORDINAL,
    Column,
    Kind,
    LeftOut,
    Table,
)
from spinney.tables.notices import describe_gaps, warn_of_table
from spinney.tables.parts import part_of
from spinney.tables.reading import MISSING, Kinds, Missing, read_mixed, read_rows, warn_of_left_out
from spinney.tables.showing import decode, describe_kinds, summary

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "MISSING",
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
    "ReadsKindsMixin",
    "RowsToUse",
    "SpeakingGap",
    "Table",
    "check_rows",
    "common_rows",
    "decode",
    "describe_gaps",
    "describe_kinds",
    "draw_groups",
    "draw_rows",
    "few_rows",
    "keep_features",
    "looks_transposed",
    "part_of",
    "read_mixed",
    "read_rows",
    "rows_for",
    "rows_to_use",
    "smallest_tau",
    "speaking_gaps",
    "summary",
    "warn_of_left_out",
    "warn_of_speaking_gaps",
    "warn_of_table",
]
