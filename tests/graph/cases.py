"""Judges and tables for the tests of the learner."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.judge.random_network import random_network

from spinney.evidence import CHANNELS, N_EVEN, N_ODD
from spinney.judge import Judge, Network, Settings

SMALL = Settings(N_EVEN, N_ODD, width=8, odd_width=4, triangle_width=4, n_blocks=2)


def random_judge(seed=0):
    """A judge that has learned nothing."""
    return Judge([random_network(SMALL, seed)], {"name": f"random {seed}"})


def plain_judge(slope=6.0):
    """A judge that believes what one other column leaves of a pair, by its linear skip."""
    arrays = {name: np.zeros(shape) for name, shape in SMALL.shapes.items()}
    for name in ("even_scale", "odd_scale", "even_high", "odd_bound"):
        arrays[name] += 4.0 if name.endswith("scale") else 20.0
    arrays["even_low"] -= 20.0
    names = [channel.name for channel in CHANNELS]
    arrays["w_skip"][names.index("least_z")] = slope
    arrays["even_center"][names.index("least_z")] = 2.0
    return Judge([Network(SMALL, arrays)], {"name": "plain"})


def plain_judge_path():
    """The same in a file, so that a model that comes back from disc can be fitted again."""
    folder = Path(tempfile.mkdtemp(prefix="spinney-judge-"))
    plain_judge().save(folder / "judge.npz")
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


def two_groups(n=(200, 150), seed=0, names=("A", "B")):
    """Chains in both; d – e is an edge in group B only."""
    a, b = chains(n[0], seed), chains(n[1], seed + 1)
    a["e"] = np.random.default_rng(seed + 2).normal(size=n[0])
    return pd.concat([a.assign(g=names[0]), b.assign(g=names[1])], ignore_index=True)
