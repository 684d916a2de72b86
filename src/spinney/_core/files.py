"""Files and folders that are written whole or not at all, fitted models among them.

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
from pathlib import Path
from typing import Any

from spinney import __version__
from spinney._core.text import cause
from spinney.exceptions import InputError

PREFIX = ".spinney-"
FORMAT = "spinney model"


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


def save_model(model: Any, path: str | Path) -> Path:
    """Write a model to one file, whole or not at all; :func:`load_model` reads it back.

    Parameters
    ----------
    model : object
        An estimator, a graph or a part of one, fitted or not.
    path : str or path
        Where to write. Any name will do; ``.spinney`` is the custom.

    Returns
    -------
    Path
        The path.

    Notes
    -----
    joblib pickles the model. A fitted model contains the table that it was fitted to.

    Examples
    --------
    >>> import tempfile
    >>> from spinney.pairs.margins import Margins
    >>> marginals = Margins().fit([[1.0], [2.0], [4.0], [8.0]])
    >>> path = save_model(marginals, tempfile.mkdtemp() + "/marginals.spinney")
    >>> load_model(path).transform([[4.0]])
    array([[0.6]])
    """
    import joblib  # takes as long to import as learning a small table

    target = Path(path)
    document = {"format": FORMAT, "spinney_version": __version__, "model": model}
    with whole_file(target) as temporary:
        # Higher levels are slow and hardly compress arrays of floats any further.
        joblib.dump(document, temporary, compress=1)
    return target


def load_model(path: str | Path) -> Any:
    """Read a model that its ``save`` wrote.

    Load only files that you trust: the file is a pickle, and reading one can run any code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    object
        The model, as it was; all numbers are the same to the last bit.

    Raises
    ------
    InputError
        If the file is not a model file, is damaged, or comes from another version of spinney.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> from spinney.models.baselines import ChowLiu
    >>> model = ChowLiu().fit([[1, 2], [2, 1], [3, 3], [4, 5], [5, 4]])
    >>> path = model.save(Path(tempfile.mkdtemp()) / "model")
    >>> load_model(path).n_components_ == model.n_components_
    True
    """
    import joblib

    try:
        document = joblib.load(path)
        if document["format"] != FORMAT:
            raise KeyError("format")
    except FileNotFoundError:
        raise
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"'{path}' is not a model file of spinney {__version__}, or it is damaged "
            f"({type(error).__name__}: {cause(error)}). Learn the graph again and save it."
        ) from error
    writer = document["spinney_version"]
    if writer != __version__:
        raise InputError(
            f"'{path}' was written by spinney {writer}; this is {__version__}. Use that version, "
            "or learn the graph again and save it."
        )
    return document["model"]
