"""A GPU against two cores of the same machine."""
