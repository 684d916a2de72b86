"""Whether there is a GPU to compute on, and how kernels are compiled for it.

Formulas are written once, for the processor (:mod:`spinney._core.compile`); :func:`twin` compiles
the same code a second time, for the GPU. Nothing here is imported before somebody asks for
``device="cuda"``: numba-cuda, torch and the driver are optional.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core import compile as _compile

__all__ = [
    "cuda_kernel",
    "cuda_module",
    "device_function",
    "download",
    "free_memory",
    "simulated",
    "torch_module",
    "twin",
    "why_no_cuda",
]

HOW_TO_INSTALL = 'What is needed comes with: pip install "spinney[cuda]".'


@cache
def why_no_cuda(needs: tuple[str, ...] = ("numba-cuda",)) -> str | None:
    """Say in a sentence why there is no GPU to compute on; None if there is one."""
    tests = {"numba-cuda": _why_no_numba_cuda, "torch": _why_no_torch}
    return next((why for need in needs if (why := tests[need]()) is not None), None)


def _why_no_numba_cuda() -> str | None:
    try:
        cuda = cuda_module()
    except ImportError:
        return f"numba-cuda is not installed. {HOW_TO_INSTALL}"
    if cuda.is_available():
        return None
    return (
        "numba finds no NVIDIA GPU with a working driver (does `nvidia-smi` list one?), or not "
        f"the libraries of CUDA. {HOW_TO_INSTALL}"
    )


def _why_no_torch() -> str | None:
    try:
        torch = torch_module()
    except ImportError:
        return f"torch is not installed. {HOW_TO_INSTALL}"
    if torch.cuda.is_available() or simulated():
        return None
    return f"torch finds no GPU, or was built without CUDA. {HOW_TO_INSTALL}"


@cache
def cuda_module() -> Any:
    """Import ``numba.cuda``, with all that it would otherwise import at its first kernel.

    What numba-cuda does with numpy of today is between the two: nobody is warned of it.
    """
    # numba-cuda 0.30 reads np.row_stack, which numpy 2.5 has no longer; it is np.vstack.
    vars(np).setdefault("row_stack", np.vstack)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cuda: Any = import_module("numba.cuda")
        if not simulated() and cuda.is_available():
            target: Any = import_module("numba.cuda.descriptor").cuda_target
            target.typing_context.refresh()
            target.target_context.refresh()
    # A few pairs make a small grid, which is not to be warned of.
    for name in ("numba.core.config", "numba.cuda.core.config"):
        if hasattr(sys.modules.get(name), "CUDA_LOW_OCCUPANCY_WARNINGS"):
            sys.modules[name].CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]
    return cuda


def torch_module() -> Any:
    """Import torch."""
    import torch

    return torch


def simulated() -> bool:
    """Tell whether numba only simulates a GPU (``NUMBA_ENABLE_CUDASIM=1``), as tests do."""
    from numba import config

    return bool(getattr(config, "ENABLE_CUDASIM", False))


def free_memory() -> int:
    """Count the bytes that are free on the GPU."""
    if simulated():
        return 1 << 28
    return int(cuda_module().current_context().get_memory_info().free)


def cuda_kernel(
    function: Callable[..., Any],
    *,
    name: str = "",
    files: tuple[str, ...] = (),
    registers: int | None = None,
    **names: Any,
) -> Any:
    """Compile a kernel of the GPU, or read it from where numba keeps machine code on disc.

    Nothing is kept if the variable ``SPINNEY_CUDA_CACHE`` is 0.

    Parameters
    ----------
    function : function
        The kernel.
    name : str
        What tells it from kernels of the same code in which names mean something else.
    files : tuple of str
        Sources besides its own on which the code depends.
    registers : int, optional
        Most registers that a thread may use.
    **names
        What some of the global names in it shall mean.
    """
    known = {**function.__globals__, **names}
    code = FunctionType(function.__code__, known, function.__name__)
    code.__qualname__ = f"{function.__name__}-{name}" if name else function.__name__
    code.__module__ = function.__module__
    if simulated():
        return cuda_module().jit(code)
    keep = os.environ.get("SPINNEY_CUDA_CACHE", "1") != "0"
    compiled = cuda_module().jit(cache=keep, max_registers=registers)(code)
    # As in spinney._core.compile: a change to any source that the code comes from counts.
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        sources = [Path(function.__code__.co_filename), *map(Path, files)]
        stamps = [_compile._source_stamp(path) for path in sources]
        cache_file._source_stamp = tuple(map(sum, zip(*stamps, strict=True)))
    return compiled


def device_function(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels on the GPU may call."""
    return cuda_module().jit(device=True)(function)


def twin(kernel: Any, **names: Any) -> Any:
    """Compile a kernel of the processor a second time, for the GPU.

    Parameters
    ----------
    kernel : kernel
        Something that :mod:`spinney._core.compile` has compiled.
    **names
        What some of the global names in it shall mean on the GPU: other twins, mostly. ``np``
        means ``math`` if nothing else is said, whose functions of one number have the same
        names, and which numba knows on the GPU.

    Returns
    -------
    function that kernels on the GPU may call
    """
    source = getattr(kernel, "py_func", kernel)
    known = {**source.__globals__, "np": math, **names}
    return device_function(FunctionType(source.__code__, known, source.__name__))


STAGE = 1 << 26
"""Bytes of a buffer between the two memories."""


class _Stage:
    """Two buffers in memory that the GPU reads by itself: one is filled while the other travels.

    From ordinary memory a copy takes more than twice as long, and to pages that nobody has touched
    yet ten times.
    """

    def __init__(self) -> None:
        torch = torch_module()
        self.lock = Lock()
        with torch.inference_mode(False):  # whoever comes first may be in that mode, others not
            room = torch.empty((2, STAGE // 8), dtype=torch.float64, pin_memory=True)
            self.buffers = [room[0], room[1]]
        self.events = [torch.cuda.Event() for _ in self.buffers]

    def fetch(self, source: Any, target: Any) -> None:
        pending = None
        with self.lock:
            for k, start in enumerate(range(0, len(source), STAGE // 8)):
                part, event = source[start : start + STAGE // 8], self.events[k % 2]
                buffer = self.buffers[k % 2][: len(part)]
                event.synchronize()
                buffer.copy_(part, non_blocking=True)
                event.record()
                if pending is not None:
                    self._put_down(target, *pending)
                pending = (start, buffer, event)
            if pending is not None:
                self._put_down(target, *pending)

    @staticmethod
    def _put_down(target: Any, start: int, buffer: Any, event: Any) -> None:
        event.synchronize()
        target[start : start + len(buffer)].copy_(buffer)


@cache
def _stage() -> _Stage:
    return _Stage()


def download(tensor: Any) -> NDArray[np.float64]:
    """Copy a tensor of doubles from the GPU."""
    found = np.empty(tuple(tensor.shape))
    target = torch_module().from_numpy(found)
    if simulated():
        target.copy_(tensor)
    else:
        _stage().fetch(tensor.contiguous().view(-1), target.view(-1))
    return found
