"""The tables of a folder of results, and the way back from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from spinney._core.graph import parameters_text
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_csv, write_csv

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["read_edges", "read_nodes", "read_pairs", "write_edges", "write_nodes", "write_pairs"]


def write_edges(path: str | Path, view: GraphView) -> None:
    """Write the edges, best first; parameters of copulas with spaces between them."""
    table = view.edges
    if "parameters" in table:
        table = table.assign(parameters=[parameters_text(v) for v in table["parameters"]])
    write_csv(path, table)


def write_pairs(path: str | Path, view: GraphView) -> None:
    """Write every pair, best first."""
    write_csv(path, view.pairs)


def write_nodes(path: str | Path, view: GraphView) -> None:
    """Write every column."""
    write_csv(path, view.nodes)


def read_edges(path: str | Path) -> pd.DataFrame:
    """Read the edges of a folder of results, or of its ``edges.csv``; names as they were.

    Parameters
    ----------
    path : path
        The folder, or the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_csv(folder / "edges.csv", pd.DataFrame({"source": ["-a"], "target": ["b"]}))
    >>> read_edges(folder)
      source target
    0     -a      b
    """
    return _read(path, "edges.csv", ("source", "target"))


def read_pairs(path: str | Path) -> pd.DataFrame:
    """Read the pairs of a folder of results, or of its ``pairs.csv``; see :func:`read_edges`."""
    return _read(path, "pairs.csv", ("source", "target"))


def read_nodes(path: str | Path) -> pd.DataFrame:
    """Read the nodes of a folder of results, or of its ``nodes.csv``; see :func:`read_edges`."""
    return _read(path, "nodes.csv", ("name",))


def _read(path: str | Path, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
    path = Path(path)
    file = path / name if path.is_dir() else path
    if not file.is_file():
        where = f"'{path}' has no {name}" if path.is_dir() else f"There is no file '{path}'"
        raise InputError(f"{where}. Name a folder that 'spinney learn' wrote.")
    try:
        table = read_csv(file)
    except (ValueError, OSError) as error:
        raise InputError(f"'{file}' cannot be read as a table: {error}") from None
    missing = [column for column in columns if column not in table]
    if missing:
        raise InputError(
            f"'{file}' has no column '{missing[0]}', so it is no {name} that spinney wrote."
        )
    return table
