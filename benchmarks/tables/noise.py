"""Edges that are found where there are none: independent columns of every mixture of kinds.

Two kinds in turn over 25 columns: continuous, rounded, binary, and ordinal and nominal ones with 3
to 10 levels (with two they are binary); and one mixture of everything. Each with all values there
and with 10 % and 30 % of them missing. The seeds are used for nothing else. As the worst of many
mixtures is bad partly by chance, the worst are drawn again with other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from benchmarks.tables.rounds import (
    Options,
    Summary,
    fit_pairs,
    in_rounds,
    learned,
    mean_and_error,
    ran_on,
    shown,
)
from reproduce.runner import Record
from spinney.models import ForestsLambda, RootedForests, SharedForest

SEEDS = range(310_000, 311_000)
AGAIN = range(320_000, 321_000)
"""Seeds on which the mixtures that were worst on the others are drawn again."""
D = 25
ROWS = (50, 100, 500)
GAPS = (0.0, 0.1, 0.3)
LEVELS = range(3, 11)
SIMPLE = ("continuous", "rounded", "binary")
LEVELLED = ("ordinal", "nominal")
EVERYTHING = "everything"
ROUNDED_TO = 0.5
WORST = 3
"""Mixtures drawn again, for each estimator and number of rows."""
TIMES_AGAIN = 4
LEFT = 0.3
"""Share of the time that is left for the worst."""
ESTIMATORS = {
    "RootedForests": RootedForests,
    "SharedForest": SharedForest,
    "ForestsLambda": ForestsLambda,
}
REPETITIONS = 10


@dataclass(frozen=True)
class Mixture:
    """Two kinds in turn, the levels of those that have them, a share of gaps, and rows."""

    kinds: str
    levels: int
    gaps: float
    n: int

    @property
    def name(self) -> str:
        """Such as ``ordinal+binary, 5 levels, 10% missing, n=100``."""
        levels = f", {self.levels} levels" if self.levels else ""
        missing = f", {self.gaps:.0%} missing" if self.gaps else ""
        return f"{self.kinds}{levels}{missing}, n={self.n}"

    def draw(self, seed: int, d: int) -> tuple[pd.DataFrame, dict[str, str]]:
        """Draw a table, and the kinds that the estimators are told."""
        rng = np.random.default_rng([seed, crc32(self.name.encode())])
        columns, told = {}, {}
        for k in range(d):
            kind, levels = self._kind(k, rng)
            name = f"x{k}"
            columns[name] = _column(kind, levels, self.n, rng)
            told[name] = "continuous" if kind == "rounded" else kind
        frame = pd.DataFrame(columns)
        return frame.mask(rng.uniform(size=frame.shape) < self.gaps), told

    def _kind(self, k: int, rng: np.random.Generator) -> tuple[str, int]:
        if self.kinds != EVERYTHING:
            both = self.kinds.split("+")
            return both[k % len(both)], self.levels
        return str(rng.choice([*SIMPLE, *LEVELLED])), int(rng.choice(LEVELS))


def _column(kind: str, levels: int, n: int, rng: np.random.Generator) -> Any:
    if kind == "continuous":
        return rng.normal(size=n)
    if kind == "rounded":
        return np.round(rng.normal(size=n) / ROUNDED_TO) * ROUNDED_TO
    if kind == "binary":
        return (rng.uniform(size=n) < rng.uniform(0.25, 0.75)).astype(int)
    masses = 0.05 + rng.dirichlet(np.full(levels, 3.0))
    codes = rng.choice(levels, size=n, p=masses / masses.sum())
    if kind == "ordinal":
        return codes
    return pd.Categorical.from_codes(codes, [chr(97 + level) for level in range(levels)])


def _mixtures() -> dict[str, Mixture]:
    kinds = []
    for pair in combinations_with_replacement((*SIMPLE, *LEVELLED), 2):
        several = LEVELS if set(pair) & set(LEVELLED) else (0,)
        kinds += [("+".join(dict.fromkeys(pair)), levels) for levels in several]
    kinds.append((EVERYTHING, 0))
    found = [Mixture(k, levels, gaps, n) for n in ROWS for k, levels in kinds for gaps in GAPS]
    return {mixture.name: mixture for mixture in found}


MIXTURES = _mixtures()
QUICK = [
    Mixture("ordinal+nominal", 4, 0.0, 50).name,
    Mixture("continuous+binary", 0, 0.3, 50).name,
    Mixture("rounded", 0, 0.1, 50).name,
]


def look(cell: str, seed: int) -> dict[str, Any]:
    """Count the edges that estimators find in one table."""
    frame, told = MIXTURES[cell].draw(seed, D)
    model = RootedForests(kind=told)
    evidence = fit_pairs(model, frame)
    edges = {name: int(learned(kind, evidence).sum()) for name, kind in ESTIMATORS.items()}
    return {"columns": evidence.n_nodes, "edges": edges}


def run(seed: int, options: Options) -> dict[str, Any]:
    """Count edges over all mixtures, then over the worst again."""
    del seed  # the tables have their own
    cells = QUICK if options.quick else list(MIXTURES)
    repetitions = options.repetitions or (1 if options.quick else REPETITIONS)
    most, rest = (replace(options, seconds=s * options.seconds) for s in (1 - LEFT, LEFT))
    first = in_rounds("noise", look, cells, SEEDS[:repetitions], most)
    result = summarise(first)
    worst = sorted({name for part in result["worst"].values() for name in part})
    n_again = 1 if options.quick else TIMES_AGAIN * repetitions
    again = in_rounds("noise", look, worst, AGAIN[:n_again], rest)
    result["worst_again"] = by_cell(again)
    for estimator, part in result["worst_again"].items():
        for n in ROWS:
            here = {name: found for name, found in part.items() if MIXTURES[name].n == n}
            if here:
                name = max(here, key=lambda name: here[name][0])
                print(f"  {estimator}, worst again: {shown(here[name])} {name}")
    return {**ran_on("noise", options), "seeds": [SEEDS.start, AGAIN.start], **result}


def by_cell(records: list[Record]) -> dict[str, dict[str, Summary]]:
    """Mean edges by estimator and mixture."""
    found: dict[str, dict[str, list[int]]] = {name: {} for name in ESTIMATORS}
    for name, part in found.items():
        for record in records:
            part.setdefault(record["cell"], []).append(record["edges"][name])
    return {
        name: {cell: mean_and_error(edges) for cell, edges in part.items()}
        for name, part in found.items()
    }


def summarise(records: list[Record]) -> dict[str, Any]:
    """Means over all tables, over each side of the mixtures, and the worst mixtures."""
    rows = [
        (m.n, m.kinds, m.levels, m.gaps, r["cell"], estimator, edges)
        for r in records
        for m in [MIXTURES[r["cell"]]]
        for estimator, edges in r["edges"].items()
    ]
    names = ["n", "kinds", "levels", "gaps", "cell", "estimator", "edges"]
    frame = pd.DataFrame(rows, columns=names)
    result: dict[str, Any] = {"tables": len(records), "means": {}, "worst": {}}
    for (estimator, n), part in frame.groupby(["estimator", "n"], sort=False):
        key = f"{estimator}, n={n}"
        result["means"][key] = {
            "all": mean_and_error(part.edges),
            **{
                by: {str(value): mean_and_error(some.edges) for value, some in part.groupby(by)}
                for by in ("kinds", "levels", "gaps")
            },
        }
        cells = {str(name): mean_and_error(some.edges) for name, some in part.groupby("cell")}
        worst = sorted(cells, key=lambda name: -cells[name][0])[:WORST]
        result["worst"][key] = {name: cells[name] for name in worst}
        mean = shown(result["means"][key]["all"])
        print(f"  {key:22s} {mean} edges; worst {shown(cells[worst[0]])} {worst[0]}")
    return result
