"""Files and folders that are written whole or not at all, even if the process is killed.

New files are written under a temporary name in the same place and renamed when they are complete.
The name holds the machine and the process, so that the next writer can remove what a killed process
left behind without touching the work of one that is still alive.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["remove_stale", "whole_file", "whole_folder"]

_STALE = re.compile(r"\.spinney-part-([0-9a-f]+)-([0-9]+)-[a-z0-9_]{8}(\.[^/]*)?")


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

    If the block raises, `path` is left as it was. A new folder arrives by one rename. In a folder
    that exists, files of the same names are replaced one by one (folders, too), and others stay; a
    process killed in that moment leaves some files new and others old, each of them whole.

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
    # Inside a folder that exists: the one around it may be another disc, or not be writable.
    place = target if target.exists() else target.parent
    place.mkdir(parents=True, exist_ok=True)
    remove_stale(place)
    work = Path(tempfile.mkdtemp(prefix=_prefix(), dir=place))
    new = work / "new"  # with ordinary permissions
    try:
        new.mkdir()
        yield new
        for written in (*new.rglob("*"), new):
            _flush(written)
        try:
            _deliver(new, target)
        except KeyboardInterrupt:  # finish what takes a moment, then stop
            _deliver(new, target)
            raise
    finally:
        try:
            shutil.rmtree(work, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(work, ignore_errors=True)
            raise
        with suppress(OSError):  # in use now, unless the block failed
            for folder in missing:
                folder.rmdir()


def remove_stale(folder: str | Path) -> None:
    """Remove what killed processes of this machine and user left in a folder."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            found = _STALE.fullmatch(entry.name)
            if found and found[1] == _machine() and not _is_alive(int(found[2])):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def _deliver(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
    elif new.exists():
        # In the order in which they were written: the last one may tell that all are there.
        for path in sorted(new.iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name)):
            place = target / path.name
            if place.is_dir() and not place.is_symlink():
                place.rename(tempfile.mkdtemp(dir=new.parent))
            path.replace(place)
    _flush(target)


def _prefix() -> str:
    return f".spinney-part-{_machine()}-{os.getpid()}-"


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):x}"


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # not known without ending it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
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
