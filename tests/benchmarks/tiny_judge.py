"""A small judge that has learned nothing, for tests of what judges are used for."""

from spinney.evidence import N_EVEN, N_ODD
from spinney.judge import Judge, Network, Settings


def tiny_judge(seed):
    """Draw a judge of one small random network."""
    settings = Settings(N_EVEN, N_ODD, width=4, odd_width=2, triangle_width=2, n_blocks=1)
    return Judge([Network.random(settings, seed)], {"name": f"tiny {seed}"})
