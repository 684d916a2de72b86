"""The pages of the API: written from ``__all__`` of every public module before Sphinx looks.

A package has a page that lists what it exports, each class and function a page of its own. What a
module has beyond the exports of its package stands on one page per module, for readers of the code.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import make_refnode

import spinney

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup", "write_pages"]

LEFT_OUT = {"cli": "has a page of its own, commands.md", "demo": "a script"}
FIRST = ("graph", "judge", "models", "pairs", "copulas", "forests", "evidence", "tables")
"""Packages that most readers look for; the others follow by name."""
THEIRS = (
    "BaseEstimator, TransformerMixin, object, tuple, dict, str, Exception, UserWarning, Warning"
)
"""Bases whose members are described where they come from."""


def write_pages(folder: Path) -> None:
    """Write a page per package, per exported object and per module, and the list of packages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    packages = _packages()
    for package in packages:
        _write_package(folder, package)
    table = "\n".join(f"   spinney.{name}" for name in packages)
    pages = "\n".join(f"   generated/spinney.{name}" for name in packages)
    _write(folder / "packages.inc", [_summary(table), _toctree(pages)])


def _packages() -> list[str]:
    found = {module.name for module in pkgutil.iter_modules(spinney.__path__)}
    public = sorted(name for name in found if not name.startswith("_") and name not in LEFT_OUT)
    return [*(n for n in FIRST if n in public), *(n for n in public if n not in FIRST)]


def _write_package(folder: Path, name: str) -> None:
    package = import_module(f"spinney.{name}")
    exported = list(getattr(package, "__all__", ()))
    here = [n for n in exported if _is_object(_get(package, n))]
    own = [n for n in here if _public(_get(package, n), package) == f"{package.__name__}.{n}"]
    foreign = [n for n in here if n not in own]
    constants = [n for n in exported if n not in here]
    inner = list(_inner_modules(package, set(exported)))

    parts = [_title(package.__name__), f".. automodule:: {package.__name__}\n   :no-members:\n"]
    pages = [f"   {package.__name__}.{n}" for n in own]
    for heading, kind in (("Classes", inspect.isclass), ("Functions", None)):
        names = [n for n in own if inspect.isclass(_get(package, n)) == (kind is not None)]
        if names:
            rows = "\n".join(f"   {n}" for n in names)
            parts += [_section(heading), _summary(rows)]
    if foreign:
        links = ", ".join(f":py:obj:`{n} <{_public(_get(package, n), package)}>`" for n in foreign)
        parts.append(f"From other packages, for convenience: {links}.\n")
    if constants:
        parts.append(_section("Constants and types"))
        parts += [_data(f"{_defined_in(package, n)}.{n}") for n in constants]
    if inner:
        short = [module.removeprefix(f"{package.__name__}.") for module, _ in inner]
        rows = "\n".join(f"   {name}" for name in short)
        parts += [_section("Inside the package"), _INNER, _summary(rows)]
        pages += [f"   module-{module}" for module, _ in inner]
    if pages:
        parts.append(_toctree("\n".join(pages)))
    _write(folder / f"{package.__name__}.rst", parts)
    for n in own:
        _write_object(folder, f"{package.__name__}.{n}", _get(package, n))
    for module, names in inner:
        _write_module(folder, module, names)


def _write_object(folder: Path, path: str, obj: Any) -> None:
    _write(folder / f"{path}.rst", [_title(path.rpartition(".")[2]), _auto(path, obj)])


def _write_module(folder: Path, name: str, names: list[str]) -> None:
    module = import_module(name)
    # A function of the same name has the entry.
    hidden = hasattr(module, name.rpartition(".")[2])
    index = "   :no-index:\n" if hidden else ""
    parts = [_title(name), f".. automodule:: {name}\n   :no-members:\n{index}"]
    for n in names:
        obj = _get(module, n)
        parts.append(_auto(f"{name}.{n}", obj) if _is_object(obj) else _data(f"{name}.{n}"))
    _write(folder / f"module-{name}.rst", parts)


