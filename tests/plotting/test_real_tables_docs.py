"""The examples in the page on real tables run and say what they say."""

import doctest
from pathlib import Path

import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[2] / "docs"


def test_page_examples():
    result = doctest.testfile(
        str(DOCS / "real-tables.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    plt.close("all")
    assert result.attempted >= 12
    assert result.failed == 0


def test_pictures_are_there():
    text = (DOCS / "real-tables.md").read_text(encoding="utf-8")
    for picture in ("images/penguins_mosaic.png", "images/penguins_strip.png"):
        assert f"({picture})" in text
        assert (DOCS / picture).is_file()
