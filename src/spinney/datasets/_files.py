"""Finding and reading of the bundled files."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pandas as pd

from spinney._core.choices import check_choice

__all__ = ["path", "read_bundled"]


@cache
def read_bundled(name: str, decimals: int) -> pd.DataFrame:
    """Read a bundled table once; callers must copy what they hand out.

    Rounding to the `decimals` of the file makes the numbers the nearest ones to the printed text
    whichever parser pandas uses.
    """
    raw = (files("spinney.datasets") / "data" / name).read_bytes()
    if name.endswith(".xz"):
        raw = lzma.decompress(raw)
    return pd.read_csv(BytesIO(raw)).round(decimals)


def path(name: str) -> Path:
    """Find a bundled table that is a plain file, as one would have it oneself.

    Parameters
    ----------
    name : {"penguins.csv", "anes96.csv"}
        The file.

    Returns
    -------
    Path
        Of a text file with a line of names, and ``NA`` where a value is missing.

    Raises
    ------
    InputError
        If there is no such file; the message lists those that there are.

    Examples
    --------
    >>> from spinney import datasets
    >>> with datasets.path("penguins.csv").open() as lines:
    ...     print(next(lines), end="")
    species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year
    """
    folder = Path(str(files("spinney.datasets") / "data"))
    return folder / check_choice(name, ("penguins.csv", "anes96.csv"), "bundled file")
