"""Model files: fitted models on disc, without pickle; CONTRIBUTING.md describes the format.

Values become JSON and plain arrays, and come back bit for bit. None, booleans, whole numbers,
finite floats, text and lists are themselves. Everything else is a JSON object with a ``type``.
Arrays are kept in a list beside the JSON.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney import __version__
from spinney._core.files import whole_file
from spinney._core.storable import check_version, class_of, from_state, name_of, to_state
from spinney.exceptions import InputError

FORMAT = "spinney model"
FORMAT_VERSION = 1
DOCUMENT = "model.json"
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
            with archive.open(_entry(number), "w", force_zip64=True) as file:
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
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read(DOCUMENT), parse_constant=_no_constant)
            if document["format"] != FORMAT:
                raise InputError(f"its format is {document['format']!r}")
            check_version(document, FORMAT_VERSION, path)
            if document["model"]["type"] != "object":
                raise InputError("it holds no model")

            def read(number: int) -> NDArray[Any]:
                file = BytesIO(archive.read(_entry(number)))
                array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
                return array

            return Decoder(read).decode(document["model"])
    except FileNotFoundError:
        raise
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise InputError(
            f"'{path}' is not a model file of this version of spinney, or it is damaged: "
            f"{reason.rstrip('.')}. Save the model again."
        ) from error


def _entry(number: int) -> str:
    return f"arrays/{number:d}.npy"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


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
        parts = zip(("parameters", "attributes"), to_state(value), strict=True)
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

    A damaged document may raise anything; nothing is built but the values above and storable
    classes.

    Examples
    --------
    >>> node = {"type": "tuple", "items": [1, {"type": "array", "number": 0}]}
    >>> Decoder([np.arange(3)].__getitem__).decode(node)
    (1, array([0, 1, 2]))
    """

    def __init__(self, read: Callable[[int], NDArray[Any]]) -> None:
        self.read = read

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

    def _scalar(self, node: Json) -> Any:
        (value,) = np.frombuffer(bytes.fromhex(node["bytes"]), dtype=node["dtype"])
        return value

    def _object_array(self, node: Json) -> NDArray[Any]:
        items = self.decode(node["items"])
        array = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):  # all at once, numpy would look inside lists
            array[k] = item
        return array.reshape(node["shape"])

    def _object(self, node: Json) -> Any:
        parameters, attributes = (
            {key: self.decode(value) for key, value in node[part].items()}
            for part in ("parameters", "attributes")
        )
        return from_state(class_of(node["class"]), parameters, attributes)

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
        "float": lambda self, node: float(node["value"]),
        "scalar": _scalar,
        "array": lambda self, node: self.read(node["number"]),
        "object array": _object_array,
        "dict": lambda self, node: {self.decode(k): self.decode(v) for k, v in node["items"]},
        "class": lambda self, node: class_of(node["name"]),
        "object": _object,
        "frame": _frame,
        "generator": _generator,
    }
