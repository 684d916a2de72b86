"""The estimators of the package, one line each; every list of them is derived from here.

From these lines come what ``spinney`` and ``spinney.models`` export, the names that the
command line and ``spinney info`` know, the classes that a model file may hold, the labels of
figures, and the methods of the accuracy benchmark. A new estimator is a file and a line here.
Only names and places: nothing is imported until it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple


class Registered(NamedTuple):
    """One estimator.

    Attributes
    ----------
    name : str
        Of its class.
    place : str
        Module of the package in which the class is defined.
    label : str
        Short name in figures and tables.
    command_line : bool
        Whether ``spinney learn`` offers it.
    benchmarked : bool
        Whether the accuracy benchmark runs it with several families of `potentials`.
    """

    name: str
    place: str
    label: str
    command_line: bool = True
    benchmarked: bool = False

    @property
    def module(self) -> str:
        """Where the class is defined."""
        return f"spinney.{self.place}"

    @property
    def package(self) -> str:
        """Package that exports the class."""
        return self.module.rpartition(".")[0].removesuffix(".paper")

    @property
    def command(self) -> str:
        """Name on the command line."""
        return _hyphened(self.name)

    @property
    def key(self) -> str:
        """Name in tables of results: the label, in plain letters."""
        return _hyphened(self.label.replace("λ", "lambda"))

    def load(self) -> type:
        """Import the class."""
        cls: type = getattr(import_module(self.module), self.name)
        return cls


REGISTRY: tuple[Registered, ...] = (
    Registered("EnsembleOfTrees", "models.paper.ensemble_of_trees", "ET", benchmarked=True),
    Registered("ExactForests", "models.paper.exact_forests", "EF"),
    Registered("ForestsCuts", "models.paper.forests_cuts", "EF-cuts", benchmarked=True),
    Registered("ForestsLambda", "models.paper.forests_lambda", "EF-λ", benchmarked=True),
    Registered("RootedForests", "models.rooted_forests", "RootedForests", benchmarked=True),
    Registered("SharedForest", "models.shared_forest", "SharedForest", benchmarked=True),
    Registered("StabilitySelection", "models.stability", "stability", command_line=False),
    Registered("ChowLiu", "models.baselines.chow_liu", "Chow–Liu"),
    Registered("GraphicalLasso", "models.baselines.penalised", "glasso"),
    Registered("NeighbourhoodSelection", "models.baselines.penalised", "neighbourhood"),
    Registered("PartialCorrelation", "models.baselines.partial_correlation", "partial correlation"),
    Registered("GraphLearner", "judge.graph_learner", "GraphLearner"),
)
"""The estimators: models over forests first, then the baselines, and the judge over all pairs."""

DEFAULT = "GraphLearner"
"""What the command line learns with, unless told otherwise."""


def registered(package: str | None = None) -> dict[str, Registered]:
    """Find the estimators by the names of their classes: all, or those that a package exports.

    Examples
    --------
    >>> list(registered("spinney.models.baselines"))
    ['ChowLiu', 'GraphicalLasso', 'NeighbourhoodSelection', 'PartialCorrelation']
    >>> registered()["ForestsLambda"].command, registered()["ForestsLambda"].key
    ('forests-lambda', 'ef-lambda')
    """
    return {entry.name: entry for entry in REGISTRY if package in (None, entry.package)}


def on_command_line() -> dict[str, Registered]:
    """Find the estimators that the command line offers, by their names there.

    Examples
    --------
    >>> next(iter(on_command_line()))
    'ensemble-of-trees'
    """
    return {entry.command: entry for entry in REGISTRY if entry.command_line}


def _hyphened(name: str) -> str:
    """Write a name in small letters, with hyphens between its words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[ –]", "-", name).lower()


def lazy_exports(
    package: str, homes: Mapping[str, str], parts: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package that loads late.

    Parameters
    ----------
    package : str
        Name of the package.
    homes : mapping
        Module in which each name is defined.
    parts : tuple of str
        Sub-packages to export.

    Examples
    --------
    >>> load, names, _ = lazy_exports("spinney", {"sqrt": "math"})
    >>> load("sqrt")(9.0), names()
    (3.0, ['sqrt'])
    """
    offered = sorted([*homes, *parts])

    def load(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if name in parts:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: offered, offered
