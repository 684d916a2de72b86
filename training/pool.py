"""Tables in the memory of the device, and batches of them.

Evidence stays as lists of pairs in half precision; a batch is gathered from them on the device, by
an index that is computed there. A thread reads shards ahead, but takes none into the
pool: that is done when a step asks for them, so that the pool at a step depends on nothing else.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spinney.exceptions import InputError
from training.model import Places, find_places
from training.schedule import padded_size, tables_at_once
from training.shards import Folders, Plan, Shard, list_folders, shard_path

__all__ = ["Batch", "Pool", "in_turn"]

AHEAD = 64
"""Shards that the reading thread keeps at hand."""
ROOM = 1.05
"""Memory is taken for this much more than the tables so far lead to expect."""


class Batch(NamedTuple):
    """Tables of one padded size on the device.

    Attributes
    ----------
    evidence : float16 tensor of shape (B, P, n_channels)
        Of the P = s (s - 1) / 2 pairs; without meaning for padded columns.
    truth : uint8 tensor of shape (B, P)
        1 for an edge, 0 for none, 255 where nobody knows.
    mask : bool tensor of shape (B, s)
        Which columns are real.
    pairs : bool tensor of shape (B, P)
        Which pairs are of two real columns.
    d : int64 tensor of shape (B,)
        Number of columns.
    index : int64 tensor of shape (B, P)
        Place of each pair among all pairs of the pool; 0 where there is no pair.
    places : three int64 tensors
        Where pairs stand in squares, by :func:`training.model.find_places`.
    """

    evidence: Tensor
    truth: Tensor
    mask: Tensor
    pairs: Tensor
    d: Tensor
    index: Tensor
    places: Places


class Pool:
    """Tables of one or several folders, as many shards as have been taken in.

    Parameters
    ----------
    folder : Path or sequence of Path
        Folders of tables, which may still be growing. The shards of several are taken in turn, in
        proportion to their numbers, so that the first ones are as mixed as all are.
    device : torch.device or str
        Where tables are kept.
    without : sequence of str
        Groups and spoils whose tables are left out.
    limit : int, optional
        Use the first shards only, as many as hold this many seeds.
    channels : sequence of str, optional
        Names of channels that the shards must have.
    as_they_come : bool
        Whether a folder whose next shard is late is passed over, so that it does not hold up the
        others. The order then depends on how fast tables are made.
    say : callable
        Takes lines of progress.
    """

    def __init__(
        self,
        folder: Folders,
        device: torch.device | str = "cpu",
        *,
        without: Sequence[str] = (),
        limit: int | None = None,
        channels: Sequence[str] | None = None,
        as_they_come: bool = False,
        say: Callable[[str], None] = print,
    ) -> None:
        self.folders = list_folders(folder)
        self.device, self.say = torch.device(device), say
        self.plans = [Plan.load(one) for one in self.folders]
        self.without = tuple(without)
        self.channels = None if channels is None else list(channels)
        order = in_turn([plan.n_shards for plan in self.plans])
        if limit is not None:
            held = np.cumsum([self.plans[i].size for i, _ in order])
            order = order[: int(np.searchsorted(held, limit)) + 1]
        self.n_shards = len(order)
        self.n_taken = 0
        self.n_pairs = 0
        self.evidence = torch.empty(0)
        self.truth = torch.empty(0)
        self.d = np.empty(0, np.int64)
        self.n = np.empty(0, np.int64)
        self.seed = np.empty(0, np.int64)
        self.offsets = np.empty(0, np.int64)
        self.origin = np.empty(0, np.int64)
        self.labels: list[dict[str, Any]] = []
        self.members: dict[int, NDArray[np.int64]] = {}
        self._of_size: dict[int, tuple[Tensor, Places]] = {}
        paths = [(i, shard_path(self.folders[i], k)) for i, k in order]
        self._reader = _Reader(paths, self.device.type == "cuda", as_they_come)

    def __len__(self) -> int:
        """Count the tables."""
        return len(self.d)

    def describe(self) -> dict[str, Any]:
        """Tell which tables these are, in plain values; lists if there are several folders."""
        found = [asdict(plan) for plan in self.plans]
        merged = {name: [plan[name] for plan in found] for name in found[0]}
        one: dict[str, Any] = found[0] if len(found) == 1 else merged
        return one | {"without": sorted({name for plan in self.plans for name in plan.without})}

    @property
    def counts(self) -> dict[int, int]:
        """Number of tables by padded size."""
        return {size: len(members) for size, members in self.members.items()}

    def take(
        self,
        n_shards: int,
        patience: float = float("inf"),
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Take in the first `n_shards` shards, waiting for those that are not made yet.

        Returns whether they are all in: not, if there was nothing new for `patience` seconds, or
        if `stop` says so.
        """
        wanted = min(n_shards, self.n_shards)
        found: list[_Read] = []
        begin = told = time.monotonic()
        while self.n_taken + len(found) < wanted:
            try:
                item = self._reader.read.get(timeout=min(1.0, max(patience, 0.01)))
            except queue.Empty:
                now = time.monotonic()
                if now - begin >= patience or stop():
                    break
                if now - told >= 10:
                    told = now
                    here = self.n_taken + len(found)
                    where = ", ".join(map(str, self.folders))
                    self.say(f"waiting for shard {here} (of {wanted} needed now) in {where}")
                continue
            if isinstance(item, BaseException):
                raise item
            found.append(item)
            begin = time.monotonic()
        if found:
            self._append(found)
        return self.n_taken >= wanted

    def take_all(self) -> Pool:
        """Take in every shard."""
        self.take(self.n_shards)
        return self

    def close(self) -> None:
        """Let the reading thread end."""
        self._reader.stop()

    def batch(self, size: int, places: NDArray[np.int64]) -> Batch:
        """Put tables of one padded size together; `places` are positions in ``members[size]``."""
        return self.gather(size, self.members[size][places])

    def gather(self, size: int, tables: NDArray[np.int64]) -> Batch:
        """Put tables together by their numbers; `size` is their padded size."""
        numbers = torch.from_numpy(np.stack([self.offsets[tables], self.d[tables]]))
        if self.device.type == "cuda":
            numbers = numbers.pin_memory().to(self.device, non_blocking=True)
        offset, d = numbers[0], numbers[1]
        (low, high), squares = self._nodes(size)
        columns = d[:, None]
        pairs = high < columns
        # The place of a pair in its table, as in spinney._core.pairs.
        place = torch.div(low * (2 * columns - low - 1), 2, rounding_mode="floor") + high - low - 1
        index = torch.where(pairs, offset[:, None] + place, 0)
        mask = torch.arange(size, device=self.device) < d[:, None]
        return Batch(self.evidence[index], self.truth[index], mask, pairs, d, index, squares)

    def batches(self, batch_pairs: int) -> Iterator[tuple[NDArray[np.int64], Batch]]:
        """Go through all tables once; yields their numbers and the batch."""
        for size in sorted(self.members):
            members = self.members[size]
            step = tables_at_once(size, batch_pairs)
            for first in range(0, len(members), step):
                places = np.arange(first, min(first + step, len(members)))
                yield members[places], self.batch(size, places)

    def sample(self, n_tables: int, per_table: int, seed: int) -> NDArray[np.float32]:
        """Give evidence of some pairs of the first tables, at most `per_table` of each."""
        rng = np.random.default_rng(seed)
        chosen = []
        for d, offset in zip(self.d[:n_tables], self.offsets[:n_tables], strict=True):
            pairs = d * (d - 1) // 2
            places = (
                rng.choice(pairs, per_table, replace=False)
                if pairs > per_table
                else np.arange(pairs)
            )
            chosen.append(offset + places)
        index = torch.from_numpy(np.concatenate(chosen)).to(self.device)
        return self.evidence[index].float().cpu().numpy()

    def _nodes(self, size: int) -> tuple[Tensor, Places]:
        """Both columns of every pair, and where pairs stand in squares."""
        if size not in self._of_size:
            nodes = torch.triu_indices(size, size, 1, device=self.device)
            self._of_size[size] = nodes, find_places(size, self.device)
        return self._of_size[size]

    def _append(self, found: Sequence[_Read]) -> None:
        for item in found:
            self._check_channels(item)
        new_pairs = sum(len(item.truth) for item in found)
        self._make_room(new_pairs, len(found))
        d, n, seed, offsets = [self.d], [self.n], [self.seed], [self.offsets]
        origin = [self.origin]
        for item in found:
            shard, first = item.shard, self.n_pairs
            last = first + len(item.truth)
            self.evidence[first:last].copy_(item.evidence, non_blocking=True)
            self.truth[first:last].copy_(item.truth, non_blocking=True)
            kept = self._kept(shard)
            d.append(shard.d[kept])
            n.append(shard.n[kept])
            seed.append(shard.seed[kept])
            offsets.append(first + shard.offsets[:-1][kept])
            origin.append(np.full(len(kept), item.origin))
            self.labels += [shard.labels(i) for i in kept]
            self.n_pairs = last
            self.n_taken += 1
        before = len(self.d)
        self.d, self.n = np.concatenate(d), np.concatenate(n)
        self.seed, self.offsets = np.concatenate(seed), np.concatenate(offsets)
        self.origin = np.concatenate(origin)
        sizes = np.array([padded_size(int(columns)) for columns in self.d[before:]], dtype=np.int64)
        for size in np.unique(sizes):
            new = before + np.flatnonzero(sizes == size)
            old = self.members.get(int(size), np.empty(0, np.int64))
            self.members[int(size)] = np.concatenate([old, new])

    def _kept(self, shard: Shard) -> NDArray[np.intp]:
        """Find the tables of no group or spoil that is left out; a pair needs two columns."""
        left_out = np.zeros(len(shard.d), dtype=bool)
        for label, masks in (("groups", shard.groups), ("spoils", shard.spoils)):
            names = enumerate(shard.names[label])
            left_out |= masks & sum(1 << i for i, name in names if name in self.without) != 0
        return np.flatnonzero(~left_out & (shard.d >= 2))

    def _check_channels(self, item: _Read) -> None:
        if self.channels is None:
            self.channels = item.shard.names["channels"]
        if item.shard.names["channels"] != self.channels:
            raise InputError(
                f"The tables in {self.folders[item.origin]} were measured by other channels than "
                "the evidence has now. Make them again in another folder."
            )

    def _make_room(self, new_pairs: int, new_shards: int) -> None:
        needed = self.n_pairs + new_pairs
        if needed <= len(self.truth):
            return
        expected = needed / (self.n_taken + new_shards) * self.n_shards
        room = max(needed, int(ROOM * expected), int(ROOM * len(self.truth)))
        assert self.channels is not None
        evidence = torch.zeros(room, len(self.channels), dtype=torch.float16, device=self.device)
        truth = torch.zeros(room, dtype=torch.uint8, device=self.device)
        if self.n_pairs:
            evidence[: self.n_pairs] = self.evidence[: self.n_pairs]
            truth[: self.n_pairs] = self.truth[: self.n_pairs]
        self.evidence, self.truth = evidence, truth
        if self.device.type == "cuda":
            torch.cuda.empty_cache()  # others may need what the old ones took


