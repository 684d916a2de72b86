"""The world: a documented prior over tables, on which the judge of edges is trained."""

from spinney.simulate.world.world import GROUPS, World

__all__ = ["GROUPS", "World"]
