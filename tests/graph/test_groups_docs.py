"""The examples in docs/groups.md run, and its numbers are those of the stored benchmark."""

import doctest
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "groups.md"
STORED = ROOT / "benchmarks" / "results" / "groups-2026-11-17.json"


def test_page_examples():
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert result.attempted >= 14
    assert result.failed == 0


def test_page_numbers_are_those_of_the_benchmark():
    text, stored = PAGE.read_text(encoding="utf-8"), json.loads(STORED.read_text())
    found = stored["calibration"]
    rows = re.findall(r"^\| (.+?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", text, re.M)
    told = {label: tuple(map(float, numbers)) for label, *numbers in rows}
    for kind, scores in (("all", found["all"]), ("50 and 50 rows", found["rows"]["50 and 50"])):
        expected = scores["true"], *(scores[way]["expected"] for way in ("coupled", "product"))
        assert told[kind] == tuple(round(value, 2) for value in expected)
    splits = {name: v for name, v in stored["null"].items() if "coupled" in str(v)}
    assert len(splits) == 3
    for name, ways in splits.items():
        numbers = [round(ways[way]["expected"], 2) for way in ("coupled", "product")]
        line = next(line for line in text.splitlines() if line.startswith(f"| {name} "))
        assert [float(cell) for cell in line.split("|")[2:4]] == numbers
