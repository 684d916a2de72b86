"""The house stays small enough to be held in one head."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from sklearn.datasets import load_iris

import spinney

ROOT = Path(spinney.__file__).parent

LEARN = """
import sys
import numpy as np
import spinney

X = np.random.default_rng(0).normal(size=(40, 4)).cumsum(axis=1)
spinney.learn(X)
print(sum(name.split(".")[0] == "spinney" for name in sys.modules))
"""


def test_at_most_fourteen_packages():
    packages = [path.parent.name for path in ROOT.glob("*/__init__.py")]
    assert len(packages) <= 14, sorted(packages)


def test_at_most_seventeen_names_beside_the_packages():
    names = [name for name in spinney.__all__ if not (ROOT / name).exists()]
    names = [name for name in names if not (ROOT / f"{name}.py").exists()]
    assert len(names) <= 17, names


def test_a_class_name_means_one_class():
    names = Counter(
        node.name
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, times in names.items() if times > 1]


def test_learning_from_a_small_table_loads_few_modules():
    found = subprocess.run(
        [sys.executable, "-c", LEARN], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) <= 50


def test_the_walk_of_learn_is_what_runs(tmp_path):
    """Between a file and its edges, the functions of few files run: those in CONTRIBUTING."""
    table = tmp_path / "iris.csv"
    load_iris(as_frame=True).data.to_csv(table, index=False)
    spinney.learn(table)  # imports what it needs
    ran = set()

    def note(frame, event, arg):
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(ROOT):
            ran.add(Path(frame.f_code.co_filename).relative_to(ROOT).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        spinney.learn(table)
    finally:
        sys.setprofile(before)
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walk = text.partition("### A walk of")[2].partition("\n## ")[0]
    assert ran == set(re.findall(r"`((?!tests/)[\w/]+\.py)`", walk))
    assert len(ran) <= 45
