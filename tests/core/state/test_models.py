"""Fitted models come back from their files as they were."""

import io
import json
import subprocess
import sys
import zipfile
from typing import ClassVar

import networkx as nx
import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator
from tests.core.state.cases import assert_same, round_trip

from spinney import PairCopulas
from spinney._core import storable as _storable
from spinney._core.registry import REGISTRY
from spinney._core.state import FORMAT_VERSION, load_model, save_model
from spinney._core.storable import class_of, name_of, storable
from spinney.exceptions import InputError, SpinneyError
from spinney.pairs.copulas import FAMILIES, Clayton
from spinney.pairs.margins import Margins
from spinney.pairs.margins.smooth import fit_smooth


def assert_nothing_is_forgotten(model, loaded):
    computed = {"table_", "graph_"}
    assert set(vars(loaded)) == set(vars(model)) - computed


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "aic", "families": [Clayton, "frank", "joe"], "random_state": 3},
        {"criterion": "bic", "cv": 3, "df_grid": np.array([2.0, 5.0]), "n_jobs": 2},
        {"random_state": np.random.default_rng(1), "df_grid": (3.0, np.float64(4.0))},
    ],
    ids=["default", "aic", "bic", "generator"],
)
def test_pair_copulas_come_back(unit, parameters, tmp_path):
    model = PairCopulas(**parameters).fit(unit)
    loaded = load_model(save_model(model, tmp_path / "model.spinney"))
    assert_nothing_is_forgotten(model, loaded)
    assert_same(loaded.log_density(unit), model.log_density(unit))
    assert_same(loaded.cross_fitted_log_density_, model.cross_fitted_log_density_)
    assert_same(loaded.table_, model.table_)
    assert loaded.copula("a", "b") == model.copula("a", "b")
    for name in ("families", "criterion", "cv", "df_grid", "random_state", "n_jobs"):
        assert_same(getattr(loaded, name), getattr(model, name))
    for name in PairCopulas._stored:
        if name != "_table":
            assert_same(getattr(loaded, name), getattr(model, name))
    loaded.fit(unit)  # and can be fitted anew


@pytest.mark.parametrize(
    "parameters", [{}, {"ties": "random", "smooth": None, "random_state": None}]
)
def test_marginals_come_back(table, parameters, tmp_path):
    model = Margins(**parameters).fit(table)
    loaded = load_model(save_model(model, tmp_path / "model.spinney"))
    assert_nothing_is_forgotten(model, loaded)
    new = table * 1.1
    assert_same(loaded.transform(new), model.transform(new))
    if model.marginals_:
        U = np.random.default_rng(0).uniform(size=(50, 5))
        assert_same(loaded.inverse_transform(U), model.inverse_transform(U))
        assert_same(loaded.log_density(new), model.log_density(new))
        assert_same(loaded.cdf(new), model.cdf(new))
        assert_same(loaded.summary_, model.summary_)


@pytest.mark.parametrize("smooth", ["kernel", "parametric"])
@pytest.mark.parametrize(
    "draw",
    [
        stats.norm(3, 2),
        stats.lognorm(1.5),
        stats.t(2),
        stats.gamma(0.4),
        stats.gumbel_r(),
        stats.gumbel_l(),
        stats.cauchy(),
        stats.uniform(),
    ],
    ids=lambda draw: draw.dist.name,
)
def test_every_kind_of_smooth_marginal_comes_back(draw, smooth):
    model = fit_smooth(draw.rvs(300, random_state=1), smooth)
    loaded = round_trip(model)
    u = np.linspace(0.001, 0.999, 57)
    assert (loaded.name, loaded.parameters) == (model.name, model.parameters)
    for method, points in (("ppf", u), ("cdf", model.ppf(u)), ("logpdf", model.ppf(u))):
        assert_same(getattr(loaded, method)(points), getattr(model, method)(points))


def test_models_that_are_not_fitted_come_back(tmp_path):
    loaded = load_model(save_model(PairCopulas(cv=7), tmp_path / "model"))
    assert loaded.get_params() == PairCopulas(cv=7).get_params()
    assert not hasattr(loaded, "family_")


