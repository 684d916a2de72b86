"""The examples in docs/copulas.md run and say what they say."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "copulas.md"


def test_page_examples():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 4
    assert result.failed == 0
