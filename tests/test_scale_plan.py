"""The plan on paper is what stored measurements say."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "scripts" / "make_scale_plan.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_scale_plan", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wide(*sizes):
    return {
        "runs": [
            {
                "method": method,
                "columns": d,
                "stages": {"screening": 1e-7 * d**2, "judge": 0.01 * d, "odd": 0.001},
            }
            for d in sizes
            for method in ("spinney", "huge-mb")
        ]
    }


def test_powers_are_followed_to_20000_columns(script):
    found = script.series(wide(100, 500, 1000, 2000), {"runs": [{"columns": 500, "seconds": 4}]})
    assert [d for d, _ in found["screening"]] == [500, 1000, 2000]  # those that were screened
    rows = {row[0]: row[1:] for row in script.plan(found)}
    # 1e-7 * 20,000² = 40 s, a hundred times as much with a hundred times the rows.
    assert rows["screening"][:4] == ["2.00", "0.4 s at 2,000", "40 s", "67 min"]
    assert rows["judge in neighbourhoods"][:4] == ["1.00", "20 s at 2,000", "3.3 min", "3.3 min"]
    assert rows["odd"][2] == rows["writing results"][2] == "not measured often enough"


def test_the_table_goes_to_its_place(script, tmp_path):
    page = tmp_path / "large-tables.md"
    page.write_text((PATH.parents[1] / "docs" / "large-tables.md").read_text(encoding="utf-8"))
    rows = script.plan(script.series(wide(500, 1000), None))
    script.write(page, script.markdown(rows))
    text = page.read_text(encoding="utf-8")
    assert "| screening | 2.00 |" in text
    assert text.count("## ") == (PATH.parents[1] / "docs" / "large-tables.md").read_text().count(
        "## "
    )
    assert "Not measured yet" in script.markdown([])
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="no place"):
        script.write(page, "table")


def test_the_newest_result_counts(script, tmp_path):
    (tmp_path / "wide-2026-01-01.json").write_text('{"scale": {"runs": [1]}}')
    (tmp_path / "wide-2026-02-01.json").write_text('{"scale": {"runs": [2]}, "other": {}}')
    (tmp_path / "wide-2026-03-01.json").write_text('{"agreement": {}}')
    assert script.newest("wide", "scale", tmp_path) == {"runs": [2]}
    assert script.newest("gpu", "scale", tmp_path) is None
