"""What commands share: options, dataclasses whose fields are options, estimators, JSON."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import Field, field, fields
from inspect import Parameter
from typing import Annotated, Any, get_type_hints

import typer

from spinney._core import registry as _registry
from spinney._core.choices import check_choice
from spinney._core.text import plain_line

QUIET = typer.Option("--quiet", "-q", help="Print nothing but errors.")
JSON = typer.Option("--json", help="Print the result as JSON, for other programs.")
FORCE = typer.Option("--force", help="Replace earlier results.")
DEBUG = typer.Option("--debug", help="Show tracebacks of errors.")
JOBS = typer.Option(metavar="N", help="Threads; -1 uses all cores.")

QuietOption = Annotated[bool, QUIET]
JsonOption = Annotated[bool, JSON]
ForceOption = Annotated[bool, FORCE]
DebugOption = Annotated[bool, DEBUG]

LONGEST = 60
"""Longest name shown."""


DEFAULT = _registry.registered()[_registry.DEFAULT].command
"""The estimator used by default."""
JUDGE = "graph-learner"
"""The judge's name among the estimators."""

# Listed here so that unusable options are refused before the estimators are imported; a test checks
# these lists against the estimators' parameters.
TAKES_PAIR_COPULAS = frozenset(
    {
        *("ensemble-of-trees", "exact-forests", "forests-cuts", "forests-lambda"),
        *("rooted-forests", "shared-forest", "chow-liu"),
    }
)
"""Estimators whose pair copulas can be chosen: ``--families``, ``--criterion``, ``--ties``."""
TAKES_KINDS = TAKES_PAIR_COPULAS | {JUDGE}
"""Estimators that handle kinds of columns and gaps."""
TAKES_GAPS = frozenset({"partial-correlation"})
"""Other estimators that take gaps and categories, as the rule for kinds reads them."""
TAKES_KNOWLEDGE = frozenset({"rooted-forests", JUDGE})
"""Estimators that accept known edges: ``--required``, ``--forbidden``."""


# Fields that are options


def opt(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """Declare an option: the placeholder of its value, and its help."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def option(
    panel: str, metavar: str | None, help: str, *names: str, default: Any = None, **more: Any
) -> Any:
    """Declare a field of a dataclass that is an option, under a heading of the help."""
    made = opt(metavar, help, *names, rich_help_panel=panel, **more)
    return field(default=default, metadata={"option": made})


def shared(default: Any, made: Any, panel: str) -> Any:
    """Declare a field for an option that other commands share, under a heading of the help."""
    made = copy.copy(made)
    made.rich_help_panel = panel
    return field(default=default, metadata={"option": made})


def parameters_of(cls: type) -> Iterator[Parameter]:
    """Yield the options of a dataclass as parameters of a command, as typer reads them."""
    hints = get_type_hints(cls)
    for entry in fields(cls):
        hint, default = hints[entry.name], entry.default
        if default == ():  # several values: typer wants a list
            hint, default = list[str] | None, None
        annotation: Any = Annotated[hint, entry.metadata["option"]]
        yield Parameter(entry.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def values_of(cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Pick the values of a dataclass's fields from what typer parsed."""

    def value(entry: Field[Any]) -> Any:
        return tuple(given[entry.name] or ()) if entry.default == () else given[entry.name]

    return {entry.name: value(entry) for entry in fields(cls)}


# Estimators by name


def names() -> list[str]:
    """List all names: the models over forests first, then the baselines."""
    return list(_registry.on_command_line())


def check_estimator(name: str) -> str:
    """Return the name of an estimator, or list the names and suggest the one that is meant.

    Examples
    --------
    >>> check_estimator("glasso")
    Traceback (most recent call last):
    spinney.exceptions.InputError: There is no estimator 'glasso'. Did you mean 'graphical-lasso'?
    Choose from: ...
    """
    keys = {entry.key: command for command, entry in _registry.on_command_line().items()}
    return check_choice(name, names(), "estimator", keys)


def find(name: str) -> type:
    """Find an estimator by name."""
    return _registry.on_command_line()[check_estimator(name)].load()


def make(estimator: type, options: Mapping[str, Any]) -> Any:
    """Make an estimator with those options that it has."""
    known = estimator().get_params(deep=False)
    return estimator(**{key: value for key, value in options.items() if key in known})


def complete_estimator(incomplete: str) -> list[str]:
    """Complete the name of an estimator.

    Examples
    --------
    >>> complete_estimator("graph")
    ['graphical-lasso', 'graph-learner']
    """
    return [name for name in names() if name.startswith(incomplete)]


# Steps that commands share


def work_on(address: str | None) -> AbstractContextManager[Any]:
    """Run tasks on a cluster, if the address of its scheduler is given."""
    if address is None:
        return nullcontext()
    # Imported here: it takes a moment, and most runs are on one machine.
    from spinney.scale.cluster import cluster

    return cluster(address)


def dump(data: Mapping[str, Any]) -> None:
    """Print JSON on standard output; values unknown to JSON, such as NaN, become null."""
    text = json.dumps(_plain(data), ensure_ascii=False, indent=2)
    # Lone surrogates cannot be encoded; JSON has an escape for them.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def _plain(value: Any) -> Any:
    """Turn tables, arrays and scalars of numpy and pandas into plain values.

    Examples
    --------
    >>> import pandas as pd
    >>> _plain(pd.DataFrame({"a": [1, 2], "b": [0.5, float("nan")], "c": [True, None]}))
    [{'a': 1, 'b': 0.5, 'c': True}, {'a': 2, 'b': None, 'c': None}]
    """
    if hasattr(value, "to_dict"):
        value = value.to_dict(**({"orient": "records"} if hasattr(value, "columns") else {}))
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    is_finite = not isinstance(value, float) or abs(value) < float("inf")
    return value if is_finite and type(value).__name__ != "NAType" else None


def clean(name: Any) -> str:
    r"""Write a name in one short line, without terminal control characters.

    Examples
    --------
    >>> clean("two\nlines \x1b[31mred")
    'two lines [31mred'
    >>> len(clean("x" * 10_000))
    60
    """
    return plain_line(name, LONGEST)
