"""Files and folders that are written whole or not at all, even if the process is killed.

New files are written under a temporary name in the same place and renamed when they are complete.
The name holds the machine and the process, so that the next writer can remove what a killed process
left behind without touching the work of one that is still alive.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from spinney.exceptions import InputError

_STALE = re.compile(r"\.spinney-part-([0-9a-f]+)-([0-9]+)-[a-z0-9_]{8}(\.[^/]*)?")


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
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_stale(target.parent)
    # The suffix is kept, because writers choose their format by it.
    handle, name = tempfile.mkstemp(target.suffix, _prefix(), target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_mask())  # mkstemp makes a private file; a result is ordinary
        _flush(temporary)
        temporary.replace(target)
        _flush(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder, and move what it holds to `path` when the block ends well.

    If the block raises, `path` is left as it was. Files and folders of the same names are replaced,
    others stay. A process killed at any moment leaves all of the old ones or all of the new ones,
    never both together: a folder that exists is renamed, the new one takes its place, and what was
    not replaced moves over. One that must stay the same folder, such as the current one, is without
    these files for a moment. :func:`remove_stale` finishes what was broken off there.

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
    for place in (target.parent, target):
        remove_stale(place)
    stays = target.exists() and _must_stay(target)
    place = target if stays else target.parent
    place.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=_prefix(), dir=place))
    new = work / _FILES if stays else work / _FOLDER / target.name
    try:
        new.mkdir(parents=True)  # with ordinary permissions
        yield new
        if target.exists() and not stays:
            shutil.copymode(target, new)
        for written in (*new.rglob("*"), new):
            _flush(written)
        try:
            _deliver(work)
        except KeyboardInterrupt:  # finish what takes a moment, then stop
            _deliver(work)
            raise
    finally:
        try:
            _settle(work)
        except KeyboardInterrupt:
            _settle(work)
            raise
        with suppress(OSError):  # in use now, unless the block failed
            for folder in missing:
                folder.rmdir()


def remove_stale(folder: str | Path) -> None:
    """Remove what killed processes of this machine and user left in a folder.

    New files that were complete and on their way arrive, and what they were to replace goes.
    """
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            found = _STALE.fullmatch(entry.name)
            if not found or found[1] != _machine() or _is_alive(int(found[2])):
                continue
            if entry.stat(follow_symlinks=False).st_uid != os.geteuid():
                continue
            if entry.is_dir(follow_symlinks=False):
                _settle(Path(entry.path))
            else:
                os.unlink(entry.path)


# The folder of work holds the new files, or the new folder, and from the start of the delivery the
# old ones: what is on the disc tells how far it has come.
_FILES, _FOLDER, _OLD = "files", "folder", "old"


def _must_stay(target: Path) -> bool:
    """Tell whether a folder cannot be exchanged for another, so that files are moved into it."""
    here = Path(os.path.realpath("."))
    movable = os.access(target.parent, os.W_OK) and not os.path.ismount(target)
    foreign = os.name != "nt" and target.stat().st_uid != os.geteuid()
    return not movable or foreign or target in (here, *here.parents)


def _deliver(work: Path) -> None:
    """Take the old ones away, and bring the new ones."""
    (work / _OLD).mkdir(exist_ok=True)
    for new in (work / _FILES, work / _FOLDER):
        if new.exists():
            for path in reversed(_as_written(new)):
                if os.path.lexists(work.parent / path.name):
                    (work.parent / path.name).rename(work / _OLD / path.name)
            _bring(work, new)


def _bring(work: Path, new: Path) -> None:
    """Bring the new ones if all old ones are away, else the old ones back."""
    place, old = work.parent, work / _OLD
    waiting = _as_written(new)
    if any(os.path.lexists(place / path.name) for path in waiting):
        waiting = list(old.iterdir())
    _move_missing(waiting, place)
    if new.name == _FOLDER:  # move over what the new folder has not
        for folder in old.iterdir():
            _move_missing(folder.iterdir(), place / folder.name)
            _flush(place / folder.name)
    _flush(place)
    new.rename(work / "done")


def _as_written(new: Path) -> list[Path]:
    """List new files in the order in which they were written: the last tells that all are there."""
    return sorted(new.iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name))


def _move_missing(paths: Iterable[Path], place: Path) -> None:
    for path in list(paths):
        if not os.path.lexists(place / path.name):
            path.rename(place / path.name)


def _settle(work: Path) -> None:
    """Finish a delivery that has begun, and remove the folder of work."""
    for new in (work / _FILES, work / _FOLDER):
        if new.exists() and (work / _OLD).exists():
            _bring(work, new)
    shutil.rmtree(work, ignore_errors=True)


def _prefix() -> str:
    return f".spinney-part-{_machine()}-{os.getpid()}-"


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):x}"


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # cannot be checked without killing it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # of another user
    return True


def _flush(path: Path) -> None:
    """Have the system write a file or folder to the disc, where it can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some discs cannot
            raise
    finally:
        os.close(descriptor)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
