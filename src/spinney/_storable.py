"""Which classes a model file may hold, and what of each.

A class opts in with two lines::

    @storable("SharedForest")
    class SharedForest(BaseEstimator):
        _stored: ClassVar[tuple[str, ...]] = ("n_features_in_", "feature_names_in_", …)

and an entry in :data:`HOMES`. Its constructor's parameters (scikit-learn's ``get_params``) and the
attributes in ``_stored`` are written, and nothing else. What can be computed from the rest (a
networkx graph, a summary table) should be a property, or be rebuilt by an optional method
``_restore(self) -> None``, which is called when a fitted object has been read. It should also
refuse, by InputError, what does not fit together: kernels trust the shapes of arrays. A dataclass
needs the decorator only; its fields are written, and reading it calls its constructor.

Values may be None, booleans, numbers, text, lists, tuples, sets, dicts, numpy arrays and scalars,
data frames, indexes, random generators, storable objects, and storable classes themselves.

A fitted object has *all* attributes of ``_stored`` (set to None what does not apply), except that
``feature_names_in_`` is left to scikit-learn's rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, TypeVar

from spinney.exceptions import InputError, SpinneyError

__all__ = ["HOMES", "class_of", "name_of", "put_together", "storable", "take_apart"]

C = TypeVar("C", bound=type)

HOMES = {
    "Table": "spinney._validation",
    "PairCopulas": "spinney.copulas.pair_copulas",
    "Independence": "spinney.copulas.independence",
    "Gaussian": "spinney.copulas.gaussian",
    "Student": "spinney.copulas.student",
    "Clayton": "spinney.copulas.clayton",
    "Gumbel": "spinney.copulas.gumbel",
    "Frank": "spinney.copulas.frank",
    "Joe": "spinney.copulas.joe",
    "BB1": "spinney.copulas.bb1",
    "Marginals": "spinney.marginals.transformer",
    "EmpiricalRanks": "spinney.marginals.ranks",
    "SmoothMarginal": "spinney.marginals.smooth",
    "GaussianMixture": "spinney.marginals.kernel",
    "ScipyDistribution": "spinney.marginals.parametric",
    "Linear": "spinney.marginals.scales",
    "Asinh": "spinney.marginals.scales",
    "YeoJohnson": "spinney.marginals.scales",
    "Log": "spinney.marginals.scales",
    "Ladder": "spinney.posterior.ladder",
    "SolverResult": "spinney.solvers.result",
    "EnsembleOfTrees": "spinney.estimators",
    "ExactForests": "spinney.estimators",
    "ForestsCuts": "spinney.estimators",
    "ForestsLambda": "spinney.estimators",
    "RootedForests": "spinney.estimators",
    "SharedForest": "spinney.estimators",
}
"""Where each storable class lives. Reading a file imports these modules and no others."""

_OPTIONAL = {"feature_names_in_"}
_CLASSES: dict[str, type] = {}
_NAMES: dict[type, str] = {}


def storable(name: str) -> Callable[[C], C]:
    """Let objects of a class be written to model files, under a name that never changes."""
    if name not in HOMES:
        raise SpinneyError(f"'{name}' is missing in the table of storable classes, HOMES.")

    def register(cls: C) -> C:
        if not hasattr(cls, "_stored") and not is_dataclass(cls):
            raise SpinneyError(f"{cls.__name__} must list its fitted attributes in _stored.")
        _CLASSES[name] = cls
        _NAMES[cls] = name
        return cls

    return register


def name_of(cls: type) -> str | None:
    """Return the name of a storable class, or None; a subclass is another class."""
    return _NAMES.get(cls)


def class_of(name: object) -> type:
    """Find a storable class by name.

    Examples
    --------
    >>> class_of("Clayton").__name__
    'Clayton'
    >>> class_of("os.system")
    Traceback (most recent call last):
        ...
    spinney.exceptions.InputError: it holds a 'os.system', which this version of spinney does not
    know
    """
    if not isinstance(name, str) or name not in HOMES:
        raise InputError(f"it holds a {name!r}, which this version of spinney does not know")
    if name not in _CLASSES:
        try:
            import_module(HOMES[name])
        except ModuleNotFoundError as error:
            raise InputError(f"it holds a {name!r}, which is not installed ({error})") from error
    if name not in _CLASSES:
        raise InputError(f"it holds a {name!r}, which this version of spinney cannot read")
    return _CLASSES[name]


def take_apart(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the constructor's arguments and the fitted attributes of a storable object."""
    listed = _listed(type(model))
    if listed is None:
        return {f.name: getattr(model, f.name) for f in fields(model) if f.init}, {}
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    # What is computed on demand is not in vars, and is not to be computed here.
    attributes = {name: vars(model)[name] for name in listed if name in vars(model)}
    missing = _missing(listed, attributes)
    if missing:
        raise SpinneyError(
            f"{type(model).__name__} lists {', '.join(missing)} in _stored, but has no such "
            "attribute now that it is fitted."
        )
    return parameters, attributes


def put_together(cls: type, parameters: dict[str, Any], attributes: dict[str, Any]) -> Any:
    """Build the object that :func:`take_apart` took apart."""
    listed = _listed(cls) or ()
    known = inspect.signature(cls).parameters
    for name in [*(p for p in parameters if p not in known), *(set(attributes) - set(listed))]:
        raise InputError(f"a {cls.__name__} has no parameter or attribute {name!r}")
    missing = _missing(listed, attributes)
    if missing:
        raise InputError(f"its {cls.__name__} lacks {', '.join(missing)}")
    model = cls(**parameters)
    for name, value in attributes.items():
        setattr(model, name, value)
    if attributes and hasattr(model, "_restore"):
        model._restore()
    return model


def _listed(cls: type) -> tuple[str, ...] | None:
    listed: tuple[str, ...] | None = getattr(cls, "_stored", None)
    return listed


def _missing(listed: tuple[str, ...], attributes: dict[str, Any]) -> list[str]:
    """Name what a fitted object lacks; an object without any attribute is not fitted."""
    return [n for n in listed if n not in attributes and n not in _OPTIONAL] if attributes else []
