"""The sizes of a network over pairs, and the arrays that it is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from spinney.exceptions import InputError

__all__ = ["STANDARDISATION", "Settings"]

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

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as a plain dictionary, as :class:`Settings` takes them."""
        return asdict(self)
