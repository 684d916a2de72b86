"""Pair densities that are summed and not kept: the sums of those that are kept, to the bit."""

import numpy as np
import pandas as pd
import pytest

from spinney import PairCopulas
from spinney.cli import _cost
from spinney.evidence import correlations, measure
from spinney.evidence.correlations import Stack, pairwise_correlation, stacked_correlation
from spinney.exceptions import InputError
from spinney.forests.posterior import ladder
from spinney.pairs import chunked
from spinney.pairs.chunked import ChunkedDensities
from spinney.pairs.densities import PairDensities, PairEvidence, SumsAhead
from spinney.pairs.rows import rows_of
from spinney.tables import read_table


def _frame(n, seed, mixed):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, size=(n, 5)) @ (np.eye(5) + 0.4 * rng.normal(size=(5, 5)))
    frame = pd.DataFrame(X, columns=list("abcde"))
    if mixed:
        frame["b"] = np.digitize(X[:, 1], np.quantile(X[:, 1], [0.3, 0.7]))
        frame["c"] = np.array(["x", "y", "z"])[np.digitize(X[:, 2], [-1.0, 1.0])]
        frame.loc[rng.random(n) < 0.1, "d"] = np.nan
    return frame


@pytest.fixture
def hold_nothing(monkeypatch):
    monkeypatch.setattr(chunked, "MOST_HELD", 0)


def _subsets(n, rng):
    few = [rng.choice(n, 7, replace=False) for _ in range(3)]
    return [few, [np.sort(rng.choice(n, n - 9, replace=False)) for _ in range(2)], [np.arange(n)]]


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sums_are_those_of_the_densities_that_are_held(mixed, n_jobs, rng, monkeypatch):
    table = read_table(_frame(160, 1, mixed))
    _, held = rows_of(table).fit_to_sum(PairCopulas(n_jobs=n_jobs))
    assert isinstance(held, PairDensities)
    monkeypatch.setattr(chunked, "MOST_HELD", 0)
    _, summed = rows_of(table).fit_to_sum(PairCopulas(n_jobs=n_jobs))
    assert isinstance(summed, ChunkedDensities)
    for subsets in _subsets(160, rng):
        np.testing.assert_array_equal(summed.subset_sums(subsets), held.subset_sums(subsets))
    for name in ("n_parameters", "n_rows", "costs"):
        np.testing.assert_array_equal(getattr(summed, name), getattr(held, name))
    np.testing.assert_allclose(summed.total(), held.total(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(summed.total([3, 0]), held.total([3, 0]), rtol=1e-12, atol=1e-12)
    assert (summed.n_samples, summed.n_nodes, summed.n_pairs) == (160, 5, 10)
    assert isinstance(summed, PairEvidence)
    assert isinstance(summed, SumsAhead)
    assert not isinstance(held, SumsAhead)


def test_explained_pairs_say_nothing_in_sums(rng):
    """The ends of a chain in two levels each, which its middle explains."""
    first = rng.normal(size=600)
    middle = 0.9 * first + rng.normal(scale=0.4, size=600)
    last = 0.9 * middle + rng.normal(scale=0.4, size=600)
    table = read_table(pd.DataFrame(np.column_stack([first, middle, last]) > 0).astype(int))
    fitted, held = rows_of(table).fit_to_sum(PairCopulas())
    np.testing.assert_array_equal(fitted.explained_.pairs, [False, True, False])
    summed = fitted.chunked_densities_
    np.testing.assert_allclose(summed.total(), held.total(), rtol=1e-12)
    assert summed.total()[1] == 0.0
    assert summed.n_parameters.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("mixed", [False, True])
def test_the_ladder_visits_pairs_once(mixed, monkeypatch):
    table = read_table(_frame(120, 2, mixed))
    expected = ladder(rows_of(table).fit_to_sum(PairCopulas())[1], n_subsets=5)
    monkeypatch.setattr(chunked, "MOST_HELD", 0)
    _, summed = rows_of(table).fit_to_sum(PairCopulas())
    visits = []
    visit = summed._visit
    monkeypatch.setattr(summed, "_visit", lambda receive: visits.append(1) or visit(receive))
    found = ladder(summed, n_subsets=5)
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)
    assert len(visits) == 1
    summed.total()  # all rows are the last rung
    assert len(visits) == 1


@pytest.mark.parametrize("mixed", [False, True])
def test_evidence_does_not_depend_on_what_is_held(mixed, monkeypatch):
    frame = _frame(150, 3, mixed)
    whole = measure(frame)
    monkeypatch.setattr(chunked, "MOST_HELD", 0)
    parts = measure(frame)
    assert isinstance(parts.densities, ChunkedDensities)
    np.testing.assert_array_equal(parts.values, whole.values)


def test_all_densities_at_once_are_refused(hold_nothing):
    densities = measure(_frame(50, 4, False)).densities
    with pytest.raises(InputError, match=r"50 rows and 10 pairs would take 0\.0 GB, so they are"):
        densities.log_density  # noqa: B018  # asking is what is refused


def test_the_command_line_knows_what_is_held():
    """It says what a run will cost before the heavy libraries are loaded."""
    assert _cost.MOST_HELD == chunked.MOST_HELD


def test_an_infinite_density_is_named():
    def visit(receive):
        receive(np.array([1]), np.array([[0.0, np.inf]]))

    densities = ChunkedDensities(visit, 2, np.ones(3), np.full(3, 2.0), 3)
    with pytest.raises(InputError, match="log-density of row 1 under pair 1 is inf"):
        densities.total()
    with pytest.raises(InputError, match="Each of 3 pairs needs a number: listed_rows"):
        ChunkedDensities(visit, 2, np.ones(3), np.ones(2), 3)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_correlations_over_parts_of_the_rows(gaps, rng, monkeypatch):
    values = rng.normal(3.0, 5.0, size=(101, 4)) @ rng.normal(size=(4, 4))
    values[:, 3] = 1.0  # a constant column is correlated with nothing
    present = rng.random((101, 4)) >= gaps
    values = np.where(present, values, 0.0)
    expected = pairwise_correlation(values, present)
    monkeypatch.setattr(correlations, "LONG", 50)
    monkeypatch.setattr(correlations, "PART", 10)
    every = np.arange(4)
    stack = Stack((values[:, :1], values), (np.array([0]), every[1:]), present, every)
    np.testing.assert_allclose(stacked_correlation(stack), expected, rtol=1e-12, atol=1e-12)
