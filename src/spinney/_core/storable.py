"""Which classes a model file may hold, and what of each.

Estimators of :mod:`spinney._core.registry` are storable unless they say otherwise there; a part of
them opts in by ``@storable("Ladder")``. Of each, the constructor's parameters (scikit-learn's
``get_params``) and the attributes that the class lists in ``_stored`` are written, and nothing
else. What can be computed from the rest (a networkx graph, a table of edges) should be a property,
or be rebuilt by an optional method ``_restore(self) -> None``, which is called when a fitted
object has been read. It should also refuse, by InputError, what does not fit together: kernels
trust the shapes of arrays. A dataclass lists nothing; its fields are written, and reading it calls
its constructor.

What no file should hold of the parameters is replaced by a method ``_stored_parameters(self) ->
dict``, where a class has one.

A fitted object has *all* attributes of ``_stored`` (set to None what does not apply), except those
in ``_optional`` and ``feature_names_in_``, which is left to scikit-learn's rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from spinney import __version__
from spinney._core.registry import registered
from spinney.exceptions import InputError, SpinneyError
from spinney.notices import Notice

C = TypeVar("C", bound=type)

PLACES = (
    *("tables", "pairs.pseudo", "pairs.explained", "pairs.copulas", "pairs.cells"),
    *("pairs.margins", "pairs.pair_fit", "models.solvers"),
    *("forests.posterior", "models.selection", "models.baselines.penalised"),
    *("models.baselines.chow_liu", "evidence", "judge.judge", "graph.graph"),
)
"""Modules that define storable parts. Reading a file imports these, estimators, and no others."""

_CLASSES: dict[str, type] = {}


def storable(name: str) -> Callable[[C], C]:
    """Let objects of a class be written to model files, under a name that never changes."""

    def register(cls: C) -> C:
        if not hasattr(cls, "_stored") and not is_dataclass(cls):
            raise SpinneyError(f"{cls.__name__} must list its fitted attributes in _stored.")
        _CLASSES[name] = cls
        return cls

    return register


storable("Notice")(Notice)  # which stands below this module


def name_of(cls: type) -> str | None:
    """Return the name of a storable class, or None; a subclass is another class."""
    entry = registered().get(cls.__name__)
    if entry is not None and entry.storable and entry.module == cls.__module__:
        return entry.name
    return next((name for name, known in _CLASSES.items() if known is cls), None)


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
    if isinstance(name, str):
        entry = registered().get(name)
        if entry is not None and entry.storable:
            return entry.load()
        for place in PLACES:
            if name in _CLASSES:
                return _CLASSES[name]
            import_module(f"spinney.{place}")
        if name in _CLASSES:
            return _CLASSES[name]
    raise InputError(f"it holds a {name!r}, which this version of spinney does not know")


def to_state(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the constructor's arguments and the fitted attributes of a storable object."""
    if _is_record(type(model)):
        return {f.name: getattr(model, f.name) for f in fields(model) if f.init}, {}
    if hasattr(model, "_stored_parameters"):
        parameters = model._stored_parameters()
    else:
        parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    # What is computed on demand is not in vars, and is not to be computed here.
    attributes = {name: vars(model)[name] for name in type(model)._stored if name in vars(model)}
    missing = _missing(type(model), attributes)
    if missing:
        raise SpinneyError(
            f"{type(model).__name__} lists {', '.join(missing)} in _stored, but has no such "
            "attribute now that it is fitted."
        )
    return parameters, attributes


def from_state(cls: type, parameters: dict[str, Any], attributes: dict[str, Any]) -> Any:
    """Build the object that :func:`to_state` took apart."""
    known = {*inspect.signature(cls).parameters}, {*getattr(cls, "_stored", ())}
    for found, names in zip((parameters, attributes), known, strict=True):
        for name in set(found) - names:
            raise InputError(f"a {cls.__name__} has no parameter or attribute {name!r}")
    missing = _missing(cls, attributes)
    if missing:
        raise InputError(f"its {cls.__name__} lacks {', '.join(missing)}")
    model = cls(**parameters)
    for name, value in attributes.items():
        setattr(model, name, value)
    if attributes and hasattr(model, "_restore"):
        model._restore()
    return model


def _is_record(cls: type) -> bool:
    return is_dataclass(cls) and not hasattr(cls, "_stored")


def _missing(cls: type, attributes: dict[str, Any]) -> list[str]:
    """Name what a fitted object lacks; an object without any attribute is not fitted."""
    optional = {"feature_names_in_", *getattr(cls, "_optional", ())}
    listed = getattr(cls, "_stored", ()) if attributes else ()
    return [name for name in listed if name not in attributes and name not in optional]


def check_version(document: Mapping[str, Any], newest: int, path: str | Path) -> None:
    """Refuse a file whose format version is invalid or newer than this package can read.

    Parameters
    ----------
    document : mapping
        Has ``format_version``, and ``spinney_version`` for the message.
    newest : int
        The newest version that can be read.
    path : path
        The file, for the message.

    Examples
    --------
    >>> check_version({"format_version": 1}, 2, "run.json")
    >>> check_version({"format_version": "new"}, 2, "run.json")
    Traceback (most recent call last):
    spinney.exceptions.InputError: 'run.json' is damaged: its format version is 'new'.
    """
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise InputError(f"'{path}' is damaged: its format version is {version!r}.")
    if version > newest:
        raise InputError(
            f"'{path}' was written by spinney {document.get('spinney_version')}, in version "
            f"{version} of the format; spinney {__version__} reads up to version {newest}. "
            "Update spinney."
        )
