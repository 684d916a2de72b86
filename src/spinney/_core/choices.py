"""The choice of a name among those that exist: of a column, a method, a device."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from difflib import get_close_matches

from spinney.exceptions import DataWarning, InputError

__all__ = ["DEVICES", "check_choice", "read_device"]

DEVICES = ("cpu", "cuda")
"""Where spinney can compute."""

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


def read_device(device: object, *, needs: tuple[str, ...] = ("numba-cuda",)) -> str:
    """Read the name of a device; without a usable GPU, warn and return "cpu" for "cuda".

    Parameters
    ----------
    device : {"cpu", "cuda"}
        The name that somebody has given.
    needs : tuple of str
        What the work needs: "numba-cuda", "torch", or both.

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
    from spinney.scale.gpu.device import why_no_cuda

    reason = why_no_cuda(needs)
    if reason is None:
        return device
    warnings.warn(
        f'device="cuda" cannot be used here, so the processor computes: {reason}',
        DataWarning,
        stacklevel=3,
    )
    return "cpu"
