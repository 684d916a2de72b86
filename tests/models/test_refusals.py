"""What is refused, in one sentence and before any work; what happens on the way out."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from spinney import EnsembleOfTrees, ExactForests, ForestsCuts, ForestsLambda, PairCopulas
from spinney._core.files import load_model
from spinney.exceptions import InputError
from spinney.pairs.densities import PairDensities
from tests.models.cases import FOUR, frame, make


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture
def no_work(monkeypatch):
    """Fitting pair copulas is the expensive part; nothing may be refused after it."""

    def fail(self, U, y=None):
        raise AssertionError("pairs were fitted before the parameter was refused")

    monkeypatch.setattr(PairCopulas, "fit", fail)


BAD = [
    (EnsembleOfTrees("copulas"), "'potentials' parameter .* must be an instance of .*PairCopulas"),
    (
        EnsembleOfTrees(marginals="ranks"),
        "'marginals' parameter .* must be an instance of .*Margins",
    ),
    (EnsembleOfTrees(tol=-1.0), "'tol' parameter .* must be a float in the range .*Got -1.0"),
    (EnsembleOfTrees(max_iter=0), "'max_iter' parameter .* must be an int in the range .*Got 0"),
    (EnsembleOfTrees(edge_tolerance=1.5), "'edge_tolerance' parameter .* in the range .*0.*1"),
    (EnsembleOfTrees(components=[0, 1]), "components has 2 labels, but there are 5 columns"),
    (EnsembleOfTrees(components=2), "one label per column or a list of lists of columns"),
    (EnsembleOfTrees(components=[[0, 1], [1, 2, 3, 4]]), "'gene 1' is in 2 of them"),
    (EnsembleOfTrees(components=[[0, 1], [2, 3]]), "'gene 4' is in 0 of them"),
    (EnsembleOfTrees(components=[["gene 9"]]), "'gene 9' that the table does not have"),
    (ExactForests(0), "'max_trees' parameter .* Got 0"),
    (ForestsCuts(0), "'n_cuts' parameter .* Got 0"),
    (ForestsCuts(max_renewals=-1), "'max_renewals' parameter .* Got -1"),
    (ForestsLambda([]), r"penalties must be positive numbers, not \[\]"),
    (ForestsLambda([0.1, -1.0]), "penalties must be positive numbers"),
    (ForestsLambda(np.inf), "penalties must be positive numbers, not inf"),
    (ForestsLambda("strong"), "penalties must be positive numbers, not 'strong'"),
    (ForestsLambda([[0.1]]), "penalties must be positive numbers"),
    (ForestsLambda(gamma=-0.5), "'gamma' parameter .* Got -0.5"),
    (ForestsLambda(gamma=np.nan), "'gamma' parameter .* Got nan"),
]


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(("estimator", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_parameters(table, estimator, message):
    with pytest.raises(InputError, match=message) as caught:
        estimator.fit(table)
    assert "\n" not in str(caught.value)
    with pytest.raises(NotFittedError):
        estimator.score(table)


@pytest.mark.usefixtures("no_work")
def test_thirteen_columns_are_too_many_for_exact_forests():
    with pytest.raises(InputError, match="meant for 12 variables; the table has 13"):
        ExactForests().fit(np.random.default_rng(0).normal(size=(30, 13)))


@pytest.mark.parametrize("name", FOUR)
def test_given_densities_must_be_those_of_all_pairs(name):
    with pytest.raises(InputError, match="4"):
        make(name).fit(PairDensities(np.zeros((10, 4))))


@pytest.mark.parametrize("name", FOUR)
def test_a_model_that_is_not_fitted(table, name, tmp_path):
    model = make(name)
    for use in (
        lambda: model.score(table),
        lambda: model.sample(2),
        lambda: model.graph_,
        lambda: model.marginals_,
        lambda: model.save(tmp_path / "x"),
        lambda: model.edge_probabilities(table),
    ):
        with pytest.raises(NotFittedError):
            use()


def test_too_few_samples_are_asked_for(table):
    model = make("trees").fit(table)
    with pytest.raises(InputError, match="n_samples must be at least 1, not 0"):
        model.sample(0)


@pytest.mark.parametrize("name", ["trees", "exact", "exact-2"])
def test_a_solver_that_stops_early_warns(table, name):
    with pytest.warns(ConvergenceWarning, match="stopped by max_iter after .* Raise max_iter"):
        model = make(name, max_iter=1, tol=1e-9).fit(table)
    assert model.result_.stop_reason == "max_iter"
    assert np.isfinite(model.score(table))


def test_a_path_interrupted_at_once_leaves_no_model(table, monkeypatch):
    model = make("lambda").fit(table)

    def interrupted(self, penalty, evidence, start):
        raise KeyboardInterrupt

    monkeypatch.setattr(ForestsLambda, "_solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table.iloc[:100])
    with pytest.raises(NotFittedError):  # neither the old model nor half of a new one
        model.score(table)


def test_models_of_densities_come_back(tmp_path):
    densities = PairDensities(np.random.default_rng(0).normal(size=(30, 6)))
    model = make("lambda").fit(densities)
    loaded = load_model(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(
        loaded.log_likelihood_ratio(densities), model.log_likelihood_ratio(densities)
    )
