"""The command line as a whole: help, version, information, and how quickly it starts."""

import os
import subprocess
import sys

import pytest

from spinney import __version__


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_lists_the_commands(spinney, words):
    result = spinney(*words)
    assert result.exit_code == 0
    for command in ("learn", "info"):
        assert command in result.stdout


def test_version(spinney):
    result = spinney("--version")
    assert (result.exit_code, result.stdout) == (0, f"spinney {__version__}\n")


@pytest.mark.parametrize("words", ["'--help'", "'learn', '--help'", "'--version'"])
def test_help_does_not_wait_for_the_heavy_libraries(words):
    heavy = "numba pandas sklearn matplotlib scipy numpy networkx"
    code = (
        f"import sys, runpy; sys.argv = ['spinney', {words}]\n"
        "try: runpy.run_module('spinney', run_name='__main__')\n"
        "except SystemExit as leave: assert leave.code == 0\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    assert output.stdout.splitlines()[-1] == "[]"


def test_what_goes_to_a_file_is_in_utf_8(tmp_path):
    """As on Windows, whose encodings of files lack some signs."""
    command = [sys.executable, "-m", "spinney", "simulate", "gaussian", "-n", "20", "-d", "3"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env=environment)
    assert "20 rows × 3 columns" in done.stdout.decode("utf-8")
    assert not done.stderr


def test_a_reader_who_leaves_early_is_no_error():
    code = "from spinney.cli import main; import sys; sys.argv = ['spinney', '--help']; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()
