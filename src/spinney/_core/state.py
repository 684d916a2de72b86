"""Model files: fitted models on disc, without pickle. The format is told in docs/model-file.md."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from spinney import __version__
from spinney._core.encoding import Decoder, Encoder
from spinney._core.files import whole_file
from spinney._core.storable import name_of
from spinney._core.versions import check_version
from spinney.exceptions import InputError

__all__ = ["FORMAT", "FORMAT_VERSION", "load_model", "save_model"]

FORMAT = "spinney model"
FORMAT_VERSION = 1

DOCUMENT = "model.json"
_ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")

# What zip files, numpy's reader and a decoder at a loss raise.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def save_model(model: Any, path: str | Path) -> Path:
    """Write a model to one file, whole or not at all; :func:`load_model` reads it back.

    Parameters
    ----------
    model : object
        An estimator, `PairCopulas`, `Margins`, or another storable object, fitted or not.
    path : str or path
        Where to write. Any name will do; ``.spinney`` is the custom.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    InputError
        If the model, or one of its parameters, is of a kind that cannot be stored.

    Notes
    -----
    The file is a zip archive of plain arrays and one JSON text; nothing is pickled. Equal models
    give equal bytes. A fitted model carries what it was fitted on, as far as it needs it:
    pseudo-observations, and the distinct values of each column.

    Examples
    --------
    >>> import tempfile
    >>> from spinney.pairs.margins import Margins
    >>> marginals = Margins().fit([[1.0], [2.0], [4.0], [8.0]])
    >>> path = save_model(marginals, tempfile.mkdtemp() + "/marginals.spinney")
    >>> load_model(path).transform([[4.0]])
    array([[0.6]])
    """
    if name_of(type(model)) is None:
        raise InputError(
            f"A {type(model).__name__} cannot be saved as a model. Model files hold spinney's "
            "estimators, PairCopulas and Margins."
        )
    encoder = Encoder()
    try:
        encoded = encoder.encode(model, type(model).__name__)
    except RecursionError:
        raise InputError(
            "The model contains itself, or is nested too deeply to be saved."
        ) from None
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "spinney_version": __version__,
        "model": encoded,
    }
    target = Path(path)
    with whole_file(target) as temporary, _new_archive(temporary) as archive:
        with archive.open(DOCUMENT, "w") as file:
            file.write(json.dumps(document, indent=1, allow_nan=False).encode("ascii"))
        for number, array in enumerate(encoder.arrays):
            with archive.open(f"arrays/{number}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return target


def load_model(path: str | Path) -> Any:
    """Read a model that :func:`save_model` wrote.

    Reading a file runs no code from it: arrays are plain numbers and text, and only classes that
    spinney lists are built.

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
        If the file is not a model file, is damaged, or comes from a newer spinney.
    FileNotFoundError
        If there is none.
    """
    if Path(path).is_dir():
        raise InputError(f"'{path}' is a folder, not a model file.")
    with Path(path).open("rb") as file:
        try:
            archive = zipfile.ZipFile(file)
        except _DAMAGE as error:
            raise InputError(
                f"'{path}' is not a model file of spinney, or its end is missing ({error}). "
                "Save the model again."
            ) from error
        document = _read_document(archive, path)
        try:
            return Decoder(_read_arrays(archive)).decode(document["model"])
        except _DAMAGE as error:
            _refuse(path, error)


def _new_archive(path: Path) -> zipfile.ZipFile:
    # Arrays of floats hardly shrink beyond level 1, and higher levels take their time over it.
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)


def _read_document(archive: zipfile.ZipFile, path: str | Path) -> dict[str, Any]:
    try:
        if DOCUMENT not in archive.namelist():
            raise InputError(f"'{path}' is a zip archive, but not a model file of spinney.")
        document = json.loads(archive.read(DOCUMENT), parse_constant=_no_constant)
    except InputError:
        raise
    except _DAMAGE as error:
        _refuse(path, error)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"'{path}' is a zip archive, but not a model file of spinney.")
    check_version(document, FORMAT_VERSION, path)
    if not isinstance(document.get("model"), dict) or document["model"].get("type") != "object":
        raise InputError(f"'{path}' is damaged: it holds no model.")
    return document


def _read_arrays(archive: zipfile.ZipFile) -> list[NDArray[Any]]:
    names = [name for name in archive.namelist() if name != DOCUMENT]
    strange = [name for name in names if not _ARRAY.fullmatch(name)]
    if strange:
        raise InputError(f"it holds {strange[0]!r}, which is no part of a model file")
    expected = [f"arrays/{number}.npy" for number in range(len(names))]
    if sorted(names) != sorted(expected) or len(archive.namelist()) != len(names) + 1:
        raise InputError("its arrays are not numbered from 0 on, each once")
    arrays = []
    for name in expected:
        with archive.open(name) as file:
            arrays.append(np.lib.format.read_array(file, allow_pickle=False))
            if file.read(1):
                raise InputError(f"{name} is longer than its array")
    return arrays


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _refuse(path: str | Path, error: BaseException) -> NoReturn:
    reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    raise InputError(
        f"'{path}' is damaged or not for this version of spinney: {reason.rstrip('.')}. "
        "Save the model again."
    ) from error
