"""Linear algebra on one thread, and afterwards on as many as before."""

import pytest

from spinney._core.threads import limited_threads, one_blas_thread
from tests.conftest import blas_threads


def test_side_by_side_they_leave_the_library_as_it_was(two_blas_threads):
    outer, inner = limited_threads(1), limited_threads(4)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)  # in another order than they began, as threads may
    assert blas_threads() == 1
    inner.__exit__(None, None, None)
    assert blas_threads() == 2


def test_whoever_sets_the_limit_is_told_how_many_threads_there_were(two_blas_threads):
    with one_blas_thread() as threads, one_blas_thread() as inner:
        assert (threads, inner, blas_threads()) == (2, 1, 1)
    assert blas_threads() == 2


def test_an_error_gives_the_threads_back(two_blas_threads):
    with pytest.raises(ArithmeticError), one_blas_thread():
        raise ArithmeticError
    assert blas_threads() == 2


def test_without_a_number_nothing_is_changed(two_blas_threads):
    with limited_threads(None):
        assert blas_threads() == 2
