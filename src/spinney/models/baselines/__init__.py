"""What a user would otherwise pick: graphical lasso, Chow–Liu, partial correlation and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.models.baselines.chow_liu import ChowLiu as ChowLiu
    from spinney.models.baselines.partial_correlation import (
        PartialCorrelation as PartialCorrelation,
    )
    from spinney.models.baselines.paths import GlassoPath as GlassoPath
    from spinney.models.baselines.paths import GraphPath as GraphPath
    from spinney.models.baselines.paths import glasso_path as glasso_path
    from spinney.models.baselines.paths import neighbourhood_path as neighbourhood_path
    from spinney.models.baselines.paths import penalty_path as penalty_path
    from spinney.models.baselines.penalised import GraphicalLasso as GraphicalLasso
    from spinney.models.baselines.penalised import NeighbourhoodSelection as NeighbourhoodSelection
    from spinney.models.baselines.scores import nonparanormal_scores as nonparanormal_scores
    from spinney.models.baselines.scores import rank_correlation as rank_correlation
    from spinney.models.selection import EBIC as EBIC
    from spinney.models.selection import CrossValidation as CrossValidation
    from spinney.models.selection import FixedPenalty as FixedPenalty
    from spinney.models.selection import RotationInformation as RotationInformation
    from spinney.models.selection import Stars as Stars

_MODULES = {
    "spinney.models.baselines.chow_liu": ("ChowLiu",),
    "spinney.models.baselines.partial_correlation": ("PartialCorrelation",),
    "spinney.models.baselines.paths": (
        "GlassoPath",
        "GraphPath",
        "glasso_path",
        "neighbourhood_path",
        "penalty_path",
    ),
    "spinney.models.baselines.penalised": ("GraphicalLasso", "NeighbourhoodSelection"),
    "spinney.models.baselines.scores": ("nonparanormal_scores", "rank_correlation"),
    "spinney.models.selection": (
        "EBIC",
        "CrossValidation",
        "FixedPenalty",
        "RotationInformation",
        "Stars",
    ),
}

__getattr__, __dir__, __all__ = lazy_exports(
    __name__, {name: module for module, names in _MODULES.items() for name in names}
)
