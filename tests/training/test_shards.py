import json

import numpy as np
import pytest
from training.shards import Plan, Shard, shard_path, table_truth, to_half
from training.sources import Report, draw, make_shard

from spinney._core.pairs import to_matrix
from spinney.evidence import N_EVEN
from spinney.exceptions import InputError
from tests.training.cases import NAMES, made_up_record
from training import sources, workers


@pytest.fixture
def records():
    return [made_up_record(seed) for seed in range(7)]


def test_a_shard_comes_back_as_it_was_stored(records, tmp_path):
    Shard.of(records, NAMES, [(99, "too odd")]).save(tmp_path / "a.npz")
    shard = Shard.load(tmp_path / "a.npz")
    assert len(shard) == 7
    assert shard.failed == [(99, "too odd")]
    assert shard.names["channels"] == NAMES
    for i, record in enumerate(records):
        found = shard.record(i)
        np.testing.assert_array_equal(found.evidence, record.evidence.astype(np.float16))
        np.testing.assert_array_equal(found.truth, record.truth)
        assert (found.n, found.seed, found.graph) == (record.n, record.seed, record.graph)
        assert set(found.groups) == set(record.groups)
        assert set(found.spoils) == set(record.spoils)
        assert len(found.truth) == shard.d[i] * (shard.d[i] - 1) // 2


def test_a_shard_without_tables_can_be_stored(tmp_path):
    Shard.of([], NAMES, [(1, "failed")]).save(tmp_path / "a.npz")
    assert len(Shard.load(tmp_path / "a.npz")) == 0


def test_truth_is_read_in_the_order_of_pairs(rng):
    adjacency = to_matrix(rng.random(15) < 0.4) > 0
    np.testing.assert_array_equal(to_matrix(table_truth(adjacency)) > 0, adjacency)


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e6])
def test_evidence_that_half_precision_cannot_hold_is_refused(value):
    evidence = np.zeros((3, len(NAMES)), dtype=np.float32)
    evidence[1, N_EVEN] = value
    with pytest.raises(InputError, match="seed 5 is not finite"):
        to_half(evidence, 5)


def test_a_plan_lists_every_seed_once():
    plan = Plan("world", 1000, 1300, 128)
    seeds = [seed for k in range(plan.n_shards) for seed in plan.seeds(k)]
    assert seeds == list(range(1000, 1300))


def test_a_folder_of_other_tables_is_not_overwritten(tmp_path):
    Plan("world", 0, 100, 10).save(tmp_path)
    with pytest.raises(InputError, match="size: 10 there, 20 here"):
        Plan("world", 0, 100, 20).save(tmp_path)


def test_more_seeds_make_a_short_last_shard_again(tmp_path):
    Plan("world", 0, 25, 10).save(tmp_path)
    for k in range(3):
        Shard.of([], NAMES).save(shard_path(tmp_path, k))
    Plan("world", 0, 40, 10).save(tmp_path)
    assert [shard_path(tmp_path, k).exists() for k in range(3)] == [True, True, False]
    assert Plan.load(tmp_path).n_shards == 4


def test_limit_kinds_take_their_three_numbers_of_rows_in_turn():
    rows = [draw("loopy", seed).X.shape for seed in range(10_000_000, 10_000_003)]
    assert sorted(rows) == [(50, 25), (100, 25), (500, 25)]


def _sometimes_fails(source, seed, without, report):
    if seed % 4 == 1:
        raise ValueError("no such table")
    report.measure_s += 1.0
    return made_up_record(seed)


def test_a_table_that_fails_is_left_out_and_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "make_record", _sometimes_fails)
    report = make_shard(Plan("world", 0, 8, 8), tmp_path, 0)
    shard = Shard.load(shard_path(tmp_path, 0))
    assert report.n_tables == 6
    assert shard.seed.tolist() == [0, 2, 3, 4, 6, 7]
    assert [seed for seed, _ in shard.failed] == [1, 5]
    assert "ValueError: no such table" in report.failed[0][1]


