"""What holds of all commands: options, help, statuses, and how quickly they answer."""

import subprocess
import sys

import pytest
import typer

from spinney.cli._app import app

GROUP = typer.main.get_command(app)
COMMANDS = ["learn", "report", "compare", "example", "simulate", "info"]
MISSING = {
    "learn": ["nothing.csv"],
    "report": ["nothing"],
    "compare": ["nothing", "nothing"],
    "example": ["nothing"],
    "simulate": ["nothing"],
    "info": ["nothing"],
}


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


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_input_is_one_line_and_status_2(spinney, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    result = spinney(name, *MISSING[name])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["learn", "report", "compare", "example", "simulate"])
def test_a_wrong_name_is_answered_before_the_heavy_libraries_are_loaded(tmp_path, name):
    heavy = "numba pandas sklearn matplotlib scipy numpy networkx plotly"
    code = (
        f"import sys; sys.argv = ['spinney', {name!r}, *{MISSING[name]!r}]\n"
        "from spinney.cli import main\n"
        "try: main()\n"
        "except SystemExit as leave: assert leave.code == 2\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert output.stdout.splitlines() == ["[]"]


@pytest.mark.parametrize(("word", "meant"), [("lern", "learn"), ("comapre", "compare")])
def test_the_nearest_command_is_named(spinney, word, meant):
    result = spinney(word)
    assert result.exit_code == 2
    assert f"Did you mean '{meant}'?" in result.stderr


def test_help_explains_itself(spinney):
    told = spinney("--help").stdout
    for words in ("spinney learn cells.csv", "Rows are samples", "Exit status"):
        assert words in told
