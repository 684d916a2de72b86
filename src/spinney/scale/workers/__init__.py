"""One function over many tasks: in threads or processes of this machine, or on many machines.

Whatever in spinney runs over tiles of pairs, subsets, halves, groups or repetitions goes through
:func:`over`. By itself that is joblib; within :func:`cluster` it is Dask.
"""

from spinney.scale.workers.connection import cluster
from spinney.scale.workers.spread import as_finished, n_workers, on_cluster, over

__all__ = ["as_finished", "cluster", "n_workers", "on_cluster", "over"]
