"""Whether kernels are compiled is what numba itself finds on disc; processes can share the work."""

import os
import subprocess
import sys

import numpy as np
import pytest

from spinney.cli import _compiled
from spinney.tables import read_table

CODE = """
import numpy as np
from spinney._core.compile import is_compiled
from spinney.cli._compiled import kernels_compiled
from spinney.pairs.copulas.search import total
before = is_compiled(total)
total(np.ones(3), 0, 3)
print(before, is_compiled(total), kernels_compiled())
"""


def test_a_kernel_is_compiled_once_its_code_is_on_disc(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


TOGETHER = """
import sys
from pathlib import Path
from time import sleep

import numpy as np
from spinney._core.compile import compile_together
from spinney.pairs.copulas import search

compile_together(sys.argv[1])
cache, begun = search.total._cache, Path(sys.argv[1] + sys.argv[2])
cache.cache_path  # sets it up
kept = type(search.total._cache)
save = kept.save_overload

def save_late(self, *found):
    begun.touch()
    sleep(1.0)
    save(self, *found)

kept.save_overload = save_late
while sys.argv[2] == "b" and not Path(sys.argv[1] + "a").exists():
    sleep(0.01)
search.total(np.ones(3), 0, 3)
stats = search.total.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_kernel_that_another_process_compiles_is_waited_for(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    shared = tmp_path / "shared"
    shared.touch()
    one, other = (
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER, str(shared), name],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for name in "ab"
    )
    assert one.communicate()[0].split() == ["0", "1"]  # compiled
    assert other.communicate()[0].split() == ["1", "0"]  # loaded
    assert not (tmp_path / "sharedb").exists()


@pytest.mark.parametrize("levels", [False, True])
def test_a_first_run_has_another_process_compile_what_comes_late(monkeypatch, levels):
    started = []

    class Other:
        def __init__(self, command, **streams):
            started.append(command[-1])

        kill = wait = lambda self: started.append("ended")

    monkeypatch.setattr(_compiled.subprocess, "Popen", Other)
    X = np.random.default_rng(0).normal(size=(60, 3))
    table = read_table(X.round(1) if levels else X)
    with pytest.raises(KeyboardInterrupt), _compiled.compiling_aside(table, "auto"):
        raise KeyboardInterrupt
    calls = [call for call in started if call != "ended"]
    assert calls[0].endswith(", False)")  # no column is nominal
    assert ["compile_level_pairs" in call for call in calls[1:]] == [True] * levels
    assert started[len(calls) :] == ["ended"] * 2 * len(calls)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        ("compile_level_pairs({})", "pairs.copulas.block.fit_level_pairs"),
        ("compile_forests({}, False)", "forests._engine_lanes.run_chunks"),
        ("compile_forests({}, True)", "pairs.cells.kernels.fit_pairs"),
    ],
)
def test_what_comes_late_can_be_compiled(tmp_path, call, kernel):
    shared = tmp_path / "shared"
    shared.touch()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    module, _, name = kernel.rpartition(".")
    code = (
        "from spinney._core.compile import is_compiled\n"
        "from spinney.cli import _compiled\n"
        f"from spinney.{module} import {name}\n"
        f"_compiled.{call.format(repr(str(shared)))}\n"
        f"print(is_compiled({name}))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["True"]
