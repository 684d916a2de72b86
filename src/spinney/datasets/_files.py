"""Reading of the bundled files."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from io import BytesIO

import pandas as pd

__all__ = ["read_bundled"]


@cache
def read_bundled(name: str, decimals: int) -> pd.DataFrame:
    """Read a bundled table once; callers must copy what they hand out.

    Rounding to the `decimals` of the file makes the numbers the nearest ones to the printed text
    whichever parser pandas uses.
    """
    raw = (files("spinney.datasets") / "data" / name).read_bytes()
    return pd.read_csv(BytesIO(lzma.decompress(raw))).round(decimals)
