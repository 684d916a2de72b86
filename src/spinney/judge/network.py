"""One network over pairs: evidence of all pairs of a table in, one logit per pair out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.choices import check_choice
from spinney._core.pairs import n_nodes
from spinney.exceptions import InputError
from spinney.judge._formulas import pair_logits
from spinney.judge.settings import STANDARDISATION, Settings

__all__ = ["ENGINES", "Network"]

Array = NDArray[np.float32]

ENGINES = ("numpy", "torch")

ODD = ("V_in", "R", "S", "O2", "Y")
"""Maps of odd numbers."""


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
    >>> network = Network.random(Settings(n_even=3, n_odd=1))
    >>> even, odd = np.ones((6, 3)), np.ones((6, 1))  # the six pairs of four columns
    >>> network.logits(even, odd).shape
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

    @classmethod
    def random(cls, settings: Settings, random_state: int = 0) -> Network:
        """Draw a network that has learned nothing, for tests and for timing.

        Its logits vary by a few units from pair to pair.

        Parameters
        ----------
        settings : Settings
            Sizes of the network.
        random_state : int
            Seed.
        """
        rng = np.random.default_rng(random_state)
        bounds = {"even_low": -8.0, "even_high": 8.0, "odd_bound": 8.0}
        arrays: dict[str, Any] = {}
        for name, shape in settings.shapes.items():
            matrix = len(shape) - (name in settings.block_shapes) == 2
            if name in bounds:
                arrays[name] = np.full(shape, bounds[name])
            elif name.endswith(("_gain", "_scale")):
                arrays[name] = rng.uniform(0.5, 1.5, shape)
            else:
                size = shape[-2] ** -0.5 if matrix else 0.3
                # Odd numbers reach a logit only as products; at the usual size they would drown.
                arrays[name] = (3 if name in ODD else 1) * size * rng.normal(size=shape)
        return cls(settings, arrays)

    def logits(
        self,
        even: ArrayLike,
        odd: ArrayLike,
        *,
        engine: str = "numpy",
        device: str | None = None,
    ) -> Array:
        """Compute the logit of every pair.

        Parameters
        ----------
        even : array of shape (n_pairs, n_even)
            Evidence that stays when a column is negated; pairs in the order of
            ``np.triu_indices(d, 1)``.
        odd : array of shape (n_pairs, n_odd)
            Evidence that changes its sign with a column.
        engine : {"numpy", "torch"}
            What computes: numpy, or torch on `device` with the same numbers to 1e-4.
        device : str, optional
            A device of torch, such as "cuda"; implies the torch engine. That takes a GPU by
            default, if there is one.

        Returns
        -------
        float32 array of shape (n_pairs,)

        Raises
        ------
        InputError
            If the arrays do not fit the network or hold numbers that are not finite, or torch is
            asked for and not installed.
        """
        check_choice(engine, ENGINES, "engine")
        first = _evidence(even, self.settings.n_even, "even")
        second = _evidence(odd, self.settings.n_odd, "odd")
        if len(first) != len(second):
            raise InputError(f"There are {len(first)} rows of even evidence, {len(second)} of odd.")
        n_nodes(len(first))  # a number of pairs, or an error
        if not len(first):
            return np.empty(0, dtype=np.float32)
        if engine == "torch" or device is not None:
            from spinney.judge._torch import torch_logits

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
