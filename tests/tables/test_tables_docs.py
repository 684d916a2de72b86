"""The examples in docs/tables.md run and say what they say."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"


def test_page_examples():
    result = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted >= 28
    assert result.failed == 0
