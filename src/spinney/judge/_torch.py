"""The network in torch, for those who have it and a GPU: float32, the same numbers to 1e-4."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.judge._formulas import pair_logits

if TYPE_CHECKING:
    from spinney.judge.network import Network

__all__ = ["torch_logits"]

PARTS = (2**20, 2**30)
"""Pairs at a time, and bytes of matrices that are computed together."""


def torch_logits(
    network: Network, even: NDArray[np.float32], odd: NDArray[np.float32], device: str | None
) -> NDArray[np.float32]:
    """Compute logits of pairs by torch, on a GPU if there is one and `device` is not given."""
    torch = _torch()
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        arrays = _on_device(network, device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"Torch cannot use the device {device!r}: {error}") from error
    with _exact(torch, device):
        e, q = (torch.as_tensor(own, device=device) for own in (even, odd))
        logits = pair_logits(network.settings, arrays, e, q, torch, PARTS)
        return np.asarray(logits.cpu().numpy(), dtype=np.float32)


@lru_cache(maxsize=8)
def _on_device(network: Network, device: str) -> dict[str, Any]:
    torch = _torch()
    return {name: torch.tensor(value, device=device) for name, value in network.arrays.items()}


@contextmanager
def _exact(torch: Any, device: str) -> Iterator[None]:
    """Compute in float32, not in a shorter format that the session may have chosen for speed."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.inference_mode(), torch.autocast(torch.device(device).type, enabled=False):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise InputError(
            'The torch engine needs torch: pip install "spinney[torch]". The numpy engine does not.'
        ) from error
    return torch
