"""How often halves of the table agree, where that was computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from spinney.graph.report.content.encoding import share
from spinney.graph.report.content.facts import MOST_PAIRS, Facts

__all__ = ["stability"]


def stability(facts: Facts) -> dict[str, Any]:
    """List how often each pair was an edge in fits to parts of the table, the most often first."""
    found = facts.view.stability
    if found is None:
        return {"stability": None}
    frequencies = np.asarray(found.frequencies, dtype=float)
    # Those that never were an edge need no line, unless they are one here.
    told = (np.nan_to_num(frequencies) > 0.0) | facts.view.adjacency
    first, second = np.nonzero(np.triu(told, 1))
    values = frequencies[first, second]
    order = np.argsort(-np.nan_to_num(values), kind="stable")
    chosen = order[: max(MOST_PAIRS, facts.n_edges)]
    return {
        "stability": {
            "n_fits": int(found.n_fits),
            "frequencies": [
                [int(first[k]), int(second[k]), share(values[k])] for k in chosen.tolist()
            ],
            "sentences": [facts.say(line) for line in paragraphs(found.summary())],
        }
    }


def paragraphs(text: str) -> list[str]:
    r"""Take a text that was set for a terminal apart into paragraphs and items, each in one line.

    Examples
    --------
    >>> paragraphs("One and\ntwo.\n\nThree:\n  - a\n    b\n  - c")
    ['One and two.', 'Three:', 'a b', 'c']
    """
    parts = re.split(r"\n\n|\n\s*- ", text)
    return [" ".join(part.split()) for part in parts if part.strip()]
