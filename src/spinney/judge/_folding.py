"""A network's arrays in the form that inference in numpy reads.

Three rewritings save a third of the work over elements and change only the rounding:

- the gain and bias of a layer norm are part of the matrix that follows it;
- a bias is the last column of its matrix, read by a row of ones;
- a gate is half of 1 + tanh: the logistic function of x is (1 + tanh(x / 2)) / 2, so gates have
  half their weights here, and so have the maps that gates are multiplied with.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spinney.judge.settings import Settings

__all__ = ["fold_block", "fold_ends"]

Array = NDArray[np.float32]

GATES = ("Ga", "Gr", "Gb", "Gs", "Gt", "Gz")


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
