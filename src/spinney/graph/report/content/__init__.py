"""The content of a report as plain JSON: sections, combined by `build`.

A new section is a function of :class:`~spinney.graph.report.content.facts.Facts`, and an entry in
:data:`SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spinney.graph.graph import LearnedGraph
from spinney.graph.report.content import network, overview, pair_details
from spinney.graph.report.content.facts import Facts, plain

__all__ = ["SECTIONS", "build"]

SECTIONS: tuple[Callable[[Facts], dict[str, Any]], ...] = (
    *(overview.head, overview.summary, network.nodes, network.pairs, network.strengths),
    *(network.heat, pair_details.data, pair_details.fits, pair_details.why, network.stability),
    *(network.groups, overview.calibration, overview.checks, overview.paper, overview.cite),
    overview.run,
)
"""The sections; each adds its parts to the payload."""


def build(graph: LearnedGraph) -> dict[str, Any]:
    """Collect the content of a report as plain JSON: finite numbers, text, lists, null.

    The user's names and levels are plain text, never HTML. Only its node has a name in full;
    everywhere else there is its label, which has at most 40 characters and is unique.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.

    Returns
    -------
    dict
        ``title``, ``made``, ``version``
            What it is of, and what made it when.
        ``score``
            ``key``, ``label``, ``is_probability``; ``cut``, above which pairs are kept (with
            `fdr`: the smallest score that was).
        ``summary``
            ``sentences``, ``cautions`` and ``more`` cautions.
        ``nodes``, ``components``
            Columns by position (``name``, ``label``, ``kind``, ``component``, ``degree``, ``rows``
            or null, ``x`` and ``y`` between 0 and 1 with y upwards, ``betweenness``,
            ``predictability``, and where they are known ``up``, the level that counts as high, and
            ``group``, which colours it; with stability ``degree_low``, ``degree_high`` and so on);
            components, the largest first.
        ``pair_columns``, ``pairs``, ``n_pairs``, ``n_judged``
            All edges first, then the next best pairs up to 4,000. ``sign`` is 0 where it is not
            known. ``n_judged`` is null where all pairs were.
        ``strengths``
            The picture of the strengths as SVG, or empty.
        ``heat``
            ``order``; ``values``, a byte for each pair, ``round(250 |score| / scale)``, 255 where
            it is unknown; ``scale``, 1 unless the score is a weight; ``nodes``, whose pairs these
            are: all, or the 400 with most edges.
        ``data``
            Null if the model does not keep its table. ``n``, ``shown`` and ``columns``. A
            continuous column has normal scores of ranks, ``round((z + 4) 8191)``; others have
            positions among ``levels``; 65535 is a gap. ``quantiles``: least, quartiles, largest.
            Beyond 400 columns those are null that are in none of the best pairs.
        ``fits``
            By ``"i-j"`` for those of the first 600 pairs of numbers with a fitted copula: a
            ``grid`` of heights of the density in 255 steps, such that its ``lines`` cut them
            into equal parts.
        ``why``
            For the same pairs; ``path`` is the strongest other way between the two
            (:mod:`spinney.graph.report.content.pair_details`). ``evidence`` is empty for
            estimators that measure none; its lines name their ``channel``, too.
        ``stability``, ``groups``
            Null if not computed.
        ``paper``
            ``methods``, ``results``, ``caption``, ``table`` and ``latex`` for a paper;
            ``checklist`` (``item``, ``standard``, ``status``, ``what``), ``standards``.
        ``calibration``, ``checks``, ``reading``, ``cite``, ``command``, ``run``
            Text.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.models.baselines import ChowLiu
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[:, 2] -= X[:, 0]
    >>> payload = build(LearnedGraph.of(ChowLiu().fit(X), title="three columns"))
    >>> payload["pair_columns"][:4], payload["pairs"][0][:2]
    (['i', 'j', 'score', 'kept'], [0, 2])
    """
    facts = Facts(graph)
    payload: dict[str, Any] = {}
    for section in SECTIONS:
        payload |= section(facts)
    return dict(plain(payload))
