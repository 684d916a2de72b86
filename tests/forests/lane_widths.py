"""The kernels in lanes, compiled for a width other than the processor's: all in one process."""

import importlib
import os
import sys
from functools import cache
from types import SimpleNamespace

from spinney._core import processor as _processor

MODULES = ("_tiles", "elimination", "_lanes")


@cache
def kernels_of_width(width):
    """Import the modules with kernels once more, as a process with so many lanes would."""
    names = [f"spinney.forests.{name}" for name in MODULES]
    package = sys.modules["spinney.forests"]
    own = {name: importlib.import_module(name) for name in names}
    before = os.environ.get(_processor.VARIABLE)
    os.environ[_processor.VARIABLE] = str(width)
    _processor.lanes.cache_clear()
    try:
        for name in names:
            del sys.modules[name]
        copies = {
            short: importlib.import_module(n) for short, n in zip(MODULES, names, strict=True)
        }
    finally:
        for short, name in zip(MODULES, names, strict=True):
            sys.modules[name] = own[name]
            setattr(package, short, own[name])
        del os.environ[_processor.VARIABLE]
        if before is not None:
            os.environ[_processor.VARIABLE] = before
        _processor.lanes.cache_clear()
    assert width == copies["_tiles"].LANES
    return SimpleNamespace(**copies)
