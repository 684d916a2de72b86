"""Each layer imports only from the layers before it, by the front door; two branches are apart."""

import ast
from collections.abc import Iterator
from pathlib import Path

import spinney

ROOT = Path(spinney.__file__).parent

# The order in which data flow: a package imports from packages with a smaller number only. What
# large tables need (`scale`) stands beside the spine: whoever asks for it imports it inside a
# function, but for the small seams named here.
LEVELS = {
    "_core": 0,
    "exceptions": 0,
    "notices": 0,
    "tables": 1,
    "metrics": 1,
    "datasets": 2,
    "scores": 2,
    "evidence": 3,
    "judge": 4,
    "pairs": 2,
    "forests": 3,
    "copulas": 3,
    "simulate": 3,
    "models": 4,
    "scale": 5,
    "graph": 5,
    "cli": 7,
    "__main__": 8,
    "demo": 8,
}
BRANCHES = {"scores", "evidence", "judge"}, {"pairs", "forests", "models", "copulas"}
"""From a table to its graph, and to the founding paper's models. Neither imports the other at the
top of a module; a learner that is asked for densities imports them then."""
SEAMS = {"tasks": 0}
"""Levels of the parts of `scale` that others may import at the top of a module."""


def level(part: str, inner: list[str] = ()) -> int | None:
    if part == "scale" and inner and inner[0] in SEAMS:
        return SEAMS[inner[0]]
    return LEVELS.get(part)


def imports(path: Path) -> Iterator[tuple[list[str], bool]]:
    """Yield what a file imports from spinney, as the parts of dotted names, and whether late."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    early = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        late = id(node) not in early
        yield from ((n.split("."), late) for n in names if n.startswith((".", "spinney")))


def fault(own: list[str], imported: list[str], late: bool) -> str | None:
    """Say what is wrong with an import in the module `own`, if anything is."""
    if imported[0] != "spinney" or len(imported) == 1:
        return "is relative or takes all of spinney, which hides the layer that it reaches into"
    part, *inner = imported[1:]
    if part in (own[0], "__version__") or (part == "scale" and late):
        return None
    if level(part, inner) is None:
        return "is no layer: import the name from where it stands, or give it a level"
    if not late and any(own[0] in a and part in b for a, b in (BRANCHES, BRANCHES[::-1])):
        return "is of the other branch"
    mine, other = level(own[0], own[1:]), level(part, inner)
    if other >= mine and not other == mine == 0:
        return "is no lower layer"
    if own[0] != "scale" and any(name.startswith("_") and name != "__all__" for name in inner):
        return "is private to another package"
    return None


def test_packages_import_from_lower_layers_and_only_what_is_public():
    faults = []
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT)
        own = list(inside.with_suffix("").parts)
        if own[0] == "__init__":  # the front door shows what all layers offer
            continue
        assert level(own[0]) is not None, f"give {own[0]} a level"
        for imported, late in imports(path):
            wrong = fault(own, imported, late)
            if wrong is not None:
                faults.append(f"{inside.as_posix()}: {'.'.join(imported)} {wrong}")
    assert not faults, "\n" + "\n".join(faults)
