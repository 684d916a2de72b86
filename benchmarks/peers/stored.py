"""Peers' results on the cells of ``benchmarks.accuracy``, one file per cell.

A file holds, for every method and seed, what the runner of ``benchmarks.accuracy`` would have
recorded (metrics, seconds, the mark of the table), and beside it the edges, the chosen penalty and
when the fit ran; methods' options, packages' versions and the machine are said once.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "read_cell", "stored_record"]

Record = dict[str, Any]
FOLDER = Path(__file__).parent
_OURS = ("edges", "penalty", "date")  # what the runner's records do not hold


def read_cell(cell: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Read the file of a cell; an empty one, if there is none."""
    path = folder / f"{cell}.json.xz"
    if not path.exists():
        return {"cell": cell, "machine": {}, "versions": {}, "methods": {}, "results": []}
    content: dict[str, Any] = json.loads(lzma.decompress(path.read_bytes()))
    return content


@cache
def _by_method_and_seed(cell: str, folder: Path) -> dict[tuple[str, int], Record]:
    return {(r["method"], r["seed"]): r for r in read_cell(cell, folder)["results"]}


def stored_record(
    cell: str, method: str, seed: int, table: str, folder: Path = FOLDER
) -> dict[str, Any]:
    """Return the record of one repetition, or one that says why there is none."""
    found = _by_method_and_seed(cell, folder).get((method, seed))
    if found is None:
        return {"error": "not stored; run `python -m benchmarks.peers.cells` where R is installed"}
    if found["table"] != table:
        return {"error": "the simulator has changed since; run `python -m benchmarks.peers.cells`"}
    return {name: value for name, value in found.items() if name not in _OURS}
