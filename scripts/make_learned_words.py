"""How docs/accuracy.md writes names, numbers and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

OURS = "learned"
NAMES = {
    OURS: "**judge**",
    "rooted-forests": "RootedForests",
    "shared-forest": "SharedForest",
    "ef-lambda": "ForestsLambda (EF-λ)",
    "et": "EnsembleOfTrees (ET)",
    "chow-liu-copulas": "Chow–Liu, copulas",
    "chow-liu-gaussian": "Chow–Liu, Gaussian",
    "glasso-ebic": "glasso, eBIC",
    "glasso-stars-0.1": "glasso, StARS",
    "glasso-cv": "glasso, likelihood",
    "nonparanormal-stars-0.1": "npn, StARS",
    "neighbourhood-stars-0.1": "neighbourhood, StARS",
    "partial-correlation-fdr": "partial correlation",
    "huge-glasso-stars": "huge: glasso, StARS",
    "huge-glasso-stars-0.05": "huge: glasso, StARS 0.05",
    "huge-glasso-ric": "huge: glasso, RIC",
    "huge-glasso-ebic": "huge: glasso, eBIC",
    "huge-mb-stars": "huge: mb, StARS",
    "huge-mb-ric": "huge: mb, RIC",
    "huge-npn-stars": "huge: npn, StARS",
    "huge-npn-ric": "huge: npn, RIC",
    "huge-npn-ebic": "huge: npn, eBIC",
    "huge-npn-truncation-stars": "huge: npn (truncation), StARS",
    "bdgraph-ggm": "BDgraph ggm",
    "bdgraph-gcgm": "BDgraph gcgm",
    "complete-cases": "complete rows",
    "mean-imputation": "means in gaps",
    "filled-glasso-stars-0.1": "glasso, StARS, gaps filled",
    "filled-glasso-ebic": "glasso, eBIC, gaps filled",
    "filled-nonparanormal-stars-0.1": "npn, StARS, gaps filled",
    "glasso-polychoric-stars-0.1": "polychoric, StARS",
    "glasso-polychoric-ebic": "polychoric, eBIC",
}


GROUPS = {
    "truths": "continuous cells",
    "tables": "mixed and missing cells",
    "world": "fresh tables of the world",
}


def name(method: str | None) -> str:
    """Write a method as it is called in tables."""
    return "–" if method is None else NAMES.get(method, method)


def number(value: float | None, digits: int = 2) -> str:
    """Write a number, or a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def with_error(found: dict[str, Any] | None, digits: int = 2) -> str:
    """Write a mean with its standard error.

    Examples
    --------
    >>> with_error({"mean": 1.234, "error": 0.056}), with_error({"mean": 1.0, "error": None}, 1)
    ('1.23 ± 0.06', '1.0')
    """
    if not found or found["mean"] is None:
        return "–"
    error = "" if found["error"] is None else f" ± {found['error']:.{digits}f}"
    return f"{found['mean']:.{digits}f}{error}"


def signed(found: dict[str, Any] | None, digits: int = 2) -> str:
    """Write a difference with its standard error."""
    if not found or found["mean"] is None:
        return "–"
    return ("+" if found["mean"] >= 0 else "−") + with_error(
        found | {"mean": abs(found["mean"])}, digits
    )


def laid_out(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lay out a table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]
