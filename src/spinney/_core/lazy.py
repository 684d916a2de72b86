"""Names that a package offers and loads when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["offer"]


def offer(
    package: str, homes: Mapping[str, str], parts: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package that loads late.

    Parameters
    ----------
    package : str
        Name of the package.
    homes : mapping
        Module in which each name is defined.
    parts : tuple of str
        Sub-packages that are offered as they are.

    Examples
    --------
    >>> load, names, _ = offer("spinney", {"sqrt": "math"})
    >>> load("sqrt")(9.0), names()
    (3.0, ['sqrt'])
    """
    offered = sorted([*homes, *parts])

    def load(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if name in parts:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: offered, offered
