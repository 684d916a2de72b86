"""Tasks on a Dask cluster of separate processes."""

import os
import socket
import sys
import time
import warnings

import numpy as np
import pytest
from tests.scale.workers import jobs
from tests.scale.workers.clusters import process_numbers, processes, shoot

from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.scale.cluster import check_versions, cluster, own_versions
from spinney.scale.tasks import as_finished, n_workers, on_cluster, parallel_map

distributed = pytest.importorskip("distributed")
TABLE = np.random.default_rng(0).normal(size=(60, 40))


def test_results_are_those_of_one_machine(address):
    expected = parallel_map(jobs.row_sum, range(60), shared=(TABLE,))
    with cluster(address):
        assert on_cluster()
        assert n_workers(8) == 2
        assert parallel_map(jobs.row_sum, range(60), shared=(TABLE,)) == expected
        drawn = parallel_map(jobs.random_numbers, range(5), shared=(3,))
    assert not on_cluster()
    assert np.array_equal(drawn, parallel_map(jobs.random_numbers, range(5), shared=(3,)))


def test_tasks_run_in_other_processes_on_one_thread(address):
    with cluster(address):
        found = parallel_map(jobs.where, range(6))
        assert parallel_map(jobs.nested, [3], shared=(TABLE,)) == [TABLE[:3].sum(axis=1).tolist()]
    assert os.getpid() not in {process for process, *_ in found}
    assert {tuple(rest) for _, *rest in found} == {(True, False, 1, 1)}


def test_arrays_arrive_as_kernels_expect_them(address):
    odd = np.frombuffer(bytearray(b"x" + TABLE.tobytes()), dtype=np.uint8)[1:].view(np.float64)
    assert odd.ctypes.data % 8  # as memory off a network may be
    with cluster(address):
        found = parallel_map(jobs.kind_of_memory, range(2), shared=(TABLE, odd, np.arange(5)))
        result = parallel_map(jobs.random_numbers, [1], shared=(7,))[0]
    assert found == [[(True, True, True)] * 3] * 2
    assert result.flags.writeable
    assert result.flags.aligned


def test_tasks_may_be_large(address):
    large = [np.full(2_000_000, float(k)) for k in range(3)]  # 16 MB each
    with cluster(address):
        assert parallel_map(jobs.first_number, large) == [0.0, 1.0, 2.0]


def test_errors_and_warnings_of_tasks_come_here(address):
    with cluster(address):
        with pytest.raises(KeyError, match="three"):
            parallel_map(jobs.fail_at_three, range(20))
        with pytest.warns(DataWarning) as caught:
            parallel_map(jobs.warn_of, range(4))
    assert sorted(str(w.message) for w in caught) == ["task 1 is odd", "task 3 is odd"]


def test_an_error_leaves_nothing_on_the_cluster_though_it_is_kept(address):
    """As a notebook keeps the last one, with all that was at hand where it was raised."""
    with distributed.Client(address, set_as_default=False) as client:
        with pytest.raises(KeyError) as kept, cluster(client):
            parallel_map(jobs.fail_at_three, range(20), shared=(TABLE,))
        end = time.monotonic() + 20
        while any(client.has_what().values()) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(client.has_what().values())
    assert kept.tb is not None


def test_tasks_are_taken_as_they_are_sent_and_called_back_when_closed(address, tmp_path):
    taken = []

    def tasks():
        for k in range(1000):
            taken.append(k)
            yield k

    with cluster(address) as there:
        run = as_finished(jobs.touch, tasks(), shared=(str(tmp_path),))
        next(run)
        run.close()
        assert len(taken) < 20
        time.sleep(0.5)
        begun = len(list(tmp_path.iterdir()))
        assert begun < len(taken)
        assert not any(there.client.processing().values())


