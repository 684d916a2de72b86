"""Write pip constraints that hold every declared dependency at its oldest version.

The lower bounds in pyproject.toml are promises; ``make test-oldest`` keeps them by running the
tests with exactly those versions. Run by hand:

    python scripts/oldest.py constraints.txt
    pip install -e '.[test]' -c constraints.txt
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)>=(?P<version>[0-9][0-9.]*)")


def constraints(project: dict) -> list[str]:
    """Turn every ``name>=version`` that the package or its tests declare into ``name==version``."""
    declared = project["dependencies"] + project["optional-dependencies"]["test"]
    lines = []
    for requirement in _spelled_out(declared, project):
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            sys.exit(f"{PROJECT.name}: {requirement!r} must have the form name>=version.")
        lines.append(f"{bound['name']}=={bound['version']}")
    return lines


def _spelled_out(declared: list[str], project: dict) -> Iterator[str]:
    """Put what an extra of the project itself asks for in its place."""
    for requirement in declared:
        own = re.fullmatch(rf"{project['name']}\[(.*)\]", requirement)
        if own is None:
            yield requirement
        else:
            for extra in own[1].split(","):
                yield from _spelled_out(project["optional-dependencies"][extra], project)


if __name__ == "__main__":
    lines = constraints(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"])
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
