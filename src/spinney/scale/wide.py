r"""A wide table, judged in neighbourhoods of columns that belong together.

The judge reads all pairs of a table at once, and 5,000 columns have 12 million pairs. So columns
are scored once, the strongest pairs of each are found
(:func:`spinney.scale.partners.find_partners`), and the columns are grouped into overlapping
neighbourhoods of at most 200 (:func:`spinney.scale.neighbourhoods.find_neighbourhoods`). The
evidence of a neighbourhood follows from the scores of its columns, and the logits of a pair are
brought together:

.. math:: \operatorname{logit} P_{uv} = \frac{1}{|N_{uv}|} \sum_{k \in N_{uv}} \ell^{(k)}_{uv}
          - c_{uv}

where :math:`\ell^{(k)}` are the logits that the judge gives in neighbourhood k. :math:`N_{uv}` are
the neighbourhoods in which both columns of the pair are at home; if there are none, those in which
one is; else all that have both. The last term corrects the prior odds for the pairs that are not in
a neighbourhood.

**Prior odds.** In a neighbourhood of :math:`d_k` columns the judge compares a pair with the pairs
of the neighbourhood only. The whole table of d columns has more pairs, and neighbourhoods are made
of strong pairs, some of which are strong by chance. Of independent pairs

.. math:: m(z) = d (d - 1) \bigl(1 - \Phi(z)\bigr)

are expected to be as strong as z. For each of the E edges of the table there are
:math:`x = c\, m / E` of them, and :math:`x d_k / d` if the neighbourhood were a table by itself. So
the logit of a pair, to which the judge gives the probability P in its neighbourhoods, is reduced by

.. math:: \kappa \Bigl(1 - \frac{m P}{m + s d}\Bigr) \log \frac{1 + x}{1 + x\, d_k / d},

which is nearly 0 where no pair is so strong by chance, and up to :math:`\kappa \log (d / d_k)`
where most are. The factor in brackets keeps the judge's answer for a weak pair, of which there are
more than s d, if the judge is sure of it because of other pairs. E is the expected number of edges
that are kept, and at least 0.003 d; it is found by iteration from E = d. The fewer edges a table
has, the stronger each must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr, ndtri

from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import n_pairs, pair_ends, pair_nodes, pair_numbers
from spinney._core.text import counted
from spinney.evidence import CHANNELS, Evidence
from spinney.evidence.evidence import measure_scores
from spinney.evidence.out_of_distribution import size_notice
from spinney.judge.judge import Judge, unlike_training
from spinney.notices import Notice
from spinney.scale.neighbourhoods import CORE, SIZE, Neighbourhood, find_neighbourhoods
from spinney.scale.partners import Partners, find_partners
from spinney.scale.tasks import parallel_map
from spinney.scores import Scores
from spinney.tables import Table

CHANCE = 0.1
"""Pairs per column that may pass by chance the strength from which on pairs are seen together."""
STRENGTHS = [k for k, channel in enumerate(CHANNELS) if channel.name in ("score_z", "shapes_z")]
"""Channels whose largest size is the strength of a pair."""
WEIGHT, POWER, SELECTED, FEWEST = 300.0, 2.0, 0.3, 0.003
"""c, kappa, s and the least number of edges for each column. Chosen on tuning tables of 400 and
1,000 columns (docs/large-tables.md), for the likelihood of the true edges and for expected numbers
of false and missed edges that agree with the true ones."""
ROUNDS = 6
"""Iterations for the number of edges; it settles after three or four."""
LISTED = 50
"""Pairs for each column that are listed: the most probable ones of the table."""


class Judged(NamedTuple):
    """What the judge says of a wide table.

    Attributes
    ----------
    evidence : Evidence
        Evidence of the listed pairs in the first neighbourhood that knows them best.
    probabilities : array of shape (n_listed,)
        Probability that each is an edge.
    unlike_training : tuple of Notice
        In what the table, or its neighbourhoods, are unlike those of the judge's training.
    """

    evidence: Evidence
    probabilities: Floats
    unlike_training: tuple[Notice, ...]


_Part = tuple[NDArray[np.float32], NDArray[np.float32], tuple[Notice, ...]]
"""Logits and evidence of all pairs of a neighbourhood, and in what it is unlike training."""


def learn_wide(
    table: Table,
    scores: Scores,
    judge: Judge,
    *,
    required: Ints,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: bool = False,
) -> Judged:
    """Judge the pairs of a table in neighbourhoods; see the module.

    Parameters
    ----------
    table : Table
        The table.
    scores : Scores
        Its scores.
    judge : Judge
        The network.
    required : int array
        Pairs that are judged and listed in any case, by number.
    n_jobs : int, optional
        Neighbourhoods at a time; -1 takes all cores. The numbers do not depend on it.
    device : str
        Where the judge is computed.
    progress : bool
        Whether to show progress bars.
    """
    d = len(table.columns)
    parts = neighbourhoods_of(find_partners(scores, progress=progress), d, required)
    said = parallel_map(
        _judge_part,
        [part.nodes for part in parts],
        shared=(table, scores, judge, device),
        n_jobs=n_jobs if device == "cpu" else 1,
        label="pairs in neighbourhoods",
        progress=progress,
        steps=[n_pairs(len(part)) for part in parts],
    )
    unlike = _unlike_training(table, parts, [notices for *_, notices in said])
    pairs, logits, log_parts, values = _combine(parts, said, d)
    strength = np.abs(values[:, STRENGTHS]).max(axis=1)
    logits = correct_for_chance(logits, strength, log_parts, d)
    listed = _most_probable(logits, LISTED * d) | np.isin(pairs, required)
    evidence = Evidence(values[listed], table, pairs[listed])
    return Judged(evidence, expit(logits[listed]), unlike)


def neighbourhoods_of(
    partners: Partners, n_nodes: int, required: Ints
) -> tuple[Neighbourhood, ...]:
    r"""Group the columns of a table by their strongest pairs.

    Pairs are seen together if their strength passes :math:`\Phi^{-1}(1 - c / d)`, which
    :math:`c\,(d - 1)` pairs do by chance, c = 0.1; required pairs are in any case.
    """
    first, second = pair_ends(required, n_nodes)
    return find_neighbourhoods(
        n_nodes,
        np.concatenate([partners.first, first]),
        np.concatenate([partners.second, second]),
        np.concatenate([partners.strength, np.full(len(required), np.inf)]),
        together=float(-ndtri(min(CHANCE / n_nodes, 0.5))),
        core=CORE,
        size=SIZE,
    )


def _judge_part(nodes: Ints, table: Table, scores: Scores, judge: Judge, device: str) -> _Part:
    """Measure and judge one neighbourhood."""
    evidence = Evidence(measure_scores(scores.take(nodes)), table.take_columns(nodes))
    logits = judge.logits(*judge.reads(evidence), device=device, n_jobs=1)
    return logits, evidence.values, unlike_training(judge, evidence)


def _combine(
    parts: Sequence[Neighbourhood], said: Sequence[_Part], n_nodes: int
) -> tuple[Ints, Floats, Floats, NDArray[np.float32]]:
    r"""Average the logits of each pair over the neighbourhoods that know it best.

    Returns the pairs, their logits, the mean of :math:`\log (d / d_k)`, and the evidence of the
    first of these neighbourhoods.
    """
    numbers, known = [], []
    for part in parts:
        u, v = pair_nodes(len(part))
        numbers.append(pair_numbers(part.nodes[u], part.nodes[v], n_nodes))
        known.append(part.home[u].astype(np.int64) + part.home[v])
    rank = np.concatenate(known)
    order = np.lexsort((-rank, np.concatenate(numbers)))  # stable: the first neighbourhood first
    pairs, start, at = np.unique(
        np.concatenate(numbers)[order], return_index=True, return_inverse=True
    )
    best = rank[order] == rank[order][start][at]
    at, order, first = at[best], order[best], order[start]
    logits = np.concatenate([own for own, *_ in said]).astype(float)[order]
    away = np.repeat(
        [np.log(n_nodes / len(part)) for part in parts], [n_pairs(len(part)) for part in parts]
    )[order]
    times = np.bincount(at)
    values = np.concatenate([own for _, own, _ in said])[first]
    return pairs, np.bincount(at, logits) / times, np.bincount(at, away) / times, values


def _most_probable(logits: Floats, count: int) -> NDArray[np.bool_]:
    """Which pairs are among so many most probable ones."""
    if count >= len(logits):
        return np.ones(len(logits), dtype=bool)
    return logits >= np.partition(logits, -count)[-count]


def _unlike_training(
    table: Table, parts: Sequence[Neighbourhood], said: Sequence[tuple[Notice, ...]]
) -> tuple[Notice, ...]:
    """Tell once what is unlike training, and in how many neighbourhoods."""
    size: tuple[Notice, ...] = ()
    others: list[tuple[int, list[Notice]]] = []
    for k, notices in enumerate(said):
        rest = []
        for one in notices:
            if one.code != "unlike-training-columns":
                rest.append(one)
            elif not size:
                seen = one.facts["least"], one.facts["most"]
                size = (size_notice("columns", len(table.columns), *seen),)
        if rest:
            others.append((k, rest))
    if not others:
        return size
    at, rest = max(others, key=lambda other: len(other[1]))  # the first of those that say most
    name = table.names[int(parts[at].nodes[0])]
    text = (
        f"{counted(len(others), 'neighbourhood')} of {len(parts)} "
        f"{'is' if len(others) == 1 else 'are'} unlike them in other ways; that of column "
        f"{name!r}, for example: {' '.join(map(str, rest))}"
    )
    return (*size, Notice("unlike-training-parts", text, columns=(name,)))


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
    power = POWER * (1.0 - expit(given) * by_chance / (by_chance + SELECTED * n_nodes))
    edges, corrected = float(n_nodes), given
    for _ in range(ROUNDS):
        share = WEIGHT * by_chance / (edges + FEWEST * n_nodes)
        corrected = given - power * (np.log1p(share) - np.log1p(share * np.exp(-away)))
        kept = corrected > 0.0
        edges = float(expit(corrected[kept]).sum())
    return corrected
