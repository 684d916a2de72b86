"""Inference in numpy: every pair once, sums over third columns by products of matrices.

The state is kept by channels, one row per channel and one column per pair in the order of
:mod:`spinney._core.pairs`. A row scattered to a symmetric matrix is then one read of contiguous
memory, and numbers of a pair (its mean, its scale) lie along the axis that vector code runs over.
Maps are computed for :data:`CHUNK` pairs at a time, so that what is between them stays in the
processor's cache. What is stored for all pairs is about 2 kB a pair: 1 GiB for 1,000 columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_nodes, pair_nodes
from spinney.judge.settings import Settings

__all__ = ["PairwiseNetwork", "fold_block", "fold_ends"]

Array = NDArray[np.float32]
CHUNK = 1024
"""Pairs at a time: what lies between two maps fits into a core's own cache."""
FULL_BYTES = 2**20
"""Matrices of columns by columns that are computed together have at most this size (or are one)."""
EPSILON = 1e-5
"""Added to a variance before it divides, as in torch."""
GATES = ("Ga", "Gr", "Gb", "Gs", "Gt", "Gz")


class PairwiseNetwork:
    """A network's arrays, made ready to judge tables of any number of columns.

    Parameters
    ----------
    settings : Settings
        Sizes of the network.
    arrays : mapping of str to float32 arrays
        What :attr:`Settings.shapes` names.
    """

    def __init__(self, settings: Settings, arrays: Mapping[str, Array]) -> None:
        self.settings = settings
        self.arrays = arrays
        self.ends = fold_ends(arrays)
        self.blocks = [fold_block(settings, arrays, i) for i in range(settings.n_blocks)]

    def logits(self, even: Array, odd: Array) -> Array:
        """Compute the logit of every pair, from evidence of shapes (P, n_even) and (P, n_odd)."""
        state = _State(self.settings, len(even))
        inputs = self.settings.n_even + self.settings.n_odd
        skip = np.empty(state.n_pairs, dtype=np.float32)
        for part in state.parts():
            evidence, q = _ones(inputs, part), self._standardise(even[part], odd[part])
            evidence[: self.settings.n_even], evidence[self.settings.n_even : -1] = q[0], abs(q[1])
            np.matmul(self.ends["even_in"], evidence, out=state.h[:, part])
            np.matmul(self.ends["odd_in"], q[1], out=state.o[:, part])
            skip[part] = self.ends["skip"] @ evidence[:-1]
        for block in self.blocks:
            if self.settings.triangles:
                self._send_triangles(block, state)
                state.sum_over_triangles()
                self._hear_triangles(block, state)
            added = self._hear_columns(block, state)
            self._map(block, state, added)
        out = self.ends["out"]
        for part in state.parts():
            x = _normalised(state.h[:, part])
            skip[part] += out[:-1] @ x + out[-1]
        return skip

    def _standardise(self, even: Array, odd: Array) -> tuple[Array, Array]:
        a = self.arrays
        e = (np.clip(even, a["even_low"], a["even_high"]) - a["even_center"]) / a["even_scale"]
        q = np.clip(odd, -a["odd_bound"], a["odd_bound"]) / a["odd_scale"]
        return e.T, np.ascontiguousarray(q.T)

    def _send_triangles(self, block: dict[str, Array], state: _State) -> None:
        """Compute what each pair gives to triangles, and the gates of what it will hear."""
        C, D, T = self._widths
        for part in state.parts():
            odd = block["odd1"] @ _soft(state.o[:, part])
            x = _ones(C + D, part)
            _normalised(state.h[:, part], out=x[:C])
            np.multiply(odd[:D], odd[D : 2 * D], out=x[C:-1])
            gates = _open(block["gates1"] @ x)
            values = block["values1"] @ x
            for left, rows in ((state.left, 0), (state.right, 1)):
                gate = gates[2 * T * rows : 2 * T * (rows + 1)]
                np.multiply(gate[:T], values[T * rows : T * (rows + 1)], out=left[:T, part])
                sent = odd[2 * D + T * rows : 2 * D + T * (rows + 1)]
                np.multiply(gate[T:], sent, out=left[T:, part])
            state.gates[:, part] = gates[4 * T :]

    def _hear_triangles(self, block: dict[str, Array], state: _State) -> None:
        C, _, T = self._widths
        for part in state.parts():
            x = _ones(2 * T, part)
            _normalised(state.left[:T, part], out=x[:T])
            z = _soft(state.left[T:, part])
            np.square(z, out=x[T:-1])
            heard = block["out1"] @ x
            heard *= state.gates[:C, part]
            state.h[:, part] += heard
            heard = block["odd_out1"] @ z
            heard *= state.gates[C:, part]
            state.o[:, part] += heard

    def _hear_columns(self, block: dict[str, Array], state: _State) -> tuple[Array, Array]:
        """Compute what each column and the table add to all their pairs."""
        x = state.shared
        for part in state.parts():
            own = _normalised(state.h[:, part])
            own *= block["norm2_gain"]
            np.add(own, block["norm2_bias"], out=x[:, part])
        m = np.vstack([*state.means_and_maxima(x), np.ones((1, state.d), dtype=np.float32)])
        f = block["nodes_out"] @ np.maximum(block["nodes_in"] @ m, 0)
        over = np.concatenate([m[:-1].mean(axis=1), m[:-1].max(axis=1), m[-1, :1]])
        g = block["table_out"] @ np.maximum(block["table_in"] @ over, 0)
        return f, g[:, None]

    def _map(self, block: dict[str, Array], state: _State, added: tuple[Array, Array]) -> None:
        C, D, _ = self._widths
        f, g = added
        for part in state.parts():
            h = state.h[:, part]
            more = np.take(f, state.first[part], axis=1)
            more += np.take(f, state.second[part], axis=1)
            more += g
            h += more
            odd = block["odd3"] @ _soft(state.o[:, part])
            x = _ones(C + D, part)
            _normalised(h, out=x[:C])
            np.multiply(odd[:D], odd[D : 2 * D], out=x[C:-1])
            hidden = _ones(2 * C, part)
            np.matmul(block["hidden3"], x, out=hidden[:-1])
            np.maximum(hidden, 0, out=hidden)
            h += block["out3"] @ hidden
            gate = _open(block["gate3"] @ x)
            gate *= odd[2 * D :]
            state.o[:, part] += gate

    @property
    def _widths(self) -> tuple[int, int, int]:
        return self.settings.width, self.settings.odd_width, self.settings.triangle_width


