"""How to compute can be said by keywords or by one context, with the same results."""

import numpy as np
import pytest

from spinney import forests
from spinney.exceptions import InputError
from spinney.forests.context import read_context


@pytest.fixture
def problem(rng):
    return rng.uniform(0.5, 1.0, 10), np.exp(rng.normal(size=(20, 10)))


@pytest.mark.parametrize("engine", ["auto", "dense", "sparse", "log"])
def test_context_says_what_the_keywords_say(problem, engine):
    beta, W = problem
    context = forests.Context(threads=1, engine=engine)
    expected = forests.evaluate(beta, W, threads=1, engine=engine)
    for found in (
        forests.evaluate(beta, W, context=context),
        forests.Evaluator(beta, context=context).evaluate(W),
        forests.Evaluator(beta).evaluate(W, context=context),
    ):
        assert found.engine == expected.engine
        assert found.n_wide == expected.n_wide
        np.testing.assert_array_equal(found.weighted_resistance, expected.weighted_resistance)


def test_call_comes_before_the_context_of_the_evaluator(problem):
    beta, W = problem
    evaluator = forests.Evaluator(beta, context=forests.Context(engine="dense"))
    assert evaluator.evaluate(W).engine == "dense"
    assert evaluator.evaluate(W, engine="log").engine == "log"
    assert evaluator.evaluate(W, context=forests.Context(engine="log")).engine == "log"


def test_keywords_change_only_what_they_name():
    default = forests.Context(threads=3, engine="dense")
    assert read_context(None, default=default) == default
    assert read_context(None, 2, default=default) == forests.Context(threads=2, engine="dense")
    assert read_context(None, None, "log", default) == forests.Context(threads=3, engine="log")


def test_all_front_doors_take_a_context(problem):
    beta, W = problem
    context = forests.Context(threads=1)
    matrix = np.ones((3, 3))
    assert forests.log_partition(matrix, context=context) == forests.log_partition(matrix)
    np.testing.assert_array_equal(
        forests.edge_marginals(matrix, context=context), forests.edge_marginals(matrix)
    )
    np.testing.assert_array_equal(
        forests.evaluate_unrooted(beta, W, context=context).log_partition,
        forests.evaluate_unrooted(beta, W).log_partition,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threads": 0}, "threads must be a whole number, at least 1; it is 0"),
        ({"threads": 1.5}, "it is 1.5"),
        ({"threads": True}, "it is True"),
        ({"threads": "all"}, "it is 'all'"),
        ({"engine": "fast"}, "engine must be one of auto, dense, sparse, log; it is 'fast'"),
        ({"engine": None}, "it is None"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(InputError, match=message):
        forests.Context(**wrong)


def test_either_context_or_keywords(problem):
    beta, W = problem
    with pytest.raises(InputError, match="either context, or threads and engine"):
        forests.evaluate(beta, W, threads=2, context=forests.Context())
    with pytest.raises(InputError, match=r"must be a forests\.Context; it is 2"):
        forests.evaluate(beta, W, context=2)


def test_numpy_integers_are_threads():
    assert forests.Context(threads=np.int64(2)) == forests.Context(threads=2)
