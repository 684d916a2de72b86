"""Sums over trees and forests: exact, stable at any range of weights, and quick.

Called through the module, ``forests.enumerate(...)``: bare, some names would hide builtins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.forests.cuts import smallest_cuts as smallest_cuts
    from spinney.forests.evaluation import Evaluator as Evaluator
    from spinney.forests.evaluation import edge_covariance as edge_covariance
    from spinney.forests.evaluation import evaluate as evaluate
    from spinney.forests.inputs import Samples as Samples
    from spinney.forests.partition import edge_marginals as edge_marginals
    from spinney.forests.partition import log_partition as log_partition
    from spinney.forests.partition import tree_count_distribution as tree_count_distribution
    from spinney.forests.posterior import ForestPosterior as ForestPosterior
    from spinney.forests.posterior import PairNetwork as PairNetwork
    from spinney.forests.posterior import forest_posterior as forest_posterior
    from spinney.forests.reference import enumerate as enumerate
    from spinney.forests.sampling import SampledForests as SampledForests
    from spinney.forests.sampling import sample as sample
    from spinney.forests.unrooted import edge_marginals_unrooted as edge_marginals_unrooted
    from spinney.forests.unrooted import evaluate_unrooted as evaluate_unrooted
    from spinney.forests.unrooted import log_partition_unrooted as log_partition_unrooted
    from spinney.forests.unrooted import sample_unrooted as sample_unrooted

_MODULES = {
    "cuts": ("smallest_cuts",),
    "evaluation": ("Evaluator", "edge_covariance", "evaluate"),
    "partition": ("edge_marginals", "log_partition", "tree_count_distribution"),
    "posterior": ("ForestPosterior", "PairNetwork", "forest_posterior"),
    "reference": ("enumerate",),
    "inputs": ("Samples",),
    "sampling": ("SampledForests", "sample"),
    "unrooted": (
        "edge_marginals_unrooted",
        "evaluate_unrooted",
        "log_partition_unrooted",
        "sample_unrooted",
    ),
}

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names},
    ("inputs", "posterior"),
)
