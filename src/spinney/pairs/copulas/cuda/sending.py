"""Arrays on their way to the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.scale.gpu.device import cuda_module

__all__ = ["Sent", "send"]


def send(arrays: Any) -> Any:
    """Copy the arrays of a tuple to the GPU; other members stay what they are."""
    cuda = cuda_module()
    moved = [
        cuda.to_device(np.ascontiguousarray(a)) if isinstance(a, np.ndarray) else a for a in arrays
    ]
    return type(arrays)(*moved) if hasattr(arrays, "_fields") else moved


class Sent:
    """The last tuple that was sent; the same one is not sent again."""

    def __init__(self) -> None:
        self._last: tuple[Any, Any] | None = None

    def __call__(self, arrays: Any) -> Any:
        """Give the arrays on the GPU."""
        if self._last is None or self._last[0] is not arrays:
            self._last = arrays, send(arrays)
        return self._last[1]
