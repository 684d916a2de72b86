"""Tables of text: separated by commas, tabs, semicolons, bars or blanks."""

from __future__ import annotations

import re

from spinney.exceptions import InputError
from spinney.tables.readers.dialect import (
    SEPARATORS,
    Comments,
    Row,
    find_separator,
    set_comments_aside,
    split,
)
from spinney.tables.readers.encodings import decode
from spinney.tables.readers.formats import Format, Options, Reading, Source
from spinney.tables.readers.frames import to_frame
from spinney.tables.readers.grid import arrange
from spinney.tables.readers.wording import quoted, ranges

__all__ = ["TEXT"]

FORMATS = {"\t": "tsv", ",": "csv", ";": "csv"}


def _read(source: Source, options: Options) -> Reading:
    text, said = decode(source)
    if re.search(r"[^\s,;|\"]", text) is None:
        raise InputError(f"{source.label} is empty. A table has a header and rows below it.")
    comments = set_comments_aside(text)
    separator = comments.separator or find_separator(comments.rest)
    rows = split(comments.rest, separator, source, comments.offset)
    above = _last_comment(comments, separator, source)
    grid = arrange(rows, source, options, above=above)
    frame, decisions, lines = to_frame(grid, options, separator=separator)
    left = comments.lines[: len(comments.lines) - grid.from_comment]
    if left:
        plural = "s" if len(left) > 1 else ""
        shown = quoted(left[0][1])
        said += (f"comment line{plural} {ranges([n for n, _ in left])} left out ({shown})",)
    words = SEPARATORS.get(separator, quoted(separator))
    return Reading(
        frame,
        (*said, f"columns are separated by {words}", *decisions),
        FORMATS.get(separator, "text"),
        lines,
    )


def _last_comment(comments: Comments, separator: str, source: Source) -> Row | None:
    """Return the comment line right above the table as a row: it may be the header."""
    if not comments.lines:
        return None
    number, text = comments.lines[-1]
    if text.startswith("##"):
        return None
    bare = re.sub(r"^#\s*", "", text)
    try:
        rows = split(bare, separator, source, number - 1)
    except InputError:  # a quote that is never closed
        return None
    return rows[0] if len(rows) == 1 and len(rows[0].cells) > 1 else None


TEXT = Format("text", lambda source: True, _read, frozenset({"header", "decimal"}))
