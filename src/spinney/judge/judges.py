"""Which judge: the shipped one, one from a file, or one that is known by name only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from spinney._core.storable import storable
from spinney.evidence import N_EVEN, N_ODD, Evidence
from spinney.evidence.out_of_distribution import Cloud
from spinney.evidence.summaries import table_summary
from spinney.exceptions import InputError
from spinney.judge.judge import SHIPPED, Judge
from spinney.notices import Notice

__all__ = ["JudgeReference", "find_judge", "judge_logits", "judge_probabilities", "unlike_training"]

Floats = NDArray[np.float64]


@storable("JudgeReference")
@dataclass(frozen=True)
class JudgeReference:
    """A judge by name: what models and their files keep of it.

    Attributes
    ----------
    name : str
        As its card says.
    fingerprint : str
        Of all its numbers; two judges with the same judge alike.
    """

    name: str
    fingerprint: str

    @classmethod
    def to(cls, judge: Judge) -> JudgeReference:
        """Name a judge."""
        digest = sha256(np.array([judge.scale, judge.shift], dtype=np.float64).tobytes())
        for network in judge.networks:
            for name, array in sorted(network.arrays.items()):
                digest.update(name.encode())
                digest.update(np.ascontiguousarray(array, dtype=np.float32).tobytes())
        return cls(str(judge.card.get("name", "")), digest.hexdigest()[:16])


def find_judge(judge: Any) -> Judge:
    """Return the judge that a parameter means; None means the shipped one."""
    if judge is None:
        return _shipped()
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, str | Path):
        return Judge.load(judge)
    if isinstance(judge, JudgeReference):
        if SHIPPED.exists() and JudgeReference.to(_shipped()).fingerprint == judge.fingerprint:
            return _shipped()
        raise InputError(
            f"The model was fitted by the judge {judge.name!r} ({judge.fingerprint}), which its "
            "file names but does not hold. Give it: set_params(judge=Judge.load(path))."
        )
    raise InputError(f"judge must be a Judge, a path or None, not {judge!r}.")


@lru_cache(maxsize=1)
def _shipped() -> Judge:
    return Judge.load()


def judge_logits(
    judge: Judge, evidence: Evidence, n_jobs: int | None = None, device: str = "cpu"
) -> NDArray[np.float32]:
    """Let the judge look at the evidence of all pairs; logits of shape (n_pairs,)."""
    reads = judge.n_even, judge.n_odd
    if reads != (N_EVEN, N_ODD):
        raise InputError(
            f"The judge reads {reads[0]} even and {reads[1]} odd channels of evidence, but "
            f"{N_EVEN} and {N_ODD} are measured: it belongs to another version of spinney."
        )
    # Without a device numpy computes; any other name means torch.
    where = None if device == "cpu" else device
    return judge.logits(evidence.even, evidence.odd, device=where, n_jobs=n_jobs)


def judge_probabilities(
    judge: Judge, evidence: Evidence, n_jobs: int | None = None, device: str = "cpu"
) -> Floats:
    """Let the judge look at the evidence of all pairs; shape (n_pairs,)."""
    # In double precision, so that pairs that are nearly certain keep their order.
    return np.asarray(expit(judge_logits(judge, evidence, n_jobs, device).astype(np.float64)))


def unlike_training(judge: Judge, evidence: Evidence) -> tuple[Notice, ...]:
    """Find in what a table is unlike those of the judge's training; nothing if it has no cloud."""
    if judge.cloud is None:
        return ()
    return tuple(Cloud.from_arrays(judge.cloud).outside(table_summary(evidence)))
