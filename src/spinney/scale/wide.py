r"""A wide table, judged in neighbourhoods of columns that belong together.

The judge looks at all pairs of a table at once, and its state grows with their number: of 5,000
columns there are 12 million. So the columns are grouped into overlapping neighbourhoods of a few
hundred (:func:`spinney.scale.neighbourhoods.find_neighbourhoods`), each of which is measured and
judged as a table of its own, and the logits of a pair are brought together:

.. math:: \operatorname{logit} P_{uv} = \frac{1}{|N_{uv}|} \sum_{k \in N_{uv}} \ell^{(k)}_{uv}
          - c_{uv}

where :math:`\ell^{(k)}` are the logits that the judge gives in neighbourhood k, and
:math:`N_{uv}` are the neighbourhoods that know the pair best: those where both its columns are at
home; if there are none, where one is; else all that hold both. The last term corrects the prior
odds for the pairs that are not in a neighbourhood.

**Prior odds.** In a neighbourhood of :math:`d_k` columns the judge weighs a pair against the pairs
that it sees. The whole table of d columns has more, and a neighbourhood, made of strong pairs, has
its share of those that are strong by chance. Of all pairs

.. math:: m(z) = d (d - 1) \bigl(1 - \Phi(z)\bigr)

are by chance as strong as z; against E edges in the table they are :math:`x = c\, m / E`, and in a
neighbourhood that were a table of its own :math:`x d_k / d`. So from the logit of a pair is taken

.. math:: \kappa \log \frac{1 + x}{1 + x\, d_k / d},

next to nothing where no pair is so strong by chance, and up to :math:`\kappa \log (d / d_k)` where
most are. E is the expected number of edges that are kept, found by repeating this from E = d on,
and at least 0.003 d: the fewer edges a table has, the more is asked of each.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.special import expit, ndtr

from spinney.evidence import Evidence, measure
from spinney.judge.judge import Judge, judge_logits, unlike_training
from spinney.notices import Notice
from spinney.pairs.margins import Margins, Ties
from spinney.scale.neighbourhoods import (
    CORE,
    SIZE,
    Neighbourhood,
    find_neighbourhoods,
)
from spinney.scale.screening import LEVEL, Screened, add_co_parents, screen
from spinney.scale.tasks import over
from spinney.tables import Table

__all__ = [
    "Judged",
    "correct_for_chance",
    "judge_in_parts",
    "learn_wide",
    "neighbourhoods_of",
    "with_pairs",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHANCE = 0.1
"""Pairs per column that may pass by chance the strength from which on pairs are seen together."""
WEIGHT, POWER, FEWEST = 5.0, 2.5, 0.003
"""c, kappa and the least number of edges for each column. Chosen on tuning tables of 400 and 1,000
columns (docs/large-tables.md), for the likelihood of the true edges and for expected numbers of
false and missed edges that agree with the true ones."""
ROUNDS = 6
"""How often the number of edges is found anew; it settles after three or four."""


class Judged(NamedTuple):
    """What the judge says of the pairs that it saw.

    Attributes
    ----------
    pairs : int array of shape (n_seen,)
        Listed pairs that lie in a neighbourhood, by number, rising.
    probabilities : array of shape (n_seen,)
        Probability that each is an edge.
    values : float32 array of shape (n_seen, n_channels)
        Their evidence in the first neighbourhood that knows them best.
    screened : Screened
        The listed pairs.
    unlike_training : tuple of Notice
        In what the table, or its neighbourhoods, are unlike those of the judge's training.
    """

    pairs: Ints
    probabilities: Floats
    values: NDArray[np.float32]
    screened: Screened
    unlike_training: tuple[Notice, ...]


class _Part(NamedTuple):
    """What a neighbourhood says of its listed pairs."""

    logits: NDArray[np.float32]
    values: NDArray[np.float32]
    unlike_training: tuple[Notice, ...]


class _Mean(NamedTuple):
    """What the neighbourhoods say of each pair together."""

    seen: Ints
    logits: Floats
    log_parts: Floats
    values: NDArray[np.float32]


class _Settings(NamedTuple):
    """How each neighbourhood is measured and judged."""

    ties: Ties
    random_state: int
    device: str


def with_pairs(screened: Screened, required: Ints) -> Screened:
    """Add pairs to a screening that are looked at in any case; their strength is infinite."""
    if not len(required):
        return screened
    pairs = np.union1d(screened.pairs, required)
    strength = np.zeros(len(pairs), dtype=np.float32)
    strength[np.searchsorted(pairs, screened.pairs)] = screened.strength
    strength[np.searchsorted(pairs, required)] = np.inf
    return Screened(screened.n_nodes, pairs, strength, screened.level, screened.partners)


def neighbourhoods_of(screened: Screened) -> tuple[Neighbourhood, ...]:
    r"""Group the columns of a table by what its screening found.

    Pairs are seen together if their strength passes :math:`\Phi^{-1}(1 - c / d)`, which
    :math:`c\,(d - 1)` pairs do by chance, c = 0.1.
    """
    d = screened.n_nodes
    together = float(-special.ndtri(min(CHANCE / d, 0.5)))
    return find_neighbourhoods(
        d,
        screened.first,
        screened.second,
        screened.strength,
        together=together,
        core=CORE,
        size=SIZE,
    )


def learn_wide(
    table: Table,
    judge: Judge,
    *,
    level: float | None = None,
    required: Ints,
    ties: Ties = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> tuple[Evidence, Judged]:
    """Screen the pairs of a table, fit those that pass, and judge them in neighbourhoods.

    Parameters
    ----------
    table : Table
        The table.
    judge : Judge
        The network.
    level : float, optional
        Share of independent pairs that pass the screening.
    required : int array
        Pairs that are looked at in any case, by number.
    ties, random_state, device
        As in :func:`spinney.evidence.measure`.
    n_jobs : int, optional
        Threads; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show progress bars.
    """
    margins = Margins(ties=ties, random_state=random_state)
    level = LEVEL if level is None else float(level)
    pseudo = margins.fit_pseudo(table)
    passed = screen(pseudo, level=level, n_jobs=n_jobs, progress=progress)
    screened = with_pairs(add_co_parents(pseudo, passed, n_jobs=n_jobs), required)
    parts = neighbourhoods_of(screened)
    judged = judge_in_parts(
        table,
        judge,
        screened,
        parts,
        ties=ties,
        random_state=random_state,
        n_jobs=n_jobs,
        device=device,
        progress=progress,
    )
    return Evidence(judged.values, table, judged.pairs), judged


def judge_in_parts(
    table: Table,
    judge: Judge,
    screened: Screened,
    parts: Sequence[Neighbourhood],
    *,
    ties: Ties = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> Judged:
    """Judge the listed pairs of a table in neighbourhoods; see the module.

    Parameters
    ----------
    table : Table
        The table.
    judge : Judge
        The network.
    screened : Screened
        The listed pairs.
    parts : sequence of Neighbourhood
        Which columns are judged together.
    ties, random_state
        As in :func:`spinney.evidence.measure`.
    n_jobs : int, optional
        Neighbourhoods at a time; -1 takes all cores. The numbers do not depend on it.
    device : str
        Where it is computed.
    progress : bool
        Whether to show a progress bar.
    """
    inside = [screened.within(part.nodes) for part in parts]
    tasks = [(part.nodes, local) for part, (local, _) in zip(parts, inside, strict=True)]
    settings = _Settings(ties, random_state, device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ties and the like: the whole table has been told of
        said = over(
            _judge_part,
            tasks,
            shared=(table, judge, settings),
            n_jobs=n_jobs if device == "cpu" else 1,
            label="neighbourhoods",
            progress=progress,
        )
    unlike = _unlike_training(table, parts, [part.unlike_training for part in said])
    places = [places for _, places in inside]
    mean = _combine(screened, parts, places, said)
    strength = screened.strength[mean.seen]
    logits = correct_for_chance(mean.logits, strength, mean.log_parts, screened.n_nodes)
    pairs, probabilities = screened.pairs[mean.seen], special.expit(logits)
    return Judged(pairs, probabilities, mean.values, screened, unlike)


def _judge_part(task: tuple[Ints, Ints], table: Table, judge: Judge, settings: _Settings) -> _Part:
    """Measure and judge one neighbourhood, and keep what is said of its listed pairs."""
    nodes, local = task
    evidence = measure(table.take_columns(nodes))
    logits = judge_logits(judge, evidence, 1, settings.device)
    unlike = unlike_training(judge, evidence)
    return _Part(logits[local], evidence.values[local], unlike)


def _combine(
    screened: Screened,
    parts: Sequence[Neighbourhood],
    places: Sequence[Ints],
    said: Sequence[_Part],
) -> _Mean:
    """Average the logits of each pair over the neighbourhoods that know it best."""
    count = len(screened)
    best = np.full(count, -1)
    sums, parted, times = np.zeros((3, count))
    values = np.zeros((count, said[0].values.shape[1] if said else 0), dtype=np.float32)
    home = np.zeros(screened.n_nodes, dtype=bool)
    for part, at, own in zip(parts, places, said, strict=True):
        home[:] = False
        home[part.nodes[part.home]] = True
        rank = home[screened.first[at]].astype(np.int64) + home[screened.second[at]]
        better, equal = rank > best[at], rank == best[at]
        new = at[better]
        sums[new] = parted[new] = times[new] = 0.0
        best[new], values[new] = rank[better], own.values[better]
        chosen = at[better | equal]
        sums[chosen] += own.logits[better | equal]
        parted[chosen] += np.log(screened.n_nodes / len(part))
        times[chosen] += 1.0
    seen = np.flatnonzero(best >= 0)
    logits, log_parts = sums[seen] / times[seen], parted[seen] / times[seen]
    return _Mean(seen, logits, log_parts, values[seen])


def _unlike_training(
    table: Table, parts: Sequence[Neighbourhood], said: Sequence[tuple[Notice, ...]]
) -> tuple[Notice, ...]:
    """Tell once what is unlike training, and in how many neighbourhoods."""
    size: tuple[Notice, ...] = ()
    others: list[tuple[int, tuple[Notice, ...]]] = []
    for k, notices in enumerate(said):
        beyond = [one for one in notices if one.code == "unlike-training-columns"]
        facts = {"d": len(table.columns), "n": len(table)}
        size = size or tuple(replace(one, facts={**one.facts, **facts}) for one in beyond)
        rest = tuple(one for one in notices if one not in beyond)
        if rest:
            others.append((k, rest))
    if not others:
        return size
    at, rest = max(others, key=lambda other: len(other[1]))  # the first of those that say most
    name = table.names[int(parts[at].nodes[0])]
    found = {"count": len(others), "of": len(parts), "notices": rest}
    return (*size, Notice("unlike-training-parts", "warning", columns=(name,), facts=found))


def correct_for_chance(
    logits: ArrayLike, strength: ArrayLike, log_parts: ArrayLike, n_nodes: int
) -> Floats:
    r"""Correct logits that were found in parts of a table for the rest of it; see the module.

    Parameters
    ----------
    logits : array of shape (n_pairs,)
        Mean logit of each pair in the neighbourhoods that it was judged in.
    strength : array of shape (n_pairs,)
        How strong the pair is, as the size of a standard normal variable.
    log_parts : array of shape (n_pairs,)
        Mean of :math:`\log (d / d_k)` over these neighbourhoods.
    n_nodes : int
        Columns d of the table.

    Examples
    --------
    Of 1,000 columns, some pairs are as strong as 4 by chance, and none is as strong as 9:

    >>> logits = correct_for_chance([2.0, 2.0], [4.0, 9.0], np.log([1000 / 300] * 2), 1000)
    >>> bool(logits[0] < 1.5), round(float(logits[1]), 6)
    (True, 2.0)
    """
    given, away = np.asarray(logits, dtype=float), np.asarray(log_parts, dtype=float)
    by_chance = n_nodes * (n_nodes - 1.0) * ndtr(-np.asarray(strength, dtype=float))
    edges, corrected = float(n_nodes), given
    for _ in range(ROUNDS):
        share = WEIGHT * by_chance / (edges + FEWEST * n_nodes)
        corrected = given - POWER * (np.log1p(share) - np.log1p(share * np.exp(-away)))
        kept = corrected > 0.0
        edges = float(expit(corrected[kept]).sum())
    return corrected
