"""Whether kernels are compiled is what numba itself finds on disc."""

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
