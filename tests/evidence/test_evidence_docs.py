"""The page on the judge lists every channel, and its examples say what they say."""

import doctest
from pathlib import Path

from spinney.evidence import CHANNELS

PAGE = Path(__file__).parents[2] / "docs" / "judge.md"


def table() -> str:
    """Write the page's table of channels."""
    lines = ["| channel | parity | group | meaning |", "|---|---|---|---|"]
    for channel in CHANNELS:
        meaning = channel.meaning.replace("|", "\\|")
        lines.append(f"| `{channel.name}` | {channel.parity} | {channel.group} | {meaning} |")
    return "\n".join(lines)


def test_page_lists_every_channel():
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index("<!-- channels -->\n"), text.index("<!-- end -->")
    assert text[begin:end] == f"<!-- channels -->\n{table()}\n"


def test_page_examples():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 6
    assert result.failed == 0
