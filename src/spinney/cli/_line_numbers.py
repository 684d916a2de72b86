"""Rows of a table as an editor counts them: by the line of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from spinney.exceptions import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Lines = Sequence[int] | NDArray[np.int64]

__all__ = ["rows_in_lines"]


@contextmanager
def rows_in_lines(lines: Lines | None, name: str) -> Iterator[None]:
    """Let errors about the table say the line of its file."""
    try:
        yield
    except InputError as error:
        notice = error.notice
        if notice is None or lines is None or not notice.rows or notice.rows[0] >= len(lines):
            raise
        place = {"line": int(lines[notice.rows[0]]), "file": name}
        raise type(error)(replace(notice, facts={**notice.facts, **place})) from error
