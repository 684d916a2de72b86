"""The pairs, best first, with what other methods say of each."""

from __future__ import annotations

from typing import Any

import pandas as pd

from spinney.graph.comparisons import METHODS
from spinney.graph.report.content.encoding import number, numbers, share
from spinney.graph.report.content.facts import Facts

__all__ = ["pairs"]

COLUMNS = ("i", "j", "score", "kept", "sign", "strength", "tau", "family", "rows", "fdr")


def pairs(facts: Facts) -> dict[str, Any]:
    """List the pairs: all edges, then the next best."""
    shown, view = facts.shown, facts.view
    size, described = len(shown), facts.described
    short = number if view.score == "weight" else share
    unknown: list[Any] = [None] * size
    columns: dict[str, list[Any]] = {
        "i": shown["i"].tolist(),
        "j": shown["j"].tolist(),
        "score": [short(value) for value in shown[view.score]],
        "kept": [bool(edge) for edge in shown["edge"]],
        "sign": [int(sign) for sign in shown["sign"]],
        "strength": numbers(shown[view.strength], 4),
        "tau": unknown if described is None else numbers(described["tau"], 4),
        "family": unknown if described is None else [str(name) for name in described["family"]],
        "rows": [int(rows) for rows in shown["rows"]] if "rows" in shown else unknown,
        "fdr": numbers(shown["expected_fdr"], 4) if "expected_fdr" in shown else unknown,
    }
    methods = [name for name in METHODS if f"{name}_kept" in shown]
    for name in methods:
        kept, shares = shown[f"{name}_kept"], shown.get(f"{name}_share")
        columns[f"{name}_kept"] = [None if pd.isna(value) else bool(value) for value in kept]
        columns[f"{name}_share"] = unknown if shares is None else [share(v) for v in shares]
    return {
        "pair_columns": list(columns),
        "pairs": [list(row) for row in zip(*columns.values(), strict=True)],
        "n_pairs": facts.n_pairs,
        "n_judged": None if facts.view.judged.numbers is None else len(facts.ranked),
        "methods": [{"key": name, "label": METHODS[name]} for name in methods],
    }
