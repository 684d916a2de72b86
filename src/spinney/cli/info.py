"""``spinney info``: versions, hardware, estimators and the judge."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

from spinney._core.text import counted
from spinney.cli import _compiled
from spinney.cli._estimators import DEFAULT, find, names
from spinney.cli._options import DebugOption, JsonOption, QuietOption, dump, opt
from spinney.cli._shell import say

__all__ = ["info"]

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "networkx", "pandas", "matplotlib")
FORMATS = {"Excel": "openpyxl", "Parquet": "pyarrow", "AnnData": "anndata"}
"""Table formats that need an extra library, and which."""


def info(
    warm_up: Annotated[
        bool,
        opt(
            None,
            "Compile ahead all that 'spinney learn' needs, once per machine: some minutes.",
            "--warm-up",
        ),
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Print versions, threads, formats, estimators, and the shipped judge.

    Example: [bold]spinney info --warm-up[/bold]
    """
    if warm_up:
        _warm_up(silent=quiet)
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
    import numba
    from threadpoolctl import threadpool_info

    from spinney import __version__
    from spinney._core.compile import cache_folder
    from spinney._core.processor import describe_lanes

    # Imports numpy and scipy, whose thread pools are listed below.
    estimators = {name: find(name) for name in names()}
    pools = sorted({f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info()})
    cache = cache_folder()
    compiled = (
        "yes"
        if _compiled.kernels_compiled()
        else "no; the first run will, or spinney info --warm-up"
    )
    described = {}
    for name, estimator in estimators.items():
        summary = (estimator.__doc__ or "").strip().splitlines()
        shown = " (default)" if name == DEFAULT else ""
        described[name] = (summary[0] if summary else "") + shown
    return {
        "versions": {
            "spinney": __version__,
            "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
            **{name: version(name) for name in LIBRARIES},
        },
        "machine": {
            "cores": os.cpu_count(),
            "registers": describe_lanes(),
            "threads": ", ".join([f"numba {numba.get_num_threads()}", *pools]),
            "compiled code": "not kept" if cache is None else str(cache),
            "compiled": compiled,
            "GPU": _gpu(),
            "cluster": _library("distributed", "cluster"),
        },
        "formats": {
            "text": "built in",
            **{name: _library(library, name.lower()) for name, library in FORMATS.items()},
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
    from spinney.scale.gpu.device import cuda_module, why_no_cuda

    reason = why_no_cuda(("numba-cuda", "torch"))
    if reason is not None:
        return f"none: {reason}"
    device = cuda_module().get_current_device()
    name = device.name
    return name.decode() if isinstance(name, bytes) else str(name)


def _warm_up(silent: bool) -> None:
    """Compile all kernels; progress goes to standard error."""
    from time import perf_counter

    from spinney._core.compile import cache_folder
    from spinney._core.progress import progress_of_run

    start = perf_counter()
    if cache_folder() is None:
        say("Warning: there is no folder to keep compiled code in, so every run compiles anew.")
    steps = _compiled.warm_up_steps()
    shown = nullcontext(lambda done: None) if silent else progress_of_run(len(steps), "compiling")
    with shown as advance:
        for step in steps:
            step.run()
            advance(1)
    if not silent:
        say(f"All kernels are compiled, in {perf_counter() - start:.0f} s.")


def _judge() -> dict[str, str]:
    """Describe the judge from its file and its card; the card is optional."""
    from spinney.exceptions import InputError
    from spinney.judge.judge import SHIPPED, Judge

    try:
        judge = Judge.load()
    except InputError as error:
        return {"judge": f"none. {error}"}
    n_numbers = sum(array.size for network in judge.networks for array in network.arrays.values())
    size = f"{SHIPPED.stat().st_size / 1e6:.1f} MB" if SHIPPED.exists() else ""
    lines = {
        "judge": f"{SHIPPED} ({size})",
        "networks": f"{len(judge.networks)}, {n_numbers:,} numbers in all",
        "trained": _training(judge.card),
        "calibration": _calibration(judge.card),
        "limits": str(judge.card.get("limits", "")),
    }
    return {name: line for name, line in lines.items() if line}


def _training(card: Mapping[str, Any]) -> str:
    """Say when, and on how many tables, it was trained.

    Examples
    --------
    >>> _training({"made": "2026-01-31", "runs": [{"tables": 1000, "steps": 50}] * 2})
    '2026-01-31, on 1,000 simulated tables in 50 steps each'
    >>> _training({"runs": [{"tables": 1000, "steps": 50}, {"tables": 1000, "steps": 60}]})
    'on 1,000 simulated tables in 50 and 60 steps'
    """
    from spinney.judge.judge import of_all_runs

    parts = [str(card["made"])] if "made" in card else []
    runs = card.get("runs") or []
    numbers = [of_all_runs(card, key) for key in ("tables", "steps")]
    if all(numbers):
        each = " each" if len(runs) > 1 and " and " not in numbers[1] else ""
        parts.append(f"on {numbers[0]} simulated tables in {numbers[1]} steps{each}")
    return ", ".join(parts)


def _calibration(card: Mapping[str, Any]) -> str:
    """Give the calibration error on held-out tables.

    Examples
    --------
    >>> _calibration({"calibration": {"after": {"ece": 0.00213, "tables": 5000}}})
    'expected calibration error 0.0021 on 5,000 tables kept apart'
    """
    from spinney.judge.judge import kept_apart

    after = kept_apart(card)
    if "ece" not in after:
        return ""
    tables = counted(int(after["tables"]), "table") if "tables" in after else "tables"
    return f"expected calibration error {after['ece']:.4f} on {tables} kept apart"
