"""Numbers on the page about screening are those that were measured."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def stored(section):
    """Find the latest stored results of a section."""
    files = sorted((ROOT / "benchmarks" / "results").glob("screening-*.json"), reverse=True)
    for file in files:
        known = json.loads(file.read_text("utf-8"))
        if section in known:
            return known[section]
    raise LookupError(section)


def number(value, digits):
    mean, error = value
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def misses_table():
    lines = [
        "| truth | rows | lost | lost by level alone | lost by scores alone | pairs that pass |",
        "|---|---|---|---|---|---|",
    ]
    for cell in stored("misses")["cells"]:
        parts = [number(cell[key], 2) for key in ("all", "level", "scores")]
        parts.append(f"{cell['passed'][0]:.1f}")
        lines.append(f"| {cell['truth']} | {cell['n']} | {' | '.join(parts)} |")
    return "\n".join(lines)


def level_table():
    result = stored("level")
    place = result["levels"].index(0.01)
    rows = sorted({cell["n"] for cell in result["cells"]})
    lines = [
        f"| columns | {' | '.join(f'{n:,} rows' for n in rows)} |",
        "|---" * (len(rows) + 1) + "|",
    ]
    for name in dict.fromkeys(cell["table"] for cell in result["cells"]):
        cells = {c["n"]: c for c in result["cells"] if c["table"] == name}
        parts = [number((cells[n]["ratio"][place], cells[n]["error"][place]), 2) for n in rows]
        lines.append(f"| {name} | {' | '.join(parts)} |")
    return "\n".join(lines)


@pytest.mark.parametrize(("mark", "table"), [("misses", misses_table), ("level", level_table)])
def test_tables_are_those_that_were_measured(mark, table):
    page = (ROOT / "docs" / "large-tables.md").read_text("utf-8")
    begin = page.index(f"<!-- {mark} -->\n") + len(f"<!-- {mark} -->\n")
    assert page[begin : page.index("<!-- end -->", begin)] == table() + "\n"


def test_less_than_one_percent_of_strong_edges_is_lost():
    cells = [c for c in stored("misses")["cells"] if c["truth"] != "weak Gaussian graph"]
    assert len(cells) == 18
    for cell in cells:
        mean, error = cell["all"]
        assert mean + 2 * error < 1.0, cell
