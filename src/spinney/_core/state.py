"""Model files: fitted models on disc, without pickle; docs/model-file.md describes the format.

Values become JSON and plain arrays, and come back bit for bit, or not at all. None, booleans, whole
numbers, finite floats, text and lists are themselves. Everything else is a JSON object with a
``type``. Arrays are kept in a list beside the JSON.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from math import isfinite, prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney import __version__
from spinney._core.files import whole_file
from spinney._core.storable import check_version, class_of, name_of, put_together, take_apart
from spinney.exceptions import InputError

FORMAT = "spinney model"
FORMAT_VERSION = 1

DOCUMENT = "model.json"
_ARRAY = re.compile(r"arrays/(0|[1-9][0-9]{0,8})\.npy")

# What zip files, numpy's reader and a decoder at a loss raise.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, ArithmeticError, AttributeError, EOFError, LookupError),
    *(MemoryError, OSError, RuntimeError, SyntaxError, TypeError, ValueError),
)
Json = Any

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
SCALAR_KINDS = "biufcmM"
"""Kinds of numpy scalars: truth values, numbers, times."""
GROUPS = {"tuple": tuple, "set": set, "frozenset": frozenset}
TEXT_DTYPES = ("object", "str", "string")
"""Kinds of pandas columns that are stored item by item."""


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
    give equal bytes. A fitted model contains the training data that it needs:
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
    # Higher levels are slow and hardly compress arrays of floats any further.
    with (
        whole_file(target) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        with archive.open(DOCUMENT, "w") as file:
            file.write(json.dumps(document, indent=1, allow_nan=False).encode("ascii"))
        for number, array in enumerate(encoder.arrays):
            with archive.open(f"arrays/{number}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return target


def load_model(path: str | Path) -> Any:
    """Read a model that its ``save`` wrote.

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


