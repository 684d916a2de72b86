"""A small judge that has learned nothing, for tests of what judges are used for."""

from benchmarks.judge.random_network import random_network

from spinney.evidence import N_EVEN, N_ODD
from spinney.judge import Judge, Settings


def tiny_judge(seed):
    """Draw a judge of one small random network."""
    settings = Settings(N_EVEN, N_ODD, width=4, odd_width=2, triangle_width=2, n_blocks=1)
    return Judge([random_network(settings, seed)], {"name": f"tiny {seed}"})
