"""Posterior of one forest that several rows share, from two rows to all of them."""

from spinney.forests import ForestPosterior, forest_log_partition, forest_posterior
from spinney.forests.posterior.ladder import (
    Ladder,
    SharedPosterior,
    default_sizes,
    ladder,
    shared_forest_probabilities,
)
from spinney.forests.posterior.log_evidence import log_evidence

__all__ = [
    "ForestPosterior",
    "Ladder",
    "SharedPosterior",
    "default_sizes",
    "forest_log_partition",
    "forest_posterior",
    "ladder",
    "log_evidence",
    "shared_forest_probabilities",
]