def in_turn(counts: Sequence[int]) -> list[tuple[int, int]]:
    """Mix lists of several lengths so that all go at the same pace; gives list and place in it.

    Examples
    --------
    >>> in_turn([4, 2])
    [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (0, 3)]
    """
    places = [((k + 0.5) / count, i, k) for i, count in enumerate(counts) for k in range(count)]
    return [(i, k) for _, i, k in sorted(places)]


class _Read(NamedTuple):
    """A shard with its pairs as tensors, ready to be copied to the device."""

    origin: int
    shard: Shard
    evidence: Tensor
    truth: Tensor


class _Reader:
    """A thread that reads shards in order, as they appear."""

    def __init__(
        self, paths: Sequence[tuple[int, Path]], pin: bool, as_they_come: bool = False
    ) -> None:
        self.paths, self.pin, self.as_they_come = list(paths), pin, as_they_come
        self.n_folders = len({origin for origin, _ in paths})
        self.read: queue.Queue[_Read | BaseException] = queue.Queue(AHEAD)
        self._stopped = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="shards").start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        try:
            while self.paths:
                while (place := self._next()) is None:
                    if self._stopped.wait(0.25):
                        return
                if not self._put(self._load(*self.paths.pop(place))):
                    return
        except BaseException as error:
            self._put(error)

    def _next(self) -> int | None:
        """Find the first path that is there: of all, or of the next one of each folder."""
        seen: set[int] = set()
        for place, (origin, path) in enumerate(self.paths):
            if origin not in seen and path.exists():
                return place
            if not self.as_they_come:
                return None
            seen.add(origin)
            if len(seen) == self.n_folders:
                return None
        return None

    def _load(self, origin: int, path: Path) -> _Read:
        shard = Shard.load(path)
        evidence, truth = torch.from_numpy(shard.evidence), torch.from_numpy(shard.truth)
        if self.pin:
            evidence, truth = evidence.pin_memory(), truth.pin_memory()
        return _Read(origin, shard, evidence, truth)

    def _put(self, item: _Read | BaseException) -> bool:
        while not self._stopped.is_set():
            try:
                self.read.put(item, timeout=0.5)
                return True
            except queue.Full:
                continue
        return False
