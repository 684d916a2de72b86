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
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        _keep(self.__name__, module)
        return getattr(module, name)


def load_late(*names: str) -> None:
    """Let modules load at their first use, if they are not loaded.

    Scikit-learn and joblib import some, such as ``scipy.stats``, that take as long as learning
    from a small table, for functions that are not called here.
    """
    for name in names:
        found = None if name in sys.modules else find_spec(name)
        if found is not None:
            late = _Late(name)
            late.__file__ = found.origin  # for those who look through all modules
            _keep(name, late)


def _keep(name: str, module: ModuleType) -> None:
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
