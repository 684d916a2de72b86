"""Files: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole_file"]


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
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp is private; a result is an ordinary file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
