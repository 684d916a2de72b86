"""Samples say what the array says, and are checked once."""

import numpy as np
import pytest

from spinney import forests
from spinney._core.pairs import n_pairs
from spinney.exceptions import DataWarning, InputError


def problem(rng, n, d, density=1.0):
    beta = np.exp(rng.normal(size=n_pairs(d))) * (rng.random(n_pairs(d)) < density)
    return beta, np.exp(2 * rng.normal(size=(n, n_pairs(d))))


def assert_same(found, expected):
    np.testing.assert_array_equal(found.log_partition, expected.log_partition)
    np.testing.assert_array_equal(found.weighted_resistance, expected.weighted_resistance)
    assert (found.engine, found.n_wide) == (expected.engine, expected.n_wide)


@pytest.mark.parametrize("engine", ["auto", "dense", "sparse", "log"])
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("per_sample", [False, True])
def test_samples_say_what_the_array_says(rng, engine, log, per_sample):
    beta, W = problem(rng, 19, 6, 0.7)
    W[4] *= 1e200  # out of the range of plain numbers
    W = np.log(W) if log else W
    samples = forests.Samples(W, log=log)
    for options in ({}, {"partition": [[0, 4], [1, 2, 3, 5]]}):
        expected = forests.evaluate(
            beta, W, log=log, per_sample=per_sample, engine=engine, **options
        )
        for _ in range(2):
            found = forests.evaluate(beta, samples, per_sample=per_sample, engine=engine, **options)
            assert_same(found, expected)
        evaluator = forests.Evaluator(beta, engine=engine, **options)
        assert_same(evaluator.evaluate(samples, per_sample=per_sample), expected)


def test_an_array_in_order_is_not_copied(rng):
    _, W = problem(rng, 7, 5)
    samples = forests.Samples(W)
    assert np.shares_memory(samples.table, W)
    assert forests.Samples(W, log=True).plain is not W


def test_logarithms_are_taken_back_once(rng):
    beta, W = problem(rng, 7, 5)
    samples = forests.Samples(np.log(W), log=True)
    forests.evaluate(beta, samples)
    once = samples.plain
    forests.evaluate(beta, samples)
    assert samples.plain is once


def test_unrooted_forests_take_samples(rng):
    beta, W = problem(rng, 7, 5)
    expected = forests.evaluate_unrooted(beta, W, 2)
    for samples in (forests.Samples(W), forests.Samples(np.log(W), log=True)):
        found = forests.evaluate_unrooted(beta, samples, 2)
        np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-13)
        np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-12)


def test_an_impossible_sample_is_said(rng):
    W = np.ones((3, 3))
    W[1] = 0.0
    with pytest.warns(DataWarning, match="sample 1 the edges"):
        forests.evaluate(np.ones(3), forests.Samples(W), 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"W": [[1.0, np.nan]]}, r"W\[0, 1\] is NaN"),
        ({"W": [[1.0, -1.0]]}, r"W\[0, 1\] is negative"),
        ({"W": [[1.0, np.inf]], "log": True}, r"W\[0, 1\] is infinite"),
        ({"W": [1.0, 2.0]}, "its shape is"),
        ({"W": "abc"}, "W must be an array of numbers"),
    ],
)
def test_bad_samples_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        forests.Samples(**arguments)


def test_bad_uses_are_named():
    samples = forests.Samples(np.ones((2, 3)))
    with pytest.raises(InputError, match=r"6 columns, one per pair; its shape is \(2, 3\)"):
        forests.evaluate(np.ones(6), samples)
    with pytest.raises(InputError, match="the Samples hold plain weights"):
        forests.evaluate(np.ones(3), samples, log=True)
