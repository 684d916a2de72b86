"""Tables as people have them: columns of several kinds, with gaps, read once and then trusted."""

from spinney.tables.advice import few_rows, looks_transposed, smallest_tau
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
    MixedTable,
)
from spinney.tables.notices import describe_gaps, warn_of_table
from spinney.tables.pseudo import PseudoTable
from spinney.tables.reading import MISSING, Kinds, Missing, read_mixed, read_rows, warn_of_left_out
from spinney.tables.showing import decode, describe_kinds, summary

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "MISSING",
    "NOMINAL",
    "ORDINAL",
    "Column",
    "Kind",
    "Kinds",
    "LeftOut",
    "Missing",
    "MixedTable",
    "PseudoTable",
    "ReadsKindsMixin",
    "SpeakingGap",
    "common_rows",
    "decode",
    "describe_gaps",
    "describe_kinds",
    "few_rows",
    "keep_features",
    "looks_transposed",
    "read_mixed",
    "read_rows",
    "smallest_tau",
    "speaking_gaps",
    "summary",
    "warn_of_left_out",
    "warn_of_speaking_gaps",
    "warn_of_table",
]
