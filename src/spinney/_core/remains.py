"""What a killed program leaves behind: told from what is still at work by a lock, and taken away.

While something is being written, it has a name of its own, ``.spinney-part-…`` for a file and
``.spinney-work-…`` for a folder, and whoever writes holds a lock on it. The system lets go of the
lock when the process ends, however it ends. So what has such a name and no lock is a remain.

Where there are no such locks (Windows), or not on this disc, nothing is taken for a remain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["FILE", "FOLDER", "LOCK", "claim", "let_go", "remains_in"]

FILE, FOLDER = ".spinney-part-", ".spinney-work-"
"""How the names of files and folders begin that are being written."""
LOCK = "lock"
"""The file in a folder that the lock is held on."""
_NAMES = re.compile(rf"({re.escape(FILE)}|{re.escape(FOLDER)})[a-z0-9_]{{8}}(\.[^/]*)?")


def claim(path: Path, *, new: bool) -> int | None:
    """Take the lock on a file, made if need be, or return None if another process has it.

    Parameters
    ----------
    path : Path
        The file.
    new : bool
        Whether it is one's own: it counts as claimed where there are no locks.

    Returns
    -------
    int or None
        A file descriptor; the lock is held until it is closed, or the process ends.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        if new:
            raise
        return None
    try:
        if fcntl is None:
            held = new
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between opening and locking another process may have taken the file away.
            held = os.path.samestat(os.fstat(descriptor), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        held = False
    except OSError:  # no locks on this disc
        held = new
    if held:
        return descriptor
    os.close(descriptor)
    return None


def let_go(descriptor: int) -> None:
    """Let go of a lock."""
    with suppress(OSError):
        os.close(descriptor)


def remains_in(folder: Path, remove_folder: Callable[[Path], None]) -> None:
    """Take away what killed processes of this user left in a folder.

    Parameters
    ----------
    folder : Path
        Where to look; not deeper.
    remove_folder : function of a Path
        How to take away a folder; it is called with the lock held.
    """
    try:
        found = [entry for entry in os.scandir(folder) if _NAMES.fullmatch(entry.name)]
    except OSError:
        return
    for entry in found:
        with suppress(OSError):
            is_folder = entry.is_dir(follow_symlinks=False)
            # Nobody but oneself is to say what is moved where.
            if entry.is_symlink() or not _is_own(entry) or is_folder != (FOLDER in entry.name):
                continue
            path = Path(entry.path)
            descriptor = claim(path / LOCK if is_folder else path, new=False)
            if descriptor is None:
                continue
            try:
                if is_folder:
                    remove_folder(path)
                else:
                    path.unlink()
            finally:
                let_go(descriptor)


def _is_own(entry: os.DirEntry[str]) -> bool:
    return not hasattr(os, "geteuid") or entry.stat(follow_symlinks=False).st_uid == os.geteuid()
