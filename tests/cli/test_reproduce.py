"""``spinney reproduce``."""

from matplotlib.figure import Figure

from spinney.reproduce import session
from tests.reproduce.test_session import made_up


def test_a_figure_is_drawn_and_its_claims_are_shown(spinney, tmp_path, monkeypatch):
    monkeypatch.setattr(session, "evaluate", made_up)
    monkeypatch.setattr(session, "draw", lambda *arguments: Figure())  # the real ones take seconds
    words = ["reproduce", "figure1", "figure3", "--sizes", "50,100", "-r", 2, "-w", 1]
    result = spinney(*words, "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    for name in ("figure1.png", "figure3.svg", "figure3.csv", "figure3.json"):
        assert (tmp_path / name).exists()
    assert "Two components" in result.stdout
    assert "hold" in result.stdout


def test_ctrl_c_says_how_to_go_on(spinney, tmp_path, monkeypatch):
    def interrupted(task):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "evaluate", interrupted)
    result = spinney("reproduce", "figure2", "--sizes", "50", "-w", 1, "-o", tmp_path)
    assert result.exit_code == 130
    assert "Go on by the same command" in result.stderr


def test_a_failed_method_ends_with_status_1(spinney, tmp_path, monkeypatch):
    monkeypatch.setattr(session, "evaluate", lambda task: {**made_up(task), "error": "no luck"})
    monkeypatch.setattr(session, "draw", lambda *arguments: Figure())
    words = ["reproduce", "figure2", "--sizes", "50", "-r", 1, "-w", 1, "--methods", "et"]
    result = spinney(*words, "-o", tmp_path)
    assert result.exit_code == 1
    assert "failed: et on connected-50, seed 200000: no luck" in result.stdout


def test_sizes_must_be_numbers(spinney, tmp_path):
    result = spinney("reproduce", "figure2", "--sizes", "fifty", "-o", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == "Error: --sizes takes whole numbers such as 50,100; got 'fifty'.\n"


def test_a_wrong_figure_is_one_line(spinney, tmp_path):
    result = spinney("reproduce", "figur2", "-o", tmp_path)
    assert result.exit_code == 2
    assert "Did you mean 'figure2'?" in result.stderr
