"""Which judge is which file, and what a judge says of a table.

Networks for comparisons are made by ``python -m training`` and lie in one folder (``--judges``):
``limit-connected.npz`` was trained on tables of the kind ``connected`` alone,
``without-trees.npz`` on a world without the group ``trees``, ``no-ladder.npz`` without the
channels of the ladder, ``larger.npz`` is a larger network, ``seed-1.npz`` and ``seed-2.npz`` are
the same training with other seeds, and ``short.npz`` is the yardstick of all that were trained for
less long than the one that is shipped: the whole world, all evidence, the same number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.learned.evidence import Seen
from spinney.evidence.out_of_distribution import Cloud
from spinney.exceptions import InputError
from spinney.judge import Judge
from spinney.judge.judge import JudgeReference
from training.world import GROUPS

OURS = "shipped"
SHORT = "short"
LIMITS = {
    f"limit-{kind}": (f"{kind}-50", f"{kind}-100", f"{kind}-500")
    for kind in ("connected", "loopy", "mixed-trees")
}
"""Networks trained on one kind alone, with the cells of that kind."""
WITHOUT = {f"without-{group}": group for group in GROUPS}
TWINS = ("seed-1", "seed-2")
ABLATIONS = {
    "no-ladder": "without the ladder",
    "no-copulas": "without copulas",
    "no-triangles": "without triangles",
    "larger": "larger",
    "smaller": "smaller",
}


def load(path: Path | None) -> Judge:
    """Read a judge from a file; None is the one that is shipped."""
    return Judge.load(path)


def find(folder: Path, names: Sequence[str]) -> dict[str, Judge]:
    """Read those of the named judges that the folder holds, and say which it does not."""
    found = {name: folder / f"{name}.npz" for name in names if (folder / f"{name}.npz").exists()}
    missing = [name for name in names if name not in found]
    if missing:
        print(f"  not in {folder.name}/: {', '.join(missing)}")
    return {name: load(path) for name, path in found.items()}


def need(judges: dict[str, Judge], folder: Path) -> dict[str, Judge]:
    """Return the judges if there are any."""
    if not judges:
        raise InputError(
            f"The folder '{folder}' holds none of these judges. Train them "
            "(`python -m training --help`), or name another folder by --judges."
        )
    return judges


def logits(judge: Judge, seen: Seen) -> NDArray[np.float32]:
    """Return the logit of every pair."""
    return np.asarray(judge.logits(seen.even, seen.odd))


def probabilities(judge: Judge, seen: Seen) -> NDArray[np.float64]:
    """Return the probability of every pair."""
    return np.asarray(expit(logits(judge, seen).astype(float)))


def identity(judge: Judge) -> dict[str, Any]:
    """Return what tells one judge from another, to be stored with results: its card and a mark."""
    card = {key: value for key, value in judge.card.items() if np.ndim(value) == 0}
    return {"fingerprint": JudgeReference.to(judge).fingerprint, "card": card}


def training(judge: Judge) -> dict[str, Any]:
    """Say how the first network of a judge was trained, and how large it is, if its card does."""
    if not judge.card.get("runs"):
        return {}
    run = judge.card["runs"][0]
    return {
        "steps": run["steps"],
        "tables": run["tables"],
        "went_on": bool(run["options"].get("start")),
        "width": run["options"]["width"],
        "blocks": run["options"]["blocks"],
    }


def cloud(judge: Judge) -> Cloud | None:
    """Return the cloud of a judge's training tables, if its file has one."""
    found = getattr(judge, "cloud", None)
    return Cloud.from_arrays(found) if isinstance(found, Mapping) else found
