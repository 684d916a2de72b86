"""What more rows will say: the answer from few rows, set beside that from many others.

A posterior is a martingale: the mean of P(edge | many rows), over the pairs that got p from few
rows, is p. So what the averaged network says of many rows of a real table is the target for what
the network says of few. No truth is needed, and real tables have none.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from spinney.evidence import N_EVEN
from training.pool import Batch, Pool
from training.schedule import choose_batch, padded_size

__all__ = ["FewAndMany", "coherence_loss"]


FEWEST_COLUMNS = 5
"""Columns of the tables that are compared. Two or three columns of a real table nearly always
depend on each other, and many rows show it: learned from such, most pairs of small tables would be
edges before they are looked at."""


class FewAndMany:
    """Tables of few rows, and beside each the table of many rows of the same columns.

    Parameters
    ----------
    pool : Pool
        Tables of the source ``rows``: an even seed has few rows, the next one many.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.n_taken = -1

    def take(self, patience: float) -> None:
        """Take in all shards, or those that come in time, and find the pairs of tables."""
        self.pool.take(self.pool.n_shards, patience)
        if self.pool.n_taken == self.n_taken:
            return
        self.n_taken = self.pool.n_taken
        where = {int(seed): k for k, seed in enumerate(self.pool.seed)}
        found = [
            (k, where[seed + 1])
            for seed, k in where.items()
            if not seed % 2 and seed + 1 in where and self.pool.d[k] >= FEWEST_COLUMNS
        ]
        self.members: dict[int, NDArray[np.int64]] = {}
        sizes = [padded_size(int(self.pool.d[few])) for few, _ in found]
        for size in sorted(set(sizes)):
            own = [pair for pair, its in zip(found, sizes, strict=True) if its == size]
            self.members[size] = np.array(own)

    def batch(self, seed: int, step: int, batch_pairs: int) -> tuple[Batch, Batch, float]:
        """Draw the tables of a step: few rows, many rows, and the factor of the loss."""
        counts = {size: len(members) for size, members in self.members.items()}
        choice = choose_batch(seed, step, counts, batch_pairs)
        few, many = self.members[choice.size][choice.places].T
        gather = self.pool.gather
        return gather(choice.size, few), gather(choice.size, many), choice.factor


def coherence_loss(model: nn.Module, average: nn.Module, few: Batch, many: Batch) -> Tensor:
    """Cross-entropy of the answer from few rows against that from many, by columns; their mean."""
    with torch.no_grad():
        target = _logits(average, many).float().sigmoid()
    logits = _logits(model, few).float()
    terms = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return (torch.where(few.pairs, terms, 0.0).sum(dim=1) / few.d).mean()


def _logits(model: nn.Module, batch: Batch) -> Tensor:
    even, odd = batch.evidence[..., :N_EVEN], batch.evidence[..., N_EVEN:]
    found: Tensor = model(even, odd, batch.mask, batch.places)
    return found
