"""The formulas of :mod:`spinney.judge`, for numpy and for torch.

Arrays have a row per channel and a column per pair, in the order of :mod:`spinney._core.pairs`. A
channel as a symmetric matrix of columns by columns is then one read of contiguous memory, and sums
over third columns are products of such matrices. Maps of pairs are computed for some pairs at a
time, so that what is between them stays in a processor's cache. About 2 kB a pair are stored for
all pairs: 1 GiB for 1,000 columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_nodes, pair_nodes
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.judge.network import Network, Settings

CHUNK = 1024
"""Pairs at a time on a processor: what lies between two maps fits into a core's own cache."""
FULL_BYTES = 2**20
"""Matrices of columns by columns that are computed together have at most this size (or are one)."""
TORCH_PARTS = (2**20, 2**30)
"""Both in torch."""
EPSILON = 1e-5
"""Added to a variance before it divides, as in torch."""
GATES = ("Ga", "Gr", "Gb", "Gs", "Gt", "Gz")


def pair_logits(
    settings: Settings,
    arrays: Mapping[str, Any],
    even: Any,
    odd: Any,
    xp: Any = np,
    parts: tuple[int, int] | None = None,
) -> Any:
    """Compute the logit of every pair.

    Parameters
    ----------
    settings : Settings
        Sizes of the network.
    arrays : mapping of str to arrays
        What :attr:`Settings.shapes` names.
    even, odd : arrays of shape (n_pairs, n_even) and (n_pairs, n_odd)
        The evidence.
    xp : module
        Whose arrays these are: numpy or torch.
    parts : pair of int, optional
        Pairs at a time, and bytes of matrices that are computed together; by default
        :data:`CHUNK` and :data:`FULL_BYTES`.
    """
    a, T = arrays, settings.triangle_width
    C, D = settings.width, settings.odd_width
    e = (xp.clip(even, a["even_low"], a["even_high"]) - a["even_center"]) / a["even_scale"]
    q = (xp.clip(odd, -a["odd_bound"], a["odd_bound"]) / a["odd_scale"]).T
    evidence = xp.concatenate([e.T, xp.abs(q)])
    h, o = _map(a, "W_in", "b_in", evidence), a["V_in"].T @ q
    pairs = _Pairs(xp, h, *(parts or (CHUNK, FULL_BYTES)))
    own = pairs.room(C)
    if settings.triangles:
        left, right, gates = (pairs.room(k) for k in (2 * T, 2 * T, C + D))
    for block in range(settings.n_blocks):
        p = {name: a[name][block] for name in settings.block_shapes}
        if settings.triangles:
            both = {"G": xp.concatenate([p[name] for name in GATES], 1)}
            both["g"] = xp.concatenate([p[name.lower()] for name in GATES])
            for part in pairs.parts:
                y = _soft(xp, o[:, part])
                x = _joined(xp, p, "norm1", h[:, part], y, "P1", "P2")
                gate = _sigmoid(xp, _map(both, "G", "g", x))
                left[:T, part] = gate[:T] * (p["A"].T @ x)
                left[T:, part] = gate[T : 2 * T] * (p["R"].T @ y)
                right[:T, part] = gate[2 * T : 3 * T] * (p["B"].T @ x)
                right[T:, part] = gate[3 * T : 4 * T] * (p["S"].T @ y)
                gates[:, part] = gate[4 * T :]
            pairs.sum_over_triangles(left, right)
            for part in pairs.parts:
                t, z = _norm(xp, left[:T, part], p, "norm_t"), _soft(xp, left[T:, part])
                h[:, part] += gates[:C, part] * _map(p, "O1", "c1", xp.concatenate([t, z * z]))
                o[:, part] += gates[C:, part] * (p["O2"].T @ z)
        for part in pairs.parts:
            own[:, part] = _norm(xp, h[:, part], p, "norm2")
        m = pairs.means_and_maxima(own)
        f = p["N2"].T @ _positive(_map(p, "N1", "n1", m))
        over = xp.concatenate([m.mean(1), xp.amax(m, 1)])[:, None]
        g = p["M2"].T @ _positive(_map(p, "M1", "m1", over))
        for part in pairs.parts:
            h[:, part] += pairs.take(f, pairs.first[part]) + pairs.take(f, pairs.second[part]) + g
            y = _soft(xp, o[:, part])
            x = _joined(xp, p, "norm3", h[:, part], y, "Q1", "Q2")
            h[:, part] += _map(p, "F2", "f2", _positive(_map(p, "F1", "f1", x)))
            o[:, part] += _sigmoid(xp, _map(p, "Gy", "gy", x)) * (p["Y"].T @ y)
    logits = a["w_skip"] @ evidence + a["w0"]
    for part in pairs.parts:
        logits[part] += a["w"] @ _norm(xp, h[:, part], a, "norm_out")
    return logits


