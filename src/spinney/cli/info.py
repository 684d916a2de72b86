"""``spinney info``: what runs here, and with what."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from spinney.cli._common import DebugOption, JsonOption, QuietOption, dump

__all__ = ["info"]

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "networkx", "pandas", "matplotlib")
FORMATS = {"Excel": "openpyxl", "Parquet": "pyarrow", "AnnData": "anndata"}
"""Formats of tables that need a library of their own, and which."""


def info(
    warm_up: Annotated[
        bool,
        typer.Option(
            "--warm-up",
            help="Compile ahead all that 'spinney learn' needs, once per machine: some minutes.",
        ),
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Print versions, threads, formats, all estimators, and which judge is shipped.

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
    """Gather what there is to say, by heading."""
    import numba
    from threadpoolctl import threadpool_info

    from spinney import __version__
    from spinney._core.compile import cache_folder
    from spinney._core.processor import describe_lanes
    from spinney.cli._card import describe_judge
    from spinney.cli._compiled import kernels_compiled
    from spinney.cli._estimators import default, find, names

    # Imports numpy and scipy, whose thread pools are asked for below.
    estimators = {name: find(name) for name in names()}
    pools = sorted({f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info()})
    cache = cache_folder()
    compiled = "yes" if kernels_compiled() else "no; the first run will, or spinney info --warm-up"
    described = {}
    for name, estimator in estimators.items():
        summary = (estimator.__doc__ or "").strip().splitlines()
        shown = " (default)" if name == default() else ""
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
        "formats": {"text": "built in", **{name: _format(name) for name in FORMATS}},
        "estimators": described,
        "judge": describe_judge(),
    }


def _format(name: str) -> str:
    """Say whether a format can be read, or how it could."""
    return _library(FORMATS[name], name.lower())


def _library(library: str, extra: str) -> str:
    """Tell the version of a library, or how to have it."""
    try:
        if find_spec(library) is not None:
            return f"{library} {version(library)}"
    except PackageNotFoundError:
        pass
    return f"not installed: pip install 'spinney[{extra}]'"


def _gpu() -> str:
    """Name the GPU that ``--device cuda`` would take, or say why there is none."""
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
    from spinney.cli._shell import say
    from spinney.cli._warm_up import warm_up_steps

    start = perf_counter()
    if cache_folder() is None:
        say("Warning: there is no folder to keep compiled code in, so every run compiles anew.")
    steps = warm_up_steps()
    if silent:
        for step in steps:
            step.run()
        return
    with progress_of_run(len(steps), "compiling") as advance:
        for step in steps:
            step.run()
            advance(1)
    say(f"All kernels are compiled, in {perf_counter() - start:.0f} s.")
