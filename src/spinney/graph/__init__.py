"""Learned graphs: what `learn` returns, in words, files and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.graph.graph import LearnedGraph as LearnedGraph
    from spinney.graph.grouped import GroupedGraphs as GroupedGraphs
    from spinney.graph.groups import learn_groups as learn_groups
    from spinney.graph.learning import learn as learn
    from spinney.graph.resampling import learn_stability as learn_stability
    from spinney.graph.stability import Stability as Stability

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "learn": "spinney.graph.learning",
        "GroupedGraphs": "spinney.graph.grouped",
        "learn_groups": "spinney.graph.groups",
        "LearnedGraph": "spinney.graph.graph",
        "Stability": "spinney.graph.stability",
        "learn_stability": "spinney.graph.resampling",
    },
    ("export", "plots", "report"),
)