class Encoder:
    """Turns values into JSON; collects arrays on the way.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode((1, np.arange(3)), "x")
    {'type': 'tuple', 'items': [1, {'type': 'array', 'number': 0}]}
    >>> encoder.arrays
    [array([0, 1, 2])]
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []

    def encode(self, value: Any, where: str) -> Json:
        """Encode a value; `where` names it in messages."""
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if value is None or isinstance(value, bool):
            return value
        for plain in (str, int):
            if isinstance(value, plain):
                return plain(value)
        if isinstance(value, float):
            return value if isfinite(value) else {"type": "float", "value": str(value)}
        if isinstance(value, type) and name_of(value) is not None:
            return {"type": "class", "name": name_of(value)}
        if name_of(type(value)) is not None:
            return self._object(value, where)
        if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray | np.matrix):
            return self._array(np.asarray(value), where)
        if type(value) in self._kinds:
            return self._kinds[type(value)](self, value, where)
        raise InputError(
            f"{where} is a {type(value).__name__}, which a model file cannot hold. "
            "Set it to something plain (numbers, text, lists, arrays) before saving."
        )

    def _items(self, values: Any, where: str) -> list[Json]:
        return [self.encode(item, f"{where}[{k}]") for k, item in enumerate(values)]

    def _group(self, value: Any, where: str) -> Json:
        # Sets in an order of their own, so that equal models give equal files.
        ordered = value if isinstance(value, tuple) else sorted(value, key=repr)
        return {"type": type(value).__name__, "items": self._items(ordered, where)}

    def _dict(self, value: dict[Any, Any], where: str) -> Json:
        pairs = [
            [self.encode(key, f"a key of {where}"), self.encode(item, f"{where}[{key!r}]")]
            for key, item in value.items()
        ]
        return {"type": "dict", "items": pairs}

    def _scalar(self, value: np.generic, where: str) -> Json:
        if value.dtype.kind not in SCALAR_KINDS:
            raise InputError(f"{where} is a numpy {value.dtype}, which a model file cannot hold.")
        return {"type": "scalar", "dtype": value.dtype.str, "bytes": value.tobytes().hex()}

    def _array(self, value: NDArray[Any], where: str) -> Json:
        if value.dtype.kind == "O":
            items = self._items(value.ravel().tolist(), where)
            return {"type": "object array", "shape": list(value.shape), "items": items}
        if value.dtype.hasobject:
            raise InputError(f"{where} is an array of {value.dtype}, which cannot be stored.")
        self.arrays.append(value)
        return {"type": "array", "number": len(self.arrays) - 1}

    def _object(self, value: Any, where: str) -> Json:
        parts = zip(("parameters", "attributes"), take_apart(value), strict=True)
        encoded = {
            part: {key: self.encode(item, f"{where}.{key}") for key, item in items.items()}
            for part, items in parts
        }
        return {"type": "object", "class": name_of(type(value)), **encoded}

    def _frame(self, value: pd.DataFrame, where: str) -> Json:
        names = list(value.columns)
        numbered = value.index.equals(pd.RangeIndex(len(value)))
        if not numbered or len({name for name in names if type(name) is str}) < len(names):
            raise InputError(
                f"{where} is a data frame with labels that a model file cannot hold. Give it "
                "columns with distinct names and rows numbered from 0."
            )
        columns = [self._column(column, f"{where}[{name!r}]") for name, column in value.items()]
        return {"type": "frame", "n_rows": len(value), "columns": columns}

    def _column(self, column: pd.Series[Any], where: str) -> Json:
        dtype = column.dtype
        if not isinstance(dtype, np.dtype) and dtype.name not in TEXT_DTYPES:
            raise InputError(
                f"{where} is of the kind '{dtype.name}', which a model file cannot hold. Turn it "
                "into numbers or text first."
            )
        return [str(column.name), dtype.name, self._array(column.to_numpy(), where)]

    def _generator(self, value: np.random.Generator, where: str) -> Json:
        state: dict[str, Any] = dict(value.bit_generator.state)
        name = state["bit_generator"]
        if name not in BIT_GENERATORS:
            raise InputError(f"{where} is a random generator of the unknown kind {name}.")
        return {"type": "generator", "name": name, "state": self.encode(state, where)}

    _kinds: dict[type, Callable[[Encoder, Any, str], Json]] = {  # noqa: RUF012
        list: _items,
        **dict.fromkeys(GROUPS.values(), _group),
        dict: _dict,
        pd.DataFrame: _frame,
        np.random.Generator: _generator,
    }


class Decoder:
    """Turns JSON and arrays back into values.

    A damaged document may raise any of KeyError, TypeError, ValueError and their kin; nothing is
    built but the values above and storable classes.

    Examples
    --------
    >>> node = {"type": "tuple", "items": [1, {"type": "array", "number": 0}]}
    >>> Decoder([np.arange(3)]).decode(node)
    (1, array([0, 1, 2]))
    """

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self.arrays = arrays

    def decode(self, node: Json) -> Any:
        """Decode a value."""
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        if not isinstance(node, dict):
            return node
        kind = node["type"]
        if kind in GROUPS:
            return GROUPS[kind](self.decode(node["items"]))
        if kind not in self._kinds:
            raise InputError(f"it holds a value of the unknown type {kind!r}")
        return self._kinds[kind](self, node)

    def _float(self, node: Json) -> float:
        if node["value"] not in ("nan", "inf", "-inf"):
            raise InputError(f"{node['value']!r} stands where nan or inf should")
        return float(node["value"])

    def _scalar(self, node: Json) -> Any:
        dtype = np.dtype(str(node["dtype"]))
        if dtype.kind not in SCALAR_KINDS:
            raise InputError(f"it holds a single number of the strange kind {dtype}")
        values = np.frombuffer(bytes.fromhex(node["bytes"]), dtype=dtype)
        if values.size != 1:
            raise InputError("it holds a single number of more or fewer bytes than it needs")
        return values[0]

    def _array(self, node: Json) -> NDArray[Any]:
        number = node["number"]
        if type(number) is not int or not 0 <= number < len(self.arrays):
            raise InputError(f"it lacks the array {number!r}")
        return self.arrays[number]

    def _object_array(self, node: Json) -> NDArray[Any]:
        items = self.decode(node["items"])
        shape = tuple(node["shape"])
        if prod(shape) != len(items):
            raise InputError("it holds an array of objects whose shape does not fit them")
        array = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):  # all at once, numpy would look inside lists
            array[k] = item
        return array.reshape(shape)

    def _dict(self, node: Json) -> dict[Any, Any]:
        return {self.decode(key): self.decode(value) for key, value in node["items"]}

    def _object(self, node: Json) -> Any:
        cls = class_of(node["class"])
        parameters, attributes = (
            {key: self.decode(value) for key, value in node[part].items()}
            for part in ("parameters", "attributes")
        )
        return put_together(cls, parameters, attributes)

    def _frame(self, node: Json) -> pd.DataFrame:
        columns = {
            name: pd.Series(self.decode(values), dtype=dtype if dtype in TEXT_DTYPES else None)
            for name, dtype, values in node["columns"]
        }
        if any(len(column) != node["n_rows"] for column in columns.values()):
            raise InputError("it holds a table whose columns have more or fewer rows than it says")
        return pd.DataFrame(columns, index=pd.RangeIndex(node["n_rows"]))

    def _generator(self, node: Json) -> np.random.Generator:
        if node["name"] not in BIT_GENERATORS:
            raise InputError(f"it holds a random generator of the unknown kind {node['name']!r}")
        bits = getattr(np.random, node["name"])()
        bits.state = self.decode(node["state"])
        return np.random.Generator(bits)

    _kinds: dict[str, Callable[[Decoder, Json], Any]] = {  # noqa: RUF012
        "float": _float,
        "scalar": _scalar,
        "array": _array,
        "object array": _object_array,
        "dict": _dict,
        "class": lambda self, node: class_of(node["name"]),
        "object": _object,
        "frame": _frame,
        "generator": _generator,
    }
