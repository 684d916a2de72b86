"""Structure of Markov random fields from a table of data.

The parts are loaded when they are first used, so that ``import spinney`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports, registered

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney import copulas as copulas
    from spinney import datasets as datasets
    from spinney import evidence as evidence
    from spinney import forests as forests
    from spinney import graph as graph
    from spinney import judge as judge
    from spinney import metrics as metrics
    from spinney import models as models
    from spinney import pairs as pairs
    from spinney import scale as scale
    from spinney import simulate as simulate
    from spinney import tables as tables
    from spinney._core.files import load_model as load_model
    from spinney.exceptions import DataWarning as DataWarning
    from spinney.exceptions import SpinneyError as SpinneyError
    from spinney.graph import LearnedGraph as LearnedGraph
    from spinney.graph import learn as learn
    from spinney.graph import learn_groups as learn_groups
    from spinney.graph import learn_stability as learn_stability
    from spinney.judge import GraphLearner as GraphLearner
    from spinney.judge import SelectMarkovBlanket as SelectMarkovBlanket
    from spinney.models import EnsembleOfTrees as EnsembleOfTrees
    from spinney.models import ExactForests as ExactForests
    from spinney.models import ForestsCuts as ForestsCuts
    from spinney.models import ForestsLambda as ForestsLambda
    from spinney.models import RootedForests as RootedForests
    from spinney.models import SharedForest as SharedForest
    from spinney.models import StabilitySelection as StabilitySelection
    from spinney.pairs.copulas.pair_copulas import PairCopulas as PairCopulas

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "DataWarning": "spinney.exceptions",
        "SpinneyError": "spinney.exceptions",
        "PairCopulas": "spinney.pairs.copulas.pair_copulas",
        **{
            name: entry.module
            for name, entry in registered().items()
            if entry.package in ("spinney.models", "spinney.judge")
        },
        **dict.fromkeys(
            ("LearnedGraph", "learn", "learn_groups", "learn_stability"),
            "spinney.graph",
        ),
        "SelectMarkovBlanket": "spinney.judge.markov_blanket",
        "load_model": "spinney._core.files",
    },
    (
        *("copulas", "datasets", "evidence", "forests", "graph", "judge", "metrics", "models"),
        *("pairs", "scale", "simulate", "tables"),
    ),
)
