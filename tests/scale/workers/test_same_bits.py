"""Whatever runs over tasks gives the same bits on one machine and on clusters of any size."""

import os

import numpy as np
import pytest
from tests.scale.workers import jobs
from tests.scale.workers.clusters import processes

from reproduce.runner import Store, Task, run
from spinney import StabilitySelection, learn
from spinney._core.resampling import AT_ONCE
from spinney.exceptions import SpinneyError
from spinney.graph import learn_stability
from spinney.models.baselines import ChowLiu
from spinney.scale.cluster import cluster

pytest.importorskip("distributed")


def table(n=80, d=14, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] += 0.8 * X[:, :-1]
    return X


def halves():
    fitted = StabilitySelection(ChowLiu(), n_splits=4, random_state=1).fit(table())
    return [fitted.edge_frequencies_, fitted.simultaneous_frequencies_]


def samples():
    graph = learn(table(60, 5))
    return [graph.probabilities.to_numpy(), learn_stability(graph, 20).frequencies]


PARTS = {"halves": halves, "samples": samples}


def same(found, expected):
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(found, expected, strict=True)
    )


def counted(there):
    """Return a list that gets the label of whatever is sent to a cluster from now on."""
    labels, send = [], type(there).as_finished

    def as_finished(function, tasks, shared, label):
        labels.append(label)
        return send(there, function, tasks, shared, label)

    there.as_finished = as_finished
    return labels


@pytest.mark.slow
def test_two_workers_give_the_bits_of_one_machine(address):
    expected = halves()
    with cluster(address) as there:
        calls = counted(there)
        found = halves()
        assert calls  # it did go there
    assert same(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 7])
def test_any_number_of_workers_gives_the_bits_of_one_machine(n_workers):
    expected = {name: run() for name, run in PARTS.items()}
    with processes(n_workers) as own, cluster(own.scheduler_address) as there:
        for name, run in PARTS.items():
            calls = counted(there)
            assert same(run(), expected[name]), name
            assert calls, name


@pytest.mark.slow
def test_a_half_that_cannot_be_fitted_is_told_as_on_one_machine(address):
    messages = []
    for where in (None, address):
        selection = StabilitySelection(Refusing(), n_splits=2, refit=False)
        if where is None:
            with pytest.raises(SpinneyError) as told:
                selection.fit(table())
        else:
            with cluster(where), pytest.raises(SpinneyError) as told:
                selection.fit(table())
        messages.append(str(told.value).split(" half ")[1:])
    assert messages[0] == messages[1]


class Refusing(ChowLiu):
    def fit(self, X, y=None):
        raise ArithmeticError("no")


@pytest.mark.slow
def test_halves_done_on_a_cluster_are_taken_up_on_one_machine(address, tmp_path):
    path = tmp_path / "halves.jsonl"
    selection = StabilitySelection(ChowLiu(), n_splits=4, random_state=1, checkpoint=path)
    with cluster(address):
        expected = selection.fit(table()).edge_frequencies_
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 9  # the settings, and a line for each half
    path.write_text("".join(lines[:5]))
    assert same([selection.fit(table()).edge_frequencies_], [expected])


@pytest.mark.slow
def test_samples_that_are_told_to_stop_count_as_on_one_machine(address):
    graph = learn(table(60, 5))

    class Stop:
        """Say no for a while."""

        def __init__(self, after):
            self.left = after

        def __call__(self):
            self.left -= 1
            return self.left < 0

    with cluster(address):
        some = learn_stability(graph, 20, stop=Stop(11))  # eight times before a task is begun
    n_fits = some.n_fits + len(some.subsets)
    assert 0 < n_fits < 40
    alone = learn_stability(graph, 20, stop=Stop(n_fits // AT_ONCE))
    assert (alone.n_fits, len(alone.subsets)) == (some.n_fits, len(some.subsets))
    assert same([some.frequencies], [alone.frequencies])


@pytest.mark.slow
def test_repetitions_go_through_the_cluster(address, tmp_path):
    tasks = [Task("cell", "method", seed) for seed in range(5)]
    with cluster(address):
        records = run(tasks, Store(tmp_path / "many"), jobs.record)
    alone = run(tasks, Store(tmp_path / "one"), jobs.record)
    assert os.getpid() not in {record.pop("process") for record in records}
    assert {record.pop("process") for record in alone} == {os.getpid()}
    for record in (*records, *alone):
        record.pop("run")
    assert records == alone


@pytest.mark.slow
def test_training_tables_are_the_same_files(tmp_path):
    pytest.importorskip("torch")
    from training.shards import Plan, Shard, shard_path
    from training.workers import make_tables

    plan = Plan("connected", 0, 4, 2, ())
    assert make_tables(plan, tmp_path / "one", 1, say=lambda line: None)["made"] == 4
    with processes(2) as own, cluster(own.scheduler_address):
        made = make_tables(plan, tmp_path / "many", 1, say=lambda line: None)
    assert made == {"made": 4, "failed": 0}
    for k in range(plan.n_shards):
        one, many = (Shard.load(shard_path(tmp_path / name, k)) for name in ("one", "many"))
        assert same([many.evidence, many.truth], [one.evidence, one.truth])
