"""Read damaged and hostile files of every format, for as long as wanted.

Small files of each format are mutated (bytes flipped, cut, repeated and spliced, hostile words put
in; packed files also inside) and read. A reader survives if it gives a table or an ``InputError``
within ten seconds and four gigabytes. Anything else is saved with its bytes and reported, and the
exit status is 1. Case k of a seed is always the same file, so that a failure can be repeated.

Run as ``python -m scripts.fuzz_readers --minutes 5 --seed 0``. Formats whose library is not there
are left out. The library of HDF5 itself can loop for ever on a damaged file, which no reader above
it can help; ``--skip h5ad`` leaves these out.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scripts.fuzz_seeds import NAMES, SEEDS, TOKENS, Seed

from spinney.exceptions import InputError
from spinney.tables import read_table
from spinney.tables.readers import open_table
from spinney.tables.readers.constraints import read_constraints

SECONDS = 10
MEMORY = 4 * 2**30
CASES_OF_A_CHILD = 5000
"""Files that one process reads: libraries keep some of the memory that damaged files ask for."""
PATIENCE_S = 30.0
"""How long the parent waits for a case before it ends the child: C code hears no alarm."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "header": ("auto", "auto", "yes", "no"),
    "decimal": ("auto", "auto", ".", ","),
    "sheet": (None, None, None, 1, "s"),
    "na": ((), (), (-99, "?"), ("1", "S", "1e5"), ("nan", float("inf"))),
    "kinds": (None, None, "continuous", "nominal", "ordinal"),
}
"""Options of the reader; `kinds` goes to what decides about columns, for all of them."""
Random = np.random.Generator


class TooLong(BaseException):
    """A reader took too long; no Exception, lest a reader takes it for a damaged file."""


def flip(data: bytearray, rng: Random) -> None:
    """Change a few bytes."""
    for position in rng.integers(0, len(data), size=rng.integers(1, 9)):
        data[position] = rng.integers(0, 256)


def cut(data: bytearray, rng: Random) -> None:
    """Take a piece out, or all from somewhere on."""
    start = rng.integers(0, len(data))
    end = len(data) if rng.random() < 0.4 else start + rng.integers(1, 50)
    del data[start:end]


def repeat(data: bytearray, rng: Random) -> None:
    """Repeat a piece up to thousands of times."""
    start = int(rng.integers(0, len(data)))
    piece = bytes(data[start : start + int(rng.integers(1, 40))])
    times = int(10 ** rng.uniform(0.3, 3.5))
    data[start:start] = piece * times


def splice(data: bytearray, rng: Random) -> None:
    """Put a piece of another file in."""
    other = SEEDS[int(rng.integers(len(SEEDS)))].data
    start, end = sorted(rng.integers(0, len(other) + 1, size=2))
    place = int(rng.integers(0, len(data) + 1))
    data[place : place + int(rng.integers(0, 20))] = other[start:end]


def insert(data: bytearray, rng: Random) -> None:
    """Put hostile words in."""
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(0, len(data) + 1))
        token = TOKENS[int(rng.integers(len(TOKENS)))]
        data[place : place + int(rng.integers(0, 3))] = token


MUTATIONS: tuple[Callable[[bytearray, Random], None], ...] = (flip, cut, repeat, splice, insert)


def mutate(data: bytes, rng: Random) -> bytes:
    """Change a file in one to four ways."""
    changed = bytearray(data)
    if rng.random() < 0.4:  # hardly anything, so that the file is read to its end
        for position in rng.integers(0, len(data), size=rng.integers(1, 3)):
            changed[position] = rng.integers(0, 256)
        return bytes(changed)
    for _ in range(rng.integers(1, 5)):
        if changed:
            MUTATIONS[int(rng.integers(len(MUTATIONS)))](changed, rng)
    return bytes(changed)


def make(seed: int, case: int, skip: str) -> tuple[Seed, bytes, dict[str, Any]]:
    """Return a case: the seed that it comes from, its bytes, and the options of the reader."""
    rng = np.random.default_rng([seed, case])
    seeds = [known for known in SEEDS if known.name != skip]
    chosen = seeds[int(rng.integers(len(seeds)))]
    data = chosen.data
    if chosen.inside is not None and rng.random() < 0.7:
        members = dict(chosen.inside)
        member = sorted(members)[int(rng.integers(len(members)))]
        members[member] = mutate(members[member], rng)
        data = chosen.pack(members)
    else:
        data = mutate(data, rng)
    options = {key: values[int(rng.integers(len(values)))] for key, values in CHOICES.items()}
    if chosen.name != "excel":
        del options["sheet"]
    if chosen.name in ("parquet", "h5ad"):
        options = {key: options[key] for key in ("na", "kinds")}
    return chosen, data, options


