"""Words about files: why one cannot be read, and decisions made in reading."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from spinney._core import text
from spinney._core.text import quoted, ranges, shortened
from spinney.notices import Notice
from spinney.wording import Door, Words, sentence

listed = partial(text.listed, most=4)

__all__ = ["WORDS"]

SAVE = "Save the table as CSV in UTF-8."
FORMATS = {
    "": ("", "Copy it anew.", "Unpack it first."),
    "excel": (
        " as an Excel file",
        "Open it in Excel or LibreOffice, and save it anew.",
        "Copy what is needed into a file of its own.",
    ),
    "parquet": (
        " as a Parquet file",
        "Write it anew.",
        "Write the columns that are needed into a file of their own.",
    ),
    "h5ad": (
        " as an AnnData file",
        "Write it anew.",
        "Keep the variables that are needed, such as the most variable: adata[:, names].write(…).",
    ),
    "long": ("", "", "Take fewer rows or columns of it."),
}
"""For each format: its name, what to do if it is damaged, and if it is too large."""
OTHER_FILES = {
    "picture": "a picture. Name the file with the table.",
    "pdf": "a PDF document. Take the table from where it was made, and save it as CSV.",
    "xls": (
        "a file of an old Excel (.xls), or an Excel file with a password. Open it in Excel or "
        "LibreOffice, and save it as .xlsx without a password, or as CSV."
    ),
    "r": "R data (.RData or .rds). In R, write the table with write.csv.",
    "numpy": "an array of NumPy (.npy or .npz). Write it with numpy.savetxt.",
    "pickle": f"a pickle of Python. These can run any program, so none is read. {SAVE}",
    "statistics": "a file of MATLAB, SPSS, Stata or SQLite. Export the table as CSV.",
    "arrow": "an Arrow file (Feather). Write the table as Parquet or CSV.",
    "archive": "an archive. Unpack it first.",
    "xlsb": "a binary Excel file (.xlsb). Save it as .xlsx or CSV.",
    "document": "a document. Copy the table into a spreadsheet, save it as CSV.",
    "ods": "an OpenDocument file (.ods). Save it as .xlsx or CSV.",
    "page": (
        "a web page or XML, whatever its name. Open it in a spreadsheet, and save it as .xlsx or "
        "CSV."
    ),
    "json": f"JSON. {SAVE}",
}
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}
MARKS = {
    "decimal": "decimal commas",
    ",": "thousands marked by commas",
    ".": "thousands marked by dots",
    " ": "thousands marked by blanks",
    "'": "thousands marked by apostrophes",
    "%": "percent signs",
}
REASONS = {
    "": "",
    "like-others": ", as in other columns",
    "others-dots": ", as other columns have decimal dots",
    "others-commas": ", as other columns have decimal commas",
    "semicolons": ", as semicolons separate the columns (otherwise: {dot})",
    "unsure-comma": ", though nothing tells them from decimal commas (otherwise: {comma})",
    "unsure-dot": ", though nothing tells them from marks of thousands (otherwise: {comma})",
}
"""Why a column's numbers were read in this way."""


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _columns(names: Sequence[str]) -> str:
    return f"column{_s(len(names))} {listed([quoted(name) for name in names])}"


def _option(door: Door, name: str, value: str) -> str:
    return f"--{name} {value}" if door.options else f'{name}="{value}"'


def _damaged(notice: Notice, door: Door) -> str:
    what, advice, _ = FORMATS[notice.facts["format"]]
    return f"{notice.facts['file']} cannot be read{what} ({notice.facts['cause']}). {advice}"


def _memory(notice: Notice, door: Door) -> str:
    return f"{notice.facts['file']} does not fit into memory. {FORMATS[notice.facts['format']][2]}"


def _cells(notice: Notice, door: Door) -> str:
    facts = notice.facts
    return (
        f"{facts['file']} holds a table of {facts['rows']:,} × {facts['columns']:,} cells; at most "
        f"{facts['most']:,} are read. {FORMATS[facts['format']][2]}"
    )


