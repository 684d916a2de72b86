"""What is known of every pair of a table's columns, as numbers with names and meanings."""

from spinney.evidence.channels import Channel
from spinney.evidence.evidence import Evidence, measure, measure_scores
from spinney.evidence.groups import CHANNELS, N_EVEN, N_ODD

__all__ = ["CHANNELS", "N_EVEN", "N_ODD", "Channel", "Evidence", "measure", "measure_scores"]
