"""``python -m reproduce``."""

import json

import pytest
from matplotlib.figure import Figure

from reproduce import session
from reproduce.__main__ import main
from tests.reproduce.test_session import made_up


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run the command line in this process, with made-up results."""
    monkeypatch.setattr(session, "evaluate", made_up)
    monkeypatch.setattr(session, "draw", lambda *arguments: Figure())  # the real ones take seconds
    return lambda *words: main([*map(str, words), "-w", "1", "-o", str(tmp_path)])


def test_a_figure_is_drawn_and_its_claims_are_shown(command, tmp_path, capsys):
    assert command("figure1", "figure3", "--sizes", "50,100", "-r", 2) == 0
    for name in ("figure1.png", "figure3.svg", "figure3.csv", "figure3.json"):
        assert (tmp_path / name).exists()
    printed = capsys.readouterr().out
    assert "Two components" in printed
    assert "hold" in printed


def test_the_result_as_json(command, tmp_path, capsys):
    assert command("figure3", "--sizes", "50", "-r", 1, "--json") == 0
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert {judgement["figure"] for judgement in told["judgements"]} == {"figure3"}
    assert str(tmp_path / "figure3.csv") in told["files"]
    assert told["failed"] == 0


def test_quiet_prints_nothing(command, capsys):
    assert command("figure3", "--sizes", "50", "-r", 1, "--quiet") == 0
    assert capsys.readouterr().out == ""


def test_ctrl_c_says_how_to_go_on(command, monkeypatch, capsys):
    def interrupted(task):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "evaluate", interrupted)
    assert command("figure2", "--sizes", "50") == 130
    assert "Go on by the same command" in capsys.readouterr().err


def test_a_failed_method_ends_with_status_1(command, monkeypatch, capsys):
    monkeypatch.setattr(session, "evaluate", lambda task: {**made_up(task), "error": "no luck"})
    assert command("figure2", "--sizes", "50", "-r", 1, "--methods", "et") == 1
    told = "failed: et on connected-50, seed 200000: no luck"
    assert told in capsys.readouterr().out


def test_sizes_must_be_numbers(command, capsys):
    with pytest.raises(SystemExit, match="2"):
        command("figure2", "--sizes", "fifty")
    assert "--sizes: takes whole numbers such as 50,100; got 'fifty'" in capsys.readouterr().err


def test_a_wrong_figure_is_one_line(command, capsys):
    assert command("figur2") == 2
    told = capsys.readouterr().err
    assert "Did you mean 'figure2'?" in told
    assert len(told.splitlines()) == 1
