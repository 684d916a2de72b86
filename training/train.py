"""Training: AdamW over batches of tables, in bfloat16 on an accelerator, and it can be resumed.

Nothing in the loop waits for the device: losses are summed there and read every hundred steps.
"""

from __future__ import annotations

import copy
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from spinney.evidence import CHANNELS, N_EVEN, N_ODD
from training.checkpoint import (
    Options,
    check_same,
    load_checkpoint,
    load_network,
    made_by,
    save_checkpoint,
    trained_with,
)
from training.coherence import FewAndMany, coherence_loss
from training.evaluate import judge_pool
from training.model import PairNetwork, find_places
from training.pool import Batch, Pool
from training.schedule import Schedule, choose_batch, tables_at_once
from training.shards import UNKNOWN, Folders
from training.standardise import standardisation

__all__ = ["Trainer", "loss_of"]

SCALE_TABLES, SCALE_PAIRS = 4096, 300
"""Tables, and pairs of each, on which channels are standardised."""
REPORT_STEPS = 100
FIRST_SHARDS = 40
"""Where training ends by the clock: shards that a new network begins with."""
TAKE_STEPS = 20
"""There: steps after which training looks for new tables."""
PATIENCE_S = 15.0
"""There: seconds without a new table after which nobody is thought to make any."""
CHECKPOINT_S = 60.0
MOST_USES = 6
"""Times that a table can be used before a network learns it by heart. After 33, a network left 0.9
wrong edges in a grafted table that it had been trained on, and 2.3 in others; a few hundred steps
on new tables mended that."""
BETAS = (0.9, 0.98)


