"""``spinney info``: what runs here, and with what."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

__all__ = ["info"]

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "networkx", "pandas", "matplotlib")


def info() -> None:
    """Print versions, threads, the names of all estimators, and which judge is shipped."""
    import numba
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from threadpoolctl import threadpool_info

    from spinney import __version__
    from spinney._compile import cache_folder
    from spinney.cli._card import describe_judge
    from spinney.cli._estimators import default, find, names

    # Imports numpy and scipy, whose thread pools are asked for below.
    estimators = {name: find(name) for name in names()}
    pools = sorted({f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info()})
    cache = cache_folder()
    rows = {
        "spinney": __version__,
        "Python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: version(name) for name in LIBRARIES},
        "cores": str(os.cpu_count()),
        "threads": ", ".join([f"numba {numba.get_num_threads()}", *pools]),
        "compiled code": "not kept" if cache is None else str(cache),
    }
    for name, estimator in estimators.items():
        summary = (estimator.__doc__ or "").strip().splitlines()
        rows[name] = (summary[0] if summary else "") + (" (default)" if name == default() else "")

    rows |= describe_judge()

    table = Table.grid(padding=(0, 2))
    for name, value in rows.items():
        if name in ("cores", next(iter(estimators)), "judge"):
            table.add_row("")
        table.add_row(Text(name, style="bold"), Text(value, overflow="fold"))
    Console(highlight=False).print(table)
