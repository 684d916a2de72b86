"""Tasks on a Dask cluster of separate processes."""

import os
import sys
import time
import warnings

import numpy as np
import pytest
from tests.scale.workers import jobs
from tests.scale.workers.clusters import process_numbers, processes, shoot

from spinney.exceptions import DataWarning, InputError
from spinney.scale.cluster import cluster
from spinney.scale.tasks import as_finished, n_workers, on_cluster, over

distributed = pytest.importorskip("distributed")
TABLE = np.random.default_rng(0).normal(size=(60, 40))


def test_results_are_those_of_one_machine(address):
    expected = over(jobs.row_sum, range(60), shared=(TABLE,))
    with cluster(address):
        assert on_cluster()
        assert n_workers(8) == 2
        assert over(jobs.row_sum, range(60), shared=(TABLE,)) == expected
        drawn = over(jobs.random_numbers, range(5), shared=(3,))
    assert not on_cluster()
    assert np.array_equal(drawn, over(jobs.random_numbers, range(5), shared=(3,)))


def test_tasks_run_in_other_processes_on_one_thread(address):
    with cluster(address):
        found = over(jobs.where, range(6))
        assert over(jobs.nested, [3], shared=(TABLE,)) == [TABLE[:3].sum(axis=1).tolist()]
    assert os.getpid() not in {process for process, *_ in found}
    assert {tuple(rest) for _, *rest in found} == {(True, False, 1, 1)}


def test_arrays_arrive_as_kernels_expect_them(address):
    odd = np.frombuffer(bytearray(b"x" + TABLE.tobytes()), dtype=np.uint8)[1:].view(np.float64)
    assert odd.ctypes.data % 8  # as memory off a network may be
    with cluster(address):
        found = over(jobs.kind_of_memory, range(2), shared=(TABLE, odd, np.arange(5)))
        result = over(jobs.random_numbers, [1], shared=(7,))[0]
    assert found == [[(True, True, True)] * 3] * 2
    assert result.flags.writeable
    assert result.flags.aligned


def test_errors_and_warnings_of_tasks_come_here(address):
    with cluster(address):
        with pytest.raises(KeyError, match="three"):
            over(jobs.fail_at_three, range(20))
        with pytest.warns(DataWarning) as caught:
            over(jobs.warn_of, range(4))
    assert sorted(str(w.message) for w in caught) == ["task 1 is odd", "task 3 is odd"]


def test_tasks_are_taken_as_they_are_sent_and_called_back_when_closed(address, tmp_path):
    taken = []

    def tasks():
        for k in range(1000):
            taken.append(k)
            yield k

    with cluster(address) as client:
        run = as_finished(jobs.touch, tasks(), shared=(str(tmp_path),))
        next(run)
        run.close()
        assert len(taken) < 20
        time.sleep(0.5)
        assert len(list(tmp_path.iterdir())) <= len(taken)
        assert not any(client.processing().values())


def test_a_running_client_is_taken_when_asked_for_and_stays_open(address):
    with pytest.raises(InputError, match="No client of Dask runs"), cluster():
        pass
    with distributed.Client(address) as client:
        assert not on_cluster()
        with cluster() as taken:
            assert taken is client
        with cluster(client):
            assert over(jobs.row_sum, [1], shared=(TABLE,)) == [TABLE[1].sum()]
        assert client.status == "running"
    with pytest.raises(InputError, match="The client is closed"), cluster(client):
        pass


@pytest.mark.parametrize("wrong", ["nonsense", "tcp://127.0.0.1:1", ""])
def test_an_address_without_a_scheduler_is_refused(monkeypatch, wrong):
    monkeypatch.setattr("spinney.scale.cluster.ANSWER_S", 0.5)
    with pytest.raises(InputError, match=f"No Dask scheduler answers at {wrong}"), cluster(wrong):
        pass


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    command = r'pip install "spinney\[cluster\]"'
    with pytest.raises(InputError, match=command), cluster("tcp://127.0.0.1:8786"):
        pass


@pytest.mark.slow
def test_a_worker_that_dies_loses_nothing():
    expected = over(jobs.row_sum, range(60), shared=(TABLE,))
    with processes(2) as own, cluster(own.scheduler_address) as client:
        found = {}
        for done, (position, result) in enumerate(
            as_finished(jobs.slow_row_sum, range(60), shared=(TABLE,))
        ):
            found[position] = result
            if done == 15:
                shoot(process_numbers(client)[0])
    assert [found[k] for k in range(60)] == expected


@pytest.mark.slow
def test_a_cluster_without_workers_waits_for_one():
    with processes(0) as own:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with cluster(own.scheduler_address):
                own.scale(1)
                assert over(jobs.row_sum, [1], shared=(TABLE,)) == [TABLE[1].sum()]
        assert "has no workers yet" in " ".join(str(w.message) for w in caught)
