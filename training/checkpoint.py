"""Checkpoints: everything that training needs to go on, written whole."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch

from spinney._core.files import whole_file
from spinney.exceptions import InputError
from spinney.judge import Judge, Settings
from training.model import PairNetwork, from_arrays

__all__ = ["Options", "load_checkpoint", "load_network", "save_checkpoint", "trained_with"]

CHECKPOINT = "checkpoint.pt"
COUNTED = ("tables", "steps", "seconds")
"""What is counted over all runs that a network went through."""


@dataclass(frozen=True)
class Options:
    """What a run of training depends on, other than its tables.

    Parameters
    ----------
    steps, seed : int
        Number of steps, and what the start of the network and all batches are drawn from.
    width, odd_width, triangle_width, blocks : int
        Sizes of the network; see :class:`spinney.judge.Settings`.
    triangles : bool
        Whether the network has sums over third columns.
    without, drop : tuple of str
        Groups of tables (or their spoils), and groups of evidence, that are left out.
    limit : int
        Seeds to use, from the first; 0 for all.
    batch_pairs : int
        Pairs of all tables of a batch together.
    rate, warm_up, weight_decay, clip, average : float
        Peak and warm-up of the learning rate, decay of the weights, largest norm of a gradient,
        and decay of the moving average of the weights.
    start : str
        Folder of a run, or file of a judge, whose network is gone on with; empty for a new one.
        Of a judge with several, seed 1 takes the first, seed 2 the second, and so on.
    first, full : float
        Share of the tables in use at the first step, and of the steps before all are.
    minutes, uses, newer : float
        If `minutes` is not 0: time after which training ends, whatever the step; the rate follows
        the clock, tables are taken in as they come, and waited for once each was used more than
        `uses` times. `newer` favours late tables (:func:`training.schedule.choose_batch`).
    coherence, coherent_from : float
        Weight of coherence (:mod:`training.coherence`), and the share of the steps before it
        counts; it needs a network that knows something.
    """

    steps: int
    seed: int = 1
    width: int = 64
    odd_width: int = 32
    triangle_width: int = 32
    blocks: int = 6
    triangles: bool = True
    without: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    limit: int = 0
    batch_pairs: int = 80_000
    start: str = ""
    rate: float = 1e-3
    warm_up: int = 500
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.999
    first: float = 0.1
    full: float = 0.75
    minutes: float = 0.0
    uses: float = 5.0
    newer: float = 1.0
    coherence: float = 0.0
    coherent_from: float = 0.5

    def network(self, n_even: int, n_odd: int) -> Settings:
        """Give the sizes of the network."""
        return Settings(
            n_even=n_even,
            n_odd=n_odd,
            width=self.width,
            odd_width=self.odd_width,
            triangle_width=self.triangle_width,
            n_blocks=self.blocks,
            triangles=self.triangles,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the options as plain values."""
        return {**asdict(self), "without": list(self.without), "drop": list(self.drop)}


def save_checkpoint(folder: Path, state: dict[str, Any]) -> None:
    """Write tensors and plain values, all or nothing."""
    with whole_file(folder / CHECKPOINT) as path:
        torch.save(state, path)


def load_checkpoint(folder: Path, device: torch.device | str = "cpu") -> dict[str, Any] | None:
    """Read a checkpoint, if there is one; nothing in it is executed."""
    path = Path(folder) / CHECKPOINT
    if not path.exists():
        return None
    found: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    return found


def check_same(folder: Path, options: Options, plan: dict[str, Any], state: dict[str, Any]) -> None:
    """Raise an error if a checkpoint was made by other options or from other tables."""
    here = made_by(options, plan)
    for name, value in here.items():
        if state["made_by"].get(name) != value:
            raise InputError(
                f"{folder} holds a run with other settings ({name}: "
                f"{state['made_by'].get(name)} there, {value} here). Choose another folder."
            )


def made_by(options: Options, plan: dict[str, Any]) -> dict[str, Any]:
    """Put together what a checkpoint must agree in to be gone on from."""
    return {**options.to_dict(), **{f"tables.{name}": value for name, value in plan.items()}}


def load_network(
    path: Path,
    settings: Settings | None = None,
    place: int = 0,
    device: torch.device | str = "cpu",
) -> PairNetwork:
    """Make the network of a run, with the moving average of its weights, or one of a judge.

    `path` is the folder of the run, or the file of the judge, whose networks of these `settings`
    are taken in turn: `place` counts from 0, and begins anew after the last.
    """
    if path.is_file():
        judge = Judge.load(path)
        stored = judge.networks[_which(judge, settings, place, path)]
        return from_arrays(stored.settings, stored.arrays).to(device).eval()
    state = load_checkpoint(path, device)
    if state is None:
        raise InputError(f"{path} holds no {CHECKPOINT}. Train first: python -m training train …")
    names = {field.name for field in fields(Settings)}
    network = PairNetwork(Settings(**{k: v for k, v in state["network"].items() if k in names}))
    network.load_state_dict(state["average"])
    return network.to(device).eval()


def trained_with(
    path: Path, settings: Settings | None = None, place: int = 0
) -> dict[str, int | float]:
    """Count tables, steps and seconds of a network's training, since it was first begun.

    `path`, `settings` and `place` are those of :func:`load_network`.
    """
    if path.is_file():
        judge = Judge.load(path)
        runs = judge.card.get("runs") or [{}] * len(judge.networks)
        run = runs[_which(judge, settings, place, path)]
        return {name: run.get(name, 0) for name in COUNTED}
    state = load_checkpoint(path)
    return dict.fromkeys(COUNTED, 0) if state is None else in_all(state)


def in_all(state: dict[str, Any]) -> dict[str, int | float]:
    """Add what a checkpoint was trained with to what came before it."""
    before = state.get("before") or dict.fromkeys(COUNTED, 0)
    own = {"tables": state["tables"], "steps": state["step"], "seconds": round(state["seconds"])}
    return {name: own[name] + before[name] for name in COUNTED}


def _which(judge: Judge, settings: Settings | None, place: int, path: Path) -> int:
    """Find the network of a judge that is `place` among those of these sizes."""
    found = [k for k, n in enumerate(judge.networks) if settings in (None, n.settings)]
    if not found:
        raise InputError(f"{path} holds no network of these sizes: {settings}.")
    return found[place % len(found)]
