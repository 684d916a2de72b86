"""Modules that others import but a plain run never uses, loaded when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["load_late"]


class _Late(ModuleType):
    """Stands for a module until somebody asks it for a name."""

    def __getattr__(self, name: str) -> Any:
        parent, _, last = self.__name__.rpartition(".")
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        setattr(sys.modules[parent], last, module)
        return getattr(module, name)


def load_late(name: str) -> None:
    """Let a submodule load at its first use, if it is not loaded.

    Scikit-learn imports ``scipy.stats``, which takes as long as learning from a small table, for
    functions that are not called here.
    """
    parent, _, last = name.rpartition(".")
    import_module(parent)
    found = None if name in sys.modules else find_spec(name)
    if found is not None:
        late = _Late(name)
        late.__file__ = found.origin  # for those who look through all modules
        sys.modules[name] = late
        setattr(sys.modules[parent], last, late)
