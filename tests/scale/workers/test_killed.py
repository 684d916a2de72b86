"""A worker that is killed in the middle, ten times at random moments, loses nothing."""

import random
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from tests.scale.workers.clusters import process_numbers, processes, shoot
from tests.scale.workers.test_same_bits import same, table

from spinney import StabilitySelection
from spinney.models.baselines import PartialCorrelation
from spinney.scale.cluster import cluster

pytest.importorskip("distributed")
KILLS = 10
X = table(150, 40)


def halves():
    fitted = StabilitySelection(PartialCorrelation(), n_splits=60, random_state=1).fit(X)
    return [fitted.edge_frequencies_, fitted.simultaneous_frequencies_]


@contextmanager
def a_shot(client, after_s, chance):
    """Kill a worker at random some time into the block; tell whether it came to that."""
    ended, fired = threading.Event(), []

    def wait():
        if not ended.wait(after_s):
            victims = []
            with suppress(OSError):  # a worker that has just been shot does not answer
                victims = process_numbers(client)
            if victims and not ended.is_set():
                shoot(chance.choice(victims))
                fired.append(True)

    hunter = threading.Thread(target=wait)
    hunter.start()
    try:
        yield fired
    finally:
        ended.set()
        hunter.join()


@pytest.mark.slow
def test_a_worker_killed_ten_times_at_random_changes_no_bit():
    expected = halves()
    chance = random.Random(0)
    with processes(3) as own, cluster(own.scheduler_address) as there:
        halves()  # workers load what they need
        start = time.monotonic()
        halves()
        usual_s = time.monotonic() - start
        fired = 0
        for _ in range(5 * KILLS):
            with a_shot(there.client, usual_s * chance.random(), chance) as shots:
                found = halves()
            assert same(found, expected)
            fired += len(shots)
            if fired == KILLS:
                break
    assert fired == KILLS
