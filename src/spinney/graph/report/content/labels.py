"""Names short enough to be shown, each still told from the others."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from spinney._core.text import shorten_middle
from spinney.tables.table import show

__all__ = ["LONGEST", "label_levels", "label_names", "relabel"]

LONGEST = 40
"""Characters of a label, at most."""
UNNAMED = "(no name)"
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Kinds of characters that cannot be seen, or that turn the text around them."""
_JOINERS = "\u200c\u200d\ufe0f"
"""Characters without which some scripts and emoji fall apart."""


def label_names(names: Iterable[str], longest: int = LONGEST) -> tuple[str, ...]:
    r"""Shorten names to at most `longest` characters, and keep them apart.

    The middle of a long name goes, for names of one kind differ at either end. What cannot be seen
    becomes a space. Names that are then the same are numbered.

    Examples
    --------
    >>> label_names(["Raf", "a\nb", "x" * 30, "x" * 31], longest=9)
    ('Raf', 'a b', 'xxxx…xxxx', 'xx…xx (2)')
    """
    names = list(names)
    made: list[str] = []
    used: set[str] = set()
    counts: dict[str, int] = {}
    plain = [_visible(name) for name in names]
    # A name that can be shown as it is keeps it; those that had to change make way.
    untouched = {name for name, seen in zip(names, plain, strict=True) if name == seen}
    for name, seen in zip(names, plain, strict=True):
        whole = label = shorten_middle(seen, longest)
        while label in used or (label in untouched and label != name):
            counts[whole] = counts.get(whole, 1) + 1
            tail = f" ({counts[whole]})"
            label = shorten_middle(seen, longest - len(tail)) + tail
        used.add(label)
        made.append(label)
    return tuple(made)


def label_levels(levels: Sequence[Any]) -> list[str]:
    """Write the levels of a column as people do, shortened as names are.

    Examples
    --------
    >>> label_levels([1.0, 2.0]), label_levels(["yes", "no"])
    (['1', '2'], ['yes', 'no'])
    """
    return list(label_names(show(level) for level in levels))


def relabel(text: str, names: Sequence[str], labels: Sequence[str]) -> str:
    """Put labels in the place of names that had to change, wherever a text holds them.

    Examples
    --------
    >>> relabel("Column 'xxxxxxxxxxxx' has gaps.", ["xxxxxxxxxxxx"], ["xx…xx"])
    "Column 'xx…xx' has gaps."
    """
    changed = [
        (name, label)
        for name, label in zip(names, labels, strict=True)
        # A short name may be part of a word.
        if name != label and len(name) > 2
    ]
    for name, label in sorted(changed, key=lambda pair: -len(pair[0])):
        text = text.replace(name, label)
    return text


def _visible(name: str) -> str:
    """Replace what cannot be seen, or turns the text around it, by spaces."""
    seen = "".join(
        character
        if unicodedata.category(character) not in _HIDDEN or character in _JOINERS
        else " "
        for character in name[: 10 * LONGEST] + name[10 * LONGEST :][-10 * LONGEST :]
    )
    return " ".join(seen.split()) or UNNAMED
