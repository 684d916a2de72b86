"""The processor: how wide its registers are, which kernels in lanes are compiled for; and versions.

Forced to another width, the results are the same but for speed (and rounding, where there is no
fused multiplication and addition).
"""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from spinney.exceptions import InputError

VARIABLE = "SPINNEY_LANES"
"""The environment variable that sets the number of lanes in place of the processor."""

CHOICES = (2, 4, 8)
PACKAGES = ("spinney", "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "pyvinecopulib")

# Eight doubles at once, to see which registers they are put into.
_PROBE = """
define <8 x double> @probe(<8 x double> %a, <8 x double> %b) {
  %sum = fadd <8 x double> %a, %b
  ret <8 x double> %sum
}
"""


@cache
def native_lanes() -> int:
    """Count the doubles in the widest register that numba compiles for.

    Eight with AVX-512, four with AVX, two with NEON, SSE2 and anything else. The question is put
    to the compiler itself, so that ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` count.

    Examples
    --------
    >>> native_lanes() in (2, 4, 8)
    True
    """
    assembly = _assembly()
    return 8 if "zmm" in assembly else 4 if "ymm" in assembly else 2


def _assembly() -> str:
    from llvmlite import binding

    codegen: Any = import_module("numba.core.codegen")  # numba has no types for a checker
    config: Any = import_module("numba.core.config")
    codegen.initialize_llvm()
    features = config.CPU_FEATURES
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=config.CPU_NAME or binding.get_host_cpu_name(),
        features=codegen.get_host_cpu_features() if features is None else features,
    )
    return str(machine.emit_assembly(binding.parse_assembly(_PROBE)))


def forced_lanes() -> int | None:
    """Read the number of lanes from the environment; None if it is not there.

    Raises
    ------
    InputError
        If it is not one of the widths that there are.
    """
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        return None
    if value not in map(str, CHOICES):
        raise InputError(
            f"The environment variable {VARIABLE} must be 2, 4 or 8, the number of samples that "
            f"are computed side by side; it is {value!r}. Unset it to follow the processor."
        )
    return int(value)


@cache
def lanes() -> int:
    """Tell how many doubles go side by side, in this process and from now on.

    Examples
    --------
    >>> lanes() in (2, 4, 8)
    True
    """
    return forced_lanes() or native_lanes()


def tile_rows() -> int:
    """Choose how many rows of four cells a product keeps in registers.

    Four rows are sixteen sums, four factors and one more: right for the 32 registers of AVX-512 and
    NEON. The sixteen registers of AVX2 and SSE2 hold two rows: eight sums, two factors and one.
    """
    from llvmlite import binding

    sixteen_registers = lanes() < 8 and binding.get_default_triple().startswith(("x86", "i686"))
    return 2 if sixteen_registers else 4


def describe_lanes() -> str:
    """Say in words how wide kernels are, and whether that was forced.

    Examples
    --------
    >>> describe_lanes().split()[1]
    'lanes'
    """
    told = "" if forced_lanes() is None else f", forced by {VARIABLE}"
    return f"{lanes()} lanes of doubles{told}"


def machine() -> dict[str, Any]:
    """Describe the processor and the versions of everything that computes.

    Examples
    --------
    >>> sorted({*machine()} - {"lanes"})
    ['blas', 'processor', 'python', 'system', 'threads', 'versions']
    """
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    # Only what is compiled has lanes; a run that compiles nothing does not load numba.
    compiles = {"lanes": describe_lanes()} if "numba" in sys.modules else {}
    return {
        "processor": processor,
        **compiles,
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
