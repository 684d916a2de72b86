"""How the defaults against false edges were chosen: on tuning seeds, never on reporting ones.

For each table the ranking of RootedForests is refitted at every length, so that any criterion can
be read off, and SharedForest's ladder is climbed at several prior weights, so that any rule for the
weight can. Over the 28 cells, and over independent tables of 60 and 150 columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from benchmarks.accuracy.cells import CELLS, TUNING
from spinney import PairCopulas
from spinney._core.pairs import to_pairs
from spinney.forests.posterior import CUT, ladder
from spinney.models import RootedForests
from spinney.models.objectives import Rooted
from spinney.models.selection import fit_edges
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import canonical_order, pseudo_observations
from spinney.scale.tasks import parallel_map
from spinney.simulate import Simulated, independent

NOISE = {f"independent d={d}-{n}": (n, d) for d in (60, 150) for n in (20, 30, 50, 100)}
LOWERED = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Logarithms of the factors by which the prior weight 1/d is lowered."""
LONGEST = {"wide-50": 110} | dict.fromkeys(NOISE, 40)
"""Lengths up to which rankings are refitted; 70 elsewhere."""

Table = dict[str, Any]


def draw(cell: str, seed: int) -> Simulated:
    if cell in NOISE:
        n, d = NOISE[cell]
        return independent(n, d, seed)
    return CELLS[cell].simulate(seed)


def look(job: tuple[str, int]) -> Table:
    """Refit a ranking at every length, and climb the ladder at every prior weight."""
    cell, seed = job
    data = draw(cell, seed)
    truth = to_pairs(data.adjacency.astype(float)) > 0
    model = RootedForests(PairCopulas(random_state=0)).fit(data.X)
    U = pseudo_observations(pd.DataFrame(data.X, columns=model.node_names_))
    log_density = model.potentials_.log_density(U.iloc[canonical_order(U.to_numpy())])
    evidence = PairDensities(log_density, model.potentials_.n_parameters_)
    score = to_pairs(model.edge_ranking_)
    order = np.argsort(-score, kind="stable")
    order = order[score[order] > 0]
    n, d = len(data.X), len(data.adjacency)
    likelihood, beta = [], np.empty(0)
    for k in range(1, min(len(order), LONGEST.get(cell, 70)) + 1):
        start = np.append(np.where(beta > 0, beta, 1.0), np.ones(k - len(beta)))
        fitted = fit_edges(Rooted(d), evidence, order[:k], start)
        beta = fitted.beta
        likelihood.append(-n * fitted.value)
    profiles = {
        lowered: ladder(evidence, edge_weight=np.exp(-lowered) / d).maximum for lowered in LOWERED
    }
    return {
        "cell": cell,
        "n": n,
        "d": d,
        "truth": truth,
        "right": truth[order],
        "parameters": evidence.n_parameters[order],
        "log_likelihood": np.array(likelihood),
        "profiles": profiles,
    }


def wrong_by_criterion(table: Table, weight: float, gamma: float, graphs: bool) -> int:
    """Count the wrong edges of the size that a criterion chooses."""
    n, d, n_true = table["n"], table["d"], int(table["truth"].sum())
    k = np.arange(len(table["log_likelihood"]) + 1)
    parameters = np.append(0.0, np.cumsum(weight + table["parameters"][: len(k) - 1]))
    pairs = d * (d - 1) / 2
    search = (
        2 * (gammaln(pairs + 1) - gammaln(k + 1) - gammaln(pairs - k + 1))
        if graphs
        else 4 * k * np.log(d)
    )
    value = np.append(0.0, -2 * table["log_likelihood"]) + parameters * np.log(n) + gamma * search
    size = int(np.argmin(value))
    right = int(table["right"][:size].sum())
    return size - right + n_true - right


def wrong_by_weight(table: Table, share: float | None, worth: float) -> int:
    """Count the wrong edges if the prior weight is lowered to what is found; None leaves it."""
    lowered = 0.0
    while True:
        nearest = min(LOWERED, key=lambda step: abs(step - lowered))
        chosen = table["profiles"][nearest] > CUT
        if share is None:
            break
        wanted = np.log(share * table["d"] / (np.count_nonzero(chosen) + 0.25))
        if wanted <= lowered + worth:
            break
        lowered = float(wanted)
    return int((chosen != table["truth"]).sum())


RULES: dict[str, Callable[[Table], int]] = {
    "BIC, weights charged": lambda t: wrong_by_criterion(t, 1, 0.0, False),
    "eBIC 4 γ log d, γ = 0.25, weights charged": lambda t: wrong_by_criterion(t, 1, 0.25, False),
    "eBIC 4 γ log d, γ = 0.5, weights charged": lambda t: wrong_by_criterion(t, 1, 0.5, False),
    "eBIC by graphs, γ = 0.75": lambda t: wrong_by_criterion(t, 0, 0.75, True),
    "eBIC by graphs, γ = 1": lambda t: wrong_by_criterion(t, 0, 1.0, True),
    "eBIC by graphs, γ = 1.25": lambda t: wrong_by_criterion(t, 0, 1.25, True),
    "eBIC by graphs, γ = 1, weights charged": lambda t: wrong_by_criterion(t, 1, 1.0, True),
    "prior weight 1/d": lambda t: wrong_by_weight(t, None, 1.0),
    "prior weight lowered, share 1": lambda t: wrong_by_weight(t, 1.0, 1.0),
    "prior weight lowered, share 2": lambda t: wrong_by_weight(t, 2.0, 1.0),
    "prior weight lowered, share 3": lambda t: wrong_by_weight(t, 3.0, 1.0),
}
"""Rules by name; the chosen ones are γ = 1 by graphs, and share 2."""


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Judge all rules on tuning tables."""
    del seed  # the tuning tables have their own
    cells = [*CELLS, *NOISE]
    repetitions = 2 if quick else 12
    if quick:
        cells = [cell for cell in cells if "150" not in cell]
    jobs = [(cell, s) for s in TUNING[:repetitions] for cell in cells]
    tables = parallel_map(look, jobs, n_jobs=-1, prefer="processes")
    return {"repetitions": repetitions, "rules": summarise(tables)}


def summarise(tables: list[Table]) -> dict[str, dict[str, float]]:
    result = {}
    for name, rule in RULES.items():
        wrong: dict[str, list[int]] = {}
        for table in tables:
            wrong.setdefault(table["cell"], []).append(rule(table))
        means = {cell: float(np.mean(found)) for cell, found in wrong.items()}
        result[name] = {
            "mean of cells": float(np.mean([means[cell] for cell in CELLS if cell in means])),
            **{c: m for c, m in means.items() if c in NOISE or c.startswith("independent")},
        }
        shown = max(m for c, m in result[name].items() if c != "mean of cells" and _many_rows(c))
        print(f"  {name:45s} {result[name]['mean of cells']:6.2f} {shown:6.2f}")
    return result


def _many_rows(cell: str) -> bool:
    return int(cell.rsplit("-", 1)[1]) >= 50