def _not_finite(source, seed, without, report):
    record = made_up_record(seed)
    record.evidence[0, 0] = np.nan if seed == 2 else 0.0
    return record


def _too_slow(source, seed, without, report):
    while seed == 2:
        pass
    return made_up_record(seed)


@pytest.mark.parametrize(("make", "said"), [(_not_finite, "finite"), (_too_slow, "TimeoutError")])
def test_a_table_that_cannot_be_stored_or_takes_too_long_fails_alone(
    tmp_path, monkeypatch, make, said
):
    monkeypatch.setattr(sources, "make_record", make)
    monkeypatch.setattr(sources, "TABLE_LIMIT_S", 0.05 if make is _too_slow else 60.0)
    report = make_shard(Plan("world", 0, 4, 4), tmp_path, 0)
    assert [seed for seed, _ in report.failed] == [2]
    assert said in report.failed[0][1]
    assert report.n_tables == 3


class _Deaths:
    """Stands for processes: the one that makes shard 1 dies, as often as it is told to."""

    def __init__(self, folder, deaths):
        self.left, self.folder = deaths, folder
        self.made = []

    def hire(self, crew):
        worker = _Pipe(self)
        crew.processes[worker] = _Process()
        crew._order(worker)


class _Process:
    def join(self):
        pass

    def terminate(self):
        pass


class _Pipe:
    def __init__(self, deaths):
        self.deaths, self.task = deaths, None

    def send(self, k):
        self.task = k

    def recv(self):
        if self.task == 1 and self.deaths.left:
            self.deaths.left -= 1
            raise EOFError
        Shard.of([], NAMES).save(shard_path(self.deaths.folder, self.task))
        self.deaths.made.append(self.task)
        return Report(self.task, n_tables=4)

    def close(self):
        pass


@pytest.mark.parametrize("deaths", [0, 2, 3])
def test_a_process_that_dies_is_replaced(tmp_path, monkeypatch, deaths):
    plan = Plan("world", 0, 12, 4)
    told = _Deaths(tmp_path, deaths)
    monkeypatch.setattr(workers._Crew, "_hire", lambda crew: told.hire(crew))
    said = []
    progress = workers._Progress(plan, 3, said.append)
    monkeypatch.setattr(workers, "wait", lambda pipes, timeout: pipes)
    monkeypatch.setattr(workers, "Connection", _Pipe)
    workers._Crew(plan, tmp_path, 1, [0, 1, 2], progress).work()
    assert all(shard_path(tmp_path, k).exists() for k in range(3))
    assert sorted(told.made) == ([0, 2] if deaths == 3 else [0, 1, 2])
    log = tmp_path / "failures.jsonl"
    assert log.exists() == (deaths == 3)
    if deaths == 3:
        failed = [json.loads(line)["seed"] for line in log.read_text().splitlines()]
        assert failed == [4, 5, 6, 7]
    assert sum("starting another" in line for line in said) == deaths


@pytest.mark.slow
def test_tables_do_not_depend_on_who_makes_them(tmp_path):
    """Two processes and one; a shard that is there already is left alone."""
    plan = Plan("connected", 10_000_000, 10_000_006, 2)
    said = []
    workers.make_tables(plan, tmp_path / "one", 1, said.append)
    mark = shard_path(tmp_path / "two", 1)
    Shard.of([made_up_record(3)], NAMES).save(mark)
    before = mark.read_bytes()
    result = workers.make_tables(plan, tmp_path / "two", 2, said.append)
    assert result == {"made": 4, "failed": 0}
    assert mark.read_bytes() == before
    for k in (0, 2):
        one, two = (Shard.load(shard_path(tmp_path / name, k)) for name in ("one", "two"))
        np.testing.assert_array_equal(one.evidence, two.evidence)
        np.testing.assert_array_equal(one.truth, two.truth)
        assert one.seed.tolist() == list(plan.seeds(k))
