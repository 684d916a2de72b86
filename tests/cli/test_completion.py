"""Shell completion: scripts for shells, and what they ask the program."""

import os
import subprocess
import sys

import pytest


def ask(line, tmp_path, shell="bash"):
    """Complete a line as a shell does: through the environment."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_SPINNEY_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
    }
    command = [sys.executable, "-m", "spinney"]
    found = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert found.stderr == ""
    return found.stdout.split("\n") if shell == "zsh" else found.stdout.split()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("spinney ", ["learn", "report", "compare", "example", "simulate", "info"]),
        ("spinney simu", ["simulate"]),
        ("spinney learn --estimator forests-", ["forests-cuts", "forests-lambda"]),
        ("spinney learn x.csv -e graph-l", ["graph-learner"]),
        ("spinney simulate s", ["scale-free"]),
        ("spinney compare --for", ["--force"]),
    ],
)
def test_names_are_completed(tmp_path, line, wanted):
    assert ask(line, tmp_path) == wanted


def test_files_are_left_to_the_shell(tmp_path):
    (tmp_path / "cells.csv").touch()
    assert ask("spinney learn cel", tmp_path) == []


def test_zsh_shows_what_a_kind_is(tmp_path):
    assert '"hubs":"normal columns, three of them with many edges"' in "".join(
        ask("spinney simulate hu", tmp_path, "zsh")
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(shell):
    # By the name of the shell, which is otherwise found by looking at the parent process.
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "spinney", "--show-completion", shell]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "_SPINNEY_COMPLETE" in found.stdout
    assert "spinney" in found.stdout
