"""Structure of Markov random fields by averaging over forests of pair-copula trees."""

__version__ = "0.1.0.dev0"

__all__ = ["__version__"]
