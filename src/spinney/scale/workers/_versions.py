"""Workers must have the same versions as the process that asks them: else numbers differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spinney.exceptions import InputError

__all__ = ["Versions", "check_versions", "find_versions", "own_versions"]

Versions = dict[str, str | None]
"""Version by package; None where it is not installed."""


def find_versions() -> Callable[[], Versions]:
    """Make a function that finds the versions of the process that it runs in.

    It is made here because functions within functions travel whole: a worker may have no spinney
    to look one up in.
    """

    def versions() -> dict[str, str | None]:
        import importlib
        import platform

        found: dict[str, str | None] = {"Python": platform.python_version()}
        for package in ("spinney", "numpy", "scipy", "numba"):
            try:
                found[package] = str(importlib.import_module(package).__version__)
            except ImportError:
                found[package] = None
        return found

    return versions


def own_versions() -> Versions:
    """Return the versions of this process."""
    return find_versions()()


def check_versions(workers: dict[str, Any], own: Versions) -> None:
    """Refuse workers, given by address, whose versions are not those of this process.

    Examples
    --------
    >>> check_versions({"tcp://a:1": {"numba": "0.60.0"}}, {"numba": "0.61.2"})
    Traceback (most recent call last):
    spinney.exceptions.InputError: The worker tcp://a:1 has numba 0.60.0 and this process has numba
    0.61.2, so their numbers may differ. Install the same version on both.
    """
    for address in sorted(workers):
        found = workers[address]
        if found.get("spinney", "") is None:
            raise InputError(
                f"The worker {address} has no spinney. Install spinney {own['spinney']} where the "
                "workers run."
            )
        for package, version in own.items():
            if found.get(package) != version:
                raise InputError(
                    f"The worker {address} has {package} {found.get(package)} and this process has "
                    f"{package} {version}, so their numbers may differ. Install the same version "
                    "on both."
                )
