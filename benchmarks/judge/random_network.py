"""A network that has learned nothing, for tests and for timing."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.judge import Network, Settings

__all__ = ["random_network"]

ODD = ("V_in", "R", "S", "O2", "Y")
"""Maps of odd numbers."""


def random_network(settings: Settings, random_state: int = 0) -> Network:
    """Draw a network whose logits vary by a few units from pair to pair.

    Examples
    --------
    >>> network = random_network(Settings(n_even=3, n_odd=1))
    >>> network.logits(np.ones((6, 3)), np.ones((6, 1))).shape
    (6,)
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
    return Network(settings, arrays)
