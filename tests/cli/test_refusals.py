"""What cannot be is one line and status 2; nothing is written, and nothing heavy is loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

from spinney.cli import _inputs
from tests.cli.cases import files_in

HEAVY = "numba pandas sklearn matplotlib scipy numpy networkx plotly jinja2 rich"

EARLY = {
    "gone.csv": "There is no file 'gone.csv'. Check the path.",
    "rows.csv --estimator chowliu": "Did you mean 'chow-liu'?",
    "rows.csv -e glasso": "no estimator 'glasso'. Did you mean 'graphical-lasso'?",
    "rows.csv -e ef-lambda": "no estimator 'ef-lambda'. Did you mean 'forests-lambda'?",
    "rows.csv -e chow-liu --required x": "There is no file 'x'",
    "rows.csv -e chow-liu --required rows.csv": "--required goes with graph-learner and "
    "rooted-forests only, not with 'chow-liu'.",
    "rows.csv -e chow-liu --stability": "--stability goes with graph-learner only, not with "
    "'chow-liu'. Leave it out, or choose another estimator.",
    "rows.csv -e chow-liu --fdr 0.1": "--fdr goes with graph-learner only",
    "rows.csv -e chow-liu --device cuda": "--device goes with graph-learner only",
    "rows.csv -e chow-liu --unit a": "--unit goes with graph-learner only",
    "rows.csv -e shared-forest --group a": "--group goes with graph-learner only",
    "rows.csv --device tpu": "Invalid value for '--device': 'tpu' is not one of 'cpu', 'cuda'",
    "rows.csv --stability -3": "Invalid value for '--stability': ",
    "rows.csv --fdr 1.5": "Invalid value for '--fdr': ",
    "rows.csv --fdr few": "Invalid value for '--fdr': ",
    "rows.csv --cut -1": "Invalid value for '--cut': ",
    "rows.csv --min-strength 10": "Invalid value for '--min-strength': ",
    "rows.csv --seed -1": "Invalid value for '--seed': ",
    "rows.csv --seed x": "Invalid value for '--seed': ",
    "rows.csv --permutations 3 --group a": "Invalid value for '--permutations': ",
    "rows.csv --permutations": "--permutations compares groups. Name their column with --group.",
    "rows.csv --paired a": "--paired compares groups. Name their column with --group.",
    "rows.csv --cut 0.8 --fdr 0.1": "--fdr and --cut exclude each other. Give one of them.",
    "rows.csv --stability 2": "--stability takes a number of samples, 20 or more; got 2.",
    "rows.csv --columns a,b --drop c": "--columns and --drop exclude each other.",
    "rows.csv --precision 0.1 --rows 50": "--rows and --precision exclude each other.",
    "rows.csv --criterion bic": "--criterion goes with chow-liu, ensemble-of-trees, ",
    "rows.csv --ties random": " and shared-forest only, not with 'graph-learner'.",
    "rows.csv -e graphical-lasso --families frank": "only, not with 'graphical-lasso'.",
    "rows.csv -e chow-liu --criterion ric": "'ric' is not one of 'cv', 'aic', 'bic'.",
    "rows.csv --header maybe": "'maybe' is not one of 'auto', 'yes', 'no'.",
    "rows.csv --layout circel": "'circel' is not one of",
    "rows.csv --min-strenth 3": "No such option: --min-strenth",
    "rows.csv --jobs 0": "--jobs must be",
    "rows.csv rows.csv": "rows.csv",
    "rows.csv --out rows.csv": "is a file",
    "rows.csv --out rows.csv/results": "'rows.csv' is a file. Name another folder with --out.",
    "--again gone.json": "There is no file 'gone.json'",
    "": "spinney learn DATA",
}
LATE = {
    "rows.csv --columns A": "Did you mean 'a'?",
    "rows.csv --drop z": "There is no column 'z'",
    "rows.csv --unit aa": "There is no column 'aa'. Did you mean 'a'?",
    "rows.csv --columns a": "The table has 1 column(s), but at least 2 are needed",
    "rows.csv --columns ,": "The table has too few columns: 0",
    "rows.csv --columns a,e --group e": "too many for groups (at most 20). Cut numbers",
    "rows.csv -e chow-liu --families gauss": "There is no copula family 'gauss'. Did you mean",
    "text.csv -e graphical-lasso": "Column 'b' holds text (first: 'x')",
    "rows.csv --rows 5": "--rows must be a whole number from 10 on, or 'all', not 5.",
    "rows.csv --rows 1e5": "or 'all', not '1e5'.",
    "rows.csv --precision 0.5": "--precision must be a number between 0 and 0.33, such as 0.01",
}


@pytest.mark.parametrize("words", EARLY | LATE)
def test_what_cannot_be_is_one_line_and_status_2(rows, spinney, monkeypatch, words):
    Path("text.csv").write_text("a,b\n" + "1,2\n3,x\n" * 5)
    if words in EARLY:
        monkeypatch.setattr(_inputs, "read_inputs", lambda *_: pytest.fail("the data are read"))
    result = spinney("learn", *words.split())
    assert result.exit_code == 2
    assert (EARLY | LATE)[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert files_in(".") == {"rows.csv", "text.csv"}


MEANT = {
    "rows.csv": "There is no command 'rows.csv'. Did you mean: spinney learn rows.csv\n",
    "gone.csv --fdr 0.1": "Did you mean: spinney learn gone.csv --fdr 0.1\n",
    "lern rows.csv": "No such command 'lern'. Did you mean 'learn'?",
    "comapre": "No such command 'comapre'. Did you mean 'compare'?",
}


@pytest.mark.parametrize("words", MEANT)
def test_what_was_meant(spinney, words):
    result = spinney(*words.split())
    assert result.exit_code == 2
    assert MEANT[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1


QUICKLY = {
    "--help": "",
    "learn --help": "",
    "--version": "",
    "learn gone.csv": "There is no file 'gone.csv'. Check the path.",
    "learn pyproject.toml -e chow-liu --fdr 0.1": "--fdr goes with graph-learner only",
    "learn --again gone.json": "There is no file 'gone.json'",
    "report gone": "There is no file or folder 'gone'",
    "compare gone gone": "There is no file or folder 'gone'",
    "example gone": "There is no example 'gone'",
    "simulate gone": "There is no kind of table 'gone'",
}


@pytest.mark.parametrize("words", QUICKLY)
def test_help_and_what_is_wrong_are_said_before_anything_heavy_is_loaded(words):
    heavy = HEAVY.split() if QUICKLY[words] else HEAVY.split()[:-1]  # help is shown by rich
    code = (
        f"import sys, runpy; sys.argv = ['spinney', *{words.split()!r}]\n"
        "try: runpy.run_module('spinney', run_name='__main__')\n"
        f"except SystemExit as leave: assert leave.code == {2 if QUICKLY[words] else 0}\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert QUICKLY[words] in done.stderr
    assert len(done.stderr.splitlines()) == bool(QUICKLY[words])
