"""Tasks on this machine: one after the other, in threads and in processes."""

import os
import threading
import time

import numpy as np
import pytest
from joblib import effective_n_jobs
from tests.scale.workers import jobs

from spinney._core.threads import n_threads, one_thread, run_in_threads, within_task
from spinney.exceptions import DataWarning, InputError
from spinney.notices import recorded_warnings
from spinney.scale.tasks import as_finished, n_workers, on_cluster, parallel_map

TABLE = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    expected = TABLE.sum(axis=1).tolist()
    assert parallel_map(jobs.row_sum, range(20), shared=(TABLE,), n_jobs=n_jobs) == expected
    assert parallel_map(jobs.slow_first, [0, 1, 2], n_jobs=n_jobs) == [0, 1, 2]


def test_a_finished_task_is_yielded_before_a_slower_one_that_began_earlier():
    found = [position for position, _ in as_finished(jobs.slow_first, range(3), n_jobs=2)]
    assert sorted(found) == [0, 1, 2]
    assert found[-1] == 0


def test_no_tasks_give_no_results():
    assert parallel_map(jobs.row_sum, [], shared=(TABLE,), n_jobs=2) == []


def test_processes_share_arrays_that_kernels_take_for_their_own():
    large = np.ones((600, 600))  # above the size from which joblib maps files
    found = parallel_map(
        jobs.kind_of_memory, range(3), shared=(large,), n_jobs=2, prefer="processes"
    )
    assert found == [[(True, True, True)]] * 3


def test_processes_are_others_and_warnings_come_back_from_them():
    with pytest.warns(DataWarning) as caught:
        found = parallel_map(jobs.warn_of, range(4), n_jobs=2, prefer="processes")
    assert found == [0, 1, 2, 3]
    assert sorted(str(w.message) for w in caught) == ["task 1 is odd", "task 3 is odd"]
    elsewhere = parallel_map(jobs.where, range(2), n_jobs=2, prefer="processes")
    assert os.getpid() not in {process for process, *_ in elsewhere}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_of_a_task_is_raised_as_itself(n_jobs):
    with pytest.raises(KeyError, match="three"):
        parallel_map(jobs.fail_at_three, range(8), n_jobs=n_jobs)


def test_tasks_side_by_side_have_one_thread_and_a_task_alone_all():
    assert n_workers(3) == 3
    assert parallel_map(jobs.where, [0], n_jobs=1)[0][1:4] == (False, False, 8)
    assert parallel_map(jobs.where, [0, 1], n_jobs=2)[1][1:] == (True, False, 1, 1)
    assert parallel_map(jobs.nested, [2], shared=(TABLE,), n_jobs=2) == [
        TABLE[:2].sum(axis=1).tolist()
    ]
    assert not within_task()
    assert not on_cluster()


def test_one_thread_is_of_its_block_only():
    with one_thread():
        assert n_threads(5) == 1
        assert effective_n_jobs(5) == 1  # nor does joblib give more
    assert n_threads(5) == 5


def test_forests_within_a_task_keep_to_its_thread():
    def names(n_threads):
        found = set()

        def job():
            found.add(threading.current_thread().name)
            time.sleep(0.01)

        run_in_threads([job] * 8, n_threads)
        return found

    assert len(names(3)) > 1
    with one_thread():
        assert names(3) == names(None) == {threading.current_thread().name}


def test_progress_counts_the_steps_of_tasks(bars):
    parallel_map(jobs.row_sum, [0, 1, 2], shared=(TABLE,), label="rows", steps=[5, 1, 2])
    assert bars.told == [("rows", steps) for steps in (8, 5, 1, 2)]
    with pytest.raises(InputError, match="3 tasks, but steps of 1"):
        parallel_map(jobs.row_sum, [0, 1, 2], shared=(TABLE,), steps=[5])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_when_the_iterator_is_closed_no_other_task_is_begun(tmp_path, n_jobs):
    run = as_finished(jobs.touch, range(50), shared=(str(tmp_path),), n_jobs=n_jobs)
    next(run)
    run.close()
    time.sleep(0.5)  # a task that a worker was given before may begin late on a busy machine
    begun = len(list(tmp_path.iterdir()))
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) == begun < 50


def test_each_thread_records_its_own_warnings_and_the_first_those_of_nobody():
    import warnings

    inner: list[list[str]] = []

    def record(text):
        with recorded_warnings() as found:
            warnings.warn(text, UserWarning, stacklevel=1)
        inner.append([one.message for one in found])

    with recorded_warnings() as outer:
        threads = [threading.Thread(target=record, args=(f"of {k}",)) for k in range(3)]
        threads.append(threading.Thread(target=warnings.warn, args=("of nobody", UserWarning)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        warnings.warn("own", UserWarning, stacklevel=1)
    assert sorted(inner) == [["of 0"], ["of 1"], ["of 2"]]
    assert sorted(one.message for one in outer) == ["of nobody", "own"]
    with pytest.raises(UserWarning, match="shown again"):  # the filters are back
        warnings.warn("shown again", UserWarning, stacklevel=1)
