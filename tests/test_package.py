"""The package as a newcomer meets it."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import spinney
from spinney import demo
from spinney._files import whole_file

ROOT = Path(__file__).parents[1]


def test_import_is_light():
    heavy = "numba pandas sklearn matplotlib scipy"
    code = f"import sys, spinney; print([m for m in '{heavy}'.split() if m in sys.modules])"
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


@pytest.mark.parametrize("name", spinney.__all__)
def test_public_names_exist(name):
    assert getattr(spinney, name) is not None


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'graph'"):
        spinney.graph  # noqa: B018


def test_the_demo_says_where_to_look(tmp_path, capsys):
    demo.main(tmp_path / "out")
    printed = capsys.readouterr().out
    assert "Erk – Akt" in printed
    for picture in (tmp_path / "out" / "pairs.png", tmp_path / "out" / "sachs-graph" / "graph.png"):
        assert str(picture) in printed
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert pd.read_csv(tmp_path / "out" / "sachs.csv").shape == (853, 11)


def test_the_examples_of_the_readme_are_true(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    code = "\n".join(blocks)
    scope = {}
    exec(code, scope)
    assert scope["model"].graph_.number_of_edges() == 7  # as the output above the example says
    assert (tmp_path / "sachs.spinney").exists()
    expected = [line[2:].split() for line in code.splitlines() if re.match(r"# \d", line)]
    best = scope["pairs"].table_.nlargest(3, "held_out_log_density")
    for (index, u, v, family, rotation, tau), row in zip(expected, best.itertuples(), strict=True):
        assert (int(index), u, v, family) == (row.Index, row.u, row.v, row.family)
        assert int(rotation) == row.rotation
        assert float(tau) == pytest.approx(row.tau, abs=1e-5)


def test_files_are_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "result.csv"
    target.write_text("old")

    def fail_half_way():
        with whole_file(target) as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert target.read_text() == "old"
    with whole_file(target) as temporary:
        assert temporary.suffix == ".csv"
        temporary.write_text("new")
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]