def read(chosen: Seed, path: Path, options: dict[str, Any]) -> str:
    """Read a file; return "read" or "refused", and raise whatever a reader must not raise."""
    options = dict(options)
    kind = options.pop("kinds")
    try:
        if chosen.name == "constraints":
            pairs = read_constraints(path, NAMES)
            assert all(a != b and a in NAMES and b in NAMES for a, b in pairs)
            return "read"
        table = open_table(path, **options)
        with contextlib.suppress(InputError):
            read_table(table, dict.fromkeys(table.names, kind) if kind else None)
    except InputError as error:
        message = str(error)
        assert message.isprintable(), f"the message is not on one line: {message!r}"
        assert len(message) < 2000, f"the message is long: {message[:100]!r}"
        return "refused"
    names = list(table.frame.columns)
    assert len(set(names)) == len(names), "a name stands twice"
    assert all(isinstance(name, str) and name and "\n" not in name for name in names)
    assert table.lines is None or len(table.lines) == len(table.frame), "lines and rows differ"
    assert all(line and "\n" not in line for line in table.decisions), "a decision of two lines"
    return "read"


def work(seed: int, first: int, skip: str, until: float, folder: Path, pipe: Any) -> None:
    """Read case after case, and tell the parent of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")

    def ring(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, ring)
    path = folder / "current"
    case = first
    while time.time() < until and case < first + CASES_OF_A_CHILD:
        chosen, data, options = make(seed, case, skip)
        path.write_bytes(data)
        pipe.send((case, chosen.name, None, None))
        started = time.perf_counter()
        signal.alarm(SECONDS)
        try:
            outcome, report = read(chosen, path, options), ""
        except TooLong:
            outcome, report = "failed", f"longer than {SECONDS} s"
        except BaseException:
            outcome, report = "failed", traceback.format_exc()
        finally:
            signal.alarm(0)
        if time.perf_counter() - started > SECONDS and not report:
            outcome, report = "failed", f"longer than {SECONDS} s"
        pipe.send((case, chosen.name, outcome, report))
        case += 1
    pipe.send(None)


def run(
    seed: int, minutes: float, keep: Path, skip: str = ""
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Let children read until time is up; one that dies is a failure, and another goes on."""
    until = time.time() + 60 * minutes
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    context = multiprocessing.get_context("fork")

    def fail(case: int, name: str, report: str) -> None:
        counts[name, "failed"] += 1
        keep.mkdir(parents=True, exist_ok=True)
        _, data, options = make(seed, case, skip)
        path = keep / f"{name}-{seed}-{case}"
        path.write_bytes(data)
        failures.append(f"{path} (options {options}): {report.strip()}")
        print(failures[-1], file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        case, name, done = -1, "", False
        while not done and time.time() < until:
            ours, theirs = context.Pipe(duplex=False)
            told_to = (seed, case + 1, skip, until, Path(folder), theirs)
            child = context.Process(target=work, args=told_to)
            child.start()
            theirs.close()
            while True:
                try:
                    if not ours.poll(PATIENCE_S):
                        child.kill()
                        fail(case, name, f"longer than {PATIENCE_S:g} s, deaf to an alarm")
                        break
                    told = ours.recv()
                except EOFError:
                    child.join()
                    fail(case, name, f"the process died (exit code {child.exitcode})")
                    break
                if told is None:
                    done = time.time() >= until
                    break
                case, name, outcome, report = told
                if outcome == "failed":
                    fail(case, name, report)
                elif outcome is not None:
                    counts[name, outcome] += 1
            child.join()
    return counts, failures


def main() -> int:
    """Parse, run, report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "fuzz-readers")
    parser.add_argument("--skip", default="", metavar="FORMAT", help="a format that is left out")
    options = parser.parse_args()
    counts, failures = run(options.seed, options.minutes, options.keep, options.skip)
    for name in sorted({name for name, _ in counts}):
        told = [f"{counts[name, outcome]} {outcome}" for outcome in ("read", "refused", "failed")]
        print(f"{name:<14}{', '.join(told)}")
    print(f"{sum(counts.values())} files, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
