"""A folder of results, whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spinney._files import whole_folder
from spinney.exceptions import InputError
from spinney.report.outputs import OUTPUTS, Output

if TYPE_CHECKING:
    from spinney.report.view import GraphView

__all__ = ["check_folder", "write_results"]


def check_folder(
    folder: str | Path, *, force: bool = False, outputs: Iterable[Output] = OUTPUTS
) -> Path:
    """Find out before the work, not after it, whether results may be written to a folder.

    Raises
    ------
    InputError
        If it is a file, holds earlier results (and not `force`), or cannot be written to.

    Examples
    --------
    >>> check_folder("results").name
    'results'
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file. Name a folder with --out.")
    there = [output.name for output in outputs if (folder / output.name).exists()]
    if there and not force:
        raise InputError(
            f"'{folder}' already holds {', '.join(there)}. "
            "Give --force to replace, or another folder with --out."
        )
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"'{place}' cannot be written to. Name another folder with --out.")
    return folder


def write_results(
    folder: str | Path,
    view: GraphView,
    *,
    force: bool = False,
    outputs: Iterable[Output] = OUTPUTS,
) -> Path:
    """Write a learned graph to a folder: all files or none.

    Parameters
    ----------
    folder : path
        Made if need be. Files of other names that are there stay.
    view : GraphView
        See :func:`spinney.report.view_of`.
    force : bool
        Whether to replace earlier results.
    outputs : list of Output
        The files; by default all of :data:`spinney.report.OUTPUTS`.

    Returns
    -------
    path
        The folder.
    """
    outputs = tuple(outputs)
    folder = check_folder(folder, force=force, outputs=outputs)
    with whole_folder(folder) as temporary:
        checksums: dict[str, str] = {}
        for output in outputs:
            told = replace(view, run={**(view.run or {}), "files": dict(checksums)})
            output.write(temporary / output.name, told if output.name == "run.json" else view)
            checksums[output.name] = _checksum(temporary / output.name)
    return folder


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
