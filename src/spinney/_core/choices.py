"""The choice of a name among those that exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from spinney.exceptions import InputError

__all__ = ["check_choice"]

MOST_SHOWN = 20
"""Names that an error lists."""


def check_choice(value: object, choices: Iterable[str], what: str) -> str:
    """Return `value` if it is one of `choices`, or say which there are and which was meant.

    Examples
    --------
    >>> check_choice("Raf", ["Raf", "Mek"], "column")
    'Raf'
    >>> check_choice("raff", ["Raf", "Mek"], "column")
    Traceback (most recent call last):
    spinney.exceptions.InputError: There is no column 'raff'. Did you mean 'Raf'? Choose from: ...
    """
    choices = list(choices)
    if isinstance(value, str) and value in choices:
        return value
    folded = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(str(value).casefold(), list(folded), n=1)
    hint = f" Did you mean '{folded[close[0]]}'?" if close else ""
    shown = choices if len(choices) <= MOST_SHOWN else [*choices[:MOST_SHOWN], "…"]
    raise InputError(f"There is no {what} {value!r}.{hint} Choose from: {', '.join(shown)}.")