def _inner_modules(package: ModuleType, shown: set[str]) -> Iterator[tuple[str, list[str]]]:
    """List public modules of a package with the names that the package does not export."""
    for info in pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}."):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue
        module = import_module(info.name)
        names = [
            n
            for n in _names(module)
            if n not in shown
            and (_home(_get(module, n)) in (info.name, "") or not _is_object(_get(module, n)))
        ]
        if names:
            yield info.name, names


def _names(module: ModuleType) -> list[str]:
    """List what a module offers: its ``__all__``, or the classes and functions that it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, obj in vars(module).items()
        if not name.startswith("_") and _is_object(obj) and _home(obj) == module.__name__
    ]


def _get(module: ModuleType, name: str) -> Any:
    return getattr(module, name)


def _is_object(obj: Any) -> bool:
    """Tell classes and functions, compiled ones too, from constants and aliases of types."""
    return inspect.isclass(obj) or inspect.isroutine(obj) or hasattr(obj, "__wrapped__")


def _home(obj: Any) -> str:
    return str(getattr(obj, "__module__", ""))


def _public(obj: Any, package: ModuleType) -> str:
    """Find under which name a class or function that a package exports is described."""
    home = _home(obj).split(".")
    if home[1].startswith("_"):  # what all packages share is described where it is exported
        return f"{package.__name__}.{obj.__name__}"
    exported = getattr(import_module(".".join(home[:2])), "__all__", ())
    return f"{'.'.join(home[: 2 if obj.__name__ in exported else None])}.{obj.__name__}"


def _defined_in(package: ModuleType, name: str) -> str:
    """Follow imports to the module that defines a constant: its meaning is written there."""
    source = inspect.getsource(package)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _defined_in(import_module(node.module), name)
    return package.__name__


def _auto(path: str, obj: Any) -> str:
    if inspect.isclass(obj):
        return f".. autoclass:: {path}\n   :members:\n   :inherited-members: {THEIRS}\n"
    return f".. autofunction:: {path}\n"


def _data(path: str) -> str:
    """Describe a constant or an alias by the words below it in its module."""
    module, _, name = path.rpartition(".")
    words = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name), [])
    value = repr(getattr(import_module(module), name))
    shown = f"   :value: {value}\n" if len(value) < 60 and "<" not in value else ""
    text = "\n".join(f"   {line}" for line in words)
    return f".. py:data:: {path}\n{shown}\n{text}\n"


_INNER = "For readers of the code; these names may change without notice.\n"


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"


def _section(text: str) -> str:
    return f"{text}\n{'-' * len(text)}\n"


def _summary(rows: str) -> str:
    return f".. autosummary::\n   :nosignatures:\n\n{rows}\n"


def _toctree(pages: str) -> str:
    return f".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n{pages}\n"


def _write(path: Path, parts: list[str]) -> None:
    path.write_text("\n".join(parts), encoding="utf-8")


def _skip(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds to every estimator: it is described there."""
    inner = obj.fget if isinstance(obj, property) else obj
    return True if _home(inner).startswith("sklearn") or name.endswith("_request") else None


def _resolve(app: Any, env: Any, node: Any, shown: nodes.Node) -> nodes.Node | None:
    """Find what is named by another path than its page: ``spinney.learn``, ``Copula.fit``."""
    if node.get("refdomain") != "py":
        return None
    objects = env.get_domain("py").objects
    words = node["reftarget"].split(".")
    # The whole tail of the name first; then its owner, for attributes that a class only lists.
    tails = [words[i:] for i in range(len(words))] + [words[i:-1] for i in range(len(words) - 1)]
    for tail in tails:
        found = [name for name in objects if name.split(".")[-len(tail) :] == tail]
        if found and tail != ["spinney"]:
            name = min(found, key=lambda name: (name.count("."), name))
            entry = objects[name]
            return make_refnode(
                app.builder, node["refdoc"], entry.docname, entry.node_id, shown, name
            )
    # A constant that its module keeps to itself is named without a link.
    return shown if node["reftype"] == "data" else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages as soon as the configuration is known: Sphinx lists its sources next."""
    app.connect("config-inited", lambda app, _: write_pages(Path(app.srcdir, "api", "generated")))
    app.connect("autodoc-skip-member", _skip)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
