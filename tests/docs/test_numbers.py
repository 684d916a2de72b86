"""Numbers on pages that are not run are those of the files beside them."""

import json

import pandas as pd
import pytest
from scripts import make_commands, make_wide

from benchmarks import _run
from spinney.judge import Judge
from spinney.judge.judge import find_judge
from tests.docs.pages import ROOT

DOCS = ROOT / "docs"


def rows_table():
    lines = [
        "| rows | 0.1 | 0.2 | 0.3 | 0.4 | 0.5 | false, of those kept |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in pd.read_csv(DOCS / "figures" / "rows-needed.csv").to_dict("records"):
        cells = [f"{row[f'found_{s}']:.2f} ± {row[f'error_{s}']:.2f}" for s in STRENGTHS]
        lines.append(f"| {row['rows']} | {' | '.join(cells)} | {row['false_share']:.0%} |")
    return "\n".join(lines).replace("%", " %")


STRENGTHS = ("0.1", "0.2", "0.3", "0.4", "0.5")


def test_rows_that_are_needed_are_those_that_were_found():
    page = (DOCS / "choosing.md").read_text(encoding="utf-8")
    assert page.partition("<!-- rows -->\n")[2].partition("\n<!-- end -->")[0] == rows_table()


def test_rows_that_are_needed_are_those_of_the_shipped_judge():
    judges = set(pd.read_csv(DOCS / "figures" / "rows-needed.csv")["judge"])
    assert judges == {Judge.load().fingerprint}, "python docs/figures/rows_needed.py"


@pytest.mark.skipif(not _run.RESULTS.exists(), reason="the source archive has no results")
def test_wide_tables_are_those_of_the_shipped_judge():
    page = make_wide.PAGE.read_text(encoding="utf-8")
    assert make_wide.written(page) == page, "python -m scripts.make_wide"
    assert make_wide.stored("scale")["judge"] == Judge.load().fingerprint


def test_commands_are_those_of_the_program():
    page = make_commands.PAGE.read_text(encoding="utf-8")
    assert make_commands.written(page) == page, "python -m scripts.make_commands"


def test_versions_of_r_are_those_that_ran():
    page = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    for line in pd.read_csv(DOCS / "peers" / "versions.csv").itertuples():
        assert (line.value if line.name == "date" else f"{line.name} {line.value}") in " ".join(
            page.split()
        )


def test_counts_of_r_are_those_on_the_page():
    page = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    path = pd.read_csv(DOCS / "peers" / "huge-path.csv")
    assert f"#  {'  '.join(map(str, path['edges']))}\n" in page
    assert f"#  {path.loc[path['chosen'], 'penalty'].item():.7f}\n" in page
    bootnet = pd.read_csv(DOCS / "peers" / "bootnet-pairs.csv")
    assert f"#  {(bootnet['partial_correlation'] != 0).sum()}\n" in page
    bdgraph = pd.read_csv(DOCS / "peers" / "bdgraph-pairs.csv")
    assert f"#  {(bdgraph['probability'] > 0.5).sum()}\n" in page


def test_verdicts_are_those_that_were_measured():
    results = json.loads((ROOT / "benchmarks" / "results" / "real-2026-11-18.json").read_text())
    lines = [
        "| rows | tables | pairs | present | right | absent | right | undecided |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in results["verdicts"].items():
        if isinstance(row, dict) and "pairs" in row:
            right = [
                f"{100 * row[f'{what}_right']:.1f} ± {100 * row[f'{what}_error']:.1f} %"
                for what in ("present", "absent")
            ]
            lines.append(
                f"| {name.replace(' rows', '')} | {row['tables']:,} | {row['pairs']:,} | "
                f"{row['present']:,} | {right[0]} | {row['absent']:,} | {right[1]} | "
                f"{100 * row['undecided_share']:.0f} % |"
            )
    page = (DOCS / "choosing.md").read_text(encoding="utf-8")
    told = page.partition("<!-- verdicts -->\n")[2].partition("\n<!-- end -->")[0]
    assert told == "\n".join(lines)


def test_shares_of_training_are_those_of_the_card():
    card = find_judge(None).card
    (sizes,) = card["reliability"].values()
    page = (DOCS / "choosing.md").read_text(encoding="utf-8")
    told = []
    for size in ("2-8", "9-16", "17-150"):
        bins = pd.DataFrame(sizes[size])
        told.append(round(100 * (bins[1] * bins[2]).sum() / bins[2].sum()))
    two, nine, more = told
    assert (
        f"{two} % in tables of 2 to 8 columns, {nine} % in those of 9 to 16 and\n{more} % in larger"
        in page
    )
