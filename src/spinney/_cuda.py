"""Whether there is a GPU to compute on, and how kernels are compiled for it.

Formulas are written once, for the processor (:mod:`spinney._compile`); :func:`twin` compiles the
same code a second time, for the GPU. Nothing here is imported before somebody asks for
``device="cuda"``: numba-cuda, torch and the driver are optional.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any
from warnings import warn

import numpy as np

from spinney.exceptions import DataWarning, InputError

__all__ = [
    "DEVICES",
    "cuda_module",
    "device_function",
    "read_device",
    "simulated",
    "torch_module",
    "twin",
    "why_no_cuda",
]

DEVICES = ("cpu", "cuda")
"""Where spinney can compute."""

HOW_TO_INSTALL = 'Install it with: pip install "spinney[cuda]".'


def read_device(device: object, *, torch: bool = False) -> str:
    """Read the name of a device; without a usable GPU, "cuda" becomes "cpu" with a word.

    Parameters
    ----------
    device : {"cpu", "cuda"}
        The name that somebody has given.
    torch : bool
        Whether torch is needed beside numba-cuda.

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
    reason = why_no_cuda(torch=torch)
    if reason is None:
        return device
    warn(
        f'device="cuda" is not available, so the processor computes: {reason}',
        DataWarning,
        stacklevel=3,
    )
    return "cpu"


@cache
def why_no_cuda(*, torch: bool = False) -> str | None:
    """Say in a sentence why there is no GPU to compute on; None if there is one."""
    try:
        cuda = cuda_module()
    except ImportError:
        return f"numba-cuda is not installed. {HOW_TO_INSTALL}"
    if not cuda.is_available():
        return (
            "numba-cuda finds no NVIDIA GPU with a working driver; `nvidia-smi` tells whether the "
            "system sees one."
        )
    if torch and not simulated():
        try:
            found = torch_module()
        except ImportError:
            return f"torch is not installed. {HOW_TO_INSTALL}"
        if not found.cuda.is_available():
            return "the torch that is installed was built without CUDA. " + HOW_TO_INSTALL
    return None


def cuda_module() -> Any:
    """Import ``numba.cuda``."""
    # numba-cuda 0.30 reads np.row_stack at its import, which numpy 2.5 no longer has.
    missing = not hasattr(np, "row_stack")
    if missing:
        np.vstack = np.vstack  # type: ignore[attr-defined]
    try:
        from numba import cuda
    finally:
        if missing:
            del np.vstack  # type: ignore[attr-defined]
    return cuda


def torch_module() -> Any:
    """Import torch."""
    import torch

    return torch


def simulated() -> bool:
    """Tell whether numba only simulates a GPU (``NUMBA_ENABLE_CUDASIM=1``), as tests do."""
    from numba import config

    return bool(config.ENABLE_CUDASIM)


def device_function(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels on the GPU may call."""
    return cuda_module().jit(device=True)(function)


def twin(kernel: Any, **names: Any) -> Any:
    """Compile a kernel of the processor a second time, for the GPU.

    Parameters
    ----------
    kernel : kernel
        Something that :mod:`spinney._compile` has compiled.
    **names
        What some of the global names in it shall mean on the GPU: other twins, mostly. ``np``
        means :mod:`math` if nothing else is said, whose functions of one number have the same
        names, and which numba knows on the GPU.

    Returns
    -------
    function that kernels on the GPU may call
    """
    source = getattr(kernel, "py_func", kernel)
    known = {**source.__globals__, "np": math, **names}
    return device_function(FunctionType(source.__code__, known, source.__name__))
