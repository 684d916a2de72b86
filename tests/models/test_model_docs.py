"""The examples in the pages on models run and say what they say."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "fewest"), [("models.md", 20), ("rooted-forests.md", 8)])
def test_page_examples(page, fewest):
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.attempted >= fewest
    assert result.failed == 0
