"""``spinney info``: versions, hardware, estimators and the judge."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from spinney._core import choices
from spinney.cli._options import DEFAULT, DebugOption, JsonOption, QuietOption, dump, find, names

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "networkx", "pandas", "matplotlib")
FORMATS = {
    "Excel": ("python_calamine", "excel"),
    "Parquet": ("pyarrow", "parquet"),
    "AnnData": ("anndata", "anndata"),
    "SPSS, Stata, SAS": ("pyreadstat", "stats"),
    "R": ("pyreadr", "stats"),
}
"""Table formats that need an extra library, which it is, and the extra that has it."""


def info(
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Print versions, hardware, formats, estimators, and the shipped judge.

    Example: [bold]spinney info --json[/bold]
    """
    if quiet:
        return
    parts = _parts()
    if as_json:
        dump(parts)
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for k, rows in enumerate(parts.values()):
        if k:
            table.add_row("")
        for name, value in rows.items():
            table.add_row(Text(name, style="bold"), Text(str(value), overflow="fold"))
    Console(highlight=False).print(table)


def _parts() -> dict[str, dict[str, Any]]:
    """Gather everything, by heading."""
    from spinney import __version__
    from spinney._core.processor import describe_lanes

    described = {name: (find(name).__doc__ or "").strip().partition("\n")[0] for name in names()}
    described[DEFAULT] += " (default)"
    return {
        "versions": {
            "spinney": __version__,
            "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
            **{name: version(name) for name in LIBRARIES},
        },
        "machine": {
            "cores": os.cpu_count(),
            "registers": describe_lanes(),
            "GPU": _gpu(),
            "cluster": _library("distributed", "cluster"),
        },
        "formats": {
            "text": "built in",
            **{name: _library(*needed) for name, needed in FORMATS.items()},
        },
        "estimators": described,
        "judge": _judge(),
    }


def _library(library: str, extra: str) -> str:
    """Return the version of a library, or how to install it."""
    try:
        if find_spec(library) is not None:
            return f"{library} {version(library)}"
    except PackageNotFoundError:
        pass
    return f"not installed: pip install 'spinney[{extra}]'"


def _gpu() -> str:
    """Name the GPU that ``--device cuda`` uses, or say why there is none."""
    reason = choices.why_no_cuda()
    if reason is not None:
        return f"none: {reason}"
    return str(import_module("torch").cuda.get_device_name())


def _judge() -> dict[str, str]:
    """Describe the judge from its file and its card; the card is optional."""
    from spinney.exceptions import InputError
    from spinney.judge.judge import SHIPPED, Judge, kept_apart, of_all_runs

    try:
        judge = Judge.load()
    except InputError as error:
        return {"judge": f"none. {error}"}
    n_numbers = sum(array.size for network in judge.networks for array in network.arrays.values())
    card, after = judge.card, kept_apart(judge.card)
    lines = {
        "judge": f"{SHIPPED} ({SHIPPED.stat().st_size / 1e6:.1f} MB)",
        "networks": f"{len(judge.networks)}, with {n_numbers:,} parameters in all",
        "limits": str(card.get("limits", "")),
    }
    if "made" in card:
        lines["trained"] = f"{card['made']}, on {of_all_runs(card, 'tables')} tables"
    if "ece" in after:
        lines["calibration"] = f"expected calibration error {after['ece']:.4f} on held-out tables"
    return {name: line for name, line in lines.items() if line}