def test_a_running_client_is_taken_when_asked_for_and_stays_open(address):
    with pytest.raises(InputError, match="No client of Dask runs"), cluster():
        pass
    with distributed.Client(address) as client:
        assert not on_cluster()
        with cluster() as there:
            assert there.client is client
        with cluster(client):
            assert parallel_map(jobs.row_sum, [1], shared=(TABLE,)) == [TABLE[1].sum()]
        assert client.status == "running"
    with pytest.raises(InputError, match="The client is closed"), cluster(client):
        pass


@pytest.mark.parametrize("wrong", ["nonsense", "10.0.0.1", "tcp://no port", ""])
def test_what_is_no_address_is_refused(wrong):
    sentence = r"is not the address .* looks like tcp://10\.0\.0\.1:8786"
    with pytest.raises(InputError, match=sentence), cluster(wrong):
        pass


def test_a_server_of_another_kind_and_none_at_all_are_refused_within_seconds(monkeypatch):
    monkeypatch.setattr("spinney.scale.cluster.ANSWER_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        there = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        sentence = f"No Dask scheduler answers at {there}"
        with pytest.raises(InputError, match=sentence), cluster(there):
            pass
    with pytest.raises(InputError, match=sentence), cluster(there):
        pass


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    command = r'pip install "spinney\[cluster\]"'
    with pytest.raises(InputError, match=command), cluster("tcp://127.0.0.1:8786"):
        pass


def test_workers_of_another_version_are_refused(address, monkeypatch):
    monkeypatch.setattr(
        "spinney.scale.cluster.own_versions", lambda: own_versions() | {"numba": "0.1"}
    )
    sentence = r"The worker tcp://\S+ has numba \S+ and this process has numba 0\.1, so"
    with pytest.raises(InputError, match=sentence), cluster(address):
        pass
    # One that comes later is refused by its first task.
    monkeypatch.setattr("spinney.scale.cluster.check_versions", lambda *_: None)
    with cluster(address), pytest.raises(InputError, match=sentence):
        parallel_map(jobs.row_sum, [0], shared=(TABLE,))


def test_a_worker_without_spinney_is_refused():
    own = own_versions()
    with pytest.raises(InputError, match=r"The worker tcp://b:1 has no spinney\."):
        check_versions("tcp://b:1", own | {"spinney": None}, own)
    check_versions("tcp://b:1", own, own)


@pytest.mark.slow
@pytest.mark.parametrize("how_many", [1, 2])
def test_workers_that_die_lose_nothing_not_even_with_all_the_data(how_many):
    expected = parallel_map(jobs.row_sum, range(60), shared=(TABLE,))
    with processes(2) as own, cluster(own.scheduler_address) as there:
        found = {}
        for done, (position, result) in enumerate(
            as_finished(jobs.slow_row_sum, range(60), shared=(TABLE,))
        ):
            found[position] = result
            if done == 15:
                for process in process_numbers(there.client)[:how_many]:
                    shoot(process)
    assert [found[k] for k in range(60)] == expected


@pytest.mark.slow
def test_a_task_that_kills_its_workers_is_given_up_after_many():
    sentence = "A task was lost with each of the workers that ran it"
    with (
        processes(1) as own,
        cluster(own.scheduler_address),
        pytest.raises(SpinneyError, match=sentence),
    ):
        parallel_map(jobs.end_process, [0])


@pytest.mark.slow
def test_a_scheduler_that_goes_is_one_sentence(monkeypatch):
    monkeypatch.setattr("spinney.scale.cluster.ANSWER_S", 1.0)
    with processes(1) as own, cluster(own.scheduler_address):
        run = as_finished(jobs.slow_row_sum, range(60), shared=(TABLE,))
        next(run)
        own.close()
        with pytest.raises(SpinneyError, match="connection to the Dask scheduler at tcp"):
            list(run)


@pytest.mark.slow
def test_a_cluster_without_workers_waits_for_one():
    with processes(0) as own:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with cluster(own.scheduler_address):
                own.scale(1)
                assert parallel_map(jobs.row_sum, [1], shared=(TABLE,)) == [TABLE[1].sum()]
        assert "has no workers yet" in " ".join(str(w.message) for w in caught)
