"""Whether kernels are compiled is what numba itself finds on disc; processes can share the work."""

import os
import subprocess
import sys

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
