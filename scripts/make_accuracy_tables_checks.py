"""What docs/accuracy.md says of noise, thresholds and time, from ``benchmarks.tables``.

A part of ``python -m scripts.make_accuracy_tables_real``; the latest stored sections are shown,
and those that are not stored are left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks._run import RESULTS

Summary = list[Any]
ENOUGH = 0.5
"""The aim: fewer edges than this where there are none."""


def latest(section: str, folder: Path = RESULTS) -> dict[str, Any] | None:
    """Read the section of ``benchmarks.tables`` that was stored last."""
    for path in sorted(folder.glob("tables-*.json"), reverse=True):
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if section in content:
            found: dict[str, Any] = content[section]
            return found
    return None


def shown(summary: Summary, digits: int = 2) -> str:
    """Write a mean with its error and the number of tables.

    Examples
    --------
    >>> shown([0.25, 0.11, 40]), shown([1.0, None, 1])
    ('0.25 ± 0.11 (40)', '1.00 (1)')
    """
    mean, error, n = summary
    said = "" if error is None else f" ± {error:.{digits}f}"
    return f"{mean:.{digits}f}{said} ({n})"


def noise(found: dict[str, Any] | None) -> list[str]:
    """Edges on independent tables, and the worst mixtures."""
    if found is None:
        return []
    again = found["worst_again"]
    lines = [
        f"**Noise.** Edges found in {found['tables']:,} tables of 25 independent columns, of all "
        "mixtures of two kinds (continuous, rounded, binary, ordinal and nominal with 3 to 10 "
        "levels) and one of everything, with 0, 10 and 30 % missing; mean ± standard error "
        f"(tables), seeds from {found['seeds'][0]}. The worst mixtures are worst partly by chance, "
        f"so the last column draws them again, with seeds from {found['seeds'][1]}:",
        "",
        "| | edges | none missing | 10 % | 30 % | worst mixture | the worst, drawn again |",
        "|---|---|---|---|---|---|---|",
    ]
    above = []
    for key, means in found["means"].items():
        estimator = key.split(",")[0]
        worst = found["worst"][key]
        name = next(iter(worst))
        redrawn = {m: again[estimator][m] for m in worst if m in again.get(estimator, {})}
        said = "–"
        if redrawn:
            other = max(redrawn, key=lambda mixture: redrawn[mixture][0])
            said = f"{shown(redrawn[other])}: {other}"
            if redrawn[other][0] >= ENOUGH:
                above.append(key)
        gaps = [
            shown(means["gaps"][g]) if g in means["gaps"] else "–" for g in ("0.0", "0.1", "0.3")
        ]
        lines.append(
            f"| {key} | {shown(means['all'])} | {' | '.join(gaps)} | {shown(worst[name])}: {name} "
            f"| {said} |"
        )
    mean_above = [key for key, means in found["means"].items() if means["all"][0] >= ENOUGH]
    lines += [
        "",
        f"Half an edge or more on average: {'; '.join(mean_above) or 'none'}. In the worst "
        f"mixture, drawn again: {'; '.join(above) or 'none'}.",
        "",
    ]
    return lines


def thresholds(found: dict[str, Any] | None) -> list[str]:
    """Wrong edges by how far beyond a path counts as direct."""
    if found is None:
        return []
    lines = [
        "**Pairs that others explain.** Wrong edges on tuning seeds, averaged over the cells with "
        "levels or gaps and over `loopy` and `grid` cut into five levels or mixed kinds, if a pair "
        "must be so many standard errors beyond a path to count as direct; in brackets the number "
        f"of seeds. The default is {found['chosen']:g}; differences to it are seed by seed.",
        "",
        "| | | levels and gaps | difference | loops | difference |",
        "|---|---|---|---|---|---|",
    ]
    for key, means in found["results"].items():
        estimator, beyond = key.split()
        cells = []
        for group in ("tables", "loops"):
            known = means.get(group)
            cells += (
                [shown(known["wrong"]), shown(known["against_chosen"])] if known else ["–", "–"]
            )
        said = "never explained" if beyond == "None" else f"{float(beyond):g}"
        lines.append(f"| {estimator} | {said} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def seconds(found: dict[str, Any] | None) -> list[str]:
    """Seconds of a fit by what the columns are."""
    if found is None:
        return []
    machine = found["machine"]
    lines = [
        f"**Time.** The same latent table, d = {found['d']}, n = {found['n']}, shown in five ways; "
        f"default settings, warm, medians of {found['rounds']} rounds in turn "
        f"({machine['processor']}):",
        "",
        "| | seconds | times the continuous table |",
        "|---|---|---|",
    ]
    for name, fit in found["fits"].items():
        lines.append(f"| {name} | {fit['seconds']:.3f} | {fit['times_continuous']:.2f} |")
    return [*lines, ""]


def text(folder: Path = RESULTS) -> list[str]:
    """Write all that is stored."""
    return [
        *noise(latest("noise", folder)),
        *thresholds(latest("explained", folder)),
        *seconds(latest("speed", folder)),
    ]
