"""Fitted models come back from their files as they were."""

import joblib
import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import load_model
from spinney._core.files import save_model
from spinney._core.registry import REGISTRY
from spinney.exceptions import InputError

SETTINGS = {
    "StabilitySelection": {"estimator": spinney.models.baselines.ChowLiu()},
    "GraphicalLasso": {"selection": "ebic"},
    "NeighbourhoodSelection": {"selection": "ric"},
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3)).cumsum(axis=1)
    return pd.DataFrame(x, columns=["a", "b", "c"])


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda entry: entry.name)
def test_every_estimator_comes_back_to_the_bit(entry, table, tmp_path):
    cls = entry.load()
    model = cls(**SETTINGS.get(entry.name, {}))
    model.fit(table)
    loaded = load_model(model.save(tmp_path / "model.spinney"))
    assert type(loaded) is cls
    for name in ("adjacency_", "edge_weights_", "edge_ranking_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    pd.testing.assert_frame_equal(loaded.edges_, model.edges_, check_exact=True)
    if hasattr(model, "score_samples"):
        np.testing.assert_array_equal(loaded.score_samples(table), model.score_samples(table))
    loaded.fit(table)


def test_a_learned_graph_comes_back_with_its_words(tmp_path):
    birds = spinney.datasets.load_penguins()
    found = spinney.learn(birds)
    loaded = spinney.LearnedGraph.load(found.save(tmp_path / "birds.spinney"))
    assert str(loaded) == str(found)
    pd.testing.assert_frame_equal(loaded.edges, found.edges, check_exact=True)
    assert loaded.why("species", "island") == found.why("species", "island")


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2\n", b"\x80\x04N.", b"PK\x03\x04 torn"], ids=range(4)
)
def test_what_is_not_a_model_file_is_refused_in_one_sentence(content, tmp_path):
    path = tmp_path / "odd.spinney"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"odd.spinney' is not a model file of spinney"):
        load_model(path)


def test_a_file_of_another_version_is_refused_by_its_version(tmp_path):
    document = {"format": "spinney model", "spinney_version": "0.0.7", "model": 1}
    joblib.dump(document, tmp_path / "old.spinney")
    with pytest.raises(InputError, match=r"was written by spinney 0\.0\.7; this is"):
        load_model(tmp_path / "old.spinney")


def test_a_file_that_does_not_exist_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.spinney")


def test_a_model_that_cannot_be_written_leaves_the_old_file(tmp_path):
    path = save_model(1, tmp_path / "model.spinney")
    with pytest.raises(Exception, match="pickle"):
        save_model(lambda: 0, path)
    assert load_model(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["model.spinney"]
