"""A folder of results, whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spinney._core.files import remove_stale, whole_folder
from spinney.exceptions import InputError
from spinney.graph.report.outputs import OUTPUTS, Output

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = [
    "RECORD",
    "check_files",
    "check_folder",
    "checksum",
    "whole_results",
    "write_outputs",
    "write_results",
]

RECORD = "run.json"
"""The file that knows the checksums of the others."""


SHOWN = 3
"""Files that a message names."""


def check_folder(
    folder: str | Path, *, force: bool = False, outputs: Iterable[Output] = OUTPUTS
) -> Path:
    """Find out before the work, not after it, whether results may be written to a folder.

    What an earlier run left there when it was killed is finished or taken away first.

    Parameters
    ----------
    folder : path
        Need not be there.
    force : bool
        Whether earlier results may be replaced.
    outputs : list of Output
        The files that are to be written.

    Returns
    -------
    path
        The folder.

    Raises
    ------
    InputError
        If it is a file, holds earlier results (without `force`), or cannot be written to.

    Examples
    --------
    >>> check_folder("results").name
    'results'
    """
    return check_files(folder, [output.name for output in outputs], force=force)


def check_files(folder: str | Path, names: Iterable[str], *, force: bool = False) -> Path:
    """Find out whether files of these names may be written to a folder; see `check_folder`."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file. Name a folder with --out.")
    remove_stale(folder)
    remove_stale(folder.absolute().parent)
    there = [name for name in names if os.path.lexists(folder / name)]
    if there and not force:
        more = f" and {len(there) - SHOWN} more files" if len(there) > SHOWN + 1 else ""
        shown = ", ".join(there[:SHOWN] if more else there)
        raise InputError(
            f"'{folder}' already holds {shown}{more}. "
            "Give --force to replace, or another folder with --out."
        )
    for name in there:
        if (folder / name).is_dir():
            raise InputError(
                f"'{folder / name}' is a folder, which is not replaced by a file. Name another "
                "folder for the results with --out."
            )
    place = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not place.is_dir():
        raise InputError(f"'{place}' is a file, so there is no folder '{folder}'. Name another "
                         "with --out.")  # fmt: skip
    if not os.access(place, os.W_OK):
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
        See :func:`spinney.graph.report.view_of`.
    force : bool
        Whether to replace earlier results.
    outputs : list of Output
        The files; by default all of :data:`spinney.graph.report.OUTPUTS`. ``run.json`` is told the
        checksums (SHA-256) of those before it, as ``view.run["files"]``.

    Returns
    -------
    path
        The folder.

    Raises
    ------
    InputError
        If earlier results are there, and not `force`.
    OSError
        If the disc is full, or a file cannot be written; then nothing has changed.
    """
    outputs = tuple(outputs)
    folder = check_folder(folder, force=force, outputs=outputs)
    with whole_results(folder) as temporary:
        write_outputs(temporary, view, outputs)
        check_folder(folder, force=force, outputs=outputs)  # another run may have been faster
    return folder


@contextmanager
def whole_results(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which becomes `folder` at the end; errors say what to do."""
    try:
        with whole_folder(folder) as temporary:
            yield temporary
    except OSError as error:
        # Where exactly is of no use to anybody: that place is gone.
        reason = (error.strerror or str(error)).rstrip(".")
        text = f"{reason}, so no results were written. Make room or name another folder with --out"
        raise OSError(error.errno or 0, text, str(folder)) from error


def write_outputs(place: Path, view: GraphView, outputs: Iterable[Output]) -> None:
    """Write files to a folder that is there; the record of the run is told their checksums."""
    checksums: dict[str, str] = {}
    for output in outputs:
        told = view
        if output.name == RECORD:
            told = replace(view, run={**(view.run or {}), "files": dict(checksums)})
        output.write(place / output.name, told)
        checksums[output.name] = checksum(place / output.name)


def checksum(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
