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

from spinney._storable import class_of, name_of, put_together, take_apart
from spinney.exceptions import InputError

__all__ = ["Decoder", "Encoder"]

Json = Any

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
SCALAR_KINDS = "biufcmM"
"""Kinds of numpy scalars: truth values, numbers, times."""
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
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str(value)
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return value if isfinite(value) else {"type": "float", "value": str(value)}
        if isinstance(value, type) and name_of(value) is not None:
            return {"type": "class", "name": name_of(value)}
        if name_of(type(value)) is not None:
            return self._object(value, where)
        if type(value) in self._containers:
            return self._containers[type(value)](self, value, where)
        if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray | np.matrix):
            return self._array(np.asarray(value), where)
        if isinstance(value, pd.Index):
            return {"type": "index", **self._labels(value, where)}
        if isinstance(value, np.random.Generator):
            return self._generator(value, where)
        raise InputError(
            f"{where} is a {type(value).__name__}, which a model file cannot hold. "
            "Set it to something plain (numbers, text, lists, arrays) before saving."
        )

    def _items(self, values: Any, where: str) -> list[Json]:
        return [self.encode(item, f"{where}[{k}]") for k, item in enumerate(values)]

    def _list(self, value: list[Any], where: str) -> Json:
        return self._items(value, where)

    def _tuple(self, value: tuple[Any, ...], where: str) -> Json:
        return {"type": "tuple", "items": self._items(value, where)}

    def _set(self, value: set[Any] | frozenset[Any], where: str) -> Json:
        # In an order of their own, so that equal models give equal files.
        return {
            "type": type(value).__name__,
            "items": self._items(sorted(value, key=repr), where),
        }

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
        name = name_of(type(value))
        parts = zip(("parameters", "attributes"), take_apart(value), strict=True)
        return {
            "type": "object",
            "class": name,
            **{
                part: {key: self.encode(item, f"{where}.{key}") for key, item in items.items()}
                for part, items in parts
            },
        }

    def _frame(self, value: pd.DataFrame, where: str) -> Json:
        names = list(value.columns)
        return {
            "type": "frame",
            "columns": self._labels(value.columns, f"{where}.columns"),
            "index": self._labels(value.index, f"{where}.index"),
            "values": [
                self._labels(value.iloc[:, k], f"{where}[{name!r}]") for k, name in enumerate(names)
            ],
        }

    def _labels(self, value: pd.Index[Any] | pd.Series[Any], where: str) -> dict[str, Json]:
        """Encode an index or a column."""
        if isinstance(value, pd.MultiIndex):
            levels = [value.get_level_values(k) for k in range(value.nlevels)]
            return {"kind": "levels", "levels": [self._labels(level, where) for level in levels]}
        named = {"name": self.encode(value.name, f"the name of {where}")}
        if isinstance(value, pd.RangeIndex):
            return {"kind": "range", "range": [value.start, value.stop, value.step], **named}
        dtype = value.dtype
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            return {"kind": "array", "values": self._array(value.to_numpy(), where), **named}
        if isinstance(dtype, pd.DatetimeTZDtype):
            utc = pd.DatetimeIndex(value).tz_convert("UTC").tz_localize(None)
            zone = {"zone": str(dtype.tz), "values": self._array(utc.to_numpy(), where)}
            return {"kind": "zoned", **zone, **named}
        if dtype.name not in TEXT_DTYPES:
            raise InputError(
                f"{where} is of the kind '{dtype.name}', which a model file cannot hold. Turn it "
                "into numbers, dates or text before fitting."
            )
        items = self._items(value.tolist(), where)
        return {"kind": "items", "dtype": dtype.name, "items": items, **named}

    def _generator(self, value: np.random.Generator, where: str) -> Json:
        state: dict[str, Any] = dict(value.bit_generator.state)
        name = state["bit_generator"]
        if name not in BIT_GENERATORS:
            raise InputError(f"{where} is a random generator of the unknown kind {name}.")
        return {"type": "generator", "name": name, "state": self.encode(state, where)}

    _containers: dict[type, Callable[[Encoder, Any, str], Json]] = {  # noqa: RUF012
        list: _list,
        tuple: _tuple,
        set: _set,
        frozenset: _set,
        dict: _dict,
        pd.DataFrame: _frame,
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
        if kind not in self._types:
            raise InputError(f"it holds a value of the unknown type {kind!r}")
        return self._types[kind](self, node)

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
        index = self._labels(node["index"])
        columns = [
            # As they are: an index cannot be of every kind that a column can.
            self.decode(column["values"]) if column["kind"] == "array" else self._labels(column)
            for column in node["values"]
        ]
        series = {k: pd.Series(column, index=index) for k, column in enumerate(columns)}
        frame = pd.DataFrame(series, index=index)
        frame.columns = self._labels(node["columns"])
        return frame

    def _labels(self, node: Json) -> Any:
        kind = node["kind"]
        if kind == "levels":
            levels = [self._labels(level) for level in node["levels"]]
            return pd.MultiIndex.from_arrays(levels, names=[level.name for level in levels])
        name = self.decode(node["name"])
        if kind == "range":
            start, stop, step = node["range"]
            return pd.RangeIndex(start, stop, step, name=name)
        if kind == "array":
            return pd.Index(self.decode(node["values"]), name=name)
        if kind == "zoned":
            utc = pd.DatetimeIndex(self.decode(node["values"]), name=name).tz_localize("UTC")
            return utc.tz_convert(str(node["zone"]))
        if kind != "items" or node["dtype"] not in TEXT_DTYPES:
            raise InputError(f"it holds labels of the unknown kind {kind!r}")
        items = self.decode(node["items"])
        return pd.Index(items, dtype=node["dtype"], name=name, tupleize_cols=False)

    def _generator(self, node: Json) -> np.random.Generator:
        if node["name"] not in BIT_GENERATORS:
            raise InputError(f"it holds a random generator of the unknown kind {node['name']!r}")
        bits = getattr(np.random, node["name"])()
        bits.state = self.decode(node["state"])
        return np.random.Generator(bits)

    _types: dict[str, Callable[[Decoder, Json], Any]] = {  # noqa: RUF012
        "float": _float,
        "scalar": _scalar,
        "array": _array,
        "object array": _object_array,
        "tuple": lambda self, node: tuple(self.decode(node["items"])),
        "set": lambda self, node: set(self.decode(node["items"])),
        "frozenset": lambda self, node: frozenset(self.decode(node["items"])),
        "dict": _dict,
        "class": lambda self, node: class_of(node["name"]),
        "object": _object,
        "index": _labels,
        "frame": _frame,
        "generator": _generator,
    }
