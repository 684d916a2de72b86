"""Finished halves on disc, so that a run that was stopped can go on."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from spinney._core.pairs import pair_index, pair_nodes
from spinney.exceptions import InputError
from spinney.models._halves import Half, Selected
from spinney.tables import Table

__all__ = ["Checkpoint", "settings_of"]

KIND = "stability selection"
FILE_NAME = "stability.jsonl"
"""Name of the file if a folder is given."""

_BEGINNING = f'{{"kind": "{KIND}"'.encode()
_WITHOUT_EFFECT = {"random_state", "n_jobs", "progress", "verbose"}
"""Parameters of the estimator that are set anew for each half, or change no result."""


def settings_of(table: Table, estimator: Any, seed: int, n_splits: int) -> dict[str, Any]:
    """Describe all on which the selected edges depend, as plain text and numbers.

    Examples
    --------
    >>> from sklearn.covariance import GraphicalLasso
    >>> table = Table.plain(np.eye(3), ("a", "b", "c"))
    >>> settings_of(table, GraphicalLasso(0.2), 0, 50)["estimator"]
    'sklearn.covariance._graph_lasso.GraphicalLasso'
    """
    parameters = estimator.get_params(deep=False)
    # Only where there are some, so that checkpoints of plain tables stay what they were.
    kinds: dict[str, Any] = {}
    if table.n_levels.any():
        kinds["kinds"] = [f"{column.kind} {len(column.levels)}" for column in table.columns]
    return {
        "table": f"{table.values.shape[0]} rows, {table.values.shape[1]} columns, "
        f"sha256 {_hash(table.values)}",
        "columns": f"sha256 {hashlib.sha256(json.dumps(table.names).encode()).hexdigest()}",
        **kinds,
        "estimator": _qualified_name(type(estimator)),
        **{
            f"estimator__{name}": _describe(parameters[name])
            for name in sorted(set(parameters) - _WITHOUT_EFFECT)
        },
        "random_state": seed,
        "n_splits": n_splits,
    }


class Checkpoint:
    """A file with one line of settings and one line per finished half.

    Parameters
    ----------
    path : path
        The file, or an existing folder to hold it.
    settings : dict
        From :func:`settings_of`. A file with other settings is refused, and left as it is.
    d : int
        Number of columns.
    """

    def __init__(self, path: str | os.PathLike[str], settings: dict[str, Any], d: int) -> None:
        given = Path(path)
        self.path = given / FILE_NAME if given.is_dir() else given
        self.settings = settings
        self.d = d
        self._nodes = pair_nodes(d)
        self._file: IO[bytes] | None = None

    @contextmanager
    def open(self) -> Iterator[list[Selected]]:
        """Yield what was finished before; :meth:`append` works until the block ends."""
        finished, whole = self._read()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            self._file = file
            file.truncate(whole)  # what a kill in the middle of a line left behind
            if whole == 0:
                self._write({"kind": KIND, "settings": self.settings})
            yield finished
        self._file = None

    def append(self, selected: Selected) -> None:
        """Keep a finished half for good: when this returns, it is on disc."""
        first, second = (nodes[selected.pairs].tolist() for nodes in self._nodes)
        self._write(
            {
                "split": selected.where.split,
                "half": selected.where.half,
                "edges": list(zip(first, second, strict=True)),
                "warnings": selected.notes,
            }
        )

    def _write(self, record: dict[str, Any]) -> None:
        assert self._file is not None  # `open` came first
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> tuple[list[Selected], int]:
        """Return the finished halves, and how many bytes of the file are whole lines."""
        content = self.path.read_bytes() if self.path.exists() else b""
        # A file that is not ours is never cut, whatever the way in which it ends.
        if content[: len(_BEGINNING)] != _BEGINNING[: len(content)]:
            raise InputError(
                f"{self.path} is not a checkpoint of stability selection. Choose another path."
            )
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].split(b"\n")[:-1]
        if not lines:
            return [], 0
        self._compare(self._parse(lines[0], 1).get("settings", {}))
        return [self._selected(line, k) for k, line in enumerate(lines[1:], start=2)], whole

    def _parse(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise self._spoilt(number) from error
        return record

    def _selected(self, line: bytes, number: int) -> Selected:
        record = self._parse(line, number)
        try:
            where = Half(int(record["split"]), int(record["half"]))
            pairs = [pair_index(int(u), int(v), self.d) for u, v in record["edges"]]
            notes = [(str(kind), str(text)) for kind, text in record["warnings"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._spoilt(number) from error
        if where.half not in (0, 1) or not 0 <= where.split < self.settings["n_splits"]:
            raise self._spoilt(number)
        return Selected(where, np.array(pairs, dtype=np.intp), notes)

    def _spoilt(self, number: int) -> InputError:
        return InputError(
            f"{self.path}, line {number}, is not a record of a finished half. Delete the line "
            "(that half is then fitted again) or the file."
        )

    def _compare(self, stored: dict[str, Any]) -> None:
        now = self.settings
        for name in [*now, *(name for name in stored if name not in now)]:
            if stored.get(name) != now.get(name):
                raise InputError(
                    f"The checkpoint {self.path} belongs to another run: its {name} was "
                    f"{stored.get(name)}, and is {now.get(name)} now. Go back to those settings, "
                    "choose another path or delete the file."
                )


def _describe(value: Any) -> str:
    """Write a parameter as text that is the same in every process."""
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series):
        array = np.asarray(value)
        if array.dtype.kind == "O":
            return _describe(array.tolist())
        return f"array of shape {array.shape}, {array.dtype}, sha256 {_hash(array)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_describe(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_describe(entry) for entry in value) + "]"
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return _qualified_name(value)
    if hasattr(value, "get_params"):
        parameters = value.get_params(deep=False)
        kept = sorted(set(parameters) - _WITHOUT_EFFECT)
        inner = ", ".join(f"{name}={_describe(parameters[name])}" for name in kept)
        return f"{_qualified_name(type(value))}({inner})"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # an address is another in each process


def _qualified_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _hash(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
