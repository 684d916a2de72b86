"""What is known of every pair of a table's columns, as numbers with names and meanings."""

from spinney.evidence.channels import CHANNELS, N_EVEN, N_ODD, Channel
from spinney.evidence.measuring import measure
from spinney.evidence.table_evidence import Evidence
from spinney.evidence.wide_evidence import WideEvidence

__all__ = ["CHANNELS", "N_EVEN", "N_ODD", "Channel", "Evidence", "WideEvidence", "measure"]
