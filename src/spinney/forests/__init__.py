"""Sums over trees and forests: exact, stable at any range of weights, and quick.

Called through the module, ``forests.enumerate(...)``: bare, some names would hide builtins.
"""

from spinney.forests.enumeration import ForestList, enumerate
from spinney.forests.evaluation import Evaluation, evaluate
from spinney.forests.partition import edge_marginals, log_partition

__all__ = [
    "Evaluation",
    "ForestList",
    "edge_marginals",
    "enumerate",
    "evaluate",
    "log_partition",
]
