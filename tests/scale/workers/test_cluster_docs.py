"""What docs/large-tables.md says of commands and examples holds."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reproduce.__main__ import parse
from spinney.cli._app import app

PAGE = Path(__file__).parents[3] / "docs" / "large-tables.md"


def test_the_command_of_spinney_has_the_option():
    assert "spinney learn" in PAGE.read_text()
    told = re.sub(r"\x1b\[[0-9;]*m", "", CliRunner().invoke(app, ["learn", "--help"]).output)
    assert "--cluster" in told


def test_the_command_of_the_figures_has_the_option():
    assert "python -m reproduce --cluster" in PAGE.read_text()
    assert parse(["all", "--cluster", "tcp://10.0.0.1:8786"]).cluster == "tcp://10.0.0.1:8786"


def test_the_commands_of_dask_have_their_options():
    click = pytest.importorskip("click.testing")
    pytest.importorskip("distributed")
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    text = PAGE.read_text()
    for name, command in (("scheduler", scheduler), ("worker", worker)):
        known = click.CliRunner().invoke(command, ["--help"]).output
        lines = [line for line in text.splitlines() if f"dask {name} " in line]
        assert lines
        for line in lines:
            after = line.split(f"dask {name} ")[1].split("#")[0]
            for option in re.findall(r"--[a-z-]+", after):
                assert option in known or option.replace("--no-", "--") in known, option
