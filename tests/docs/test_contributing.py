"""The map of the code in CONTRIBUTING.md is the code."""

import re

import pytest

from tests.docs.pages import ROOT
from tests.test_layers import LEVELS

PACKAGE = ROOT / "src" / "spinney"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAP = re.findall(r"^\| (\d) \| `(\w+)/` \|", TEXT, re.M)
PATHS = sorted(set(re.findall(r"`([\w./]+/[\w./]*|\w+\.(?:py|toml))`", TEXT)))
MADE = {"htmlcov/", "build/docs/", "dist/", "benchmarks/results/", "reproduction/"}
"""Folders that a command makes."""


def test_every_package_is_on_the_map_at_its_level():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(name for _, name in MAP) == sorted(packages)
    assert {name: int(level) for level, name in MAP} == {name: LEVELS[name] for name in packages}


@pytest.mark.parametrize("path", [path for path in PATHS if path not in MADE])
def test_every_path_exists(path):
    places = (ROOT, PACKAGE, PACKAGE / "models", PACKAGE / "graph", PACKAGE / "forests")
    assert any((place / path).exists() for place in places)
