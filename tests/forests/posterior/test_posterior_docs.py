"""The examples in docs/posterior.md run and say what they say."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "posterior.md"


def test_page_examples():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 10
    assert result.failed == 0
