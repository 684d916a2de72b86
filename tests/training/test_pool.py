import threading
import time

import numpy as np
import pytest
from training.schedule import padded_size
from training.shards import Plan, Shard, TableRecord, shard_path, table_truth

from spinney.evidence import Evidence, measure
from spinney.exceptions import InputError
from spinney.simulate import gaussian_mrf
from tests.training.cases import NAMES, made_up_folder, made_up_record

torch = pytest.importorskip("torch")
from training.pool import Pool  # noqa: E402 (needs torch)


@pytest.fixture
def folder(tmp_path):
    return made_up_folder(tmp_path / "tables", 60)


@pytest.fixture
def opened():
    pools = []

    def open_pool(*arguments, **settings):
        pools.append(Pool(*arguments, say=lambda line: None, **settings))
        return pools[-1]

    yield open_pool
    for pool in pools:
        pool.close()


def test_batches_hold_every_table_as_it_was_measured(folder, opened):
    pool = opened(folder).take_all()
    seen = []
    for tables, batch in pool.batches(batch_pairs=600):
        for place, table in enumerate(tables):
            record = made_up_record(int(pool.seed[table]))
            d = int(pool.d[table])
            # Pairs of the padded table, of which those of real columns come in the same order.
            _, second = np.triu_indices(padded_size(d), 1)
            real = second < d
            half = record.evidence.astype(np.float16)
            np.testing.assert_array_equal(batch.evidence[place].numpy()[real], half)
            np.testing.assert_array_equal(batch.truth[place].numpy()[real], record.truth)
            np.testing.assert_array_equal(batch.pairs[place].numpy(), real)
            assert batch.mask[place].sum() == d
            assert batch.mask[place, :d].all()
            assert batch.d[place] == d
            assert padded_size(d) == batch.mask.shape[1]
            seen.append(int(pool.seed[table]))
    assert sorted(seen) == list(range(60))


def test_a_batch_equals_the_evidence(tmp_path, opened):
    simulated = gaussian_mrf(40, 10, random_state=3)
    evidence = measure(simulated.table)
    assert isinstance(evidence, Evidence)
    record = TableRecord(evidence.values, table_truth(simulated.adjacency), 40, 3)
    Plan("world", 0, 1, 1).save(tmp_path)
    Shard.of([record], NAMES).save(shard_path(tmp_path, 0))
    batch = opened(tmp_path).take_all().batch(12, np.array([0, 0]))
    real = np.triu_indices(12, 1)[1] < 10
    for place in range(2):
        found = batch.evidence[place].float().numpy()[real]
        np.testing.assert_allclose(found, evidence.values, rtol=2**-11, atol=1e-7)


@pytest.mark.parametrize("name", ["loops", "noise"])
def test_tables_of_a_group_or_with_a_spoil_are_left_out(folder, opened, name):
    pool = opened(folder, without=[name]).take_all()
    records = {seed: made_up_record(seed) for seed in range(60)}
    expected = [k for k, own in records.items() if name not in (*own.groups, *own.spoils)]
    assert pool.seed.tolist() == expected
    assert 0 < len(expected) < 60
    places = np.arange(len(pool.members[8]))
    batch = pool.batch(8, places)
    for place, table in enumerate(pool.members[8]):
        record = made_up_record(int(pool.seed[table]))
        d = int(pool.d[table])
        real = np.triu_indices(8, 1)[1] < d
        np.testing.assert_array_equal(batch.truth[place].numpy()[real], record.truth)


def test_a_limit_takes_whole_shards(folder, opened):
    assert len(opened(folder, limit=25).take_all()) == 30


def test_shards_are_taken_in_order_and_only_when_asked(folder, opened):
    pool = opened(folder)
    assert len(pool) == 0
    assert pool.take(2)
    assert pool.seed.tolist() == list(range(20))
    before = pool.batch(8, np.array([0, 1]))
    assert pool.take(6)
    after = pool.batch(8, np.array([0, 1]))
    assert pool.seed.tolist() == list(range(60))
    assert torch.equal(before.pairs, after.pairs)
    assert torch.equal(before.truth[before.pairs], after.truth[after.pairs])
    assert torch.equal(before.evidence[before.pairs], after.evidence[after.pairs])


def test_shards_that_are_not_made_yet_are_waited_for(folder, opened):
    path = shard_path(folder, 3)
    kept = path.read_bytes()
    path.unlink()
    pool = opened(folder)
    assert not pool.take(6, patience=0.05)
    assert pool.n_taken == 3
    assert not pool.take(6, stop=lambda: True)

    def make_it():
        time.sleep(0.2)
        path.with_suffix(".part").write_bytes(kept)
        path.with_suffix(".part").rename(path)

    maker = threading.Thread(target=make_it)
    maker.start()
    assert pool.take(6)
    maker.join()
    assert pool.seed.tolist() == list(range(60))


@pytest.mark.parametrize("as_they_come", [False, True])
def test_a_late_folder_holds_up_the_others_unless_tables_are_taken_as_they_come(
    tmp_path, opened, as_they_come
):
    slow = made_up_folder(tmp_path / "slow", 30)
    quick = made_up_folder(tmp_path / "quick", 30, start=100)
    shard_path(slow, 1).unlink()
    pool = opened([slow, quick], as_they_come=as_they_come)
    assert not pool.take(6, patience=0.4)
    of_quick = int((pool.seed >= 100).sum())
    assert of_quick == (30 if as_they_come else 10)
    assert len(pool) - of_quick == 10


def test_a_shard_that_cannot_be_read_is_told_of(folder, opened):
    shard_path(folder, 0).write_bytes(b"nothing")
    with pytest.raises(Exception, match=r"pickle|zip|load"):
        opened(folder).take(1)


def test_other_channels_are_refused(folder, opened):
    with pytest.raises(InputError, match="other channels"):
        opened(folder, channels=NAMES[::-1]).take(1)


def test_no_folder_of_tables(tmp_path, opened):
    with pytest.raises(InputError, match="Make tables first"):
        opened(tmp_path)


def test_a_sample_has_few_pairs_of_every_table(folder, opened):
    pool = opened(folder).take_all()
    sample = pool.sample(n_tables=20, per_table=6, seed=1)
    pairs = [len(made_up_record(seed).truth) for seed in range(20)]
    assert sample.shape == (sum(min(6, n) for n in pairs), len(NAMES))
    stored = np.concatenate([made_up_record(seed).evidence for seed in range(20)])
    known = {row.tobytes() for row in stored.astype(np.float16)}
    assert all(row.tobytes() in known for row in sample.astype(np.float16))
