"""How well the probability that two groups differ keeps its word."""
