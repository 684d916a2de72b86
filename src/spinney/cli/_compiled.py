"""Whether machine code for this machine is there already, found out without loading numba."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["FIRST_RUN", "kernels_compiled"]

FIRST_RUN = (
    "First run on this machine: compiling kernels, about a minute. "
    "`spinney info --warm-up` does it ahead."
)
"""What is said at the start where it is not."""

_ROOT = Path(__file__).resolve().parents[1]
_SIGNS = {"copulas": ("_block", "_search"), "forests": ("_lanes", "_wide")}
"""Kernels that every graph is learned with: by folder, files of which one must be compiled."""


def kernels_compiled() -> bool:
    """Whether the kernels that every graph needs lie compiled in numba's cache.

    A quick look at the names and the dates of files: numba itself, which would know for certain,
    takes half a second to load. Older than their sources, they count as not compiled.

    Examples
    --------
    >>> kernels_compiled() in (True, False)
    True
    """
    return all(_is_compiled(_ROOT / folder, names) for folder, names in _SIGNS.items())


def _is_compiled(folder: Path, names: tuple[str, ...]) -> bool:
    tag = f".py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}.nbi"
    changed = max(source.stat().st_mtime for source in folder.glob("*.py"))
    return any(
        index.stat().st_mtime >= changed
        for place in _places(folder)
        for name in names
        for index in place.glob(f"{name}.*{tag}")
    )


def _places(folder: Path) -> Iterator[Path]:
    """Yield where numba may keep what it compiled from a folder, in the order it looks there."""
    # As numba names it: short enough for every system.
    own = f"{folder.name}_{hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()}"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen) / own
        return
    yield folder / "__pycache__"
    yield _of_the_user() / own


def _of_the_user() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        local = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
        return local / "numba" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "numba"
