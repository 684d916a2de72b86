"""Files that say in which version of their format they were written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spinney import __version__
from spinney.exceptions import InputError

__all__ = ["check_version"]


def check_version(document: Mapping[str, Any], newest: int, path: str | Path) -> None:
    """Refuse what was written in a version of its format that is none, or not known yet.

    Parameters
    ----------
    document : mapping
        Has ``format_version``, and ``spinney_version`` for the message.
    newest : int
        The newest version that can be read.
    path : path
        The file, for the message.

    Examples
    --------
    >>> check_version({"format_version": 1}, 2, "run.json")
    >>> check_version({"format_version": "new"}, 2, "run.json")
    Traceback (most recent call last):
    spinney.exceptions.InputError: 'run.json' is damaged: its format version is 'new'.
    """
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise InputError(f"'{path}' is damaged: its format version is {version!r}.")
    if version > newest:
        raise InputError(
            f"'{path}' was written by spinney {document.get('spinney_version')}, in version "
            f"{version} of the format; spinney {__version__} reads up to version {newest}. "
            "Update spinney."
        )
