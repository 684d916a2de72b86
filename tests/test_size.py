"""The house stays small enough to be held in one head."""

import subprocess
import sys
from pathlib import Path

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


def test_learning_from_a_small_table_loads_few_modules():
    found = subprocess.run(
        [sys.executable, "-c", LEARN], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) <= 60
