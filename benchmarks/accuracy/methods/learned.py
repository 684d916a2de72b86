"""The learner: the judge that is shipped, and any others.

``SPINNEY_JUDGES`` may name a folder: each judge in it, such as ``without-trees.npz``, is then a
method of its own, ``learned-without-trees``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from benchmarks.accuracy.methods import register
from spinney.judge import GraphLearner


def _register(name: str, judge: Path | None) -> None:
    @register(name)
    def fit(X: NDArray[Any], seed: int) -> GraphLearner:
        return GraphLearner(judge=judge, random_state=seed).fit(X)


_register("learned", None)
if _folder := os.environ.get("SPINNEY_JUDGES"):
    for _path in sorted(Path(_folder).glob("*.npz")):
        _register(f"learned-{_path.stem}", _path)
