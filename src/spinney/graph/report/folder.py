"""A folder of results: its files, one line each, written all or none, and the record of the run.

A new output is a function ``write(path, graph)`` in :mod:`spinney.graph.report.writers` and a line
in :data:`OUTPUTS`. The list has only names: modules are imported when a file is written.

The record, ``run.json``, says how a graph was made, and what is needed to repeat it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spinney import __version__
from spinney._core.files import whole_folder
from spinney._core.text import cause
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph


class Output(NamedTuple):
    """One file of a folder of results.

    Attributes
    ----------
    name : str
        Of the file.
    meaning : str
        Short description for a list of files.
    writer : str
        Function of :mod:`spinney.graph.report.writers` that writes the file.
    """

    name: str
    meaning: str
    writer: str

    def write(self, path: Path, graph: LearnedGraph) -> None:
        """Write the file."""
        getattr(import_module("spinney.graph.report.writers"), self.writer)(path, graph)


OUTPUTS: tuple[Output, ...] = (
    Output("report.html", "all of it, explained; open it in a browser", "write_report"),
    Output("edges.csv", "every edge with its numbers", "write_edges"),
    Output("pairs.csv", "pairs, the most likely edge first", "write_pairs"),
    Output("nodes.csv", "every column: component, degree, centralities", "write_nodes"),
    Output("graph.graphml", "for Cytoscape, Gephi or networkx", "write_graphml"),
    Output("graph.svg", "the picture, editable", "write_svg"),
    Output("graph.png", "the picture", "write_png"),
    Output("strengths.svg", "the edges' strengths, with intervals", "write_strengths"),
    Output("paper.md", "words for a paper: methods, results, caption", "write_paper"),
    Output("run.json", "how it was made, to do it again", "write_run"),
)
"""The files in the order of writing; the record of the run, with the checksums of the others, is
the last."""

MODEL_FILE = Output("graph.spinney", "the model, for Python", "write_model")
"""The model, written on request only, because it holds the data."""
CHECK_FILES = (
    Output("check.csv", "pairs of the added columns, and what was found", "write_check"),
)
"""What :meth:`LearnedGraph.check` found, written if it was asked for."""
STABILITY_FILES = tuple(
    Output(f"stability{name}", meaning, writer)
    for name, meaning, writer in (
        (".csv", "how often each pair is an edge, intervals", "write_stability"),
        ("-cases.csv", "correlations by share of cases dropped, CS", "write_cases"),
        ("-differences.csv", "which edges and columns differ", "write_differences"),
        ("-edges.png", "strengths in bootstrap samples", "draw_edges"),
        ("-cases.png", "how many cases can be dropped", "draw_cases"),
        ("-edge-differences.png", "which edges differ", "draw_edge_differences"),
        ("-column-differences.png", "which columns differ", "draw_column_differences"),
    )
)
"""What :func:`spinney.learn_stability` found, written if it was asked for."""
ALL_NAMES = {file.name for file in (*OUTPUTS, MODEL_FILE, *CHECK_FILES, *STABILITY_FILES)}
"""Names of all files that a folder of results may have."""
RECORD = "run.json"
"""The file with the checksums of the others."""
SHOWN = 3
"""Files named in a message."""


def without_report(outputs: Iterable[Output]) -> tuple[Output, ...]:
    """Leave the page and the pictures out of a list of files."""
    shown = (".html", ".png", ".svg")
    return tuple(output for output in outputs if not output.name.endswith(shown))


def names_of(outputs: Iterable[Output]) -> list[str]:
    """List the names of files."""
    return [output.name for output in outputs]


def check_files(folder: str | Path, names: Iterable[str], *, force: bool = False) -> Path:
    """Check, before the work, whether files may be written to a folder.

    Parameters
    ----------
    folder : path
        Need not exist.
    names : list of str
        The files to be written.
    force : bool
        Whether earlier ones may be replaced.

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
    >>> check_files("results", ["edges.csv"]).name
    'results'
    """
    folder = Path(folder)
    place = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not place.is_dir():
        raise InputError(f"'{place}' is a file. Name another folder with --out.")
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
    folder = check_files(folder, names_of(outputs), force=force)
    with whole_results(folder) as temporary:
        write_outputs(temporary, graph, outputs)
        check_files(folder, names_of(outputs), force=force)  # another run may have been faster
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


# The record of a run

FORMAT = "spinney run"
FORMAT_VERSION = 1
_PARTS = {"spinney_version": str, "command": list, "settings": dict, "data": dict, "result": dict}
"""Parts that a record needs to be repeated."""


def make_record(settings: Mapping[str, Any], time_s: float, **parts: Any) -> dict[str, Any]:
    """Put a record together, of plain values.

    Parameters
    ----------
    settings : mapping
        All that determines the graph besides the data.
    time_s : float
        Seconds that it took to learn.
    **parts
        ``command`` (the words of the command line), ``how`` (options that change no number, such
        as threads), ``data`` (path, name, format, checksum, size, decisions), ``known_edges``
        (pairs that were ``"required"`` and ``"forbidden"``), ``judge`` (name and fingerprint, or
        None), ``result`` (counts, and what was left out).

    Examples
    --------
    >>> record = make_record({"seed": 3}, 1.0, result={"edges": 2})
    >>> record["format"], record["seed"], record["result"]
    ('spinney run', 3, {'edges': 2})
    """
    from spinney._core.processor import machine  # here, to keep reading a record fast

    about = machine()
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "spinney_version": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": dict(settings),
        "seed": settings.get("seed"),
        **parts,
        "python": about.pop("python"),
        "versions": {**about.pop("versions"), "pandas": version("pandas")},
        "machine": about,
        "time_s": round(time_s, 3),
    }


def write_run(path: Path, graph: LearnedGraph) -> None:
    """Write the record of the run that made a graph, as far as it is known."""
    record = {"format": FORMAT, "format_version": FORMAT_VERSION, **(graph.run or {})}
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
    # Half a character in a name cannot be UTF-8, but JSON has an escape for it.
    path.write_bytes(f"{text}\n".encode("utf-8", "backslashreplace"))


def read_run(path: str | Path) -> dict[str, Any]:
    """Read a record, or refuse the file.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, not a record, or of a newer spinney.
    """
    path = Path(path)
    if path.is_dir() and not (path / RECORD).is_file():
        raise InputError(f"'{path}' is a folder without {RECORD}. Name the file.")
    path = path / RECORD if path.is_dir() else path
    try:
        record = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'. Check the path.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"'{path}' is not a {RECORD} of spinney: {cause(error)}.") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"'{path}' is JSON, but not a {RECORD} of spinney.")
    found = record.get("format_version")
    if found != FORMAT_VERSION:
        raise InputError(
            f"'{path}' has format version {found!r}; spinney {__version__} reads version "
            f"{FORMAT_VERSION}."
        )
    for part, kind in _PARTS.items():
        if not isinstance(record.get(part), kind):
            raise InputError(f"'{path}' is damaged: its {part!r} is missing or of a wrong kind.")
    return record
