"""Kernels of the GPU in numba's simulator: right numbers, whatever the time.

They run in a process of their own (``tests/scale/gpu/test_simulator.py``), because numba decides at
its import whether it simulates.
"""

import pytest

from spinney.scale.gpu.device import simulated

if not simulated():
    collect_ignore_glob = ["test_*.py"]
else:
    from spinney.scale.gpu import lanes


@pytest.fixture(autouse=True)
def few_threads(monkeypatch):
    """Every simulated thread is one of Python's: a handful show what 32 do."""
    monkeypatch.setattr(lanes, "LANES", 4)
