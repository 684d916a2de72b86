"""Judges and tables for the tests of the learner."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from spinney.evidence import CHANNELS, N_EVEN, N_ODD
from spinney.judge import Judge, Network, Settings

SMALL = Settings(N_EVEN, N_ODD, width=8, odd_width=4, triangle_width=4, n_blocks=2)
LADDER = ("ladder_16", "ladder_64", "ladder_most", "ladder_all")


def arrays_of(settings, rng=None):
    """Arrays of a network: random ones, or with none but what standardises all zero."""
    draw = (lambda shape: np.zeros(shape)) if rng is None else (lambda s: 0.3 * rng.normal(size=s))
    arrays = {name: draw(shape) for name, shape in settings.shapes.items()}
    arrays |= {"even_low": np.full(N_EVEN, -20.0), "even_high": np.full(N_EVEN, 20.0)}
    arrays |= {"even_center": np.zeros(N_EVEN), "even_scale": np.full(N_EVEN, 4.0)}
    arrays |= {"odd_bound": np.full(N_ODD, 20.0), "odd_scale": np.full(N_ODD, 4.0)}
    return {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}


def random_judge(seed=0):
    """A judge that has learned nothing."""
    rng = np.random.default_rng(seed)
    return Judge([Network(SMALL, arrays_of(SMALL, rng))], {"name": f"random {seed}"})


def ladder_judge():
    """A judge that believes the mean of a few rungs of the ladder, by its linear skip."""
    arrays = arrays_of(SMALL)
    names = [channel.name for channel in CHANNELS]
    for name in LADDER:
        arrays["w_skip"][names.index(name)] = 4.0 / len(LADDER)
    return Judge([Network(SMALL, arrays)], {"name": "ladder"})


def ladder_judge_path():
    """The same in a file, so that a model that comes back from disc can be fitted again."""
    folder = Path(tempfile.mkdtemp(prefix="spinney-judge-"))
    ladder_judge().save(folder / "judge.npz")
    return str(folder / "judge.npz")


def chains(n=150, seed=5):
    """Two chains; b falls as a rises, e rises with d."""
    X = np.random.default_rng(seed).normal(size=(n, 6))
    X[:, 1] -= 1.5 * X[:, 0]
    X[:, 2] += X[:, 1]
    X[:, 4] += 1.5 * X[:, 3]
    return pd.DataFrame(X, columns=["a", "b", "c", "d", "e", "lonely"])


def with_gaps(frame, share=0.1, seed=0):
    gaps = np.random.default_rng(seed).uniform(size=frame.shape) < share
    return frame.mask(gaps)
