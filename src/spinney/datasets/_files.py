"""Reading of the bundled files, and the choice of a name among those that exist."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from io import BytesIO

import pandas as pd

from spinney.exceptions import InputError

__all__ = ["check_choice", "read_bundled"]


@cache
def read_bundled(name: str, decimals: int) -> pd.DataFrame:
    """Read a bundled table once; callers must copy what they hand out.

    Rounding to the `decimals` of the file makes the numbers the nearest ones to the printed text
    whichever parser pandas uses.
    """
    raw = (files("spinney.datasets") / "data" / name).read_bytes()
    return pd.read_csv(BytesIO(lzma.decompress(raw))).round(decimals)


def check_choice(value: object, choices: Sequence[str], what: str) -> str:
    """Return `value` if it is one of `choices`, or say which there are and which was meant."""
    if isinstance(value, str) and value in choices:
        return value
    folded = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(str(value).casefold(), list(folded), n=1)
    hint = f" Did you mean '{folded[close[0]]}'?" if close else ""
    raise InputError(f"There is no {what} {value!r}.{hint} Choose from: {', '.join(choices)}.")
