"""The peers by name: which R package, how it sees the table, how it chooses."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

__all__ = ["PEERS", "Peer"]


@dataclass(frozen=True)
class Peer:
    """One way to call one R package.

    Attributes
    ----------
    package : {"huge", "BDgraph"}
        The package.
    estimator : str
        ``glasso`` or ``mb`` (huge), ``ggm`` or ``gcgm`` (BDgraph).
    scores : {"none", "shrinkage", "truncation"}
        huge's nonparanormal scores before anything else.
    selection : {"stars", "ric", "ebic", "posterior"}
        How the graph is chosen; BDgraph keeps edges with a posterior probability above ½.
    threshold, repetitions : float, int
        StARS' threshold, and the number of subsamples or rotations.
    gamma : float
        Extra price of an edge in eBIC.
    n_penalties, penalty_ratio : int, float
        huge's path; the defaults are its own.
    iterations : int
        BDgraph's, of which the first half is burnt.
    """

    package: Literal["huge", "BDgraph"]
    estimator: str
    scores: str = "none"
    selection: str = "posterior"
    threshold: float = 0.1
    repetitions: int = 10
    gamma: float = 0.5
    n_penalties: int = 10
    penalty_ratio: float = 0.1
    iterations: int = 5000

    def with_options(self, **options: Any) -> Peer:
        """Return a copy with some options changed."""
        return replace(self, **options)

    def options(self) -> dict[str, Any]:
        """Everything that R is told."""
        return asdict(self)


PEERS: dict[str, Peer] = {
    "huge-glasso-stars": Peer("huge", "glasso", selection="stars"),
    "huge-glasso-stars-0.05": Peer("huge", "glasso", selection="stars", threshold=0.05),
    "huge-glasso-ric": Peer("huge", "glasso", selection="ric", repetitions=20),
    "huge-glasso-ebic": Peer("huge", "glasso", selection="ebic"),
    "huge-mb-stars": Peer("huge", "mb", selection="stars"),
    "huge-mb-ric": Peer("huge", "mb", selection="ric", repetitions=20),
    "huge-npn-stars": Peer("huge", "glasso", "shrinkage", "stars"),
    "huge-npn-ric": Peer("huge", "glasso", "shrinkage", "ric", repetitions=20),
    "huge-npn-ebic": Peer("huge", "glasso", "shrinkage", "ebic"),
    "huge-npn-truncation-stars": Peer("huge", "glasso", "truncation", "stars"),
    "bdgraph-ggm": Peer("BDgraph", "ggm"),
    "bdgraph-gcgm": Peer("BDgraph", "gcgm"),
}
"""The peers that spinney is measured against."""
