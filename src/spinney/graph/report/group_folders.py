"""Names of groups as names of folders that every system takes, and no two of which clash."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["folder_names"]

MOST_BYTES = 80
"""Length of a folder's name; paths are limited on some systems."""
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for itself, whatever their ending."""


def folder_names(groups: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Give every group a folder of its own.

    Letters, digits, ``-`` and ``_`` stay, also those of other scripts; everything else, and points
    at either end, become ``_``. Long names are cut. Where two names are then alike, if only to a
    system that does not tell small letters from large ones, the later one gets a number.

    Parameters
    ----------
    groups : names
        Each once.
    taken : names
        Of files that stand beside the folders.

    Examples
    --------
    >>> list(folder_names(["BCR/FcR-XL", "..", "a", "A", "CON", "é"]).values())
    ['BCR_FcR-XL', 'group', 'a', 'A-2', 'group_CON', 'é']
    """
    found: dict[str, str] = {}
    used = {_key(name) for name in taken}
    for group in groups:
        safe = _safe(group)
        name, number = safe, 1
        while _key(name) in used:
            number += 1
            name = f"{_cut(safe, MOST_BYTES - 8)}-{number}"
        used.add(_key(name))
        found[group] = name
    return found


def _safe(group: str) -> str:
    text = unicodedata.normalize("NFC", str(group).encode("utf-8", "replace").decode("utf-8"))
    text = re.sub(r"[^\w.-]+", "_", text)
    # A point in front hides a folder; one at the end is dropped by Windows; "-a" looks like an
    # option to programs.
    text = _cut(text.strip("._"), MOST_BYTES).strip("._").lstrip("-")
    if not text:
        return "group"
    return f"group_{text}" if _DEVICES.fullmatch(text) else text


def _cut(text: str, most: int) -> str:
    return text.encode("utf-8")[:most].decode("utf-8", "ignore")


def _key(name: str) -> str:
    """Return what is the same in names that some system takes for one."""
    return unicodedata.normalize("NFKC", name).casefold()
