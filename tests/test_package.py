"""The package as a newcomer meets it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import demo
from spinney.cli import run

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("package", "heavy"),
    [
        ("spinney", "numba pandas sklearn matplotlib scipy"),
        (
            "spinney.tables.readers",
            "numba sklearn matplotlib scipy joblib python_calamine charset_normalizer",
        ),
    ],
)
def test_import_is_light(package, heavy):
    code = f"import sys, {package}; print([m for m in '{heavy}'.split() if m in sys.modules])"
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


@pytest.mark.parametrize("name", spinney.__all__)
def test_public_names_exist(name):
    assert getattr(spinney, name) is not None


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    source = ROOT / project["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{spinney.__version__}"' in source.read_text("utf-8")


def test_the_oldest_versions_are_those_that_are_declared(tmp_path):
    script, target = ROOT / "scripts" / "oldest.py", tmp_path / "constraints.txt"
    subprocess.run([sys.executable, script, target], check=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    together = [each for name in ("cluster", "excel", "parquet", "stats") for each in extras[name]]
    spelled_out = {"spinney[cluster,excel,parquet,stats]": together}
    declared = project["dependencies"] + extras["test"]
    declared = [each for name in declared for each in spelled_out.get(name, [name])]
    assert target.read_text("utf-8").replace("==", ">=").split() == declared


def test_polars_frames_go_all_the_way(rng):
    import polars  # here: whoever lacks it can still run the rest

    X = rng.normal(size=(100, 3))
    X[:, 2] += X[:, 0]
    frame = polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    U = spinney.pairs.margins.pseudo_observations(frame)
    assert isinstance(U, polars.DataFrame)
    np.testing.assert_array_equal(U.to_numpy(), spinney.pairs.margins.pseudo_observations(X))
    model = spinney.SharedForest().fit(frame)
    assert list(model.graph_) == ["a", "b", "c"]
    assert model.graph_.has_edge("a", "c")
    np.testing.assert_array_equal(
        model.score_samples(frame), spinney.SharedForest().fit(X).score_samples(X)
    )


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'graf'"):
        spinney.graf  # noqa: B018


@pytest.mark.slow
def test_the_demo_says_where_to_look(tmp_path, capsys):
    demo.main(tmp_path / "out")
    printed = capsys.readouterr().out
    assert "Erk – Akt" in printed
    report = tmp_path / "out" / "sachs-graph" / "report.html"
    assert printed.endswith(f"Open {report} in a browser.\n")
    assert "Erk" in report.read_text(encoding="utf-8")
    assert report.with_name("graph.png").read_bytes().startswith(b"\x89PNG")
    assert pd.read_csv(tmp_path / "out" / "sachs.csv").shape == (853, 11)


def test_the_examples_of_the_readme_are_true(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(["example", "sachs", "--quiet"])  # as the README begins
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    scope = {}
    exec("\n".join(blocks), scope)
    assert scope["found"].adjacency.loc["Raf", "Mek"]
    assert (tmp_path / "page.html").exists()
