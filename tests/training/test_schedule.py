from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import brier_score_loss, hamming_loss, log_loss
from training.metrics import N_BINS, scores
from training.schedule import SIZES, Schedule, choose_batch, padded_size

from spinney.exceptions import InputError


@given(
    steps=st.integers(1, 2000),
    n_shards=st.integers(1, 300),
    first=st.floats(0.0, 1.0),
    full=st.floats(0.05, 1.0),
)
def test_shards_in_use_only_grow_and_all_come_in_time(steps, n_shards, first, full):
    schedule = Schedule(steps, n_shards, first=first, full=full)
    available = [schedule.available(step) for step in range(steps)]
    assert all(1 <= before <= after <= n_shards for before, after in pairwise(available))
    assert available[0] == max(1, int(np.ceil(round(first * n_shards, 9))))
    assert all(count == n_shards for count in available[int(np.ceil(full * steps)) :])


def test_the_rate_rises_to_its_peak_and_falls_to_nearly_nothing():
    schedule = Schedule(1000, 1, peak=0.5, warm_up=50)
    rates = np.array([schedule.rate(step) for step in range(1000)])
    assert rates.argmax() in (49, 50)
    assert rates.max() == pytest.approx(0.5)
    assert (np.diff(rates[:50]) > 0).all()
    assert (np.diff(rates[50:]) < 0).all()
    assert rates[525] == pytest.approx(0.25, rel=1e-12)  # half a cosine is half way in its middle
    assert rates[-1] < 1e-5


def test_short_runs_have_a_short_warm_up():
    assert Schedule(20, 1, peak=1.0, warm_up=500).rate(2) == pytest.approx(1.0)


@pytest.mark.parametrize("setting", [{"steps": 0}, {"n_shards": 0}, {"first": 2.0}, {"full": 0.0}])
def test_impossible_schedules_are_refused(setting):
    with pytest.raises(InputError):
        Schedule(**{"steps": 10, "n_shards": 5, **setting})


@given(st.integers(2, 150))
def test_tables_fit_in_their_padded_size(d):
    size = padded_size(d)
    assert size >= d
    assert size in SIZES
    assert not any(d <= smaller < size for smaller in SIZES)


@pytest.mark.parametrize("newer", [1.0, 3.0])
def test_late_tables_are_favoured_by_a_power_of_their_place(newer):
    """Against the law of a place's quantiles: (i / n) ** newer is uniform."""
    places = [choose_batch(1, k, {8: 500}, 3000, newer).places for k in range(40)]
    share = (np.concatenate(places) + 0.5) / 500
    assert stats.kstest(share**newer, "uniform").pvalue > 0.01


def test_a_batch_is_a_function_of_seed_and_step():
    counts = {8: 40, 25: 100, 64: 7}
    one, two = (choose_batch(3, 17, counts, 10_000) for _ in range(2))
    assert one.size == two.size
    np.testing.assert_array_equal(one.places, two.places)
    others = [choose_batch(3, step, counts, 10_000) for step in range(30)]
    assert len({(o.size, *o.places[:3]) for o in others}) == 30


def test_sizes_come_as_often_as_stated_and_every_table_counts_the_same():
    counts = {8: 500, 25: 300, 64: 20, 100: 0}
    chosen = [choose_batch(1, step, counts, 20_000) for step in range(3000)]
    sizes = np.array([8, 25, 64])
    tables = np.array([500, 300, 20])
    found = np.array([sum(c.size == size for c in chosen) for size in sizes])
    expected = tables * sizes / (tables * sizes).sum()
    assert stats.chisquare(found, 3000 * expected).pvalue > 0.01
    factors = np.array([next(c.factor for c in chosen if c.size == size) for size in sizes])
    # A table's weight in a step: the chance of its size, by the mean over n_j tables.
    np.testing.assert_allclose(expected * factors / tables, 1 / tables.sum(), rtol=1e-12)
    assert [len(next(c.places for c in chosen if c.size == s)) for s in (25, 64)] == [66, 9]
    places = np.concatenate([c.places for c in chosen if c.size == 25])
    assert stats.chisquare(np.bincount(places, minlength=300)).pvalue > 0.01


def test_no_tables_no_batch():
    with pytest.raises(InputError, match="no table"):
        choose_batch(1, 0, {8: 0}, 1000)


def test_scores_against_scikit_learn(rng):
    d = np.array([3, 6, 10])
    pairs = d * (d - 1) // 2
    truth = rng.random(pairs.sum()) < 0.3
    logits = rng.normal(size=len(truth)) + 2 * truth - 1
    p = 1 / (1 + np.exp(-logits))
    found = scores(logits, truth, d)
    ends = np.cumsum(pairs)[:-1]
    losses = [
        log_loss(t, q, labels=[False, True], normalize=False) / columns
        for t, q, columns in zip(np.split(truth, ends), np.split(p, ends), d, strict=True)
    ]
    assert found["loss"] == pytest.approx(np.mean(losses), rel=1e-9)
    assert found["brier"] == pytest.approx(brier_score_loss(truth, p), rel=1e-12)
    assert found["wrong"] == pytest.approx(hamming_loss(truth, p > 0.5) * len(truth) / 3)
    places = np.minimum((p * N_BINS).astype(int), N_BINS - 1)
    gaps = [
        abs(p[places == k].mean() - truth[places == k].mean()) * (places == k).mean()
        for k in np.unique(places)
    ]
    assert found["ece"] == pytest.approx(sum(gaps), rel=1e-9)
