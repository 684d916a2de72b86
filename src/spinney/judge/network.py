"""One network over pairs: evidence of all pairs of a table in, one logit per pair out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_nodes
from spinney.exceptions import InputError
from spinney.judge._formulas import pair_logits, torch_logits

Array = NDArray[np.float32]

STANDARDISATION = (
    *("even_low", "even_high", "even_center", "even_scale"),
    *("odd_bound", "odd_scale"),
)
"""Arrays that bring the evidence to the range of training; not learned, kept in float32."""


@dataclass(frozen=True)
class Settings:
    """Sizes of a network over pairs.

    Parameters
    ----------
    n_even, n_odd : int
        Channels of evidence that stay when a column is negated, and that change their sign.
    width, odd_width : int
        Channels of the even and of the odd state of a pair.
    triangle_width : int
        Channels of the sums over third columns, even and odd each.
    n_blocks : int
        How many times pairs hear of other pairs.
    triangles : bool
        Whether there are sums over third columns at all; without, columns are heard of only through
        their means and maxima.

    Examples
    --------
    >>> Settings(n_even=30, n_odd=6).n_parameters
    586853
    """

    n_even: int
    n_odd: int
    width: int = 64
    odd_width: int = 32
    triangle_width: int = 32
    n_blocks: int = 6
    triangles: bool = True

    def __post_init__(self) -> None:
        for name in ("n_even", "n_odd", "width", "odd_width", "triangle_width", "n_blocks"):
            if int(getattr(self, name)) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}.")

    @property
    def block_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every array of one block by name."""
        C, D, T, X = self.width, self.odd_width, self.triangle_width, self.width + self.odd_width
        triangle: dict[str, tuple[int, ...]] = {
            **{"norm1_gain": (C,), "norm1_bias": (C,), "P1": (D, D), "P2": (D, D)},
            **{"A": (X, T), "Ga": (X, T), "ga": (T,), "B": (X, T), "Gb": (X, T), "gb": (T,)},
            **{"R": (D, T), "Gr": (X, T), "gr": (T,), "S": (D, T), "Gs": (X, T), "gs": (T,)},
            **{"norm_t_gain": (T,), "norm_t_bias": (T,), "Gt": (X, C), "gt": (C,)},
            **{"O1": (2 * T, C), "c1": (C,), "Gz": (X, D), "gz": (D,), "O2": (T, D)},
        }
        rest: dict[str, tuple[int, ...]] = {
            **{"norm2_gain": (C,), "norm2_bias": (C,)},
            **{"N1": (2 * C, C), "n1": (C,), "N2": (C, C)},
            **{"M1": (4 * C, C), "m1": (C,), "M2": (C, C)},
            **{"norm3_gain": (C,), "norm3_bias": (C,), "Q1": (D, D), "Q2": (D, D)},
            **{"F1": (X, 2 * C), "f1": (2 * C,), "F2": (2 * C, C), "f2": (C,)},
            **{"Gy": (X, D), "gy": (D,), "Y": (D, D)},
        }
        return {**(triangle if self.triangles else {}), **rest}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every array by name; arrays of blocks have the blocks along their first axis.

        The names are those of the formulas in :mod:`spinney.judge`.
        """
        inputs, C, D = self.n_even + self.n_odd, self.width, self.odd_width
        return {
            **dict.fromkeys(STANDARDISATION[:4], (self.n_even,)),
            **dict.fromkeys(STANDARDISATION[4:], (self.n_odd,)),
            **{"W_in": (inputs, C), "b_in": (C,), "V_in": (self.n_odd, D)},
            **{name: (self.n_blocks, *shape) for name, shape in self.block_shapes.items()},
            **{"norm_out_gain": (C,), "norm_out_bias": (C,)},
            **{"w": (C,), "w_skip": (inputs,), "w0": ()},
        }

    @property
    def n_parameters(self) -> int:
        """How many numbers are learned."""
        return sum(prod(s) for name, s in self.shapes.items() if name not in STANDARDISATION)


@dataclass(frozen=True, eq=False)
class Network:
    """A network over the evidence of all pairs of columns.

    Negating a column changes no logit, and reordering columns reorders them.

    Parameters
    ----------
    settings : Settings
        Sizes of the network.
    arrays : mapping of str to arrays
        All that :attr:`Settings.shapes` names; kept in float32.

    Raises
    ------
    InputError
        If an array is missing, superfluous, of another shape or not finite.

    Examples
    --------
    >>> from spinney.judge import Judge
    >>> network = Judge.load().networks[0]
    >>> even = np.ones((6, network.settings.n_even))  # the six pairs of four columns
    >>> network.logits(even, np.ones((6, network.settings.n_odd))).shape
    (6,)
    """

    settings: Settings
    arrays: Mapping[str, Array]

    def __post_init__(self) -> None:
        shapes, arrays = self.settings.shapes, {}
        for name in sorted(shapes.keys() ^ self.arrays.keys()):
            fault = "is missing" if name in shapes else "belongs to no network of these settings"
            raise InputError(f"The array {name!r} {fault}.")
        for name, shape in shapes.items():
            array = np.array(self.arrays[name], dtype=np.float32, order="C")
            if array.shape != shape:
                raise InputError(f"The array {name!r} has shape {array.shape}, not {shape}.")
            # Bounds may be infinite: nothing is cut then.
            if np.isnan(array).any() or (name not in STANDARDISATION and np.isinf(array).any()):
                raise InputError(f"The array {name!r} holds numbers that are not finite.")
            array.flags.writeable = False
            arrays[name] = array
        object.__setattr__(self, "arrays", arrays)

    def logits(self, even: ArrayLike, odd: ArrayLike, *, device: str | None = None) -> Array:
        """Compute the logit of every pair.

        Parameters
        ----------
        even : array of shape (n_pairs, n_even)
            Evidence that stays when a column is negated; pairs in the order of
            ``np.triu_indices(d, 1)``.
        odd : array of shape (n_pairs, n_odd)
            Evidence that changes its sign with a column.
        device : str, optional
            A device of torch, such as "cuda", which computes the same numbers to 1e-4; by default
            numpy computes.

        Returns
        -------
        float32 array of shape (n_pairs,)

        Raises
        ------
        InputError
            If the arrays do not fit the network or hold numbers that are not finite, or torch is
            asked for and not installed.
        """
        first = _evidence(even, self.settings.n_even, "even")
        second = _evidence(odd, self.settings.n_odd, "odd")
        if len(first) != len(second):
            raise InputError(f"There are {len(first)} rows of even evidence, {len(second)} of odd.")
        n_nodes(len(first))  # a number of pairs, or an error
        if not len(first):
            return np.empty(0, dtype=np.float32)
        if device is not None:
            return torch_logits(self, first, second, device)
        return np.asarray(pair_logits(self.settings, self.arrays, first, second))


def _evidence(values: ArrayLike, channels: int, what: str) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float32)
    if array.ndim != 2 or array.shape[1] != channels:
        raise InputError(
            f"The {what} evidence has shape {array.shape}; the network reads (pairs, {channels})."
        )
    if not np.isfinite(array).all():
        pair, channel = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"The {what} evidence must be finite; channel {channel} of pair {pair} is "
            f"{array[pair, channel]}."
        )
    return array