def _zip(notice: Notice, door: Door) -> str:
    members = notice.facts["members"]
    what = f"{len(members)} files ({listed([quoted(name) for name in members])})"
    return f"{notice.facts['file']} holds {what if members else 'no file'}. Pack one table into it."


def _empty(notice: Notice, door: Door) -> str:
    what = "a header and rows below it" if notice.facts["header"] else "columns and rows"
    return f"{notice.facts['file']} is empty. A table has {what}."


def _column_type(notice: Notice, door: Door) -> str:
    what = "lists, records or maps" if notice.facts["nested"] else "bytes"
    return (
        f"Column {quoted(notice.columns[0])} of {notice.facts['file']} holds {what} "
        f"({notice.facts['type']}). Write it as columns of numbers or text, or leave it out of the "
        "file."
    )


def _decimal(notice: Notice, door: Door) -> str:
    marks = "decimal commas" if notice.facts["decimal"] == "," else "decimal dots"
    return (
        f"Column {quoted(notice.columns[0])} holds {quoted(notice.facts['cell'])}, which is no "
        f"number with {marks}. Leave {'--' if door.options else ''}decimal out: it is found column "
        "by column."
    )


def _sheet_number(notice: Notice, door: Door) -> str:
    sheets = notice.facts["sheets"]
    return (
        f"{notice.facts['file']} has {len(sheets)} sheet{_s(len(sheets))}, but sheet "
        f"{notice.facts['number']} is asked for. Choose from: {', '.join(sheets)}."
    )


def _header(notice: Notice, door: Door) -> str:
    facts = notice.facts
    text = f"{facts['place']} {facts['at']} holds the names of the columns"
    if facts["numbers"]:
        text += f", though most are numbers (otherwise: {_option(door, 'header', 'no')})"
    return text


def _no_header(notice: Notice, door: Door) -> str:
    called = "columns are called 'column 1', 'column 2' and so on"
    if notice.facts["asked"]:
        return f"no header, as asked; {called}"
    return (
        f"no header: the first {notice.facts['place']} is like those below it, so {called} "
        f"(otherwise: {_option(door, 'header', 'yes')})"
    )


def _at(notice: Notice) -> str:
    """Name the lines, or the rows of a spreadsheet."""
    at = notice.facts["at"]
    return f"{notice.facts.get('place', 'line')}{_s(len(at))} {ranges(at)}"


def _above(notice: Notice, door: Door) -> str:
    more = " …" if len(notice.facts["at"]) > 1 else ""
    return f"{_at(notice)} above the table left out ({quoted(notice.facts['first'])}{more})"


def _trimmed(notice: Notice, door: Door) -> str:
    at = notice.facts["at"]
    what = _at(notice) if len(at) == 1 else f"{len(at)} {notice.facts['place']}s"
    return f"separators at the end of {what} left out"


def _empty_columns(notice: Notice, door: Door) -> str:
    positions = notice.facts["positions"]
    have = "it has" if len(positions) == 1 else "they have"
    return (
        f"column{_s(len(positions))} {ranges(positions)} left out, as {have} neither a name nor "
        "values"
    )


def _name_cleaned(notice: Notice, door: Door) -> str:
    more = notice.facts["more"]
    return (
        f"the name of column {notice.facts['position']} held a line break or an invisible "
        f"character; it is called {quoted(notice.columns[0])}"
        + (f"; so did {more} more" if more else "")
    )


def _name_cut(notice: Notice, door: Door) -> str:
    facts = notice.facts
    return (
        f"the name of column {facts['position']} has {facts['length']:,} characters; it is cut to "
        f"{facts['most']}" + (f"; likewise {facts['more']} more" if facts["more"] else "")
    )


def _unnamed(notice: Notice, door: Door) -> str:
    positions = notice.facts["positions"]
    first = positions[0]
    if len(positions) == 1:
        return f"column {first} has no name; it is called 'column {first}'"
    which = listed([str(position) for position in positions])
    return f"columns {which} have no names; they are called 'column {first}' and so on"


