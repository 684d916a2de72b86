"""Choices among known names: of a column, a method, a keyword, a device."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

from spinney.exceptions import DataWarning, InputError

if TYPE_CHECKING:
    import numpy as np

Ties = Literal["auto", "average", "random", "levels"]
TIES: tuple[Ties, ...] = ("auto", "average", "random", "levels")
"""What equal values of a continuous column are."""
DEVICES = ("cpu", "cuda")
"""Where spinney can compute."""
HOW_TO_INSTALL = 'Install what is needed: pip install "spinney[cuda]".'

MOST_SHOWN = 20
"""Names that an error lists."""


def check_choice(
    value: object, choices: Iterable[str], what: str, called: Mapping[str, str] | None = None
) -> str:
    """Return `value` if it is one of `choices`, or list the choices and suggest the closest.

    `called` has other names that are suggested, but not taken.

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
    hint = did_you_mean(value, choices, called)
    shown = ", ".join(choices if len(choices) <= MOST_SHOWN else [*choices[:MOST_SHOWN], "…"])
    raise InputError(f"There is no {what} {value!r}.{hint} Choose from: {shown}.")


def did_you_mean(
    value: object, choices: Iterable[str], called: Mapping[str, str] | None = None
) -> str:
    """Ask whether the closest of some names was meant, with a blank before; "" if none is close.

    Examples
    --------
    >>> did_you_mean("agee", ["age", "sex"])
    " Did you mean 'age'?"
    """
    folded = {**(called or {}), **{choice.casefold(): choice for choice in choices}}
    close = get_close_matches(str(value).casefold(), list(folded), n=1)
    return f" Did you mean '{folded[close[0]]}'?" if close else ""


def column_position(column: Any, names: Sequence[str], what: str) -> int:
    """Find a column that is given by name or position; `what` names the parameter.

    Examples
    --------
    >>> column_position("b", ("a", "b"), "required"), column_position(0, ("a", "b"), "required")
    (1, 0)
    """
    whole = isinstance(column, Integral) and not isinstance(column, bool)
    if whole and 0 <= column < len(names):
        return int(column)
    if column in names:
        return names.index(column)
    hint = did_you_mean(column, names)
    raise InputError(f"{what} names a column {column!r} that the table does not have.{hint}")


def check_ties(ties: object) -> None:
    """Refuse a rule for ties that does not exist."""
    if ties not in TIES:
        raise InputError(f"ties must be one of {', '.join(map(repr, TIES))}, not {ties!r}.")


def read_random_state(random_state: Any) -> np.random.Generator:
    """Make a generator of a seed, or return the one that is given."""
    import numpy as np

    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(
            "random_state must be a whole number that is not negative, a numpy Generator or None; "
            f"it is {random_state!r}."
        ) from error


def read_seed(random_state: Any, below: int = 2**63) -> int:
    """Turn a seed, a generator (from which one is drawn) or None (a fresh one) into a seed.

    Examples
    --------
    >>> read_seed(7)
    7
    """
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(read_random_state(random_state).integers(below))


def read_device(device: object) -> str:
    """Read the name of a device; without a usable GPU, warn and return "cpu" for "cuda".

    Parameters
    ----------
    device : {"cpu", "cuda"}
        Name of the device.

    Warns
    -----
    DataWarning
        If there is no usable GPU: why, and what to do.

    Raises
    ------
    InputError
        If there is no such device.

    Examples
    --------
    >>> read_device("cpu")
    'cpu'
    """
    if not isinstance(device, str) or device not in DEVICES:
        raise InputError(f"device must be one of {', '.join(DEVICES)}; it is {device!r}.")
    if device == "cpu":
        return device
    reason = why_no_cuda()
    if reason is None:
        return device
    warnings.warn(
        f'device="cuda" cannot be used here, so the CPU is used: {reason}',
        DataWarning,
        stacklevel=3,
    )
    return "cpu"


@cache
def why_no_cuda() -> str | None:
    """Say in a sentence why there is no GPU to compute on; None if there is one."""
    try:
        torch = import_module("torch")
    except ImportError:
        return f"torch is not installed. {HOW_TO_INSTALL}"
    if torch.cuda.is_available():
        return None
    return f"torch finds no GPU, or was built without CUDA. {HOW_TO_INSTALL}"