class _State:
    """What is known of every pair between two steps, by channels."""

    def __init__(self, settings: Settings, n_pairs: int) -> None:
        C, D, T = settings.width, settings.odd_width, settings.triangle_width
        self.n_pairs, self.d = n_pairs, n_nodes(n_pairs)
        self.first, self.second = pair_nodes(self.d)
        # Where the pair of two columns stands; nothing is read at the diagonal.
        self.positions = np.zeros((self.d, self.d), dtype=np.intp)
        self.positions[self.first, self.second] = np.arange(n_pairs)
        self.positions += self.positions.T
        self.upper = self.first * self.d + self.second
        self.lower = self.second * self.d + self.first
        step = max(1, FULL_BYTES // (4 * max(self.d, 1) ** 2))
        # Memory that is new costs more than what is computed in it: it is taken once.
        self.room = np.empty((3, min(step, max(C, 2 * T)), self.d, self.d), dtype=np.float32)
        self.h = np.empty((C, n_pairs), dtype=np.float32)
        self.o = np.empty((D, n_pairs), dtype=np.float32)
        self.shared = np.empty((C, n_pairs), dtype=np.float32)
        if settings.triangles:
            self.left = np.empty((2 * T, n_pairs), dtype=np.float32)
            self.right = np.empty((2 * T, n_pairs), dtype=np.float32)
            self.gates = np.empty((C + D, n_pairs), dtype=np.float32)

    def parts(self) -> Iterator[slice]:
        for start in range(0, self.n_pairs, CHUNK):
            yield slice(start, min(start + CHUNK, self.n_pairs))

    def sum_over_triangles(self) -> None:
        """Put into `left` the sums over third columns of products of `left` and `right`."""
        scale = np.float32(1 / sqrt(self.d))
        for rows in self._channels(len(self.left)):
            # Zeros on the diagonal leave out third columns that are one of the pair.
            left = self._full(self.left[rows], 0, 0)
            right = self._full(self.right[rows], 1, 0)
            product = self.room[2][: len(left)]
            flat = np.matmul(left, right, out=product).reshape(len(left), -1)
            np.take(flat, self.upper, axis=1, out=self.left[rows], mode="clip")
            self.left[rows] += np.take(flat, self.lower, axis=1, mode="clip")
            self.left[rows] *= scale

    def means_and_maxima(self, x: Array) -> tuple[Array, Array]:
        """Compute the mean and the largest of every channel over each column's pairs."""
        means = np.empty((len(x), self.d), dtype=np.float32)
        maxima = np.empty((len(x), self.d), dtype=np.float32)
        mean = np.full(self.d, 1 / (self.d - 1), dtype=np.float32)
        for rows in self._channels(len(x)):
            full = self._full(x[rows], 0, -np.inf)
            full.max(axis=1, out=maxima[rows])
            full.reshape(len(full), -1)[:, :: self.d + 1] = 0
            np.matmul(full, mean, out=means[rows])  # quicker than a sum
        return means, maxima

    def _full(self, rows: Array, room: int, diagonal: float) -> Array:
        """Give channels of pairs as symmetric matrices, in one of three rooms."""
        full = self.room[room, : len(rows)]
        # Positions are right by construction; "clip" saves a copy that guards against wrong ones.
        np.take(rows, self.positions, axis=1, out=full, mode="clip")
        full.reshape(len(rows), -1)[:, :: self.d + 1] = diagonal
        return full

    def _channels(self, count: int) -> Iterator[slice]:
        step = self.room.shape[1]
        for start in range(0, count, step):
            yield slice(start, min(start + step, count))


def _ones(rows: int, part: slice) -> Array:
    """Give room for `rows` channels with a row of ones below, which biases are read by."""
    x = np.empty((rows + 1, part.stop - part.start), dtype=np.float32)
    x[-1] = 1
    return x


def _normalised(h: Array, out: Array | None = None) -> Array:
    """Layer norm over channels, without gain and bias."""
    out = np.subtract(h, h.mean(axis=0), out=out)
    variance = np.einsum("ij,ij->j", out, out) / np.float32(len(h))
    out *= 1 / np.sqrt(variance + np.float32(EPSILON))
    return out


def _soft(o: Array) -> Array:
    """Shrink each pair's vector below length one (root mean square)."""
    square = np.einsum("ij,ij->j", o, o) / np.float32(len(o))
    return o * (1 / np.sqrt(1 + square))


def _open(x: Array) -> Array:
    """Give twice the logistic function of 2x, in place; see :mod:`spinney.judge._numpy`."""
    np.tanh(x, out=x)
    x += 1
    return x


def fold_ends(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Prepare what stands before the first and after the last block."""
    bias = np.atleast_1d(arrays["w0"])
    return {
        "even_in": _with_bias(arrays["W_in"], arrays["b_in"]),
        "odd_in": _turned(arrays["V_in"]),
        "out": _after_norm("norm_out", arrays, arrays["w"][:, None], bias)[0],
        "skip": arrays["w_skip"],
    }


def fold_block(settings: Settings, arrays: Mapping[str, Array], block: int) -> dict[str, Array]:
    """Prepare the matrices of one block, outputs by inputs."""
    own = {name: arrays[name][block] for name in settings.block_shapes}
    found = {"norm2_gain": own["norm2_gain"][:, None], "norm2_bias": own["norm2_bias"][:, None]}
    if settings.triangles:
        gates, biases = _joined(own, *GATES), _joined(own, *map(str.lower, GATES))
        values = _joined(own, "A", "B")
        none = np.zeros(values.shape[1], dtype=np.float32)
        odd = np.hstack([own["P1"], own["P2"], 0.5 * own["R"], 0.5 * own["S"]])
        found |= {
            "gates1": _after_norm("norm1", own, 0.5 * gates, 0.5 * biases),
            "values1": _after_norm("norm1", own, 0.5 * values, none),
            "odd1": _turned(odd),
            "out1": _after_norm("norm_t", own, 0.5 * own["O1"], 0.5 * own["c1"]),
            "odd_out1": _turned(0.5 * own["O2"]),
        }
    return found | {
        "nodes_in": _with_bias(own["N1"], own["n1"]),
        "nodes_out": _turned(own["N2"]),
        "table_in": _with_bias(own["M1"], own["m1"]),
        "table_out": _turned(own["M2"]),
        "odd3": _turned(np.hstack([own["Q1"], own["Q2"], 0.5 * own["Y"]])),
        "hidden3": _after_norm("norm3", own, own["F1"], own["f1"]),
        "gate3": _after_norm("norm3", own, 0.5 * own["Gy"], 0.5 * own["gy"]),
        "out3": _with_bias(own["F2"], own["f2"]),
    }


def _joined(arrays: Mapping[str, Array], *names: str) -> Array:
    return np.hstack([arrays[name] for name in names])


def _turned(matrix: Array) -> Array:
    return np.ascontiguousarray(matrix.T, dtype=np.float32)


def _with_bias(matrix: Array, bias: Array) -> Array:
    return _turned(np.vstack([matrix, bias]))


def _after_norm(norm: str, arrays: Mapping[str, Array], matrix: Array, bias: Array) -> Array:
    """Let a matrix, whose first rows read a layer norm, read what is not yet scaled and shifted."""
    gain, shift = arrays[f"{norm}_gain"], arrays[f"{norm}_bias"]
    width = len(gain)
    scaled = matrix.copy()
    scaled[:width] *= gain[:, None]
    return _with_bias(scaled, bias + shift @ matrix[:width])