def test_equal_models_give_equal_files(unit, tmp_path):
    one = save_model(PairCopulas().fit(unit), tmp_path / "one.spinney")
    two = save_model(PairCopulas().fit(unit), tmp_path / "two.spinney")
    assert one.read_bytes() == two.read_bytes()


def test_nothing_in_the_file_is_pickled(unit, tmp_path):
    path = save_model(PairCopulas().fit(unit), tmp_path / "one.spinney")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
        document = json.loads(archive.read("model.json"))
    assert document["format"] == "spinney model"
    assert document["format_version"] == FORMAT_VERSION
    assert document["model"]["class"] == "PairCopulas"
    assert document["model"]["parameters"]["cv"] == 5


def test_a_model_that_cannot_be_saved_leaves_the_old_file(tmp_path):
    path = save_model(PairCopulas(), tmp_path / "model")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"PairCopulas\.families is a generator"):
        save_model(PairCopulas(families=(name for name in ["frank"])), path)
    with pytest.raises(InputError, match="dict cannot be saved"):
        save_model({}, path)
    loop = []
    loop.append(loop)
    with pytest.raises(InputError, match="contains itself"):
        save_model(PairCopulas(families=loop), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# ---- classes that opt in ----


@pytest.fixture
def estimator():
    """An estimator as others may write it, with another one as a parameter."""

    class Thicket(BaseEstimator):
        _stored: ClassVar[tuple[str, ...]] = ("potentials_", "edge_weights_", "feature_names_in_")

        def __init__(self, potentials=None, depth=2):
            self.potentials = potentials
            self.depth = depth

        def fit(self, U):
            self.potentials_ = self.potentials.fit(U)
            self.edge_weights_ = np.abs(self.potentials_.sample_tau_)
            self._restore()
            return self

        def _restore(self):
            self.graph_ = nx.Graph(list(np.argwhere(np.triu(self.edge_weights_ > 0.1))))

    yield storable("Thicket")(Thicket)
    _storable._CLASSES.pop("Thicket")


def test_an_estimator_opts_in(estimator, unit, tmp_path):
    model = estimator(PairCopulas(["frank"], cv=3)).fit(unit)
    loaded = load_model(save_model(model, tmp_path / "model"))
    assert loaded.potentials.get_params() == model.potentials.get_params()
    assert_same(loaded.potentials_.log_density(unit), model.potentials_.log_density(unit))
    assert_same(loaded.edge_weights_, model.edge_weights_)
    assert nx.utils.graphs_equal(loaded.graph_, model.graph_)


def test_mistakes_in_opting_in_are_told(estimator, unit, tmp_path):
    model = estimator(PairCopulas()).fit(unit)
    del model.edge_weights_
    with pytest.raises(SpinneyError, match="lists edge_weights_ in _stored"):
        save_model(model, tmp_path / "model")
    with pytest.raises(SpinneyError, match="must list its fitted attributes"):
        storable("Thicket")(type("Bare", (), {}))

    class Sub(PairCopulas):
        pass

    with pytest.raises(InputError, match="Sub cannot be saved"):
        save_model(Sub(), tmp_path / "model")


@pytest.mark.parametrize("name", [pytest.param("SmoothMarginal", marks=pytest.mark.slow), "Ladder"])
def test_a_fresh_process_finds_parts_by_name(name):
    code = f"from spinney._core.storable import class_of; assert class_of({name!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_class_that_may_be_stored_is_found_by_its_name():
    names = {entry.name for entry in REGISTRY} | {cls.__name__ for cls in FAMILIES.values()}
    for name in names | set(_storable._CLASSES):
        assert name_of(class_of(name)) == name
        assert class_of(name).__module__.startswith("spinney.")


def test_a_namesake_is_another_class():
    assert name_of(type("RootedForests", (), {})) is None
    assert name_of(type("Clayton", (), {})) is None
