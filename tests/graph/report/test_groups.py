"""A folder of results for several groups: names, files, and the page over all of them."""

import csv
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import LearnedGraph, learn_groups
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_csv
from spinney.graph.report import OUTPUTS
from spinney.graph.report.groups import folder_names, render_groups, write_group_results
from tests.graph.cases import chains, two_groups
from tests.graph.report.page.test_render import Reader

QUICK = tuple(output for output in OUTPUTS if output.name in ("edges.csv", "run.json"))
PNG = b"\x89PNG"
HOSTILE = '<script>alert("x")</script>'
FORMULA = '=HYPERLINK("http://a.example","b"),\n'
RESERVED = {"con", "prn", "aux", "nul", "com1", "lpt9"}


@pytest.fixture(scope="module")
def grouped():
    return learn_groups(two_groups((120, 120)), "g")


@pytest.fixture(scope="module")
def hostile():
    frame = two_groups((120, 120), names=(HOSTILE, FORMULA)).rename(
        columns={"a": HOSTILE, "b": "=1+1", "c": "c" * 9999}
    )
    return learn_groups(frame, "g")


def views(found):
    return {
        name: LearnedGraph.of(graph, title=name, groups=found, run={"made": "2026-11-16"})
        for name, graph in found.graphs.items()
    }


# Names of folders


@given(st.lists(st.text(max_size=300), max_size=8, unique=True))
def test_folder_names_are_safe_everywhere_and_never_clash(names):
    found = folder_names(names, ["report.html"])
    assert list(found) == names
    folded = [name.casefold() for name in found.values()]
    assert len(set(folded)) == len(folded)
    for name in found.values():
        assert re.fullmatch(r"[\w-]([\w.-]*[\w-])?", name)
        assert len(name.encode()) <= 200
        assert name.partition(".")[0].casefold() not in RESERVED
        assert Path("folder", name).resolve().parent == Path("folder").resolve()
    assert "report.html" not in folded


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a/b", "a\\b"], ["a_b", "a_b-2"]),
        (["..", ".", "", " "], ["group", "group-2", "group-3", "group-4"]),
        (["x", "X"], ["x", "X-2"]),
        (["NUL", "nul.txt", "com7"], ["group_NUL", "group_nul.txt", "group_com7"]),
        (["Report.html"], ["Report.html-2"]),
        (["-rf", ".hidden", "end."], ["rf", "hidden", "end"]),
        (["x" * 10_000, "x" * 10_001], ["x" * 40, "x" * 40 + "-2"]),
        (["刺激", "контроль", "🙂"], ["刺激", "контроль", "group"]),
    ],
)
def test_folder_names_one_by_one(names, expected):
    assert list(folder_names(names, ["report.html"]).values()) == expected


# Files


def test_everything_is_written(grouped, tmp_path):
    folder = write_group_results(tmp_path / "out", grouped, views(grouped), outputs=QUICK)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    own = {f"{name}/{output.name}" for name in "AB" for output in QUICK}
    beside = {"report.html", "groups.csv", "differences.png", "differences.svg", "run.json"}
    assert found == own | beside
    record = json.loads((folder / "run.json").read_text())
    assert set(record["files"]) == found - {"run.json"}
    table = read_csv(folder / "groups.csv")
    expected = grouped.differences
    assert table.columns.tolist() == expected.columns.tolist()
    np.testing.assert_allclose(table["differs"], expected["differs"], rtol=1e-7)
    assert (folder / "differences.png").read_bytes()[:4] == PNG


def test_earlier_results_are_kept_without_force_and_foreign_folders_always(grouped, tmp_path):
    out = tmp_path / "out"
    write_group_results(out, grouped, views(grouped), outputs=QUICK)
    before = (out / "A" / "edges.csv").read_bytes()
    with pytest.raises(InputError, match="--force"):
        write_group_results(out, grouped, views(grouped), outputs=QUICK)
    (out / "A" / "edges.csv").write_text("changed")
    write_group_results(out, grouped, views(grouped), outputs=QUICK, force=True)
    assert (out / "A" / "edges.csv").read_bytes() == before
    (out / "A" / "thesis.docx").write_text("mine")
    with pytest.raises(InputError, match="in the way of the results of group 'A'"):
        write_group_results(out, grouped, views(grouped), outputs=QUICK, force=True)
    assert (out / "A" / "thesis.docx").read_text() == "mine"
    other = tmp_path / "other"
    (other / "B").mkdir(parents=True)
    (other / "B" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="in the way of the results of group 'B'"):
        write_group_results(other, grouped, views(grouped), outputs=QUICK)
    assert [path.name for path in other.rglob("*")] == ["B", "notes.txt"]


def test_hostile_names_come_out_harmless(hostile, tmp_path):
    folder = write_group_results(tmp_path / "out", hostile, views(hostile), outputs=QUICK)
    assert {path.parent for path in folder.rglob("*") if path.is_file()} == {
        folder,
        folder / "script_alert_x_script",
        folder / "HYPERLINK_http_a.example_b",
    }
    with (folder / "groups.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == 16
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if re.match(r"\s*[=+@]|-\D", cell)]
    assert "'=1+1" in cells
    assert set(read_csv(folder / "groups.csv")["source"]) >= {HOSTILE, "=1+1"}
    svg = (folder / "differences.svg").read_text(encoding="utf-8")
    assert "<script" not in svg


# The page


def test_page_tells_the_differences_and_links_to_the_groups(grouped):
    page = render_groups(grouped, picture=PNG, links={"A": "A/report.html", "B": "B x/report.html"})
    read = Reader(page)
    told = read.text()
    assert "of 15 pairs, 1 is an edge in only one of the two with a probability above 1/2" in told
    assert "d – e only in B" in told
    links = {own[key] for _, own in read.elements for key in ("href", "src") if key in own}
    assert {"A/report.html", "B%20x/report.html", "differences.svg"} <= links
    outside = [link for link in links if link.startswith(("http", "//", "file"))]
    assert outside == []
    assert [tag for tag, _ in read.elements].count("h1") == 1
    assert "script-src 'sha256-" in html.unescape(page)
    rows = re.findall(r"<tr>\s*<th scope=\"row\" class=\"name\" data-value=\"(\w)\"", page)
    assert rows[0] == "d"
    unlinked = render_groups(grouped, picture=PNG, links={})
    assert "<a href=" not in unlinked.partition("<table")[2].partition("</table>")[0]


def test_page_with_hostile_names_has_one_script_of_its_own(hostile):
    page = render_groups(hostile, picture=PNG, links={})
    assert len(Reader(page).scripts) == 1
    assert "alert(&#34;x&#34;)" in page
    assert len(page) < 400_000  # names of 10,000 characters are cut where they are shown


def test_page_of_many_groups_says_what_it_leaves_out():
    frame = chains(330, 3)
    many = learn_groups(frame, [f"g{k % 11}" for k in range(330)])
    page = render_groups(many, picture=PNG, links={})
    assert "Of 55 comparisons, these 10" in page
    assert page.count(">Edge in g") == 6
    assert "Not in" in page
