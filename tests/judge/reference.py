"""The network as its formulas stand, for every ordered pair: to be read, and to test against."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_nodes, pair_nodes
from spinney.judge.network import Settings

__all__ = ["reference_logits"]

Array = NDArray[np.float64]


def reference_logits(
    settings: Settings, arrays: Mapping[str, NDArray[np.float32]], even: Array, odd: Array
) -> Array:
    """Compute logits of pairs in double precision, d by d by channels, line by line.

    The letters are those of :mod:`spinney.judge`.
    """
    a = {name: np.asarray(value, dtype=float) for name, value in arrays.items()}
    d = n_nodes(len(even))
    u, v = pair_nodes(d)
    other = ~np.eye(d, dtype=bool)[..., None]

    e = (_full(even, d).clip(a["even_low"], a["even_high"]) - a["even_center"]) / a["even_scale"]
    q = _full(odd, d).clip(-a["odd_bound"], a["odd_bound"]) / a["odd_scale"]
    evidence = np.concatenate([e, abs(q)], axis=2)
    h = evidence @ a["W_in"] + a["b_in"]
    o = q @ a["V_in"]

    for block in range(settings.n_blocks):
        p = {name: a[name][block] for name in settings.block_shapes}

        if settings.triangles:
            y = _soft(o)
            x = np.concatenate([_norm(h, p, "norm1"), (y @ p["P1"]) * (y @ p["P2"])], axis=2)
            first = _sigmoid(x @ p["Ga"] + p["ga"]) * (x @ p["A"])
            second = _sigmoid(x @ p["Gb"] + p["gb"]) * (x @ p["B"])
            t = _triangles(first, second)
            r = _sigmoid(x @ p["Gr"] + p["gr"]) * (y @ p["R"])
            s = _sigmoid(x @ p["Gs"] + p["gs"]) * (y @ p["S"])
            z = _soft(_triangles(r, s))
            heard = np.concatenate([_norm(t, p, "norm_t"), z**2], axis=2)
            h = h + _sigmoid(x @ p["Gt"] + p["gt"]) * (heard @ p["O1"] + p["c1"])
            o = o + _sigmoid(x @ p["Gz"] + p["gz"]) * (z @ p["O2"])

        x = _norm(h, p, "norm2")
        mean = np.where(other, x, 0).sum(axis=1) / (d - 1)
        m = np.concatenate([mean, np.where(other, x, -np.inf).max(axis=1)], axis=1)
        f = np.maximum(m @ p["N1"] + p["n1"], 0) @ p["N2"]
        over = np.concatenate([m.mean(axis=0), m.max(axis=0)])
        g = np.maximum(over @ p["M1"] + p["m1"], 0) @ p["M2"]
        h = h + f[:, None] + f[None, :] + g

        y = _soft(o)
        x = np.concatenate([_norm(h, p, "norm3"), (y @ p["Q1"]) * (y @ p["Q2"])], axis=2)
        h = h + np.maximum(x @ p["F1"] + p["f1"], 0) @ p["F2"] + p["f2"]
        o = o + _sigmoid(x @ p["Gy"] + p["gy"]) * (y @ p["Y"])

    logits = _norm(h, a, "norm_out") @ a["w"] + evidence @ a["w_skip"] + a["w0"]
    return logits[u, v]


def _full(pairs: Array, d: int) -> Array:
    u, v = pair_nodes(d)
    full = np.zeros((d, d, pairs.shape[1]))
    full[u, v] = full[v, u] = pairs
    return full


def _soft(o: Array) -> Array:
    return o / np.sqrt(1 + (o**2).mean(axis=-1, keepdims=True))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _norm(h: Array, arrays: Mapping[str, Array], name: str) -> Array:
    centred = h - h.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return scaled * arrays[f"{name}_gain"] + arrays[f"{name}_bias"]


def _triangles(first: Array, second: Array) -> Array:
    """Sum over columns other than the pair's: first_uk second_kv + second_uk first_kv."""
    d = len(first)
    total = np.zeros_like(first)
    for k in range(d):
        through = first[:, k, None] * second[None, k] + second[:, k, None] * first[None, k]
        through[k] = through[:, k] = 0
        total += through
    return total / np.sqrt(d)
