"""Which engines there are."""

from __future__ import annotations

from spinney.exceptions import InputError
from spinney.forests._engine_lanes import Lanes
from spinney.forests._engine_wide import Wide
from spinney.forests._networks import Engine

__all__ = ["ENGINES", "find_engine"]

ENGINES: tuple[Engine, ...] = (
    Lanes("auto"),
    Lanes("dense"),
    Lanes("sparse"),
    Wide(),
)
"""A new engine is one line here. Those of name "auto" choose for their device."""

_FOUND = {(engine.device, engine.name): engine for engine in ENGINES}


def find_engine(name: str, device: str) -> Engine:
    """Find an engine, or say which there are."""
    try:
        return _FOUND[device, name]
    except (KeyError, TypeError):  # unknown, or nothing that could be a name
        devices = list(dict.fromkeys(engine.device for engine in ENGINES))
        names = [engine.name for engine in ENGINES if engine.device == device]
        wrong = ("engine", names, name) if device in devices else ("device", devices, device)
        what, choices, value = wrong
        raise InputError(f"{what} must be one of {', '.join(choices)}; it is {value!r}.") from None
