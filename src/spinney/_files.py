"""Files: written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["whole_file", "whole_folder"]


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
    # The suffix is kept, because writers choose their format by it.
    handle, name = tempfile.mkstemp(target.suffix, f".{target.stem}-", target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_mask())  # mkstemp is private; a result is an ordinary file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`, and move its files there when the block ends well.

    All files arrive or none: if the block raises or a file cannot be moved, `path` is left as it
    was. Files of other names that are there already stay; those of the same name are replaced.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "results"
    >>> with whole_folder(target) as temporary:
    ...     _ = (temporary / "note.txt").write_text("done")
    >>> (target / "note.txt").read_text()
    'done'
    """
    target = Path(path)
    missing = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        yield temporary
        if target.exists():
            _move_files(temporary, target)
        else:
            temporary.chmod(0o777 & ~_mask())
            temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        with suppress(OSError):  # in use now, unless the block failed
            for folder in missing:
                folder.rmdir()


def _move_files(source: Path, target: Path) -> None:
    """Move all files of one folder into another; undo it all if one cannot be moved."""
    names = [path.name for path in source.iterdir()]
    before = source / ".before"
    before.mkdir()
    try:
        for name in names:
            if (target / name).exists():
                (target / name).replace(before / name)
            (source / name).replace(target / name)
    except BaseException:
        # What has happened so far is read off the disc: an interrupt may come between two lines.
        for name in names:
            if (before / name).exists():
                (before / name).replace(target / name)
            elif not (source / name).exists():
                (target / name).unlink(missing_ok=True)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
