"""How far beyond a path a correlation must be to count as direct: on tuning seeds only.

The pairs of a table are fitted once; then graphs are learned with every value of
:data:`spinney.pairs.explained.BEYOND` and with none (no pair is ever explained). Over the
cells with levels and gaps, and over graphs with many loops that are cut into levels, where
explaining too much would cost true edges.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.accuracy.cells import KINDS, TABLE_CELLS, TUNING
from benchmarks.tables.rounds import (
    Options,
    fit_pairs,
    in_rounds,
    learned,
    mean_and_error,
    ran_on,
    shown,
)
from reproduce.judging import fingerprint
from reproduce.runner import Record
from spinney._core.pairs import to_pairs
from spinney.models import RootedForests, SharedForest
from spinney.pairs import pair_fit
from spinney.pairs.densities import PairDensities
from spinney.pairs.explained import BEYOND, explained_pairs
from spinney.pairs.pair_fit import PairFit
from spinney.simulate import Simulated, threshold

TRIED: tuple[float | None, ...] = (None, 2.0, 3.0, 4.0, 6.0)
ESTIMATORS = {"RootedForests": RootedForests, "SharedForest": SharedForest}
TABLES = [name for name, cell in TABLE_CELLS.items() if cell.kind != "complete"]
"""Where nothing is hidden nothing is explained: ``complete`` would be the same throughout."""
LOOPS = {
    f"{kind}-{cut}-{n}": (kind, cut, n)
    for kind in ("loopy", "grid")
    for cut in ("ordinal", "mixed")
    for n in (100, 500, 2000)
}
QUICK = ["ordinal-100", "mixed-kinds-100", "gaps-10-100", "loopy-ordinal-100"]
REPETITIONS = 20


def draw(cell: str, seed: int) -> Simulated:
    """Draw a table of a cell, or one with loops that is cut into five levels."""
    if cell not in LOOPS:
        return TABLE_CELLS[cell].simulate(seed)
    kind, cut, n = LOOPS[cell]
    return threshold(KINDS[kind][1](n, seed), cut)


def look(cell: str, seed: int) -> dict[str, Any]:
    """Count false and missed edges of one table, by estimator and threshold."""
    data = draw(cell, seed)
    truth = to_pairs(data.adjacency.astype(float)) > 0
    model = RootedForests(PairFit(direct=False))
    evidence = fit_pairs(model, data.table)
    wrong: dict[str, list[int]] = {}
    for beyond in TRIED:
        silent = silent_pairs(model.pair_fit_, beyond)
        heard = silence(evidence, silent)
        for name, estimator in ESTIMATORS.items():
            found = learned(estimator, heard)
            wrong[f"{name} {beyond}"] = [int((found & ~truth).sum()), int((truth & ~found).sum())]
    return {"table": fingerprint(data), "wrong": wrong}


def silent_pairs(fit: PairFit, beyond: float | None) -> NDArray[np.bool_]:
    """Find the pairs that would have been explained at this threshold."""
    if beyond is None:
        return np.zeros(len(fit.n_parameters_), dtype=bool)
    fit.direct = True
    at_this = partial(explained_pairs, beyond=beyond)
    with mock.patch.object(pair_fit, "explained_pairs", at_this):
        return fit._explain(fit.pseudo_).pairs


def silence(evidence: PairDensities, silent: NDArray[np.bool_]) -> PairDensities:
    """Take away what some pairs say, as :attr:`PairFit.densities_` does."""
    log_density = evidence.log_density.copy()
    log_density[:, silent] = 0.0
    return PairDensities(log_density, np.where(silent, 0.0, evidence.n_parameters), evidence.n_rows)


def run(seed: int, options: Options) -> dict[str, Any]:
    """Judge all thresholds."""
    del seed  # the tuning tables have their own
    cells = QUICK if options.quick else [*TABLES, *LOOPS]
    repetitions = options.repetitions or (1 if options.quick else REPETITIONS)
    records = in_rounds("explained", look, cells, TUNING[:repetitions], options)
    return {**ran_on("explained", options), "chosen": BEYOND, **summarise(records)}


def summarise(records: list[Record]) -> dict[str, Any]:
    """Average over cells for each seed, then over seeds: tables of one seed share their graph."""
    rows = [
        (r["cell"], r["seed"], *key.split(), false + missed, false)
        for r in records
        for key, (false, missed) in r["wrong"].items()
    ]
    frame = pd.DataFrame(rows, columns=["cell", "seed", "estimator", "beyond", "wrong", "false"])
    whole = frame.groupby("seed").cell.nunique()
    frame = frame[frame.seed.isin(whole.index[whole == whole.max()])]  # rounds that were finished
    groups = {"tables": frame.cell.isin(TABLES), "loops": frame.cell.isin(list(LOOPS))}
    result: dict[str, Any] = {"seeds": sorted(map(int, set(frame.seed))), "results": {}}
    for estimator in ESTIMATORS:
        for beyond in map(str, TRIED):
            own = (frame.estimator == estimator) & (frame.beyond == beyond)
            usual = (frame.estimator == estimator) & (frame.beyond == str(BEYOND))
            summary: dict[str, Any] = {}
            for group, inside in groups.items():
                mine = frame[own & inside].groupby("seed")[["wrong", "false"]].mean()
                if mine.empty:
                    continue
                gap = mine.wrong - frame[usual & inside].groupby("seed").wrong.mean()
                summary[group] = {
                    "wrong": mean_and_error(mine.wrong),
                    "false": mean_and_error(mine.false),
                    "against_chosen": mean_and_error(gap),
                }
            cells = frame[own].groupby("cell", sort=False).wrong
            summary["cells"] = {str(cell): mean_and_error(found) for cell, found in cells}
            result["results"][f"{estimator} {beyond}"] = summary
            said = ", ".join(
                f"{group} {shown(summary[group]['wrong'])}"
                f" ({shown(summary[group]['against_chosen'])} against {BEYOND})"
                for group in groups
                if group in summary
            )
            print(f"  {estimator:14s} beyond {beyond:5s} {said}")
    return result
