"""One list of estimators, and everything that lists them derives from it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.accuracy.methods import methods

import spinney
from reproduce.experiments import METHODS
from spinney import judge
from spinney import models as estimators
from spinney._core import registry as _registry
from spinney.cli import _options
from spinney.models import baselines

REGISTRY = _registry.REGISTRY
ROOT = Path(spinney.__file__).parent


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda entry: entry.name)
def test_what_is_listed_is_there(entry):
    cls = entry.load()
    assert (cls.__name__, cls.__module__) == (entry.name, entry.module)
    packages = {
        "spinney.models": estimators,
        "spinney.models.paper": estimators,
        "spinney.models.baselines": baselines,
        "spinney.judge": judge,
    }
    package = packages[entry.package]
    assert getattr(package, entry.name) is cls
    assert entry.name in package.__all__
    assert (entry.name in spinney.__all__) == (entry.package != "spinney.models.baselines")
    if entry.name in spinney.__all__:
        assert getattr(spinney, entry.name) is cls
    assert (entry.command in _options.names()) == entry.command_line
    if entry.command_line:
        assert _options.find(entry.command) is cls
    if entry.key in METHODS:
        assert METHODS[entry.key].label == entry.label
    if entry.benchmarked:
        assert {entry.key, f"{entry.key}-gaussian", f"{entry.key}-student"} <= set(methods())


def test_nothing_is_exported_but_what_is_listed():
    own = set(_registry.registered("spinney.models"))
    assert {name for name in estimators.__all__ if name[0].isupper()} == own
    assert _options.DEFAULT == "graph-learner"
    assert len({entry.name for entry in REGISTRY}) == len(REGISTRY)
    assert len({entry.key for entry in REGISTRY}) == len(REGISTRY)
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        estimators.Nobody  # noqa: B018


TOY = '''
"""A toy."""

import numpy as np
from sklearn.base import BaseEstimator

from spinney._core.graph import GraphMixin
from spinney.tables import check_features, check_table


class ToyForests(GraphMixin, BaseEstimator):
    """Joins all that correlates."""

    def __init__(self, potentials=None):
        self.potentials = potentials

    def fit(self, X, y=None):
        table = check_table(X, min_columns=2)
        check_features(self, X, reset=True)
        self.node_names_ = table.names
        self.edge_ranking_ = np.abs(np.corrcoef(table.values.T))
        np.fill_diagonal(self.edge_ranking_, 0.0)
        self.adjacency_ = self.edge_ranking_ > 0.5
        self.edge_weights_ = np.where(self.adjacency_, self.edge_ranking_, 0.0)
        return self
'''
USES = """
import numpy as np, pandas as pd
import spinney
from benchmarks.accuracy.methods import methods
from spinney._core import registry as _registry
from spinney import models as estimators
from spinney.cli._app import app

assert spinney.ToyForests is estimators.ToyForests and "ToyForests" in spinney.__all__
X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
X["c"] += 3 * X["a"]
X.to_csv("cells.csv", index=False)
model = spinney.ToyForests().fit(X)
loaded = spinney.load_model(model.save("model.spinney"))
assert loaded.edges_.equals(model.edges_) and len(model.edges_) == 1
app(["learn", "cells.csv", "-e", "toy-forests"], standalone_mode=False)
written = pd.read_csv("cells-graph/edges.csv")
pd.testing.assert_frame_equal(written, model.edges_, check_dtype=False)
app(["info"], standalone_mode=False)
assert methods()["toy"](X.to_numpy(), 0).adjacency_[0, 2]
"""


@pytest.mark.slow
def test_a_new_estimator_is_a_file_and_a_line(tmp_path):
    copied = tmp_path / "copied"
    skipped = shutil.ignore_patterns("__pycache__", "*.xz")
    shutil.copytree(ROOT, copied / "spinney", ignore=skipped)
    shutil.copytree(ROOT.parents[1] / "benchmarks", copied / "benchmarks", ignore=skipped)
    (copied / "spinney" / "models" / "toy_forests.py").write_text(TOY)
    listing = copied / "spinney" / "_core" / "registry.py"
    line = '    Registered("ToyForests", "models.toy_forests", "Toy", benchmarked=True),\n'
    text = listing.read_text(encoding="utf-8")
    before = '    Registered("StabilitySelection"'
    assert text.count(before) == 1
    listing.write_text(text.replace(before, line + before), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-c", USES],
        env={**os.environ, "PYTHONPATH": str(copied), "COLUMNS": "200"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "toy-forests" in found.stdout
    assert "Joins all that correlates." in found.stdout
