"""What a result was computed on: the processor, and the versions of everything that computes."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

__all__ = ["machine"]

PACKAGES = ("spinney", "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "pyvinecopulib")


def machine() -> dict[str, Any]:
    """Describe the processor and the versions of everything that computes.

    Examples
    --------
    >>> sorted(machine())
    ['blas', 'lanes', 'processor', 'python', 'system', 'threads', 'versions']
    """
    from spinney._core.processor import describe_lanes  # here, because it loads numba

    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    return {
        "processor": processor,
        "lanes": describe_lanes(),
        "threads": max((pool["num_threads"] for pool in threadpool_info()), default=1),
        "blas": sorted({f"{p['internal_api']} {p['version']}" for p in threadpool_info()}),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # run from its folder, or without a rival
        return "not installed"
