"""How spinney compiles its kernels: four decorators, so that the options are chosen once.

Kernels are cached on disc, release the interpreter's lock (threads run them side by side), divide
as numpy does (a check for zero would keep loops from becoming vector code) and may fuse a
multiplication with an addition, which rounds once instead of twice. No other liberty of
``fastmath`` is taken, but that sums may be reordered where :func:`reduction` says so: infinities
are ordinary values here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from spinney._core.processor import lanes, native_lanes

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).resolve().parents[1]
_TILES = _ROOT / "forests" / "_tiles.py"  # code that uses it depends on the number of lanes
_IMPORT = re.compile(r"^\s*(?:from|import) (spinney[\w.]*)(?: import (\([^)]*\)|[^\n]*))?", re.M)


def kernel(function: F) -> F:
    """Compile `function` with numba on its first call; for type checkers it stays what it was."""
    return _compile(function, {"contract"})


def reduction(function: F) -> F:
    """Compile a sum whose order of additions does not matter, so that it becomes vector code."""
    return _compile(function, {"contract", "reassoc"})


def inlined(function: F) -> F:
    """Compile a part of a kernel that is to become one with every kernel that calls it.

    Small problems would otherwise spend a tenth of their time on handing arrays around.
    """
    return _compile(function, {"contract"}, forceinline=True)


def merged(function: F) -> F:
    """Compile a step of one long kernel with that kernel, not by itself.

    It runs no faster than a kernel, but a third of the time that compiling takes is saved: numba
    optimises everything below a kernel anew for each one that calls it.
    """
    return _compile(function, {"contract"}, inline="always")


class _Memory:
    """The memory of an array, offered to numpy as if one might write to it."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        address = array.__array_interface__["data"][0]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
        self.owner = array


def as_writeable(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """View an array that may be read-only as one that is not; for kernels that only read it.

    Numba compiles anew, for ten seconds, when an argument is read-only, as memory-mapped tables
    are. An empty array has no memory and is copied.

    Examples
    --------
    >>> table = np.ones(3)
    >>> table.flags.writeable = False
    >>> view = as_writeable(table)
    >>> view.flags.writeable, np.shares_memory(view, table)
    (True, True)
    """
    if array.flags.writeable:
        return array
    return np.asarray(_Memory(array)) if array.size else array.copy()


def address_of(function: Callable[..., Any], argument_types: tuple[Any, ...]) -> int:
    """Compile a kernel for arguments of some numba types; return where its machine code begins.

    Kernels can then be handed to another kernel as numbers, in a table that is filled at run time:
    unlike a kernel that names what it calls, the other one need not be compiled again when the
    table changes. The code stays in place as long as the kernel exists.
    """
    compiled: Any = function
    compiled.compile(argument_types)
    result = compiled.overloads[argument_types]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


@cache
def cache_folder() -> Path | None:
    """Find the folder of this package's cached machine code; None if none is writable."""
    try:
        probe: Any = kernel(_probe)
        return Path(probe.stats.cache_path)
    except RuntimeError:  # raised by numba where no folder is writable
        return None


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a kernel's machine code lies on disc, and none of its sources has changed since."""
    kept: Any = getattr(getattr(function, "_cache", None), "_cache_file", None)
    return kept is not None and bool(kept._load_index())


def _probe() -> None:
    """Something to compile; never called."""


class _CacheOnUse:
    """Numba's cache for one kernel, set up when it is first asked for.

    Most kernels are parts of others and never loaded by themselves.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._lanes = lanes()

    def __getattr__(self, name: str) -> Any:
        self._compiled.enable_caching()  # puts numba's own in place of this
        kept = self._compiled._cache
        if hasattr(kept, "_cache_file"):
            path = Path(self._compiled.py_func.__code__.co_filename).resolve()
            _look_at_all_sources(kept, path, self._lanes)
        return getattr(kept, name)


def _compile(function: F, fastmath: set[str], **more: Any) -> F:
    compiled: Any = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath, **more)(function)
    if hasattr(compiled, "enable_caching"):  # not where NUMBA_DISABLE_JIT is set
        compiled._cache = _CacheOnUse(compiled)
    result: F = compiled
    return result


def _look_at_all_sources(kept: Any, path: Path, n_lanes: int) -> None:
    """Let numba's cache know what else a kernel depends on.

    It looks only at the file that the kernel stands in, and would keep machine code with old
    versions of what it calls in other files. Here a change to any of them counts. What is compiled
    for a number of lanes that is not the processor's own (which numba tells apart) has a file of
    its own, so that both can be used in turn.
    """
    kept._cache_file._source_stamp = _source_stamp(path)
    if _TILES in _sources(path) and n_lanes != native_lanes():
        name = f"{kept._impl.filename_base}.lanes{n_lanes}"
        kept._cache_file = type(kept._cache_file)(kept.cache_path, name, _source_stamp(path))


@cache
def _source_stamp(path: Path) -> tuple[int, int, int]:
    """Count and size the sources that a kernel in a file may use, and find the latest change."""
    stats = [file.stat() for file in _sources(path)]
    return len(stats), sum(s.st_size for s in stats), max(s.st_mtime_ns for s in stats)


@cache
def _sources(path: Path) -> frozenset[Path]:
    """List the sources that a kernel in a file may use."""
    pending, seen = [path.resolve()], set()
    while pending:
        file = pending.pop()
        if file not in seen:
            seen.add(file)
            pending += _imported_files(file)
    return frozenset(seen)


@cache
def _imported_files(path: Path) -> list[Path]:
    """List the files of this package that a file imports from.

    By pattern, since parsing every file would take longer than importing it. A match in a docstring
    does no harm: it names a file too many.
    """
    found = []
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        base = _ROOT.joinpath(*module.split(".")[1:])
        if (file := base.with_suffix(".py")).is_file():
            found.append(file)
            continue
        for place in [base, *(base / name for name in re.findall(r"\w+", names))]:
            found += [f for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()]
    # The package's own front door only hands on what stands elsewhere; no kernel is there.
    return [file for file in found if file != _ROOT / "__init__.py"]