class _Pairs:
    """Where the pairs of all columns stand, and sums over the pairs of a column."""

    def __init__(self, xp: Any, h: Any, chunk: int, full_bytes: int) -> None:
        n_pairs = h.shape[1]
        d = n_nodes(n_pairs)
        first, second = pair_nodes(d)
        positions = np.zeros((d, d), dtype=np.intp)  # nothing is read at the diagonal
        positions[first, second] = positions[second, first] = np.arange(n_pairs)
        upper, lower = first * d + second, second * d + first
        on = {} if xp is np else {"device": h.device}
        places = (first, second, positions, upper, lower, np.arange(d))
        self.first, self.second, self.positions, self.upper, self.lower, self.columns = (
            xp.asarray(at, **on) for at in places
        )
        self.d, self.step = d, max(1, full_bytes // (4 * d**2))
        self.parts = [slice(k, k + chunk) for k in range(0, n_pairs, chunk)]
        self.xp, self.like = xp, (h.dtype, on)

    def room(self, channels: int) -> Any:
        """Make room for some channels of all pairs."""
        dtype, on = self.like
        return self.xp.empty((channels, len(self.first)), dtype=dtype, **on)

    def sum_over_triangles(self, left: Any, right: Any) -> None:
        """Put into `left` the sums over third columns of products of `left` and `right`."""
        scale = 1 / sqrt(self.d)
        for rows in self._channels(len(left)):
            # Zeros on the diagonal leave out third columns that are one of the pair.
            product = self._full(left[rows]) @ self._full(right[rows])
            product = product.reshape(len(product), -1)
            left[rows] = (self.take(product, self.upper) + self.take(product, self.lower)) * scale

    def means_and_maxima(self, x: Any) -> Any:
        """Compute the mean and the largest of each channel over each column's pairs."""
        means, maxima = [], []
        for rows in self._channels(len(x)):
            full = self._full(x[rows])
            means.append(full.sum(1) / (self.d - 1))
            full[:, self.columns, self.columns] = -self.xp.inf
            maxima.append(self.xp.amax(full, 1))
        return self.xp.concatenate(means + maxima)

    def _full(self, rows: Any) -> Any:
        """Give channels of pairs as symmetric matrices with zeros on the diagonal."""
        full = self.take(rows, self.positions)
        full[:, self.columns, self.columns] = 0.0
        return full

    def take(self, x: Any, places: Any) -> Any:
        """Read numbers of each channel; numpy's own indexing is slower."""
        return np.take(x, places, axis=1, mode="clip") if self.xp is np else x[:, places]

    def _channels(self, count: int) -> Iterator[slice]:
        return (slice(k, k + self.step) for k in range(0, count, self.step))


def _map(arrays: Mapping[str, Any], matrix: str, bias: str, x: Any) -> Any:
    x = arrays[matrix].T @ x
    x += arrays[bias][:, None]
    return x


def _joined(xp: Any, p: Mapping[str, Any], norm: str, h: Any, y: Any, *two: str) -> Any:
    """Even numbers of pairs: those of their state, and products of two maps of odd ones."""
    first, second = (p[name].T @ y for name in two)
    return xp.concatenate([_norm(xp, h, p, norm), first * second])


def _norm(xp: Any, h: Any, arrays: Mapping[str, Any], name: str) -> Any:
    """Layer norm over channels."""
    h = h - h.sum(0) / len(h)
    h *= 1 / xp.sqrt(_mean_square(xp, h) + EPSILON)
    h *= arrays[f"{name}_gain"][:, None]
    h += arrays[f"{name}_bias"][:, None]
    return h


def _soft(xp: Any, o: Any) -> Any:
    """Shrink each pair's vector below length one (root mean square)."""
    return o * (1 / xp.sqrt(1 + _mean_square(xp, o)))


def _mean_square(xp: Any, x: Any) -> Any:
    return xp.einsum("ij,ij->j", x, x) / len(x)


def _sigmoid(xp: Any, x: Any) -> Any:
    """Compute the logistic function, in place."""
    x *= 0.5
    xp.tanh(x, out=x)
    x += 1
    x *= 0.5
    return x


def _positive(x: Any) -> Any:
    return x.clip(0, out=x) if isinstance(x, np.ndarray) else x.clip_(0)


# The same in torch, for those who have it and a GPU: float32, the same numbers to 1e-4


def torch_logits(
    network: Network, even: NDArray[np.float32], odd: NDArray[np.float32], device: str
) -> NDArray[np.float32]:
    """Compute logits of pairs by torch."""
    torch = _torch()
    try:
        arrays = _on_device(network, device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"Torch cannot use the device {device!r}: {error}") from error
    with _exact(torch, device):
        e, q = (torch.as_tensor(own, device=device) for own in (even, odd))
        logits = pair_logits(network.settings, arrays, e, q, torch, TORCH_PARTS)
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
            'A device needs torch: pip install "spinney[torch]". Without one, numpy computes.'
        ) from error
    return torch
