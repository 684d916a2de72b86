"""Differences between groups in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spinney._core.pairs import pair_nodes
from spinney._core.text import counted, probability_text, shorten_end
from spinney.graph.words import rows_in_words, signed

if TYPE_CHECKING:
    from spinney.graph.grouped import GroupedGraphs

__all__ = ["cautions_of_groups", "sentences_of_groups"]

LIKELY = 0.5
MOST_LISTED = 8
MOST_COMPARED = 10
"""Most comparisons of two groups listed."""
LONGEST_NAME = 60
"""Longest name; longer ones are cut."""
UNEQUAL = 2.0
"""Ratio of group sizes that calls for a caution."""


def sentences_of_groups(grouped: GroupedGraphs) -> list[str]:
    """Describe the groups, and each two of them."""
    sizes = ", ".join(
        f"{_short(name)} ({rows_in_words(size, graph.learner.table_.drawn)}, "
        f"{counted(graph.n_edges, 'edge')})"
        for (name, graph), size in zip(grouped.graphs.items(), grouped.sizes, strict=True)
    )
    told = [f"{len(grouped.names)} groups by {_short(grouped.by)}: {sizes}."]
    couplings = grouped.couplings
    ranked = sorted(couplings, key=lambda two: -float(np.nansum(couplings[two].differs)))
    for first, second in [two for two in couplings if two in ranked[:MOST_COMPARED]]:
        told.append(_of_two(grouped, first, second))
        stronger = _of_strengths(grouped, first, second)
        if stronger:
            told.append(stronger)
        if (first, second) in grouped.tests:
            told.append(grouped.tests[first, second].sentence())
    if len(couplings) > MOST_COMPARED:
        told.append(
            f"These are the {MOST_COMPARED} of {len(couplings)} comparisons with most differences."
        )
    return told


def cautions_of_groups(grouped: GroupedGraphs) -> list[str]:
    """List what to be careful about, in a sentence or two each."""
    notes = list(grouped.warnings)
    smallest, largest = min(grouped.sizes), max(grouped.sizes)
    if largest > UNEQUAL * smallest:
        notes.append(
            f"The groups have from {smallest:,} to {largest:,} rows. Fewer rows show fewer edges, "
            "so an edge that only a larger group has may be one that the smaller one is too small "
            "to show. The probabilities take this into account in part; in Python, "
            "equal_rows=True thins larger groups to the size of the smallest."
        )
    if len(grouped.names) > 2:
        notes.append(
            "Each pair of groups is compared separately; the largest of several probabilities is "
            "too large to be read as that of one comparison."
        )
    notes.append(
        "A difference here is an edge that one group has and the other has not, or an edge of both "
        "whose strengths are three standard errors apart. Groups may still differ in means and "
        "variances, and a difference may be too small for so many rows to show. To see what chance "
        "alone can do, split one group at random and compare the halves."
    )
    return notes


def _of_two(grouped: GroupedGraphs, first: str, second: str) -> str:
    differs = grouped.couplings[first, second].differs
    known = ~np.isnan(differs)
    total, likely = int(known.sum()), int((differs[known] > LIKELY).sum())
    n_expected = float(differs[known].sum())
    text = (
        f"{_short(first)} and {_short(second)}: of {counted(total, 'pair')} {likely or 'none'} "
        f"{'are edges' if likely > 1 else 'is an edge'} of just one of them with a probability "
        f"above 1/2; the expected number of differences is {n_expected:.1f}."
    )
    if (~known).any():
        text += f" For {counted(int((~known).sum()), 'pair')} there is too little data."
    order = [k for k in np.argsort(-np.nan_to_num(differs, nan=-1.0), kind="stable") if known[k]]
    shown = [int(k) for k in order[: min(likely, MOST_LISTED)]]
    if shown:
        more = likely - len(shown)
        tail = f"; and {more} more" if more else ""
        text += f" {'; '.join(_pair(grouped, first, second, k) for k in shown)}{tail}."
    return text


def _pair(grouped: GroupedGraphs, first: str, second: str, pair: int) -> str:
    posterior = grouped.couplings[first, second].coupling.posterior[pair]
    owner = first if posterior[1] > posterior[2] else second
    probability = probability_text(grouped.couplings[first, second].differs[pair])
    return f"{_names(grouped, pair)} only in {_short(owner)} ({probability})"


def _of_strengths(grouped: GroupedGraphs, first: str, second: str) -> str:
    """Describe edges that both groups have, but with different strengths."""
    found = grouped.couplings[first, second]
    size = np.where(found.unequal, np.abs(found.strength_z), 0.0)
    chosen = [int(k) for k in np.argsort(-size, kind="stable") if size[k]]
    if not chosen:
        return ""
    a, b = grouped.strengths[first], grouped.strengths[second]
    told = [
        f"{_names(grouped, k)} ({signed(a[k])} in {_short(first)}, {signed(b[k])} in "
        f"{_short(second)}, {f'{found.strength_z[k]:+.1f}'.replace('-', '−')} standard errors)"
        for k in chosen[:MOST_LISTED]
    ]
    more = len(chosen) - len(told)
    return (
        f"{counted(len(chosen), 'edge')} of both {_short(first)} and {_short(second)} "
        f"{'is' if len(chosen) == 1 else 'are'} of different strength: {'; '.join(told)}"
        f"{f'; and {more} more' if more else ''}."
    )


def _names(grouped: GroupedGraphs, pair: int) -> str:
    u, v = (grouped.columns[int(nodes[pair])] for nodes in pair_nodes(len(grouped.columns)))
    return f"{_short(u)} – {_short(v)}"


def _short(name: str) -> str:
    return shorten_end(name, LONGEST_NAME)
