"""Files and folders: written whole or not at all, also when the process is killed.

What is being written stands under another name beside its place, and is moved there when it is
complete. What a killed process leaves behind is taken away by the next one that writes there; if
it was killed while moving files, the next one first moves the rest (see :mod:`spinney._core.remains`).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spinney._core.remains import FILE, FOLDER, LOCK, claim, let_go, remains_in

__all__ = ["tidy", "whole_file", "whole_folder"]

PLAN, NEW, OLD = "plan.json", "new", "old"
"""What stands in the folder of work: what is to be moved, the new files, and the old ones."""
ATTEMPTS = 20


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and move it there when the block ends well.

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
    remains_in(target.parent, _settle)
    # The suffix is kept, because writers choose their format by it.
    temporary, lock = _new_file(target.parent, target.suffix)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_mask())  # it was private; a result is an ordinary file
        _flush(temporary)
        if os.name == "nt":
            let_go(lock)  # an open file cannot be moved there
        temporary.replace(target)
        _flush(target.parent)
    finally:
        try:
            temporary.unlink(missing_ok=True)
        finally:
            let_go(lock)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder, and move its files to the folder `path` when the block ends well.

    All files arrive or none: if the block raises or a file cannot be moved, `path` is left as it
    was. Files of other names that are there already stay; those of the same name are replaced.

    A process that is killed leaves the folder absent or whole if it was not there, or held none
    but files that are replaced: then folders are exchanged. Among other files it may be caught
    between two of its own: never with new and old ones together, and the next process that writes
    there, or calls :func:`tidy`, brings the rest of the new ones.

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
    target.parent.mkdir(parents=True, exist_ok=True)
    tidy(target)
    try:
        with _work_folder(target if _stays(target) else target.parent) as work:
            new = work / NEW
            new.mkdir()
            yield new
            _flush_all(new)
            _deliver(work, target)
    finally:
        with suppress(OSError):  # in use now, unless the block failed
            for folder in missing:
                folder.rmdir()


def tidy(path: str | Path) -> None:
    """Finish or undo what killed processes were about to write to a folder, and beside it."""
    target = Path(os.path.realpath(path))
    for place in (target.parent, target):
        remains_in(place, _settle)


# Something to work in


def _new_file(folder: Path, suffix: str) -> tuple[Path, int]:
    """Make a file of its own, and hold the lock on it."""
    for _ in range(ATTEMPTS):
        handle, name = tempfile.mkstemp(suffix, FILE, folder)
        os.close(handle)
        try:
            lock = claim(Path(name), new=True)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if lock is not None:
            return Path(name), lock
    raise OSError(f"No file can be kept in '{folder}': another process takes them away.")


@contextmanager
def _work_folder(place: Path) -> Iterator[Path]:
    """Yield a folder to work in, its lock held; settle in the end what is in it."""
    work, lock = _new_folder(place)
    try:
        yield work
    finally:
        try:
            _settle(work)
        except KeyboardInterrupt:  # it came while tidying up, which is to be done all the same
            _settle(work)
            raise
        finally:
            let_go(lock)


def _new_folder(place: Path) -> tuple[Path, int]:
    for _ in range(ATTEMPTS):
        work = Path(tempfile.mkdtemp(prefix=FOLDER, dir=place))
        try:
            lock = claim(work / LOCK, new=True)
        except FileNotFoundError:  # taken for a remain before its lock was there
            continue
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        if lock is not None:
            return work, lock
    raise OSError(f"No folder can be kept in '{place}': another process takes them away.")


# From there to the place


def _stays(target: Path) -> bool:
    """Say whether a folder is to stay the same one, and files are to be moved into it.

    One in which other things are, such as somebody's home, or in which this process stands; or
    that cannot be moved.
    """
    if not target.exists():
        return False
    movable = os.access(target.parent, os.W_OK) and not os.path.ismount(target)
    standing = Path(os.path.realpath("."))
    return not movable or target in (standing, *standing.parents) or bool(_others(target))


def _others(target: Path, names: Collection[str] | None = None) -> list[str]:
    """List what is in a folder besides plain files, or besides plain files of these names."""
    with os.scandir(target) as entries:
        return [
            entry.name
            for entry in entries
            if not entry.is_file(follow_symlinks=False)
            or (names is not None and entry.name not in names)
        ]


def _deliver(work: Path, target: Path) -> None:
    """Move the new files to their place."""
    names = {file.name for file in (work / NEW).iterdir()}
    if work.parent == target:
        _move_into(work, target)
    elif not target.exists() or not _others(target, names):
        try:
            _exchange(work, target)
        except OSError:
            if not (target.exists() and (work / NEW).exists()):
                raise
            (work / PLAN).unlink()
            _copy_into(work, target)  # it cannot be moved, for instance because a disc hangs there
    else:
        _copy_into(work, target)


def _exchange(work: Path, target: Path) -> None:
    """Put the new folder in the place of the old one, if there is one."""
    _write_plan(work, target.name)
    if target.exists():
        shutil.copymode(target, work / NEW)
        _move(target, work / OLD)
    _move(work / NEW, target)
    _flush(target.parent)


def _copy_into(work: Path, target: Path) -> None:
    """Move copies of all new files into a folder that is to stay the same one."""
    with _work_folder(target) as inside:
        shutil.copytree(work / NEW, inside / NEW)
        _flush_all(inside / NEW)
        _move_into(inside, target)


def _move_into(work: Path, target: Path) -> None:
    """Move all new files into a folder; undo it all if one cannot be moved."""
    # In the order in which they were written: what was written last may tell that all are there.
    files = sorted((work / NEW).iterdir(), key=lambda file: (file.stat().st_mtime_ns, file.name))
    names = [file.name for file in files]
    (work / OLD).mkdir()
    _write_plan(work, None)
    try:
        for name in reversed(names):  # old and new ones are never there together
            if os.path.lexists(target / name):
                _move(target / name, work / OLD / name)
        for name in names:
            _move(work / NEW / name, target / name)
        _flush(target)
    except BaseException:
        # What has happened so far is read off the disc: an interrupt may come between two lines.
        for name in reversed(names):
            if not os.path.lexists(work / NEW / name) and os.path.lexists(target / name):
                _move(target / name, work / NEW / name)
        for name in names:
            if os.path.lexists(work / OLD / name):
                _move(work / OLD / name, target / name)
        (work / PLAN).unlink()
        raise


def _write_plan(work: Path, name: str | None) -> None:
    """Write down that the new files are complete and about to be moved, and where to.

    To the folder of this `name` beside the folder of work, or without one to the folder around it:
    nowhere else, for anybody may have put the plan there.
    """
    with (work / "plan").open("w", encoding="utf-8") as file:
        json.dump({"name": name}, file)
        file.flush()
        os.fsync(file.fileno())
    (work / "plan").rename(work / PLAN)
    _flush(work)


def _settle(work: Path) -> None:
    """Finish what was planned in a folder of work, and take the folder away."""
    try:
        name = json.loads((work / PLAN).read_text(encoding="utf-8"))["name"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # nothing was to be moved yet
    else:
        if name is None:
            for file in sorted((work / NEW).iterdir()):
                file.replace(work.parent / file.name)
        elif isinstance(name, str) and Path(name).name == name:
            started = (work / OLD).exists() and (work / NEW).exists()
            if started and not os.path.lexists(work.parent / name):
                (work / NEW).rename(work.parent / name)
        (work / PLAN).unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    source.rename(target)


def _flush_all(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        _flush(path)
    _flush(folder)


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
