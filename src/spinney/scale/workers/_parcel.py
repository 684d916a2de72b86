"""Objects on their way between processes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["Parcel"]


class Parcel:
    """An object, packed for another process.

    Memory that comes off a network begins at any byte and may be read-only, which compiled kernels
    take for another kind of array. So arrays are unpacked into memory of their own, once for each
    process that keeps the parcel.

    Examples
    --------
    >>> Parcel.of([1, 2]).content
    [1, 2]
    """

    def __init__(self, payload: bytes, buffers: Sequence[Any]) -> None:
        self.payload = payload
        self.buffers = buffers
        self._lock = Lock()

    @classmethod
    def of(cls, content: Any) -> Parcel:
        """Pack an object; its arrays are not copied yet."""
        buffers: list[pickle.PickleBuffer] = []
        # It comes with Dask, and also packs what has no name to be found by.
        cloudpickle: Any = import_module("cloudpickle")
        payload = cloudpickle.dumps(content, protocol=5, buffer_callback=buffers.append)
        return cls(payload, [buffer.raw() for buffer in buffers])

    @property
    def content(self) -> Any:
        """The object; threads of one process share it."""
        with self._lock:
            return self._content

    @cached_property
    def _content(self) -> Any:
        # The arrays lie in these from now on, and the parcel can still be passed on.
        self.buffers = [bytearray(part) for part in self.buffers]
        return pickle.loads(self.payload, buffers=self.buffers)

    @property
    def n_bytes(self) -> int:
        """Size of what travels."""
        return len(self.payload) + sum(memoryview(part).nbytes for part in self.buffers)

    @property
    def fingerprint(self) -> str:
        """The same for the same content."""
        mark = blake2b(self.payload, digest_size=16)
        for part in self.buffers:
            mark.update(memoryview(part).nbytes.to_bytes(8, "little"))
            mark.update(part)
        return mark.hexdigest()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Apart from the rest where that is possible, so that buffers are sent as they lie.
        pack = pickle.PickleBuffer if protocol >= 5 else bytes
        return Parcel, (self.payload, [pack(part) for part in self.buffers])

    def __sizeof__(self) -> int:
        return self.n_bytes