def _name_twice(notice: Notice, door: Door) -> str:
    times = notice.facts["times"]
    often, others = ("twice", "") if times == 2 else (f"{times} times", " and so on")
    new = shortened(notice.facts["new"], 60)
    return (
        f"the name {quoted(notice.columns[0])} occurs {often}; the second is called '{new}'{others}"
    )


def _row_names(notice: Notice, door: Door) -> str:
    which = "the first column, which has no name," if notice.facts["has_header"] else "column 1"
    if notice.columns:
        which = f"column {quoted(notice.columns[0])}"
    why = " (it counts the rows)" if notice.facts["counts"] and notice.columns else ""
    keep = ""
    if notice.facts["whole"] and notice.columns and door.options:
        keep = f"; --kind {notice.columns[0]!r}=continuous keeps it"
    return f"{which} taken for row names{why}{keep}"


def _index(notice: Notice, door: Door) -> str:
    which = f" ({', '.join(map(quoted, notice.columns))})" if notice.columns else ""
    return f"the index of the table{which} taken for row names"


def _numbers(notice: Notice, door: Door) -> str:
    facts = notice.facts
    marks = listed([MARKS[mark] for mark in facts["marks"]]) if facts["marks"] else "decimal dots"
    dot, comma = (_option(door, "decimal", mark) for mark in ".,")
    return (
        f"{marks} in {_columns(notice.columns)} ({quoted(facts['example'])} read as "
        f"{facts['value']}){REASONS[facts['reason']].format(dot=dot, comma=comma)}"
    )


def _gap_words(notice: Notice, door: Door) -> str:
    words = notice.facts["words"]
    are = "is a gap" if len(words) == 1 else "are gaps"
    shown = listed([quoted(word) for word in words])
    return f"{shown} among numbers in {_columns(notice.columns)} {are}"


def _na(notice: Notice, door: Door) -> str:
    told = [f"{quoted(value)} {_times(n)}" for value, n in notice.facts["counts"].items()]
    where = f", in {_columns(notice.columns)}" if notice.columns else ""
    return f"taken as missing: {listed(told)}{where}"


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times" if n else "(not in the table)"


def _sheet(notice: Notice, door: Door) -> str:
    others = listed([quoted(name) for name in notice.facts["others"]])
    return (
        f"sheet {quoted(notice.facts['sheet'])} taken, the first with a table (others: {others}; "
        f"choose with {'--sheet' if door.options else 'sheet='})"
    )


def _obs(notice: Notice, door: Door) -> str:
    names = listed([quoted(name) for name in notice.columns])
    return (
        f"column{_s(len(notice.columns))} of obs ({names}) kept beside the table"
        f"{', for --group' if door.options else ''}"
    )


