"""Run the sections: ``python -m benchmarks.gpu [section …]``, on a machine with a GPU."""

import sys

from benchmarks._run import run_sections
from benchmarks.gpu import sections
from spinney.scale.gpu.device import why_no_cuda

SECTIONS = {
    "network": sections.network,
    "pairs-1000": sections.pairs_1000,
    "pairs-5000": sections.pairs_5000,
}

reason = why_no_cuda(("numba-cuda", "torch"))
if reason is not None:
    sys.exit(f"This benchmark needs a GPU: {reason}")
run_sections("gpu", SECTIONS, seed=20261116)
