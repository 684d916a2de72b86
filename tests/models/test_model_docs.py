"""The examples in docs/models.md run and say what they say."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


@pytest.mark.slow
def test_page_examples():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 38
    assert result.failed == 0
