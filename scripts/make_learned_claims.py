"""What was asked of the judge, what was found, and whether it held."""

from __future__ import annotations

from typing import Any

from scripts.make_learned_words import OURS, laid_out, name, number, with_error

Claim = tuple[str, str, bool]
"""What was asked for, what was found, and whether it held."""

MOST_WRONG, SHARE_BELOW = 6.9, 0.35
MOST_NOISE = 0.3
MOST_ERROR, MOST_KIND_ERROR = 0.01, 0.05
MOST_FALSE = 0.12
HUGE_RATIO, BDGRAPH_RATIO = 20.0, 10.0


def overview(sections: dict[str, Any]) -> list[str]:
    """Lay out all claims of which something is stored."""
    rows = [
        row for claims in (_cells, _noise, _wide, _calibration, _speed) for row in claims(sections)
    ]
    if not rows:
        return []
    shown = [(asked, found, "yes" if held else "**no**") for asked, found, held in rows]
    return ["## In short", "", *laid_out(("asked for", "found", "held"), shown)]


def _cells(sections: dict[str, Any]) -> list[Claim]:
    rows = []
    found = sections.get("cells", {})
    if "truths" in found:
        part = found["truths"]
        ours = part["mean"][OURS]
        rows.append(
            (
                f"wrong edges a table over {ours['cells']} cells: at most {MOST_WRONG}",
                with_error(ours),
                ours["mean"] <= MOST_WRONG,
            )
        )
        share = part.get("share_below_best_single")
        if share is not None:
            word = "below" if share >= 0 else "above"
            rows.append(
                (
                    f"at least {SHARE_BELOW:.0%} below the best single peer",
                    f"{abs(share):.0%} {word} {name(part['best_single_peer'])}",
                    share >= SHARE_BELOW,
                )
            )
    for group, words in (("truths", "continuous"), ("tables", "mixed and missing")):
        if group in found:
            above = [cell for cell, one in found[group]["cells"].items() if one["above"]]
            rows.append(
                (
                    f"{words} cells: in none above its best peer by more than one standard error",
                    f"above in {len(above)} of {len(found[group]['cells'])}"
                    + (f": {', '.join(above)}" if above else ""),
                    not above,
                )
            )
    return rows


def _noise(sections: dict[str, Any]) -> list[Claim]:
    found = sections.get("noise", {}).get("tables", {})
    if not found:
        return []
    worst = max(found.values(), key=lambda one: one["edges"])
    told = f"at most {worst['edges']:.2f} (d = {worst['d']}, n = {worst['n']})"
    return [
        (
            f"independent columns: under {MOST_NOISE} edges a table",
            told,
            worst["edges"] < MOST_NOISE,
        )
    ]


def _wide(sections: dict[str, Any]) -> list[Claim]:
    found = sections.get("cells", {}).get("wide")
    if not found:
        return []
    others = {method: one for method, one in found.items() if method != OURS}
    best = max(others, key=lambda method: others[method]["mean"])
    told = f"{found[OURS]['mean']:.1f}; next {name(best)} {others[best]['mean']:.1f}"
    ahead = found[OURS]["mean"] > others[best]["mean"]
    return [("80 nodes, 50 rows: most true edges before 1 % false ones", told, ahead)]


def _calibration(sections: dict[str, Any]) -> list[Claim]:
    rows: list[Claim] = []
    for group, words in (("truths", "continuous"), ("tables", "mixed and missing")):
        found = sections.get("calibration", {}).get(group)
        if not found:
            continue
        error = found["all"]["error"]
        kinds = found["by_kind"]
        worst = max(kinds, key=lambda kind: kinds[kind]["error"])
        shares = {cell: one for cell, one in found["target"].items() if one["counts"]}
        highest = max(shares, key=lambda cell: shares[cell]["share"])
        most = shares[highest]["share"]
        rows += [
            (
                f"calibration error, {words}: under {MOST_ERROR}",
                number(error, 4),
                error < MOST_ERROR,
            ),
            (
                f"in each kind under {MOST_KIND_ERROR}",
                f"at most {kinds[worst]['error']:.3f} ({worst})",
                kinds[worst]["error"] < MOST_KIND_ERROR,
            ),
            (
                f"`target_fdr=0.1`: at most {MOST_FALSE} false in each cell with 50 edges",
                f"at most {most:.3f} ({highest})",
                most <= MOST_FALSE,
            ),
        ]
    return rows


def _speed(sections: dict[str, Any]) -> list[Claim]:
    ratios = sections.get("speed", {}).get("ratios", {})
    rows = []
    for label, asked in (("huge", HUGE_RATIO), ("BDgraph ggm", BDGRAPH_RATIO)):
        known = [
            v for k, v in ratios.items() if k.startswith(label) and k.endswith("/ GraphLearner")
        ]
        if known:
            rows.append(
                (
                    f"at least {asked:g} times as fast as {label}, d = 25, n = 500",
                    f"{known[0]:.0f} times",
                    known[0] >= asked,
                )
            )
    return rows
