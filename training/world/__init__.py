"""The world: a documented prior over tables, on which the judge of edges is trained."""

from training.world.world import GROUPS, World

__all__ = ["GROUPS", "World"]
