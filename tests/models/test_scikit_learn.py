"""Every estimator passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import GraphLearner, RootedForests, SharedForest, StabilitySelection
from spinney.models import baselines
from tests.graph.cases import plain_judge
from tests.models.cases import CROSS_FITTED, ESTIMATORS, FOUR

OTHERS = [
    RootedForests(CROSS_FITTED, n_penalties=4),
    SharedForest(CROSS_FITTED, n_subsets=4),
    StabilitySelection(baselines.ChowLiu(), n_splits=2),
    GraphLearner(plain_judge()),
    baselines.GraphicalLasso(),
    baselines.GraphicalLasso(selection="ebic", dependence="shrinkage"),
    baselines.NeighbourhoodSelection(rule="and"),
    baselines.ChowLiu(),
    baselines.PartialCorrelation(),
]
# Some checks round values, so that columns tie.
pytestmark = pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")


def checks_of(estimators):
    words = "a graph needs two variables; the message says so in our words"
    expected = {"check_fit2d_1feature": words}
    return parametrize_with_checks(estimators, expected_failed_checks=lambda _: expected)


@checks_of(OTHERS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# 10 columns of 20 rows in 15 steps do not settle, of which the solver warns.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@checks_of([ESTIMATORS[name] for name in FOUR])
def test_scikit_learn_checks_of_models_of_the_paper(estimator, check):
    check(estimator)
