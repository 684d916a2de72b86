"""How to compute: threads, engine and device, chosen once and handed down."""

from __future__ import annotations

from dataclasses import dataclass

from spinney._core.cuda import read_device
from spinney.exceptions import InputError
from spinney.forests._engines import find_engine
from spinney.forests._input import read_count

__all__ = ["Context", "read_context"]

CUDA_NEEDS = ("numba-cuda", "torch")


@dataclass(frozen=True)
class Context:
    """How sums over forests are computed; what they are does not depend on it.

    Whoever evaluates many times makes one and hands it to every call, in place of the keywords
    `threads` and `engine`.

    Parameters
    ----------
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
    engine : {"auto", "dense", "sparse", "log"}
        What does the work; "auto" takes the quickest, by known costs.
    device : {"cpu", "cuda"}
        Where the work is done. "cuda" is a GPU (``pip install "spinney[cuda]"``), to which dense
        networks are sent that are worth the way; without one the processor does it all.

    Raises
    ------
    InputError
        If there is no such engine or device, or `threads` is not a positive whole number.

    Warns
    -----
    DataWarning
        If there is no GPU to compute on, and `device` asks for one.

    Examples
    --------
    >>> from spinney import forests
    >>> context = forests.Context(threads=1, engine="dense")
    >>> round(forests.log_partition([[0, 2], [2, 0]], context=context), 3)
    1.609
    """

    threads: int | None = None
    engine: str = "auto"
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        if self.device == "cuda":
            object.__setattr__(self, "device", read_device(self.device, needs=CUDA_NEEDS))
        find_engine(self.engine, self.device)
        if self.threads is not None:
            object.__setattr__(self, "threads", read_count(self.threads, "threads"))


_DEFAULT = Context()


def read_context(
    context: Context | None,
    threads: int | None = None,
    engine: str = "auto",
    default: Context = _DEFAULT,
) -> Context:
    """Make one context of the keywords of a function: `context`, or `threads` and `engine`.

    Examples
    --------
    >>> read_context(None, 2).threads, read_context(Context(engine="log")).engine
    (2, 'log')
    """
    if context is None:
        if threads is None and engine == "auto":
            return default
        return Context(
            default.threads if threads is None else threads,
            default.engine if engine == "auto" else engine,
            default.device,
        )
    if threads is not None or engine != "auto":
        raise InputError("Pass either context, or threads and engine; not both.")
    if not isinstance(context, Context):
        raise InputError(f"context must be a forests.Context; it is {context!r}.")
    return context
