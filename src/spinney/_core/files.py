"""Files and folders that are written whole or not at all.

New ones are written under a temporary name in the same place and renamed when they are complete. A
process that is killed may leave such a temporary behind; its name begins with ``.spinney-``.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from spinney.exceptions import InputError

PREFIX = ".spinney-"


@cache
def cache_folder() -> Path | None:
    """Find a folder for what is made once and kept, such as packed scripts; None if there is none.

    Python's own beside the package, or one in the user's home.
    """
    for folder in (Path(__file__).parents[1] / "__pycache__", Path.home() / ".cache" / "spinney"):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


class JsonLines:
    """A file with a JSON object per line, to which long runs append.

    Examples
    --------
    >>> import tempfile
    >>> file = JsonLines(Path(tempfile.mkdtemp()) / "run.jsonl")
    >>> file.append({"n": 1})
    >>> file.read()
    [{'n': 1}]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def append(self, record: dict[str, Any]) -> None:
        """Store a record for good: when this returns, it is on disc."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(record, allow_nan=False).encode() + b"\n"
        with self.path.open("a+b") as file:
            if file.tell():  # cut off what a run that was killed in the middle of a line left
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def read(self, parse: Callable[[Any], Any] = lambda record: record) -> list[Any]:
        """Return all whole records, in the order in which they were stored."""
        content = self.path.read_bytes() if self.path.exists() else b""
        records = []
        for number, line in enumerate(content.split(b"\n")[:-1], start=1):  # after the last: torn
            try:
                records.append(parse(json.loads(line)))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(
                    f"{self.path}, line {number}, is not a record. Delete the line: what it held "
                    "is then computed again."
                ) from error
        return records


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and rename it to `path` when the block ends well.

    If the block raises, `path` is left as it was and nothing else stays behind. Missing folders
    are made.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a" / "note.txt"
    >>> with whole_file(target) as temporary:
    ...     _ = temporary.write_text("done")
    >>> target.read_text()
    'done'
    """
    target = Path(path)
    with _temporary_folder(target.parent) as work:
        temporary = work / target.name  # the suffix is kept: writers choose their format by it
        yield temporary
        os.replace(temporary, target)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder, and move what it holds to `path` when the block ends well.

    If the block raises, `path` is left as it was. Files and folders of the same names are replaced,
    others stay. A new folder arrives at once. Into one that exists entries move one after the
    other, the last written last.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "results"
    >>> with whole_folder(target) as temporary:
    ...     _ = (temporary / "note.txt").write_text("done")
    >>> (target / "note.txt").read_text()
    'done'
    """
    target = Path(os.path.realpath(path))
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        with _temporary_folder(target if target.exists() else target.parent) as work:
            new = work / target.name
            new.mkdir()
            yield new
            if target.exists():
                _move_into(target, new, work)
            else:
                os.replace(new, target)
    finally:
        with suppress(OSError):  # in use now, unless the block failed
            for folder in missing:
                folder.rmdir()


def _move_into(target: Path, new: Path, work: Path) -> None:
    for entry in sorted(new.iterdir(), key=lambda entry: entry.stat().st_mtime_ns):
        old = target / entry.name
        if old.is_dir() and not old.is_symlink():
            os.replace(old, work / f"old {entry.name}")
        os.replace(entry, old)


@contextmanager
def _temporary_folder(place: Path) -> Iterator[Path]:
    place.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
