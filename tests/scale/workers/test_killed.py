"""A worker that is killed in the middle, ten times at random moments, loses nothing."""

import random
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from tests.scale.workers.clusters import process_numbers, processes, shoot
from tests.scale.workers.test_same_bits import same, small_pieces, table

from spinney import PairCopulas, StabilitySelection
from spinney.forests.posterior import ladder
from spinney.models.baselines import PartialCorrelation
from spinney.pairs.margins import pseudo_observations
from spinney.scale.cluster import cluster

pytest.importorskip("distributed")
KILLS = 10
X = table(150, 40)
U = pseudo_observations(X)


def fits():
    pairs = PairCopulas(families=["gaussian", "student", "clayton"]).fit(U)
    return [pairs.parameters_, pairs.fold_parameters_, pairs.log_likelihood_, pairs.held_out_]


def rungs():
    log_density = np.log1p(U[:, :20] @ np.random.default_rng(0).random((20, 780)))
    return [ladder(log_density, np.ones(780), n_subsets=60).probabilities]


def halves():
    fitted = StabilitySelection(PartialCorrelation(), n_splits=60, random_state=1).fit(X)
    return [fitted.edge_frequencies_, fitted.simultaneous_frequencies_]


@contextmanager
def a_shot(client, after_s, chance):
    """Kill a worker at random some time into the block; tell whether it came to that."""
    ended, fired = threading.Event(), []

    def wait():
        if not ended.wait(after_s):
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
@pytest.mark.parametrize("run", [fits, rungs, halves])
def test_a_worker_killed_ten_times_at_random_changes_no_bit(monkeypatch, run):
    expected = run()
    small_pieces(monkeypatch)
    chance = random.Random(run.__name__)
    with processes(3) as own, cluster(own.scheduler_address) as there:
        run()  # workers load what they need
        start = time.monotonic()
        run()
        usual_s = time.monotonic() - start
        fired = 0
        for _ in range(5 * KILLS):
            with a_shot(there.client, usual_s * chance.random(), chance) as shots:
                found = run()
            assert same(found, expected)
            fired += len(shots)
            if fired == KILLS:
                break
    assert fired == KILLS
