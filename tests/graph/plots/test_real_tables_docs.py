"""The examples in the page on real tables run and say what they say."""

import doctest
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "real-tables.md"


@pytest.mark.slow
def test_page_examples():
    result = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    plt.close("all")
    assert result.attempted >= 45
    assert result.failed == 0


def test_all_examples_are_run():
    text = PAGE.read_text(encoding="utf-8")
    assert "+SKIP" not in text
    assert "TO FILL" not in text


def test_pictures_are_there():
    pictures = re.findall(r"\]\((images/\S+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(pictures) == 6
    for picture in pictures:
        assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")