WORDS: dict[str, Words] = {
    # Files that cannot be read
    "file-none": "There is no file {file}. Check the path.",
    "file-folder": "{file} is a folder. Name a file in it.",
    "file-permission": "{file} may not be read. Check its permissions.",
    "file-unreadable": "{file} cannot be read ({cause}). Check the path.",
    "input-unreadable": "Standard input cannot be read ({cause}). Name a file.",
    "file-library": (
        "Reading '{suffix}' needs {needs}. Install it with: pip install 'spinney[{extra}]'"
    ),
    "file-option": (
        "{file} holds {format}, for which {dashes}{option} means nothing. Leave it out."
    ),
    "file-damaged": _damaged,
    "file-memory": _memory,
    "file-cells": _cells,
    "file-unpacks": (
        "{file} has {bytes:,} bytes, but unpacks to more than {most:,}. Unpack it first, and "
        "choose the columns that are needed."
    ),
    "file-zip": _zip,
    "file-password": "{file} has a password. Unpack it first.",
    "file-other": lambda notice, door: (
        f"{notice.facts['file']} is {OTHER_FILES[notice.facts['what']]}"
    ),
    "file-hdf5": f"{{file}} is an HDF5 file, but no AnnData file with a matrix X. {SAVE}",
    "file-damaged-text": (
        "{file} starts as text in {encoding}, but is damaged on line {line}. Save the table anew "
        "as CSV in UTF-8."
    ),
    "file-nul": f"{{file}} is not text (first: a NUL character on line {{line}}). {SAVE}",
    "file-not-text": (
        f"{{file}} is not text in UTF-8 (first: byte 0x{{byte:02x}} on line {{line}}). {SAVE}"
    ),
    # Files without a table
    "file-empty": _empty,
    "file-one-column": (
        "{file} has one column only. Separate columns by commas, tabs or semicolons."
    ),
    "file-no-rows": "{file} has a header, but no rows below it. Add the data.",
    "file-row-width": (
        "{place!c} {at} of {file} has {cells:#cell}, but the header has {width}. Complete the row, "
        "or put quotes around cells that hold a separator."
    ),
    "file-line": "Line {at} of {file} cannot be read ({cause}). Look for a stray quote.",
    "file-quote": (
        "A quote that opens on line {at} of {file} is never closed. Close it, or take it out."
    ),
    "file-name-twice": "{file} has two columns called {columns}. Give each a name of its own.",
    "file-column-type": _column_type,
    "file-decimal": _decimal,
    "sheet-empty": "Sheet {sheet!q} of {file} is empty. Choose another with {with_sheet}.",
    "sheet-number": _sheet_number,
    "sheet-formula": (
        "Cell {cell} of sheet {sheet!q} in {file} holds a formula whose value was never computed. "
        "Open the file in Excel or LibreOffice, save it, and read it again."
    ),
    # Files of known edges
    "pairs-none": (
        "{file} holds no pairs. Write two names of columns on each line, such as {example}."
    ),
    "pairs-itself": "Line {at} of {file} pairs '{column}' with itself. Name two columns.",
    "pairs-count": (
        "Line {at} of {file} holds {count:#name} ({text!q}), but a pair has two. Write two names "
        "of columns on each line, such as {example}."
    ),
    "pairs-invisible": (
        "Line {at} of {file} holds {column!q} with a blank or an invisible character in it. Write "
        "the name as it stands in the table."
    ),
    "pairs-unknown": lambda notice, door: (
        f"Line {notice.facts['at']} of {notice.facts['file']}: "
        f"{sentence(notice.facts['why'], door)}"
    ),
    # What was decided
    "read-unpacked": "unpacked with {packer}",
    "read-unzipped": "unpacked {member!q} from a zip file",
    "read-encoding": "read as {encoding}",
    "read-cp1252": (
        "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: '{letter}' on line {line})"
    ),
    "read-comments": lambda notice, door: (
        f"comment {_at(notice)} left out ({quoted(notice.facts['first'])})"
    ),
    "read-separator": lambda notice, door: (
        "columns are separated by "
        + SEPARATORS.get(notice.facts["separator"], quoted(notice.facts["separator"]))
    ),
    "read-header": _header,
    "read-no-header": _no_header,
    "read-units": (
        "{place} {at} left out, as it holds text above numbers, such as units ('{example}')"
    ),
    "read-above": _above,
    "read-notes": lambda notice, door: (
        f"{_at(notice)} left out, as there is no data ({quoted(notice.facts['first'])})"
    ),
    "read-empty-rows": "{count:#empty row} at the end (from {place} {at}) left out",
    "read-trimmed": _trimmed,
    "read-empty-columns": _empty_columns,
    "read-name-cleaned": _name_cleaned,
    "read-name-cut": _name_cut,
    "read-unnamed": _unnamed,
    "read-name-twice": _name_twice,
    "read-names-twice": "{more} more names stand more than once and are numbered likewise",
    "read-row-names": _row_names,
    "read-row-names-short": (
        "the first column taken for row names, as the header has one name less than there are "
        "columns"
    ),
    "read-index": _index,
    "read-sheet-errors": lambda notice, door: (
        f"spreadsheet errors (such as {notice.facts['first']}) in {_columns(notice.columns)} are "
        "gaps"
    ),
    "read-numbers": _numbers,
    "read-gap-words": _gap_words,
    "read-na": _na,
    "read-sheet": _sheet,
    "read-matrix": "X read: {n:,} observations of {d:,} variables",
    "read-obs": _obs,
    "read-not": lambda notice, door: f"{listed(notice.facts['parts'])} not read",
}
