"""Values as JSON and plain arrays, and back: bit for bit, or not at all.

None, booleans, whole numbers, finite floats, text and lists are themselves. Everything else is a
JSON object with a ``type``; see docs/model-file.md. Arrays are kept in a list beside the JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.storable import class_of, name_of, put_together, take_apart
from spinney.exceptions import InputError

__all__ = ["Decoder", "Encoder"]

Json = Any

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
SCALAR_KINDS = "biufcmM"
"""Kinds of numpy scalars: truth values, numbers, times."""
GROUPS = {"tuple": tuple, "set": set, "frozenset": frozenset}
TEXT_DTYPES = ("object", "str", "string")
"""Kinds of pandas columns that are stored item by item."""


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
