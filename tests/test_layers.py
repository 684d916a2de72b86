"""Each layer imports only from the layers before it."""

import ast
from pathlib import Path

import pytest

import spinney

ROOT = Path(spinney.__file__).parent

# The order in which data flow; a module may import from a smaller number, or from its own package.
LEVELS = {
    "exceptions": 0,
    "_compile": 0,
    "_validation": 0,
    "_pairs": 0,
    "_components": 0,
    "_choices": 0,
    "_registry": 0,
    "_graph": 0,
    "_density": 0,
    "_files": 0,
    "_storable": 0,
    "_encoding": 0,
    "_state": 0,
    "_progress": 0,
    "_machine": 0,
    "protocols": 0,
    "marginals": 1,
    "copulas": 1,
    "forests": 1,
    "datasets": 1,
    "metrics": 1,
    "simulate": 2,
    "objectives": 2,
    "solvers": 2,
    "posterior": 2,
    "selection": 3,
    "estimators": 4,
    "baselines": 5,
    "io": 5,
    "plotting": 5,
    "report": 6,
    "reproduce": 6,
    "cli": 7,
    "__main__": 8,
    "demo": 8,
}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def top(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """Top-level parts of spinney that a file imports, at any depth of the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer they reach into"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("spinney.")}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_from_lower_layers(path):
    own = top(path)
    assert own in LEVELS, f"give {own} a level"
    for part in imported_parts(path) - {own}:
        if part in LEVELS:
            same_base = LEVELS[part] == LEVELS[own] == 0
            assert LEVELS[part] < LEVELS[own] or same_base, f"{own} must not import {part}"
