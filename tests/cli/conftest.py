"""A table on disc, a way to run the command line, a judge, and an estimator that does as told."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from spinney._core import registry as _registry
from spinney.cli._app import app
from spinney.graph.report import writers
from spinney.judge import judge as judges
from spinney.models.baselines import PartialCorrelation
from tests.graph.cases import chains, plain_judge


@pytest.fixture(autouse=True)
def at_ease(monkeypatch, request):
    """Pages and pictures are short."""
    short = {"write_report": "<!doctype html>"}
    if "pictures" not in request.fixturenames:
        short |= {"write_png": "PNG", "write_svg": "<svg/>", "write_strengths": "<svg/>"}
    for name, text in short.items():
        monkeypatch.setattr(writers, name, lambda path, view, text=text: path.write_text(text))


@pytest.fixture
def pictures():
    """Draw pictures, which takes longer than all else."""


@pytest.fixture
def frame():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 5))
    X[:, 1] += X[:, 0]
    X[:, 3] -= 2 * X[:, 2]
    return pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])


@pytest.fixture
def table(tmp_path, monkeypatch, frame):
    """A table in the current folder."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("cells.csv", index=False)
    return tmp_path / "cells.csv"


@pytest.fixture
def rows(tmp_path, monkeypatch, judge):
    """Two chains and a lonely column, in the current folder; and a judge."""
    monkeypatch.chdir(tmp_path)
    chains().to_csv("rows.csv", index=False)
    return "rows.csv"


@pytest.fixture
def odd(rows):
    """A table of which much is to be said."""
    frame = pd.read_csv(rows)
    frame = frame.assign(twin=frame["a"], always=7, mostly=-frame["b"])
    frame["mostly"] = frame["mostly"].where(frame.index < 50)
    frame.loc[::9, "lonely"] = -999
    pd.concat([frame, frame.iloc[:30]]).to_csv("odd.csv", index=False)
    return "odd.csv"


@pytest.fixture
def spinney():
    """Run the command line in this process."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def learning(monkeypatch):
    """Offer an estimator, 'told', whose fit first does what the test says."""

    def offer(action):
        class Told(PartialCorrelation):
            def fit(self, X, y=None):
                action(X)
                return super().fit(X)

        class Offered(_registry.Registered):
            def load(self):
                return Told

        entry = Offered("Told", "nowhere", "told")
        monkeypatch.setattr(_registry, "REGISTRY", (*_registry.REGISTRY, entry))

    return offer


@pytest.fixture
def ship(tmp_path_factory, monkeypatch):
    """Put a judge in the place of the shipped one, or none."""

    def place(judge):
        path = tmp_path_factory.mktemp("judge") / "judge.npz"
        if judge is not None:
            judge.save(path)
        monkeypatch.setattr(judges, "SHIPPED", path)
        judges._shipped.cache_clear()
        return path

    yield place
    judges._shipped.cache_clear()


@pytest.fixture
def judge(ship):
    """A judge that reads one channel, shipped."""
    found = plain_judge()
    ship(found)
    return found