class Trainer:
    """A run of training in a folder, from its checkpoint if there is one.

    Parameters
    ----------
    options : Options
        What the result depends on.
    tables, validation : Path or sequence of Path
        Folders of tables; without `validation` there are no scores on the way. Of several folders,
        batches hold tables of all, in proportion to their sizes.
    rows : Path or sequence of Path, optional
        Folders of few and many rows of real tables (source ``rows``), for coherence.
    out : Path
        Folder of the run: ``checkpoint.pt`` and ``metrics.jsonl``.
    device : str
        ``"cuda"``, ``"cpu"``, or ``"auto"``.
    compiled : {"auto", "dynamic", "static", "no"}
        How blocks of the network are compiled: once for all sizes, once for each, or not.
    patience : float
        Seconds to wait for tables that are not made yet, before going on with fewer.
    validate_every : int
        Steps between scores on the validation tables.
    say : callable
        Takes lines of progress.
    """

    def __init__(
        self,
        options: Options,
        tables: Folders,
        out: Path,
        *,
        rows: Folders = None,
        validation: Folders = None,
        device: str = "auto",
        compiled: str = "auto",
        patience: float = float("inf"),
        validate_every: int = 1000,
        say: Callable[[str], None] = print,
    ) -> None:
        self.options, self.out, self.say = options, Path(out), say
        self.patience, self.validate_every = patience, validate_every
        self.out.mkdir(parents=True, exist_ok=True)
        self.device = torch.device(
            ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        )
        torch.set_float32_matmul_precision("high")
        names = [channel.name for channel in CHANNELS]
        self.pool = Pool(
            tables,
            self.device,
            without=options.without,
            limit=options.limit or None,
            channels=names,
            as_they_come=options.minutes > 0,
            say=say,
        )
        self.plan = self.pool.describe()
        self.schedule = Schedule(
            steps=options.steps,
            n_shards=self.pool.n_shards,
            peak=options.rate,
            warm_up=options.warm_up,
            first=options.first,
            full=options.full,
        )
        self.rows = None
        if rows and options.coherence > 0:
            self.rows = FewAndMany(Pool(rows, self.device, channels=names, say=say))
        self.validation = None if not validation else Pool(validation, self.device, say=say)
        torch.manual_seed(options.seed)
        self.model = PairNetwork(options.network(N_EVEN, N_ODD)).to(self.device)
        self.before: dict[str, int | float] | None = None
        if options.start:
            place = options.seed - 1
            start = (Path(options.start), self.model.settings, place)
            self.model.load_state_dict(load_network(*start).state_dict())
            self.before = trained_with(*start)
        self.average = copy.deepcopy(self.model).eval().requires_grad_(False)
        self.optimizer = _optimizer(self.model, options, self.device)
        self.step = 0
        self.n_used = 0
        self.seconds = 0.0
        self.began = time.monotonic()
        self.on_time = self.more_to_come = True
        self._restore()
        self.compiled = compiled
        if compiled == "auto":
            self.compiled = "dynamic" if self.device.type == "cuda" else "no"

    def run(self) -> bool:
        """Train to the last step; returns whether it came so far, or was told to stop."""
        parameters = list(self.model.parameters())
        averages = list(self.average.parameters())
        total = torch.zeros((), device=self.device)
        skipped = torch.zeros((), device=self.device)
        self._take()
        if self.step == 0 and not self.options.start:
            sample = self.pool.sample(SCALE_TABLES, SCALE_PAIRS, self.options.seed)
            arrays = standardisation(sample, self.options.drop)
            for network in (self.model, self.average):
                network.set_standardisation(**arrays)
        if self.compiled != "no":
            self._compile()
        told, told_step, saved = time.monotonic(), self.step, time.monotonic()
        self.began = time.monotonic() - self.seconds
        with _told_to_stop() as stop:
            while self._place() < self.options.steps and not stop():
                self._take(stop)
                if stop():
                    break
                loss = self._gradient()
                norm = torch.nn.utils.clip_grad_norm_(parameters, self.options.clip, foreach=True)
                # A step whose gradient is not finite is left out, without asking the device.
                missed = (~torch.isfinite(norm)).float()
                self.optimizer.found_inf = missed  # type: ignore[attr-defined]
                for group in self.optimizer.param_groups:
                    group["lr"] = self.schedule.rate(self._place())
                self.optimizer.step()
                self._average(averages, parameters)
                total += torch.where(missed > 0, 0.0, loss)
                skipped += missed
                self.step += 1
                if self.step % REPORT_STEPS == 0 or self.step == self.options.steps:
                    mean = float(total) / (self.step - told_step)
                    now = time.monotonic()
                    self._report(mean, int(skipped), now - told, self.step - told_step)
                    total.zero_()
                    told, told_step = now, self.step
                if self.step % self.validate_every == 0 and self.step < self.options.steps:
                    self._validate()
                if time.monotonic() - saved > CHECKPOINT_S:
                    self._save()
                    saved = time.monotonic()
        finished = self._place() == self.options.steps
        self._save()
        if finished:
            self._validate()
        else:
            self.say(f"stopped at step {self.step}; the same command goes on from here")
        return finished

    def close(self) -> None:
        """Let go of the threads that read tables."""
        self.pool.close()
        if self.rows is not None:
            self.rows.pool.close()
        if self.validation is not None:
            self.validation.close()

    def _gradient(self) -> Tensor:
        """Compute the gradient of the next batch; returns its loss."""
        choice = choose_batch(
            self.options.seed,
            self.step,
            self.pool.counts,
            self.options.batch_pairs,
            self.options.newer,
        )
        self.n_used += len(choice.places)
        batch = self.pool.batch(choice.size, choice.places)
        try:
            loss = self._backward(batch, choice.factor)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:
            if self.compiled == "no":
                raise
            self._give_up_compiling(error)
            loss = self._backward(batch, choice.factor)
        begins = self.options.coherent_from * self.options.steps
        if self.rows is not None and self._place() >= begins:
            self._cohere(self.rows)
        return loss

    def _cohere(self, rows: FewAndMany) -> None:
        """Add the gradient of coherence, of a quarter as many pairs."""
        if rows.n_taken < 0 or self.step % REPORT_STEPS == 0:
            rows.take(self.patience if rows.n_taken < 0 else 0.0)
        few, many, factor = rows.batch(
            self.options.seed, self.step, max(1, self.options.batch_pairs // 4)
        )
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            loss = coherence_loss(self.model, self.average, few, many)
        (self.options.coherence * factor * loss).backward()

    def _backward(self, batch: Batch, factor: float) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            logits = self.model(
                batch.evidence[..., :N_EVEN],
                batch.evidence[..., N_EVEN:],
                batch.mask,
                batch.places,
            )
        loss = factor * loss_of(logits, batch)
        loss.backward()
        return loss.detach()

    @torch.no_grad()
    def _average(self, averages: list[Tensor], parameters: list[Tensor]) -> None:
        # Early on, a shorter memory: the first weights are not worth keeping.
        decay = min(self.options.average, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(averages, parameters, 1 - decay)

    def _compile(self) -> None:
        """Compile the blocks, all alike, so that one compilation serves them all."""
        # Few processes to compile with: others train, or make tables, beside this one.
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "4")
        # Under several shapes, and with and without gradients, there are some versions.
        torch._dynamo.config.recompile_limit = 64
        start = time.monotonic()
        # The first block gets tensors of their own, as the others do, and not views: for these,
        # torch would compile it once more.
        for maps in (self.model.even_in, self.model.odd_in):
            maps.register_forward_hook(lambda module, inputs, output: output.clone())
        for block in self.model.blocks:
            block.compile(dynamic=self.compiled == "dynamic")
        if self.compiled == "dynamic":
            # A first batch with sizes unlike those of the channels, so that no length is taken
            # for another one that happens to be equal.
            d = 25
            n_tables = tables_at_once(d, self.options.batch_pairs)
            try:
                self._backward(_blank_batch(n_tables, d, self.device), 1.0)
            except torch.OutOfMemoryError:
                raise
            except Exception as error:
                self._give_up_compiling(error)
            self.optimizer.zero_grad(set_to_none=True)
            self.say(f"compiled the network in {time.monotonic() - start:.0f} s")

    def _give_up_compiling(self, error: Exception) -> None:
        reason = (str(error).strip().splitlines() or [""])[0]
        self.say(f"going on without compiling ({type(error).__name__}: {reason})")
        self.compiled = "no"
        for block in self.model.blocks:
            block._compiled_call_impl = None

    def _place(self) -> int:
        """Tell how far training has come, in steps, by the clock if that is to end it."""
        if not self.options.minutes:
            return self.step
        share = (time.monotonic() - self.began) / (60 * self.options.minutes)
        return min(self.options.steps, int(share * self.options.steps))

    def _take_what_is_there(self, stop: Callable[[], bool]) -> None:
        """Take in all tables that are made, and wait for more if these were used too often."""
        self.on_time = False
        if self.step % TAKE_STEPS == 0:
            self.pool.take(self.pool.n_shards, 0.0, stop=stop)
        if self.more_to_come and self.n_used >= self.options.uses * len(self.pool):
            next_shard = min(self.pool.n_taken + 1, self.pool.n_shards)
            patience = min(self.patience, PATIENCE_S)
            self.more_to_come = self.pool.take(next_shard, patience, stop=stop)

    def _take(self, stop: Callable[[], bool] = lambda: False) -> None:
        if self.options.minutes:
            # Channels of a new network are scaled by what the first tables hold.
            self.pool.take(1 if self.options.start else FIRST_SHARDS, stop=stop)
            self._take_what_is_there(stop)
            return
        wanted = self.schedule.available(self.step)
        if wanted <= self.pool.n_taken:
            return
        self.pool.take(1, stop=stop)  # something to begin with is always waited for
        on_time = self.pool.take(wanted, self.patience if self.on_time else 0.0, stop=stop)
        late, self.on_time = self.on_time and not on_time and not stop(), on_time and self.on_time
        if late:
            self.say(
                f"going on at step {self.step} with {self.pool.n_taken} of {wanted} shards; "
                "from here on, results depend on how fast tables come"
            )

    def _report(self, loss: float, skipped: int, seconds: float, steps: int) -> None:
        self.seconds += seconds
        speed = steps / max(seconds, 1e-9)
        left = (self.options.steps - self.step) / speed
        ends = f" of {self.options.steps}"
        if self.options.minutes:
            left, ends = 60 * self.options.minutes - (time.monotonic() - self.began), ""
        self.say(
            f"step {self.step}{ends}: loss {loss:.4f}, {speed:.1f} steps a "
            f"second, {len(self.pool)} tables{self._uses()}, about {left / 60:.1f} minutes left"
            + (f", {skipped} steps left out" if skipped else "")
        )
        self._log(loss=loss, skipped=skipped, steps_per_second=speed, tables=len(self.pool))

    def _uses(self) -> str:
        """Tell how often each table was used, and to use fewer steps if that is too often."""
        times = self.n_used / len(self.pool)
        often = ": a network learns them by heart, so make more tables or take fewer steps"
        return f" used {times:.1f} times{often if times > MOST_USES else ''}"

    def _validate(self) -> None:
        if self.validation is None:
            return
        found = judge_pool([self.average], self.validation.take_all(), self.options.batch_pairs)
        scored = {name: found.scores(tables) for name, tables in found.by_folder().items()}
        for name, one in scored.items():
            self.say(
                f"step {self.step}: {name}: loss {one['loss']:.4f}, Brier {one['brier']:.5f}, "
                f"{one['wrong']:.3f} of {one['edges']:.2f} edges wrong a table, calibration "
                f"error {one['ece']:.5f}"
            )
        self._log(validation=scored if len(scored) > 1 else next(iter(scored.values())))

    def _log(self, **values: Any) -> None:
        with (self.out / "metrics.jsonl").open("a") as file:
            seconds = round(self.seconds, 3)
            file.write(json.dumps({"step": self.step, "seconds": seconds, **values}) + "\n")

    def _save(self) -> None:
        save_checkpoint(
            self.out,
            {
                "made_by": made_by(self.options, self.plan),
                "network": asdict(self.model.settings),
                "channels": list(self.pool.channels or ()),
                "torch": str(torch.__version__),
                "step": self.step,
                "tables": len(self.pool),
                "used": self.n_used,
                "before": self.before,
                "seconds": self.seconds,
                "on_time": self.on_time,
                "model": self.model.state_dict(),
                "average": self.average.state_dict(),
                "optimizer": self.optimizer.state_dict(),
            },
        )

    def _restore(self) -> None:
        state = load_checkpoint(self.out, self.device)
        if state is None:
            return
        check_same(self.out, self.options, self.plan, state)
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds, self.on_time = state["step"], state["seconds"], state["on_time"]
        self.n_used, self.before = state.get("used", 0), state.get("before")
        self.say(f"going on from step {self.step} of {self.options.steps}")


def loss_of(logits: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy summed over a table's known pairs, by its columns; mean over tables."""
    known = batch.pairs & (batch.truth != UNKNOWN)
    truth = torch.where(known, batch.truth, 0).float()
    terms = functional.binary_cross_entropy_with_logits(logits.float(), truth, reduction="none")
    summed = torch.where(known, terms, 0.0).sum(dim=1)
    return (summed / batch.d).mean()


def _optimizer(model: PairNetwork, options: Options, device: torch.device) -> torch.optim.AdamW:
    """AdamW, with decay of matrices only."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    others = [p for p in model.parameters() if p.ndim < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": options.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ],
        lr=options.rate,
        betas=BETAS,
        fused=True,
    )


def _blank_batch(n_tables: int, d: int, device: torch.device) -> Batch:
    """Make a batch of tables without evidence."""
    shape = (n_tables, d * (d - 1) // 2)
    return Batch(
        evidence=torch.zeros(*shape, len(CHANNELS), dtype=torch.float16, device=device),
        truth=torch.zeros(shape, dtype=torch.uint8, device=device),
        mask=torch.ones(n_tables, d, dtype=torch.bool, device=device),
        pairs=torch.ones(shape, dtype=torch.bool, device=device),
        d=torch.full((n_tables,), d, device=device),
        index=torch.zeros(shape, dtype=torch.int64, device=device),
        places=find_places(d, device),
    )


@contextmanager
def _told_to_stop() -> Iterator[Callable[[], bool]]:
    """Hear of Ctrl-C and of requests to end, and let the loop end by itself."""
    told: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(number, lambda s, frame: told.append(s)) for number in signals]
    except ValueError:  # not in the main thread: nobody to tell us
        yield lambda: False
        return
    try:
        yield lambda: bool(told)
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
