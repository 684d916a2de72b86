"""Where real tables lie among those that the world draws: ``python -m benchmarks.world``."""
