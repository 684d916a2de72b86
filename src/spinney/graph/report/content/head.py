"""What stands at the top: title, version, and what the score of a pair is."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from spinney import __version__
from spinney.graph.report.content.encoding import number
from spinney.graph.report.content.facts import Facts

__all__ = ["head"]


def head(facts: Facts) -> dict[str, Any]:
    """Name the graph, what learned it, and the score by which pairs are ranked."""
    view = facts.view
    cut, fdr = _rule(facts)
    return {
        "title": facts.say(view.title),
        "estimator": view.estimator,
        "made": date.today().isoformat(),
        "version": __version__,
        "score": {
            "key": view.score,
            "label": view.score_label,
            "is_probability": view.is_probability,
            "cut": number(cut),
            "fdr": number(fdr),
        },
    }


def _rule(facts: Facts) -> tuple[float | None, float | None]:
    """Return the score from which on pairs are kept, and the share of false ones asked for."""
    learned = facts.view.learned
    if learned is None:
        return None, None
    learner = learned.learner
    if learner.target_fdr is None:
        return float(learner.cut), None
    kept = facts.view.scores[np.triu(facts.view.adjacency, 1)]
    return (float(kept.min()) if kept.size else None), float(learner.target_fdr)
