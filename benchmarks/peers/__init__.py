"""Peers from R: huge and BDgraph, started as a process on the same tables as spinney."""

from benchmarks.peers.adapter import (
    Job,
    PeerError,
    PeerResult,
    has_r,
    read_results,
    run_jobs,
    write_results,
)
from benchmarks.peers.methods import PEERS, Peer

__all__ = [
    "PEERS",
    "Job",
    "Peer",
    "PeerError",
    "PeerResult",
    "has_r",
    "read_results",
    "run_jobs",
    "write_results",
]
