"""What networks say of all tables of a pool, and their scores by group, kind, rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from training.metrics import scores
from training.model import PairNetwork
from training.pool import Pool
from training.shards import UNKNOWN

__all__ = ["Judged", "judge_pool"]

D_LIMITS = (2, 8, 16, 25, 40, 64, 100, 151)
N_LIMITS = (10, 30, 100, 300, 1000, 5001)


class Judged:
    """Logits and truth of the pairs of all tables of a pool, one table after the other."""

    def __init__(self, pool: Pool, logits: NDArray[np.float32], truth: NDArray[np.uint8]) -> None:
        self.d, self.n, self.seed, self.described = pool.d, pool.n, pool.seed, pool.labels
        self.origin, self.folders = pool.origin, pool.folders
        pairs = self.d * (self.d - 1) // 2
        self.first = np.concatenate([[0], np.cumsum(pairs)])
        # Tables that were left out have pairs in the pool, but no place here.
        begin = np.repeat(pool.offsets - self.first[:-1], pairs)
        rows = begin + np.arange(self.first[-1])
        self.logits, self.truth = logits[rows], truth[rows]

    def __len__(self) -> int:
        return len(self.d)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of every pair in the loss: one by the columns of its table; 0 if unknown."""
        return (self.truth != UNKNOWN) / np.repeat(self.d, np.diff(self.first)).astype(float)

    def by_folder(self) -> dict[str, NDArray[np.intp]]:
        """List the tables of each folder, by the folder's name."""
        return {
            folder.name: np.flatnonzero(self.origin == i) for i, folder in enumerate(self.folders)
        }

    def scores(
        self, tables: NDArray[np.intp] | None = None, logits: NDArray[Any] | None = None
    ) -> dict[str, float]:
        """Score some tables (default: all), if wished with other logits of the same pairs."""
        found = self.logits if logits is None else logits
        if tables is None:
            return scores(found, self.truth, self.d)
        rows = self.rows(tables)
        return scores(found[rows], self.truth[rows], self.d[tables])

    def rows(self, tables: NDArray[np.intp]) -> NDArray[np.int64]:
        """List the pairs of some tables."""
        pairs = np.diff(self.first)[tables]
        ends = np.cumsum(pairs)
        begin = np.repeat(self.first[tables] - (ends - pairs), pairs)
        return begin + np.arange(int(pairs.sum()))

    def by(self) -> pd.DataFrame:
        """Score all tables, and those of every group, kind, range of rows and of columns."""
        rows = [{"by": "all", "value": "", **self.scores()}]
        for name, values in self._labels().items():
            for value in sorted({v for some in values for v in some}, key=_natural):
                tables = np.flatnonzero([value in some for some in values])
                rows.append({"by": name, "value": value, **self.scores(tables)})
        return pd.DataFrame(rows)

    def _labels(self) -> dict[str, list[tuple[str, ...]]]:
        def each(name: str, as_tuple: Callable[[Any], tuple[str, ...]]) -> list[tuple[str, ...]]:
            return [as_tuple(label[name]) for label in self.described]

        return {
            "group": each("groups", tuple),
            "graph": each("graph", lambda word: (word,)),
            "density": each("density", lambda word: (word,) if word else ()),
            "spoils": each("spoils", lambda words: tuple(words) or ("none",)),
            "rows": [(word,) for word in _ranges(self.n, N_LIMITS)],
            "columns": [(word,) for word in _ranges(self.d, D_LIMITS)],
        }


@torch.no_grad()
def judge_pool(networks: Sequence[PairNetwork], pool: Pool, batch_pairs: int = 80_000) -> Judged:
    """Average the logits of networks over all tables of a pool, in float32."""
    logits = torch.zeros(max(1, pool.n_pairs), device=pool.device)
    for _, batch in pool.batches(batch_pairs):
        n_even = networks[0].settings.n_even
        even, odd = batch.evidence[..., :n_even], batch.evidence[..., n_even:]
        told = [network(even, odd, batch.mask, batch.places) for network in networks]
        logits[batch.index[batch.pairs]] = torch.stack(told).mean(dim=0)[batch.pairs].float()
    truth = pool.truth[: pool.n_pairs].cpu().numpy()
    return Judged(pool, logits.cpu().numpy(), truth)


def _ranges(values: NDArray[np.int64], limits: Sequence[int]) -> Iterable[str]:
    places = np.clip(np.searchsorted(limits, values, side="right") - 1, 0, len(limits) - 2)
    return [f"{limits[i]}-{limits[i + 1] - 1}" for i in places]


def _natural(word: str) -> tuple[int, str]:
    head = word.split("-")[0]
    return (int(head), "") if head.isdigit() else (-1, word)
