"""Selection rules on a made-up problem: they know nothing of the solver behind a path."""

import numpy as np
import pytest

from spinney.models import baselines, selection
from spinney.models.selection import (
    EBIC,
    CrossValidation,
    RotationInformation,
    Stars,
    check_rule,
    draw_folds,
    extended_bic,
)

PENALTIES = np.array([0.4, 0.2, 0.1])


class MadeUp:
    """Three penalties, four columns, one edge more at each step down."""

    def __init__(self, fits=(0.0, 30.0, 31.0), gains=(0.0, 2.0, 1.0)):
        self.n_samples, self.n_nodes = 40, 4
        self.penalties = PENALTIES
        self.n_edges = np.array([0, 1, 2])
        self.rng = np.random.default_rng(0)
        self.fits, self.gains = fits, gains
        self.asked = []

    def graphs(self, row_sets):
        for rows in row_sets:
            self.asked.append(rows)
            graphs = np.zeros((3, 4, 4), dtype=bool)
            graphs[1:, 0, 1] = graphs[1:, 1, 0] = True
            graphs[2, 2, 3] = graphs[2, 3, 2] = len(self.asked) % 2
            yield graphs

    def log_likelihood(self):
        return np.array(self.fits)

    def held_out_log_likelihood(self, folds):
        self.asked = folds
        return np.array([[len(fold) * gain for gain in self.gains] for fold in folds])

    def rotated_correlation(self, shift):
        return 1.0 / shift


@pytest.mark.parametrize("gamma", [0.0, 0.5, 20.0])
def test_ebic_is_the_extended_bic_of_the_forests(gamma):
    choice = EBIC(gamma).choose(MadeUp())
    expected = [
        extended_bic(fit, k, n_samples=40, n_nodes=4, gamma=gamma)
        for k, fit in enumerate([0.0, 30.0, 31.0])
    ]
    np.testing.assert_array_equal(choice.criterion, expected)
    assert choice.penalty == (0.4 if gamma == 20.0 else 0.2)


def test_extended_bic_charges_each_edge():
    # -2·31 + 2 log 40 + 4·2·½ log 4, and with three parameters an edge 6 log 40 in place of 2.
    assert extended_bic(31.0, 2, 40, 4) == pytest.approx(
        -62 + 2 * np.log(40) + 4 * np.log(4), rel=1e-14
    )
    assert extended_bic(31.0, 2, 40, 4, n_parameters=6) == pytest.approx(
        -62 + 6 * np.log(40) + 4 * np.log(4), rel=1e-14
    )


def test_cross_validation_takes_the_best_held_out_rows():
    problem = MadeUp()
    choice = CrossValidation(3).choose(problem)
    assert choice.penalty == 0.2
    np.testing.assert_allclose(choice.criterion, [0.0, 2.0, 1.0])
    assert sorted(len(fold) for fold in problem.asked) == [13, 13, 14]


@pytest.mark.parametrize(("n", "k"), [(10, 2), (11, 4), (7, 3)])
def test_folds_share_out_all_rows(n, k):
    folds = draw_folds(n, k, np.random.default_rng(1))
    assert len(folds) == k
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(n))
    assert np.ptp([len(fold) for fold in folds]) <= 1


def test_stars_stops_before_the_first_unstable_graph():
    problem = MadeUp()
    choice = Stars(0.1, n_subsamples=10, subsample_ratio=0.5).choose(problem)
    np.testing.assert_allclose(choice.criterion, [0.0, 0.0, 1 / 6])
    assert choice.penalty == 0.2
    assert choice.frequencies[2, 2, 3] == 0.5
    for rows in problem.asked:
        assert len(np.unique(rows)) == 20


def test_rotation_information_takes_the_smallest_of_the_largest():
    choice = RotationInformation(100).choose(MadeUp())
    np.testing.assert_allclose(np.sort(choice.criterion), 1.0 / np.arange(39, 0, -1))
    assert choice.penalty == 1 / 39


def test_a_given_penalty_is_kept():
    choice = check_rule(0.15).choose(MadeUp())
    assert choice.penalty == 0.15
    assert choice.criterion.size == 0


@pytest.mark.parametrize("name", ["EBIC", "CrossValidation", "RotationInformation", "Stars"])
def test_baselines_offer_the_same_rules(name):
    assert getattr(baselines, name) is getattr(selection, name)
