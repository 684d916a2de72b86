"""The parts underneath: layouts, wide numbers, threads, kernels uncompiled."""

import os
import subprocess
import sys

import mpmath
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import pair_nodes
from spinney._core.threads import default_threads, run_in_threads
from spinney.forests._extended_range import (
    ORDINARY,
    from_log,
    from_plain,
    wide_add,
    wide_normal,
    wide_plain,
)
from spinney.forests._layout import plan


@given(seed=st.integers(0, 10_000), d=st.integers(1, 40), density=st.floats(0, 0.5))
def test_layouts_are_sound(seed, d, density):
    rng = np.random.default_rng(seed)
    first, second = pair_nodes(d)
    keep = rng.random(len(first)) < density
    first, second = first[keep].astype(np.int64), second[keep].astype(np.int64)
    for grounded in (True, False):
        costs = {}
        for mode in ("dense", "sparse", "auto"):
            layout = plan(d, first, second, grounded, mode)
            used = np.concatenate([layout.slots, layout.ground_cells, layout.ones, layout.blank])
            np.testing.assert_array_equal(np.sort(used), np.arange(layout.n_cells))
            assert layout.pair_cells.max(initial=0) < layout.n_cells
            n_inner = 4 * layout.n_blocks - len(layout.ones) - grounded
            assert n_inner + len(layout.row_start) == d
            costs[mode] = layout.cost
        assert costs["auto"] <= min(costs.values()) * (1 + 1e-12)


def test_sparse_stage_fills_no_more_than_a_chordal_graph(rng):
    """Trees and cycles fill in what they must: nothing, and one chord per node."""
    tree = nx.random_labeled_tree(50, seed=1)
    first, second = np.array([sorted(edge) for edge in tree.edges], dtype=np.int64).T
    layout = plan(50, first.copy(), second.copy(), True, "sparse")
    assert layout.row_size.sum() == 49 + 50
    ring = np.array([sorted((i, (i + 1) % 30)) for i in range(30)], dtype=np.int64).T
    layout = plan(30, ring[0].copy(), ring[1].copy(), True, "sparse")
    assert layout.row_size.sum() == 30 + 27 + 30


@given(st.floats(-1e4, 1e4))
def test_logarithms_are_split_to_full_accuracy(value):
    mantissa, exponent = from_log(np.array([value]))
    with mpmath.workdps(40):
        exact = mpmath.exp(mpmath.mpf(value))
        found = mpmath.ldexp(mpmath.mpf(float(mantissa[0])), int(exponent[0]))
        assert abs(found / exact - 1) < 4e-16
    assert 1 / ORDINARY < mantissa[0] < ORDINARY


@given(st.floats(0, 1e308), st.floats(0, 1e308))
def test_wide_numbers_add_and_return(a, b):
    (m, n), (i, j) = from_plain(np.array([a, b]))
    assert wide_plain(m, i) == a
    if a + b < np.inf:
        assert wide_plain(*wide_normal(*wide_add(m, i, n, j))) == pytest.approx(a + b, rel=3e-16)


def test_wide_numbers_beyond_doubles():
    assert wide_plain(1.5, 5000) == np.inf
    assert wide_plain(1.5, -5000) == 0.0
    assert wide_add(1.0, 4000, 1.5, -4000) == (1.0, 4000)


def test_errors_in_threads_are_raised():
    def fail():
        raise ZeroDivisionError("as planned")

    def idle():
        pass

    with pytest.raises(ZeroDivisionError, match="as planned"):
        run_in_threads([idle, idle, fail, idle], threads=2)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_job_is_begun_after_an_interrupt(threads):
    begun = []

    def interrupted():
        begun.append(True)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_threads([interrupted] * 50, threads)
    assert len(begun) <= threads  # one on each, if they began at the same time


@pytest.mark.parametrize(("limit", "expected"), [("1", 1), ("999", None), ("0", None), ("", None)])
def test_threads_are_limited_as_numba_s_are(monkeypatch, limit, expected):
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    usual = default_threads()
    monkeypatch.setenv("NUMBA_NUM_THREADS", limit)
    assert default_threads() == (expected or usual)


def test_jobs_run_once_each_whatever_the_threads():
    for threads in (1, 2, 5, None):
        runs = [0] * 50

        def job(k, runs=runs):
            runs[k] += 1

        run_in_threads([lambda k=k: job(k) for k in range(50)], threads)
        assert runs == [1] * 50
    run_in_threads([], 2)


def test_read_only_tables_need_no_new_kernel(rng):
    from spinney.forests._lanes import run_chunks

    W = rng.random((9, 45))
    expected = forests.evaluate(np.ones(45), W)
    known = len(run_chunks.signatures)
    W.flags.writeable = False
    beta = np.ones(45)
    beta.flags.writeable = False
    found = forests.evaluate(beta, W)
    assert len(run_chunks.signatures) == known
    assert (found.weighted_resistance == expected.weighted_resistance).all()


def run_script(script, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_plain_kernels_run_uncompiled():
    """Kernels without intrinsics give the same numbers as interpreted Python."""
    script = """
import numpy as np
from spinney import forests
rng = np.random.default_rng(4)
W = np.triu(rng.uniform(0.1, 2, (5, 5)), 1)
W = W + W.T
print(forests.log_partition(W, engine="log").hex())
print(forests.edge_marginals(W, engine="log")[0, 3].hex())
print(forests.log_partition_unrooted(W, 3).hex())
print(forests.log_partition_unrooted(W * 1e30, 3).hex())
print(forests.smallest_cuts(W, 9).weights.round(12).tolist())
for method in ("wilson", "elimination"):
    print(forests.sample(W, 1.0, 5, random_state=0, method=method).parents.tolist())
"""
    compiled = run_script(script).split("\n")
    interpreted = run_script(script, NUMBA_DISABLE_JIT="1").split("\n")
    for one, other in zip(compiled, interpreted, strict=True):
        if one.startswith("0x"):
            assert float.fromhex(one) == pytest.approx(float.fromhex(other), rel=1e-14)
        else:
            assert one == other


def test_importing_compiles_nothing():
    script = """
import numba.core.compiler as compiler
def refuse(*arguments, **options):
    raise SystemExit("compiled at import")
compiler.compile_extra = refuse
import spinney, spinney.forests
"""
    run_script(script)


def test_parallel_edges_of_a_stack_share_a_layout(rng):
    """A pattern is laid out once: the second call finds it."""
    from spinney.forests import _layout

    W = np.ones((6, 6))
    forests.log_partition(W)
    before = _layout._plan.cache_info().hits
    forests.log_partition(W * 2)
    assert _layout._plan.cache_info().hits == before + 1
