"""A judge of few random numbers, for tests of what judges are used for."""

import numpy as np

from spinney.evidence import N_EVEN, N_ODD
from spinney.judge import Judge, Network, Settings


def tiny_judge(seed):
    """Make a judge that has learned nothing: it ranks pairs by random sums of the evidence."""
    settings = Settings(N_EVEN, N_ODD, width=4, odd_width=2, triangle_width=2, n_blocks=1)
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.normal(scale=0.3, size=shape).astype(np.float32)
        for name, shape in settings.shapes.items()
    }
    for name in arrays:
        if name.endswith(("scale", "gain")):
            arrays[name] = np.ones_like(arrays[name])
    arrays |= {"even_low": np.full(N_EVEN, -20.0), "even_high": np.full(N_EVEN, 20.0)}
    arrays |= {"even_center": np.zeros(N_EVEN), "odd_bound": np.full(N_ODD, 20.0)}
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}
    return Judge([Network(settings, arrays)], {"name": f"tiny {seed}"})
