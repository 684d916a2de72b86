"""Tables and heat map: sort, filter, more rows, download, open a pair."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.graph.report.page.payloads import HOSTILE, sample_payload

pytestmark = pytest.mark.slow

PAYLOAD = sample_payload(10, 12)


def column(report: Any, number: int) -> list[str]:
    cells = report.page.locator(f"#edge-table tbody tr > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_sorting_by_a_header(report: Any) -> None:
    page = report.page
    head = page.locator("#edge-table thead th[data-key=strength]")
    head.get_by_role("button").click()
    strengths = [float(text.replace("−", "-")) for text in column(report, 6)]
    assert strengths == sorted(strengths, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    strengths = [float(text.replace("−", "-")) for text in column(report, 6)]
    assert strengths == sorted(strengths)
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.locator("#edge-table th[aria-sort]").count() == 1


def test_names_sort_as_people_count(report: Any) -> None:
    report.page.locator("#which-pairs").select_option("all")
    report.page.locator("#edge-table thead th[data-key=j] button").click()
    numbers = [int(text.split()[1]) for text in column(report, 3)]
    assert numbers == sorted(numbers)
    assert 10 in numbers


def test_filtering_and_all_pairs(report: Any) -> None:
    page = report.page
    assert len(column(report, 1)) == 12
    page.locator("#which-pairs").select_option("all")
    assert len(column(report, 1)) == 45
    page.locator("#filter").fill("GENE 7")
    page.wait_for_function("() => document.getElementById('rows-shown').textContent === '9 rows.'")
    pairs = zip(column(report, 2), column(report, 3), strict=True)
    assert all("gene 7" in first.split(" and ")[0] or second == "gene 7" for first, second in pairs)


def test_the_download_holds_what_is_shown(report: Any) -> None:
    page = report.page
    page.locator("#edge-table thead th[data-key=tau] button").click()
    with page.expect_download() as download:
        page.locator("#download").click()
    assert download.value.suggested_filename == "edges.csv"
    text = download.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    kept = [row for row in PAYLOAD["pairs"] if row[3]]
    taus = [row[6] for row in kept]
    known = sorted((tau for tau in taus if tau is not None), reverse=True)
    assert [float(row["tau"]) for row in rows[: len(known)]] == known
    assert [row["tau"] for row in rows[len(known) :]] == [""] * taus.count(None)
    assert {(row["source"], row["target"], float(row["probability"])) for row in rows} == {
        (PAYLOAD["nodes"][row[0]]["name"], PAYLOAD["nodes"][row[1]]["name"], row[2]) for row in kept
    }


def test_formulas_are_defused_in_the_download(hostile: Any) -> None:
    page = hostile.page
    page.locator("#which-pairs").select_option("all")
    with page.expect_download() as download:
        page.locator("#download").click()
    text = download.value.path().read_text(encoding="utf-8-sig")
    names = [row[k] for row in csv.reader(io.StringIO(text, newline="")) for k in (1, 2)]
    assert not any(name.startswith(("=", "+", "-", "@")) for name in names)
    assert '\'=HYPERLINK("http://example.org","click")' in names
    assert "'@SUM(1,2)" in names
    assert "quote \" ' ` and\nnew line" in names


def table_cells(page: Any) -> list[list[str]]:
    return page.evaluate(
        """() => {
          const text = (cell) => (cell.querySelector('bdi') ?? cell).textContent.trim();
          const rows = [...document.querySelectorAll('#edge-table tbody tr')];
          return rows.map((row) => [...row.cells].map(text));
        }"""
    )


def test_the_script_writes_the_rows_that_the_page_brought(opened: Any) -> None:
    payload = sample_payload(len(HOSTILE), 20, names=HOSTILE)
    with_script = opened(payload, name="rows").page
    with_script.locator("#which-pairs").select_option("all")
    without = opened(payload, name="rows", java_script_enabled=False).page
    assert table_cells(with_script) == table_cells(without)
    assert len(table_cells(without)) == 105


def test_long_tables_come_in_parts(opened: Any) -> None:
    report = opened(sample_payload(100, 150, n=20), name="long")
    page = report.page
    page.locator("#which-pairs").select_option("all")
    assert page.locator("#edge-table tbody tr").count() == 200
    assert "200 of 4,000 rows" in page.locator("#rows-shown").inner_text()
    page.get_by_role("button", name="Show more").click()
    assert page.locator("#edge-table tbody tr").count() == 600
    focused = page.evaluate("document.activeElement.closest('tr').firstChild.textContent")
    assert focused == "201"


def test_a_row_opens_its_pair_and_leads_back(report: Any) -> None:
    page = report.page
    button = page.locator("#edge-table tbody tr").nth(4).get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#pair-plot .main-svg")
    i, j = (PAYLOAD["nodes"][k]["name"] for k in PAYLOAD["pairs"][4][:2])
    assert page.locator("#panel-title").inner_text() == f"{i} – {j}"
    assert page.evaluate("document.activeElement.id") == "panel-title"
    page.get_by_role("button", name="Back to the table").click()
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 5


def test_the_heat_map_names_and_opens_pairs(report: Any) -> None:
    page = report.page
    page.locator("#heat-plot").scroll_into_view_if_needed()
    order = PAYLOAD["heat"]["order"]
    x, y = page.evaluate(
        """([column, row]) => {
          const plot = document.getElementById('heat-plot');
          const box = plot.getBoundingClientRect();
          const { xaxis, yaxis } = plot._fullLayout;
          return [
            box.left + xaxis._offset + xaxis.d2p(column),
            box.top + yaxis._offset + yaxis.d2p(row),
          ];
        }""",
        [1, 3],
    )
    names = {PAYLOAD["nodes"][order[k]]["name"] for k in (1, 3)}
    page.mouse.move(x, y)
    page.wait_for_selector("#heat-plot .hovertext")
    assert all(name in page.locator("#heat-plot .hovertext").text_content() for name in names)
    page.mouse.click(x, y)
    page.wait_for_selector("#pair-plot .main-svg")
    assert set(page.locator("#panel-title bdi").all_inner_texts()) == names
