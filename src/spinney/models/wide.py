"""Tables with more pairs than anyone wants to fit: which are screened, and which are refused."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney._core.pairs import n_pairs
from spinney._core.text import counted
from spinney.exceptions import InputError
from spinney.pairs.margins import Margins
from spinney.scale.screening import screen
from spinney.tables import Table

__all__ = ["ALL_PAIRS_UP_TO", "Screen", "check_screen", "pairs_to_fit", "refuse_wide"]

Integers = NDArray[np.int64]
Screen = Literal["auto"] | bool

ALL_PAIRS_UP_TO = 300
"""With ``screen="auto"`` tables of no more columns are not screened."""
MEANT_FOR = 1000
"""Columns up to which a number for every row and pair can be held."""
TABLES = 3
"""Tables of that size that a fit holds: log-densities, densities, and a part of them at work."""


def check_screen(value: Any) -> None:
    """Refuse what says neither yes nor no.

    Examples
    --------
    >>> check_screen("no")
    Traceback (most recent call last):
    spinney.exceptions.InputError: screen must be 'auto', True or False, not 'no'.
    """
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto")):
        raise InputError(f"screen must be 'auto', True or False, not {value!r}.")


def pairs_to_fit(
    table: Table,
    margins: Margins,
    value: Screen,
    always: Integers | None = None,
    n_jobs: int | None = None,
) -> Integers | None:
    """Choose the pairs that are fitted, by number; None stands for all.

    Parameters
    ----------
    table : Table
        The table.
    margins : Margins
        How its columns are read; not fitted.
    value : {"auto", True, False}
        Whether the table is screened; "auto" does from :data:`ALL_PAIRS_UP_TO` columns on.
    always : array of pair numbers, optional
        Pairs that are fitted, whether they pass or not.
    n_jobs : int, optional
        As in :func:`spinney.scale.screening.screen`.
    """
    wide = len(table.columns) > ALL_PAIRS_UP_TO
    if not (wide if value == "auto" else value):
        return None
    passed = screen(clone(margins).fit_pseudo(table), n_jobs=n_jobs).pairs
    return passed if always is None else np.union1d(passed, always).astype(np.int64)


def refuse_wide(name: str, n: int, d: int, *, screens: bool) -> None:
    """Say up to how many columns a model is meant for that holds a number per row and pair.

    Examples
    --------
    >>> refuse_wide("ForestsLambda", 200, 2000, screens=False)
    Traceback (most recent call last):
    spinney.exceptions.InputError: ForestsLambda holds a number for every row and pair, and is meant
    for tables of up to 1,000 columns; 2,000 columns and 200 rows would take about 8.9 GiB. Use
    SharedForest or RootedForests, which screen pairs first.
    """
    if d <= MEANT_FOR:
        return
    size = TABLES * 8.0 * n * n_pairs(d) / 2**30
    cure = (
        "Leave screen='auto', with potentials that are fitted here"
        if screens
        else "Use SharedForest or RootedForests, which screen pairs first"
    )
    raise InputError(
        f"{name} holds a number for every row and pair, and is meant for tables of up to "
        f"{MEANT_FOR:,} columns; {counted(d, 'column')} and {counted(n, 'row')} would take about "
        f"{size:.1f} GiB. {cure}."
    )
