"""The network in torch, for those who have it and a GPU: float32, the same numbers to 1e-4.

The formulas of :mod:`spinney.judge` over all pairs at once, with pairs by channels; sums over third
columns as batched products of matrices, a few channels at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_nodes, pair_nodes
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.judge.network import Network

__all__ = ["torch_logits"]

FULL_BYTES = 2**30
"""Matrices of columns by columns that are computed together have at most this size (or are one)."""


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
    settings = network.settings
    with _exact(torch, device):
        u, v = (torch.as_tensor(nodes, device=device) for nodes in pair_nodes(n_nodes(len(even))))
        e = torch.as_tensor(even, device=device).clamp(arrays["even_low"], arrays["even_high"])
        e = (e - arrays["even_center"]) / arrays["even_scale"]
        q = torch.as_tensor(odd, device=device)
        q = q.clamp(-arrays["odd_bound"], arrays["odd_bound"]) / arrays["odd_scale"]
        evidence = torch.cat([e, q.abs()], dim=1)
        h = evidence @ arrays["W_in"] + arrays["b_in"]
        o = q @ arrays["V_in"]
        for i in range(settings.n_blocks):
            p = {name: arrays[name][i] for name in settings.block_shapes}
            if settings.triangles:
                h, o = _hear_triangles(torch, p, h, o, u, v)
            h = _hear_columns(torch, p, h, u, v)
            y = _soft(o)
            x = torch.cat([_norm(torch, h, p, "norm3"), (y @ p["Q1"]) * (y @ p["Q2"])], dim=1)
            h = h + (x @ p["F1"] + p["f1"]).relu() @ p["F2"] + p["f2"]
            o = o + (x @ p["Gy"] + p["gy"]).sigmoid() * (y @ p["Y"])
        out = _norm(torch, h, arrays, "norm_out") @ arrays["w"] + evidence @ arrays["w_skip"]
        return np.asarray((out + arrays["w0"]).cpu().numpy(), dtype=np.float32)


def _hear_triangles(torch: Any, p: Any, h: Any, o: Any, u: Any, v: Any) -> tuple[Any, Any]:
    y = _soft(o)
    x = torch.cat([_norm(torch, h, p, "norm1"), (y @ p["P1"]) * (y @ p["P2"])], dim=1)
    a = (x @ p["Ga"] + p["ga"]).sigmoid() * (x @ p["A"])
    b = (x @ p["Gb"] + p["gb"]).sigmoid() * (x @ p["B"])
    t = _sum_over_triangles(torch, a, b, u, v)
    r = (x @ p["Gr"] + p["gr"]).sigmoid() * (y @ p["R"])
    s = (x @ p["Gs"] + p["gs"]).sigmoid() * (y @ p["S"])
    z = _soft(_sum_over_triangles(torch, r, s, u, v))
    heard = torch.cat([_norm(torch, t, p, "norm_t"), z.square()], dim=1)
    h = h + (x @ p["Gt"] + p["gt"]).sigmoid() * (heard @ p["O1"] + p["c1"])
    return h, o + (x @ p["Gz"] + p["gz"]).sigmoid() * (z @ p["O2"])


def _hear_columns(torch: Any, p: Any, h: Any, u: Any, v: Any) -> Any:
    x = _norm(torch, h, p, "norm2")
    d, channels = n_nodes(len(h)), x.shape[1]
    means, maxima = [], []
    for rows in _channels(d, channels):
        full = _full(torch, x[:, rows], u, v, 0.0)
        means.append(full.sum(dim=1).T / (d - 1))
        full.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
        maxima.append(full.amax(dim=1).T)
    m = torch.cat([*means, *maxima], dim=1)
    f = (m @ p["N1"] + p["n1"]).relu() @ p["N2"]
    over = torch.cat([m.mean(dim=0), m.amax(dim=0)])
    g = (over @ p["M1"] + p["m1"]).relu() @ p["M2"]
    return h + f[u] + f[v] + g


def _sum_over_triangles(torch: Any, left: Any, right: Any, u: Any, v: Any) -> Any:
    d, out = n_nodes(len(left)), torch.empty_like(left)
    for rows in _channels(d, left.shape[1]):
        first = _full(torch, left[:, rows], u, v, 0.0)
        product = torch.matmul(first, _full(torch, right[:, rows], u, v, 0.0))
        out[:, rows] = (product[:, u, v] + product[:, v, u]).T / sqrt(d)
    return out


def _full(torch: Any, pairs: Any, u: Any, v: Any, diagonal: float) -> Any:
    """Give channels of pairs as symmetric matrices."""
    d = n_nodes(len(pairs))
    full = torch.full((pairs.shape[1], d, d), diagonal, device=pairs.device)
    full[:, u, v] = pairs.T
    full[:, v, u] = pairs.T
    return full


def _channels(d: int, count: int) -> Iterator[slice]:
    step = max(1, FULL_BYTES // (4 * d**2))
    for start in range(0, count, step):
        yield slice(start, start + step)


def _soft(o: Any) -> Any:
    return o / (1 + o.square().mean(dim=1, keepdim=True)).sqrt()


def _norm(torch: Any, h: Any, arrays: Any, name: str) -> Any:
    return torch.nn.functional.layer_norm(
        h, h.shape[1:], arrays[f"{name}_gain"], arrays[f"{name}_bias"]
    )


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
