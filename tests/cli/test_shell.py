"""The command line as a whole: help, version, information, and how quickly it starts."""

import os
import subprocess
import sys

import pytest
import typer

from spinney import __version__
from spinney.cli._app import app


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_lists_the_commands(spinney, words):
    result = spinney(*words)
    assert result.exit_code == 0
    for command in ("learn", "info"):
        assert command in result.stdout


def test_version(spinney):
    result = spinney("--version")
    assert (result.exit_code, result.stdout) == (0, f"spinney {__version__}\n")


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


# What holds of all commands: options, help, statuses, and how quickly they answer


GROUP = typer.main.get_command(app)
COMMANDS = ["learn", "report", "compare", "example", "simulate", "info"]


def test_these_are_all():
    assert GROUP.list_commands(None) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_or_tell_json(name):
    options = {option for param in GROUP.get_command(None, name).params for option in param.opts}
    assert {"--quiet", "-q", "--json", "--debug"} <= options


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(spinney, name):
    result = spinney(name, "--help")
    assert result.exit_code == 0
    assert f"spinney {name} " in " ".join(result.stdout.replace("Usage: spinney", "").split())


def test_square_brackets_are_no_markup(spinney):
    told = " ".join(spinney("learn", "--help").stdout.replace("│", " ").split())
    assert "spinney[cluster]" in told


def test_help_explains_itself(spinney):
    told = spinney("--help").stdout
    for words in ("spinney learn cells.csv", "Rows are samples", "Exit status"):
        assert words in told
