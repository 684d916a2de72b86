"""Every width of registers gives the same numbers: operations, tiles, elimination, evaluation."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from lane_widths import kernels_of_width
from numba.core.caching import NullCache

from spinney._core import processor as _processor
from spinney.exceptions import InputError
from spinney.forests import _tiles
from spinney.forests._layout import plan
from spinney.forests.reference import eliminate, resistances

WIDTHS = [2, 4, 8]
TESTS = Path(__file__).parent


@pytest.fixture(params=WIDTHS)
def kernels(request):
    return kernels_of_width(request.param)


def applied(tiles, operation, *arguments):
    """Run one lane operation on arrays as wide as a register."""
    load, store = tiles.load, tiles.store
    if len(arguments) == 1:

        @numba.njit
        def run(out, a):
            store(out, 0, operation(load(a, 0)))

    elif len(arguments) == 2:

        @numba.njit
        def run(out, a, b):
            store(out, 0, operation(load(a, 0), load(b, 0)))

    else:

        @numba.njit
        def run(out, a, b, c):
            store(out, 0, operation(load(a, 0), load(b, 0), load(c, 0)))

    cut = [np.reshape(a, (-1, 1, tiles.LANES)).astype(float) for a in arguments]
    out = np.empty_like(cut[0])
    for k, parts in enumerate(zip(*cut, strict=True)):
        run(out[k], *parts)
    return out.ravel()


def test_lane_operations_mean_their_plain_loops(rng, kernels):
    tiles = kernels._tiles
    a, b, c = rng.normal(size=(3, 8))
    np.testing.assert_array_equal(applied(tiles, tiles.add, a, b), a + b)
    np.testing.assert_array_equal(applied(tiles, tiles.multiply, a, b), a * b)
    found = applied(tiles, tiles.fused, a, b, c)
    np.testing.assert_allclose(found, a * b + c, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(applied(tiles, tiles.smallest, a, b), np.minimum(a, b))
    with_zero = np.where(np.arange(8) % 2, a, 0.0)
    expected = [1 / x if x else 0.0 for x in with_zero]
    np.testing.assert_array_equal(applied(tiles, tiles.reciprocal_or_zero, with_zero), expected)
    positive = np.array([1.0, 1.5, 2.0, 0.75, 1e-290, 1e290, 3e-5, np.pi])
    mantissa, octave = (applied(tiles, f, positive) for f in (tiles.mantissa, tiles.octave))
    np.testing.assert_array_equal(octave, np.floor(np.log2(positive)))
    np.testing.assert_array_equal(np.ldexp(mantissa, octave.astype(int)), positive)


def test_bit_comparisons_find_what_is_no_weight(kernels):
    tiles = kernels._tiles
    calm = np.array([0.0, 1.0, 2.0, 5e-324, 1.0, 3.0, 1e308, 0.0])
    odd = np.array([1.0, 0.0, 3.0, 1.0, np.nan, -1.0, np.inf, 0.0])
    highest = applied(tiles, tiles.highest_bits, calm, odd)
    np.testing.assert_array_equal(highest, [1, 1, 3, 1, np.nan, -1, np.inf, 0])
    np.testing.assert_array_equal(highest, applied(tiles, tiles.highest_bits, odd, calm))
    lowest = np.full(8, np.inf)
    for values in (calm, np.abs(odd)):
        lowest = applied(tiles, tiles.lowest_bits, lowest, values)
    expected = np.array([1, 1, 2, 5e-324, 1, 1, 1e308, np.inf])
    one_below = np.where(expected < np.inf, np.nextafter(expected, 0), np.inf)
    np.testing.assert_array_equal(lowest, one_below)


@pytest.mark.parametrize("short", [0, 1])
def test_columns_become_cells(rng, kernels, short):
    width = kernels._tiles.LANES
    load_column, store = kernels._tiles.load_column, kernels._tiles.store

    @numba.njit
    def run(table, first, last, column, out):
        store(out, 1, load_column(table, first, last, column))

    table = rng.normal(size=(3 + width, 5))
    out = np.zeros((3, width))
    last = 2 + width - short
    run(table, 3, last, 4, out)
    np.testing.assert_array_equal(out[1], table[np.minimum(3 + np.arange(width), last), 4])
    assert not out[[0, 2]].any()


def test_tiles_mean_their_plain_loops(rng, kernels):
    tiles = kernels._tiles
    rows, width = tiles.ROWS, tiles.LANES
    load_tile, store_tile, zero_tile = tiles.load_tile, tiles.store_tile, tiles.zero_tile
    add_outer, add_row_sums = tiles.add_outer, tiles.add_row_sums

    @numba.njit
    def run(cells, left, right, out, turned, sums):
        value = load_tile(cells, 2, 5, 1)
        value = add_outer(value, left, 1, right, 3, 2)
        store_tile(out, 0, 4, 1, value)
        store_tile(turned, 0, 1, rows, add_outer(zero_tile(), left, 1, right, 3, 2))
        add_row_sums(sums, 1, value)

    cells, left, right = (rng.normal(size=(k, width)) for k in (24, 6, 12))
    out, turned = np.empty((4 * rows, width)), np.empty((4 * rows, width))
    sums = rng.normal(size=(6, width))
    before = sums.copy()
    run(cells, left, right, out, turned, sums)
    r, c = np.divmod(np.arange(4 * rows), 4)
    product = left[1 + r] * right[3 + 2 * c]
    np.testing.assert_allclose(out, cells[2 + 5 * r + c] + product, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(turned[r + rows * c], product)
    before[1 : 1 + rows] += out.reshape(rows, 4, width).sum(axis=1)
    np.testing.assert_allclose(sums, before, rtol=1e-13, atol=1e-15)


def test_cells_must_be_contiguous(kernels):
    load, store = kernels._tiles.load, kernels._tiles.store

    @numba.njit
    def run(cells):
        store(cells, 0, load(cells, 0))

    with pytest.raises(numba.core.errors.TypingError, match="C-contiguous"):
        run(np.zeros((8, 8)).T)


def solve_dense(elimination, networks, stride, chunk):
    """Eliminate networks (d, d, lanes) side by side; return the totals and all resistances."""
    d, _, width = networks.shape
    first, second = (nodes.astype(np.int64) for nodes in np.triu_indices(d, 1))
    layout = plan(d, first, second, False, "dense")
    padding, n_blocks = len(layout.ones), layout.n_blocks
    cells = np.zeros((layout.n_cells, width))
    cells[layout.slots] = networks[first, second]
    cells[layout.ones] = 1.0
    panels, products = np.zeros((2, 16 * n_blocks * stride, width))
    totals, inverses = np.zeros((2, 4 * n_blocks, width))
    logs = np.ones((3, width))
    logs[1] = 0.0
    blocks = (n_blocks, stride, chunk)
    elimination.eliminate_dense(
        cells, panels, np.zeros((4, width)), totals, inverses, logs, padding, *blocks
    )
    elimination.resist_dense(cells, panels, products, inverses, *blocks)
    return totals[padding:-1], np.log(logs[0]) + np.log(2) * logs[1], cells[layout.slots]


@pytest.mark.slow
@pytest.mark.parametrize(("d", "stride", "chunk"), [(2, 1, 16), (13, 1, 16), (31, 2, 8)])
def test_dense_elimination_is_the_reference_s_and_the_same_to_the_bit(kernels, d, stride, chunk):
    rng = np.random.default_rng(d)
    networks = np.exp(2 * rng.normal(size=(d, d, 8)))
    networks = networks + networks.transpose(1, 0, 2)
    width = kernels._tiles.LANES
    parts = [
        solve_dense(kernels.elimination, networks[..., k : k + width].copy(), stride, chunk)
        for k in range(0, 8, width)
    ]
    totals, logs, found = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    u, v = np.triu_indices(d, 1)
    for k in range(8):
        expected = eliminate(networks[..., k])
        np.testing.assert_allclose(totals[:, k], expected[0], rtol=1e-13)
        np.testing.assert_allclose(logs[k], np.log(expected[0]).sum(), rtol=1e-13)
        np.testing.assert_allclose(found[:, k], resistances(*expected)[u, v], rtol=1e-12)
    eight = solve_dense(kernels_of_width(8).elimination, networks, stride, chunk)
    np.testing.assert_array_equal(totals, eight[0])
    np.testing.assert_array_equal(found, eight[2])


@pytest.mark.parametrize("value", ["3", "many", "16", "-4", "4.0"])
def test_a_width_that_is_none_is_refused_in_one_sentence(monkeypatch, value):
    monkeypatch.setenv("SPINNEY_LANES", value)
    with pytest.raises(InputError, match=rf"SPINNEY_LANES must be 2, 4 or 8, .*'{value}'\. Unset"):
        _processor.forced_lanes()


def test_the_width_can_be_forced_and_this_is_said(monkeypatch):
    monkeypatch.setattr(_processor, "lanes", _processor.lanes.__wrapped__)
    monkeypatch.setenv("SPINNEY_LANES", " 2 ")
    assert _processor.lanes() == 2
    assert _processor.describe_lanes() == "2 lanes of doubles, forced by SPINNEY_LANES"
    monkeypatch.delenv("SPINNEY_LANES")
    assert _processor.lanes() == _processor.native_lanes()
    assert "forced" not in _processor.describe_lanes()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of x86 processors")
@pytest.mark.parametrize(
    ("name", "features", "lanes", "rows"),
    [
        ("skylake-avx512", "", 8, 4),
        ("icelake-server", "", 8, 4),
        ("haswell", "", 4, 2),
        ("znver2", "", 4, 2),
        ("nehalem", "", 2, 2),
        ("skylake-avx512", "-avx512f", 4, 2),
    ],
)
def test_the_width_is_the_compiler_s(monkeypatch, name, features, lanes, rows):
    monkeypatch.setattr("numba.core.config.CPU_NAME", name)
    monkeypatch.setattr("numba.core.config.CPU_FEATURES", features)
    monkeypatch.delenv("SPINNEY_LANES", raising=False)
    native = _processor.native_lanes.__wrapped__()
    assert native == lanes
    monkeypatch.setattr(_processor, "lanes", lambda: native)
    assert _processor.tile_rows() == rows


def test_machine_code_of_a_forced_width_is_not_kept():
    """Numba would take it for that of the native width."""
    native = _processor.native_lanes()
    for width in WIDTHS:
        kept = kernels_of_width(width).elimination.eliminate_dense._cache
        assert isinstance(kept, NullCache) == (width != native)
    assert _processor.lanes() == _tiles.LANES  # that of this process is as it was


SCRIPT = """
import numpy as np
from spinney import forests
from spinney.forests._tiles import LANES
from spinney.forests.posterior import ladder
from spinney.pairs.densities import PairDensities
rng = np.random.default_rng(5)
print(LANES)
for n, d, density in ((50, 9, 1.0), (37, 30, 1.0), (11, 140, 1.0), (61, 60, 0.04)):
    m = d * (d - 1) // 2
    beta = np.exp(rng.normal(size=m)) * (rng.random(m) < density)
    W = np.exp(rng.normal(size=(n, m)))
    W[3] *= 1e-200
    for engine in ("auto", "sparse"):
        found = forests.evaluate(beta, W, engine=engine)
        print(found.engine, found.n_wide)
        print(found.log_partition.tobytes().hex(), found.weighted_resistance.tobytes().hex())
    each = forests.evaluate(beta, W, per_sample=True).weighted_resistance
    print(each.tobytes().hex())
steps = ladder(PairDensities(rng.normal(size=(40, 105))), n_subsets=21, random_state=0)
print(steps.probabilities.tobytes().hex())
"""


@pytest.mark.slow
def test_evaluation_and_ladder_are_the_same_to_the_bit_on_all_widths():
    told = {}
    for width in WIDTHS:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "SPINNEY_LANES": str(width)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        head, told[width] = done.stdout.split("\n", 1)
        assert head == str(width)
    assert told[2] == told[4] == told[8]


@pytest.mark.slow
@pytest.mark.parametrize("width", [w for w in WIDTHS if w != _processor.native_lanes()])
def test_the_suite_of_evaluations_passes_on_a_forced_width(width):
    suites = ("evaluate", "posterior")
    files = [str(TESTS / f"test_forest_{name}.py") for name in suites]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        env={**os.environ, "SPINNEY_LANES": str(width)},
        cwd=TESTS.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
