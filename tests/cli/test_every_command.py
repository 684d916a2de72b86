"""What holds of all commands: options, help, statuses, and how quickly they answer."""

import pytest
import typer

from spinney.cli._app import app

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
