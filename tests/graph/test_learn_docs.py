"""The examples in docs/learn.md run, with the shipped judge or a plain one in its place."""

import doctest
from pathlib import Path

from spinney.judge import SHIPPED
from spinney.judge import judge as judges
from tests.graph.cases import plain_judge

PAGE = Path(__file__).parents[2] / "docs" / "learn.md"


def test_page_examples(monkeypatch):
    if not SHIPPED.exists():
        monkeypatch.setattr(judges, "_shipped", plain_judge)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert result.attempted >= 20
    assert result.failed == 0
