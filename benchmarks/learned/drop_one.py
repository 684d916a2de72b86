"""What the shipped judge loses without a channel, on tables to choose by.

The values of one channel are exchanged at random between the pairs of a table (between tables, if
it is the same for all pairs of one), so that they have their usual spread and tell nothing. The
judge was trained with the channel; one that was trained without it would lose less. So a channel
that costs nothing here can go, and one that costs much may still be replaced by others.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from training.grafts import find_folder
from training.shards import table_truth
from training.sources import as_read, draw

from benchmarks import _run
from benchmarks.learned.measuring import FIRST_SEED
from benchmarks.learned.options import Options
from spinney.evidence import CHANNELS, Evidence, measure
from spinney.judge import Judge
from spinney.judge.judge import find_judge

TABLES = 60
"""Of each source."""
MOST_COLUMNS = 40
SOURCES = ("world", "grafts-tune", "experts-tune")


class Case(NamedTuple):
    """A table's evidence, and the truth of those of its pairs whose truth is known."""

    evidence: Evidence
    known: NDArray[np.bool_]
    truth: NDArray[np.bool_]


def run(options: Options) -> dict[str, Any]:
    """Score the judge with every channel exchanged in turn."""
    count, judge = options.seeds(TABLES), find_judge(options.judge)
    found: dict[str, Any] = {"judge": _run.fingerprint(options.judge), "tables of each": count}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for source in SOURCES:
            if source == "grafts-tune" and find_folder() is None:
                continue
            cases = draw_cases(source, count)
            whole = np.array([losses(judge, case.evidence, case) for case in cases])
            rows = {"none": _summary(whole, np.zeros_like(whole))}
            for k, channel in enumerate(CHANNELS):
                without = exchanged([case.evidence for case in cases], k)
                lost = [losses(judge, e, case) for e, case in zip(without, cases, strict=True)]
                rows[channel.name] = _summary(np.array(lost), whole)
                print(f"  {source:14}{channel.name:18}" + _line(rows[channel.name]), flush=True)
            found[source] = rows
    return found


def draw_cases(source: str, count: int) -> list[Case]:
    """Draw tables of up to 40 columns and measure them."""
    cases: list[Case] = []
    seed = FIRST_SEED
    while len(cases) < count:
        table, seed = draw(source, seed), seed + 1
        if np.shape(table.X)[1] <= MOST_COLUMNS:
            truth = table_truth(table.adjacency, getattr(table, "known", None))
            cases.append(Case(measure(as_read(table)), truth <= 1, truth == 1))
    return cases


def exchanged(tables: list[Evidence], channel: int) -> list[Evidence]:
    """Exchange the values of a channel between pairs, or between tables if they are all alike."""
    rng = np.random.default_rng(channel)
    values = [evidence.values.copy() for evidence in tables]
    if all(np.ptp(own[:, channel]) == 0.0 for own in values):
        means = rng.permutation([own[0, channel] for own in values])
        for own, mean in zip(values, means, strict=True):
            own[:, channel] = mean
    else:
        for own in values:
            own[:, channel] = rng.permutation(own[:, channel])
    return [Evidence(own, e.table) for own, e in zip(values, tables, strict=True)]


def losses(judge: Judge, evidence: Evidence, case: Case) -> tuple[float, float]:
    """Count wrong edges, and sum the cross-entropy over the pairs whose truth is known."""
    logits = judge.logits(*judge.reads(evidence))[case.known].astype(float)
    truth = case.truth[case.known]
    return float(((logits > 0) != truth).sum()), float(
        np.logaddexp(0.0, np.where(truth, -logits, logits)).sum()
    )


def _summary(lost: NDArray[Any], whole: NDArray[Any]) -> dict[str, float]:
    """Give means a table, and the error of the difference to the whole judge."""
    more = lost - whole
    error = more.std(axis=0) / max(len(more), 1) ** 0.5
    names = ("wrong", "loss")
    means = dict(zip(names, more.mean(axis=0).tolist(), strict=True))
    return means | {f"{name} error": float(x) for name, x in zip(names, error, strict=True)}


def _line(row: dict[str, float]) -> str:
    return ", ".join(
        f"{name} {row[name]:+.3f} ± {row[name + ' error']:.3f}"
        for name in row
        if "error" not in name
    )
