"""Each layer imports only from the layers before it, and by the front door."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import spinney

ROOT = Path(spinney.__file__).parent

# The order in which data flow: a package imports from packages with a smaller number only. Helper
# modules at the top (`spinney._core.pairs` and its like) are the floor that everything stands on.
LEVELS = {
    "_core": 0,
    "exceptions": 0,
    "notices": 0,
    "wording": 0,
    "scale.tasks": 0,
    "scale.cluster": 1,
    "tables": 1,
    "metrics": 1,
    "pairs": 2,
    "forests": 3,
    "copulas": 3,
    "datasets": 2,
    "simulate": 3,
    "scale.screening": 3,
    "scale.gpu": 4,
    "scale.neighbourhoods": 5,
    "evidence": 4,
    "models": 5,
    "judge": 6,
    "scale.wide": 7,
    "graph": 7,
    "reproduce": 8,
    "cli": 9,
    "__main__": 10,
    "demo": 10,
}

# What these hold is imported when somebody asks for it, within a function, from any layer; and as
# a part of the layers that it serves it sees what is private to them.
SEAMS = {"scale.gpu", "scale.wide"}


def level(part: str) -> int | None:
    return LEVELS.get(part, 0 if part.startswith("_") else None)


def imports(path: Path) -> Iterator[list[str]]:
    """Yield what a file imports from spinney as the parts of dotted names.

    At any depth; but through a seam whatever is within a function may pass.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        found = [n.split(".") for n in names if n.startswith((".", "spinney"))]
        inside = node not in tree.body
        yield from (n for n in found if not (inside and layer_of(n[1:]) in SEAMS))


def layer_of(parts: Sequence[str]) -> str:
    """Name the layer that a dotted name or a path begins with; each part of `scale` is one."""
    return ".".join(parts[: 2 if parts[0] == "scale" else 1])


def fault(own: str, imported: list[str]) -> str | None:
    """Say what is wrong with an import in the package `own`, if anything is."""
    if imported[0] != "spinney" or len(imported) == 1:
        return "is relative or takes all of spinney, which hides the layer that it reaches into"
    part = layer_of(imported[1:])
    inner = imported[1 + len(part.split(".")) :]
    if part in (own, "__version__"):
        return None
    if level(part) is None:
        return "is no layer: import the name from where it stands, or give it a level"
    if level(part) >= level(own) and not level(part) == level(own) == 0:
        return "is no lower layer"
    private = any(name.startswith("_") and not name.endswith("__") for name in inner)
    if private and own not in SEAMS:
        return "is private to another package"
    return None


def test_packages_import_from_lower_layers_and_only_what_is_public():
    faults = []
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT)
        own = layer_of([part.removesuffix(".py") for part in inside.parts])
        if own in ("__init__", "scale.__init__"):  # the front door shows what all layers offer
            continue
        assert level(own) is not None, f"give {own} a level"
        for imported in imports(path):
            wrong = fault(own, imported)
            if wrong is not None:
                faults.append(f"{inside.as_posix()}: {'.'.join(imported)} {wrong}")
    assert not faults, "\n" + "\n".join(faults)
