"""The examples for users of R, run by R where it is installed."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from spinney import datasets
from tests.docs.pages import ROOT, blocks_of

PAGE = ROOT / "docs" / "coming-from.md"
BLOCKS = [
    block.text
    for block in blocks_of(PAGE.read_text("utf-8").partition("## spinney from R")[2])
    if block.language == "r"
]


def test_the_page_has_both_ways_and_a_matrix():
    assert [block.split("\n")[0] for block in BLOCKS] == [
        "# by the command line",
        "# by reticulate",
        "# a matrix of strengths",
    ]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
@pytest.mark.parametrize("way", BLOCKS[:2], ids=["command line", "reticulate"])
def test_r_prints_what_the_page_says(way, tmp_path):
    if "reticulate" in way and _r("quit(status = !requireNamespace('reticulate'))").returncode:
        pytest.skip("needs reticulate")
    shutil.copy(datasets.path("anes96.csv"), tmp_path / "anes96.csv")
    program = tmp_path / "spinney"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m spinney "$@"\n')
    program.chmod(0o755)
    done = _r(way + BLOCKS[2], tmp_path)
    assert done.returncode == 0, done.stderr
    expected = re.findall(r"^# (?!by|a matrix)(.*)$", way + BLOCKS[2], flags=re.M)
    told = " ".join(done.stdout.split())
    for line in expected:
        assert " ".join(line.split()) in told, line


def _r(code, folder=ROOT):
    environment = {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "SPINNEY_PYTHON": sys.executable,
    }
    command = ["Rscript", "--vanilla", "-e", code]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
