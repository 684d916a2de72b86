"""The adapter to R: what goes out, what comes back, and what is said when R is not there.

A stand-in for Rscript answers in the files that the real one would write; where R and its packages
are installed, the real ones run too.
"""

import subprocess
from functools import cache

import numpy as np
import pytest
from benchmarks.peers import PEERS, Job, PeerError, has_r, read_results, run_jobs, write_results

from tests.models.baselines.cases import chain


def test_results_come_back_and_keep_on_disc(stand_in, tmp_path, rng):
    stand_in()
    X, Y = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    jobs = [
        Job("a", X, "huge-glasso-stars", seed=1),
        Job("b", X, "bdgraph-ggm", seed=2),
        Job("c", Y, "shorter", seed=3, peer=PEERS["bdgraph-gcgm"].with_options(iterations=7)),
    ]
    results = run_jobs(jobs, collect_garbage=False)
    first, second, third = results
    assert (first.name, first.n, first.d, first.seconds, first.penalty) == ("a", 20, 4, 1.5, 0.2)
    assert first.edges == [[0, 1], [1, 2], [2, 3]]
    np.testing.assert_array_equal(first.adjacency, np.eye(4, k=1) + np.eye(4, k=-1) > 0)
    np.testing.assert_array_equal(first.ranking_matrix, 0.25 * first.adjacency)
    assert first.versions == {"R": "9.9", "huge": "8.8"}
    assert first.options["selection"] == "stars"
    assert first.options["collect_garbage"] is False
    assert second.penalty is None
    assert second.versions == {"R": "9.9", "BDgraph": "7.7"}
    assert third.d == 3
    assert third.options["iterations"] == 7
    write_results(tmp_path / "stored" / "peers.json", results)
    assert read_results(tmp_path / "stored" / "peers.json") == results


def test_without_r_one_sentence_says_what_to_do(monkeypatch, rng):
    monkeypatch.setenv("PATH", "")
    assert not has_r()
    with pytest.raises(PeerError, match=r"Rscript was not found\. Install R .* by `make peers`"):
        run_jobs([Job("a", rng.normal(size=(9, 2)), "huge-mb-ric", seed=1)])


def test_what_r_complains_about_is_passed_on(stand_in, rng):
    stand_in("#!/bin/sh\necho \"Error: The R package 'huge' is missing.\" >&2\nexit 1\n")
    with pytest.raises(PeerError, match=r"after 0 job\(s\): Error: The R package 'huge' is miss"):
        run_jobs([Job("a", rng.normal(size=(9, 2)), "huge-mb-ric", seed=1)])


def test_patience_ends(stand_in, rng):
    stand_in("#!/bin/sh\nexec sleep 30\n")
    with pytest.raises(PeerError, match=r"longer than 0\.2 s"):
        run_jobs([Job("a", rng.normal(size=(9, 2)), "huge-mb-ric", seed=1)], timeout_s=0.2)


def test_unknown_peers_are_refused(stand_in, rng):
    stand_in()
    with pytest.raises(PeerError, match="no peer 'pcalg'; there are huge-glasso-stars"):
        run_jobs([Job("a", rng.normal(size=(9, 2)), "pcalg", seed=1)])


@cache
def has_peers():
    code = 'q(status = !all(sapply(c("huge", "BDgraph"), requireNamespace, quietly = TRUE)))'
    return has_r() and not subprocess.run(["Rscript", "-e", code], capture_output=True).returncode


@pytest.mark.slow
def test_every_peer_runs_and_repeats_itself():
    if not has_peers():
        pytest.skip("needs R with huge and BDgraph; see `make peers`")
    X = chain(np.random.default_rng(5), 100, 8)
    jobs = [Job(name, X, name, seed=11) for name in PEERS]
    results = run_jobs(jobs, collect_garbage=False)
    chain_edges = [[k, k + 1] for k in range(7)]
    for result in results:
        assert len(result.ranking) == 28
        strongest = np.argsort(result.ranking_matrix[np.triu_indices(8, 1)])[-7:]
        pairs = np.column_stack(np.triu_indices(8, 1))[np.sort(strongest)].tolist()
        assert pairs == chain_edges, result.method
    again = run_jobs(jobs, collect_garbage=True)
    assert [r.edges for r in again] == [r.edges for r in results]
    assert [r.ranking for r in again] == [r.ranking for r in results]
