"""Which engines there are."""

from __future__ import annotations

from spinney.exceptions import InputError
from spinney.forests._engine_cuda import Cuda
from spinney.forests._engine_lanes import Lanes
from spinney.forests._engine_wide import Wide
from spinney.forests._networks import Engine

__all__ = ["ENGINES", "find_engine"]

ENGINES: tuple[Engine, ...] = (
    Lanes("auto"),
    Lanes("dense"),
    Lanes("sparse"),
    Wide(),
    Cuda("auto"),
    Cuda("dense"),
)
"""A new engine is one line here. Those of name "auto" choose for their device."""


def find_engine(name: str, device: str) -> Engine:
    """Find an engine, or say which there are."""
    for engine in ENGINES:
        if engine.name == name and engine.device == device:
            return engine
    devices = list(dict.fromkeys(engine.device for engine in ENGINES))
    if device not in devices:
        raise InputError(f"device must be one of {', '.join(devices)}; it is {device!r}.")
    names = [engine.name for engine in ENGINES if engine.device == device]
    raise InputError(f"engine must be one of {', '.join(names)}; it is {name!r}.")
