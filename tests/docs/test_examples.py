"""Every example of the documentation is run, and says what it says."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from spinney import datasets
from tests.docs.pages import NOT_RUN, PAGES, ROOT, blocks_of

# Pages whose sessions have a test beside the code that they are about.
SESSIONS_ELSEWHERE = {
    "judge.md": "tests/evidence/test_evidence_docs.py",
    "tables.md": "tests/tables/test_tables_docs.py",
}
# The front page of the repository has tests that also look at what its examples give.
CODE_ELSEWHERE = {"README.md": ["tests/test_package.py"]}
# What is not run, in so many words. Anything else that is marked so fails a test.
EXCUSED = {
    "judge.md": ["it takes hours, or an accelerator"],
    "large-tables.md": ["it needs a cluster"],
}
SLOW = {"models.md", "start.md"}
"""Pages whose Python takes more than a few seconds."""
QUICK = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
TIMES = re.compile(r"(in|after) [\d.:]+( s|)|\d+(\.\d+)? s\b")


def pages_with(language):
    """List the pages with code in a language; the slow ones are marked."""
    pages = [p for p in PAGES if language in {b.language for b in blocks_of(p.read_text("utf-8"))}]
    marks = dict.fromkeys(SLOW, pytest.mark.slow)
    return [pytest.param(page, id=page.name, marks=marks.get(page.name, ())) for page in pages]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Give an empty folder with the tables that the examples read."""
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    cells = datasets.load_sachs().X
    cells.to_csv("sachs.csv", index=False)
    cells.to_parquet("cells.parquet")
    shutil.copy(datasets.path("penguins.csv"), "penguins.csv")
    shutil.copytree(ROOT / "docs" / "peers", "peers")
    yield tmp_path
    plt.close("all")


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_examples_run(page, desk):
    if page.name in CODE_ELSEWHERE:
        for test in CODE_ELSEWHERE[page.name]:
            assert page.name in (ROOT / test).read_text("utf-8")
        return
    scope, runner = {"__name__": "__main__"}, doctest.DocTestRunner(optionflags=QUICK)
    parser, seen = doctest.DocTestParser(), 0
    for block in blocks_of(page.read_text("utf-8")):
        if block.language != "python" or not block.is_run:
            continue
        if block.is_session:
            if page.name in SESSIONS_ELSEWHERE:
                continue
            test = parser.get_doctest(block.text, scope, page.name, str(page), block.line - 1)
            runner.run(test, clear_globs=False)
            scope.update(test.globs)
            seen += len(test.examples)
        else:
            exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), scope)
            seen += 1
    assert runner.failures == 0
    elsewhere = SESSIONS_ELSEWHERE.get(page.name)
    assert seen or elsewhere or EXCUSED.get(page.name)
    if elsewhere:
        assert page.name in (ROOT / elsewhere).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("console"))
def test_commands_print_what_the_page_says(page, desk):
    for block in blocks_of(page.read_text("utf-8")):
        if block.language != "console" or not block.is_run or page.name in CODE_ELSEWHERE:
            continue
        for piece in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, _, expected = piece.partition("\n")
            told = plain(run(command))
            assert TIMES.sub("…", told) == TIMES.sub("…", expected.strip()), command


def plain(told):
    """Leave out blanks at the ends of lines, which nobody sees."""
    return "\n".join(line.rstrip() for line in told.splitlines()).strip()


def run(command):
    """Run one command as the reader would, and give what it prints."""
    if command.startswith("spinney example"):  # of a reader who has no such file yet
        Path("sachs.csv").unlink(missing_ok=True)
    program, *words = shlex.split(command)
    start = {"spinney": [sys.executable, "-m", "spinney"], "python": [sys.executable]}[program]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*start, *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_not_run_says_why_and_is_listed():
    found = {}
    for page in PAGES:
        for block in blocks_of(page.read_text("utf-8")):
            if not block.is_run:
                reason = block.text.splitlines()[0].removeprefix(NOT_RUN)
                found.setdefault(page.name, []).append(reason)
    assert found == EXCUSED


def test_no_session_is_skipped_by_hand():
    for page in PAGES:
        text = page.read_text("utf-8")
        assert "+SKIP" not in text, page.name
        assert "TO FILL" not in text, page.name


def test_every_page_is_known():
    assert len(PAGES) <= 23  # with the README; more are a maze
    names = {page.name for page in PAGES}
    assert names.issuperset(SESSIONS_ELSEWHERE)
    assert names.issuperset(EXCUSED)
