"""A folder of results: its files, one line each, written all or none.

A new output is a function ``write(path, graph)`` and a line in :data:`OUTPUTS`. The list has only
names: modules are imported when a file is written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spinney._core.files import whole_folder
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = [
    *(
        "CHECK_FILES",
        "MODEL_FILE",
        "OUTPUTS",
        "RECORD",
        "STABILITY_FILES",
        "Output",
        "check_files",
        "check_folder",
        "checksum",
    ),
    *("whole_results", "without_report", "write_outputs", "write_results"),
]


class Output(NamedTuple):
    """One file of a folder of results.

    Attributes
    ----------
    name : str
        Of the file.
    meaning : str
        Short description for a list of files.
    place : str
        Module of :mod:`spinney.graph.report`, and the function in it that writes the file.
    """

    name: str
    meaning: str
    place: str

    def write(self, path: Path, graph: LearnedGraph) -> None:
        """Write the file."""
        module, _, function = self.place.rpartition(".")
        getattr(import_module(f"spinney.graph.report.{module}"), function)(path, graph)


OUTPUTS: tuple[Output, ...] = (
    Output("report.html", "all of it, explained; open it in a browser", "writers.write_report"),
    Output("edges.csv", "every edge with its numbers", "writers.write_edges"),
    Output("pairs.csv", "pairs, the most likely edge first", "writers.write_pairs"),
    Output("nodes.csv", "every column: component, degree, centralities", "writers.write_nodes"),
    Output("graph.graphml", "for Cytoscape, Gephi or networkx", "writers.write_graphml"),
    Output("graph.svg", "the picture, editable", "writers.write_svg"),
    Output("graph.png", "the picture", "writers.write_png"),
    Output("strengths.svg", "the edges' strengths, with intervals", "writers.write_strengths"),
    Output("paper.md", "words for a paper: methods, results, caption", "writers.write_paper"),
    Output("run.json", "how it was made, to do it again", "run_record.write_run"),
)
"""The files in the order of writing; the record of the run, with the checksums of the others, is
the last."""

MODEL_FILE = Output("graph.spinney", "the model, for Python", "writers.write_model")
"""The model, written on request only, because it holds the data."""
CHECK_FILES = (
    Output("check.csv", "pairs of the added columns", "writers.write_check"),
    Output("check.png", "how many of their edges were found", "writers.write_check_png"),
)
"""What :meth:`LearnedGraph.check` found, written if it was asked for."""
STABILITY_FILES = tuple(
    Output(f"stability{name}", meaning, f"stability.{place}")
    for name, meaning, place in (
        (".csv", "how often each pair is an edge, intervals", "write_pairs"),
        ("-cases.csv", "correlations by share of cases dropped, CS", "write_cases"),
        ("-differences.csv", "which edges and columns differ", "write_differences"),
        ("-edges.png", "strengths in bootstrap samples", "draw_edges"),
        ("-cases.png", "how many cases can be dropped", "draw_cases"),
        ("-edge-differences.png", "which edges differ", "draw_edge_differences"),
        ("-column-differences.png", "which columns differ", "draw_column_differences"),
    )
)
"""What :func:`spinney.learn_stability` found, written if it was asked for."""
RECORD = "run.json"
"""The file with the checksums of the others."""
SHOWN = 3
"""Files named in a message."""


def without_report(outputs: Iterable[Output]) -> tuple[Output, ...]:
    """Leave the page and the pictures out of a list of files."""
    shown = (".html", ".png", ".svg")
    return tuple(output for output in outputs if not output.name.endswith(shown))


def check_folder(
    folder: str | Path, *, force: bool = False, outputs: Iterable[Output] = OUTPUTS
) -> Path:
    """Check, before the work, whether results may be written to a folder.

    Leftovers of a run that was killed are removed first.

    Parameters
    ----------
    folder : path
        Need not exist.
    force : bool
        Whether earlier results may be replaced.
    outputs : list of Output
        The files to be written.

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
    """Check whether files of these names may be written to a folder; see `check_folder`."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file. Name a folder with --out.")
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
        raise InputError(
            f"'{place}' is a file, so there is no folder '{folder}'. Name another with --out."
        )
    if not os.access(place, os.W_OK):
        raise InputError(f"'{place}' cannot be written to. Name another folder with --out.")
    return folder


def write_results(
    folder: str | Path,
    graph: LearnedGraph,
    *,
    force: bool = False,
    outputs: Iterable[Output] = OUTPUTS,
) -> Path:
    """Write a learned graph to a folder: all files or none.

    Parameters
    ----------
    folder : path
        Made if needed. Other files in it are kept.
    graph : LearnedGraph
        See :meth:`LearnedGraph.of`.
    force : bool
        Whether to replace earlier results.
    outputs : list of Output
        The files; by default all of :data:`spinney.graph.report.OUTPUTS`. ``run.json`` gets the
        checksums (SHA-256) of the files before it, as ``graph.run["files"]``.

    Returns
    -------
    path
        The folder.

    Raises
    ------
    InputError
        If the folder holds earlier results, without `force`.
    OSError
        If the disc is full, or a file cannot be written; then nothing has changed.
    """
    outputs = tuple(outputs)
    folder = check_folder(folder, force=force, outputs=outputs)
    with whole_results(folder) as temporary:
        write_outputs(temporary, graph, outputs)
        check_folder(folder, force=force, outputs=outputs)  # another run may have been faster
    return folder


@contextmanager
def whole_results(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which becomes `folder` at the end; errors say what to do."""
    try:
        with whole_folder(folder) as temporary:
            yield temporary
    except OSError as error:
        # The exact path is useless: the temporary folder is gone.
        reason = (error.strerror or str(error)).rstrip(".")
        text = f"{reason}, so no results were written. Make room or name another folder with --out"
        raise OSError(error.errno or 0, text, str(folder)) from error


def write_outputs(place: Path, graph: LearnedGraph, outputs: Iterable[Output]) -> None:
    """Write files to an existing folder; the record of the run gets their checksums."""
    checksums: dict[str, str] = {}
    for output in outputs:
        if output.name == RECORD:
            graph = replace(graph, run={**(graph.run or {}), "files": dict(checksums)})
        output.write(place / output.name, graph)
        checksums[output.name] = checksum(place / output.name)


def checksum(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
