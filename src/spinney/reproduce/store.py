"""Records of finished repetitions, one JSON object per line, appended as they arrive."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from spinney.exceptions import InputError

Record = dict[str, Any]
Key = tuple[str, str, int]


class Store:
    """A file of records in a folder.

    A run first appends what it is and on which machine (``"kind": "run"``), then its results
    (``"kind": "result"``). Later lines overrule earlier ones of the same cell, method and seed.

    Parameters
    ----------
    folder : path
        Where ``records.jsonl`` is or will be.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / "records.jsonl"

    def append(self, record: Record) -> None:
        """Store a record for good: when this returns, it is on disc."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_torn_line()
        line = json.dumps(record, allow_nan=False) + "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def _drop_torn_line(self) -> None:
        """Cut off what a run that was killed in the middle of a line left behind."""
        if not self.path.exists():
            return
        content = self.path.read_bytes() if self._ends_badly() else b"\n"
        if not content.endswith(b"\n"):
            os.truncate(self.path, content.rfind(b"\n") + 1)

    def _ends_badly(self) -> bool:
        with self.path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"

    def read(self) -> list[Record]:
        """All whole records, in the order in which they were stored."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]  # after the last: torn
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise InputError(
                    f"{self.path}, line {number}, is not a record. Delete it."
                ) from error
        return records

    def results(self) -> dict[Key, Record]:
        """Return the latest result of every cell, method and seed, failures among them."""
        found = [record for record in self.read() if record["kind"] == "result"]
        return {(r["cell"], r["method"], r["seed"]): r for r in found}
