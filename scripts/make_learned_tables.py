"""Each section of docs/accuracy.md, as lines of Markdown, from what was stored of it."""

from __future__ import annotations

from statistics import median
from typing import Any

from scripts.make_learned_words import GROUPS, OURS, laid_out, name, number, signed, with_error


def cells(found: dict[str, Any]) -> list[str]:
    """Cells with their best peers, and means of all methods."""
    lines = [
        "Kept where P > ½. A cell's best peer is the one that comes closest to the judge, or goes "
        "furthest beyond it, on the seeds that both have (at least 10); the difference is the "
        "judge's wrong edges less the peer's on these seeds. Where the peer is ahead by more than "
        "one standard error, the cell is marked.",
        "",
        "![Wrong edges of the judge and of peers](images/judge_cells.png)",
        "",
    ]
    for group in ("truths", "tables"):
        if group not in found:
            continue
        part = found[group]
        rows = []
        for cell, one in part["cells"].items():
            ours = with_error(one)
            if one["best"] is None:
                rows.append((cell, ours, str(one["repetitions"]), "–", "–", "–", "–", ""))
                continue
            gap = {"mean": one["difference"], "error": one["difference_error"]}
            mark = "**above**" if one["above"] else ""
            peer = number(one["best_mean"])
            shown = (name(one["best"]), peer, signed(gap), str(one["seeds"]), mark)
            rows.append((cell, ours, str(one["repetitions"]), *shown))
        head = ("cell", "judge", "tables", "best peer", "its mean", "difference", "seeds", "")
        lines += laid_out(head, rows)
        order = sorted(part["mean"], key=lambda method: part["mean"][method]["mean"])
        means = [
            (name(m), with_error(part["mean"][m]), str(part["mean"][m]["tables"])) for m in order
        ]
        lines += [f"Mean over the {len(part['cells'])} cells:", ""]
        lines += laid_out(("method", "wrong edges", "tables"), means)
    return lines


def wide(found: dict[str, Any]) -> list[str]:
    """Compare the heads of rankings."""
    part = found.get("wide")
    if not part:
        return ["Not measured yet.", ""]
    rows = []
    for method, one in part.items():
        gap = {"mean": one["ahead"], "error": one["ahead_error"]} if "ahead" in one else None
        rows.append((name(method), with_error(one, 1), str(one["repetitions"]), signed(gap, 1)))
    head = ("method", "true edges", "tables", "judge less method")
    return [
        "True edges (of 120) at the head of each method's ranking, as long as at most 1 % of it is "
        "false:",
        "",
        *laid_out(head, rows),
    ]


def noise(found: dict[str, Any]) -> list[str]:
    """Edges where there are none."""
    rows = [
        (
            str(one["d"]),
            str(one["n"]),
            with_error({"mean": one["edges"], "error": one["error"]}),
            str(one["most"]),
            number(one["expected_edges"]),
            str(one["tables"]),
        )
        for one in found["tables"].values()
    ]
    head = ("columns", "rows", "edges", "most", "sum of probabilities", "tables")
    return ["Every edge is a mistake here.", "", *laid_out(head, rows)]


def calibration(found: dict[str, Any]) -> list[str]:
    """Calibration errors, and what a target realises."""
    lines = [
        "Expected calibration error (ten bins of equal width) over all pairs. Pairs without an "
        "edge are many and easy, so small values come cheap: the diagrams show the bins (of at "
        "least 20 pairs).",
        "",
        "![Reliability diagrams](images/judge_reliability.png)",
        "",
    ]
    for group, words in GROUPS.items():
        part = found.get(group)
        if not part:
            continue
        rows = [(words, number(part["all"]["error"], 4), f"{part['all']['pairs']:,}")]
        for by in ("by_kind", "by_n", "by_d"):
            rows += [
                (label, number(one["error"], 4), f"{one['pairs']:,}")
                for label, one in part.get(by, {}).items()
            ]
        lines += laid_out(("", "error", "pairs"), rows)
        target = [
            (cell, str(one["edges"]), str(one["false"]), number(one["share"], 3))
            for cell, one in part["target"].items()
            if one["counts"]
        ]
        said = f"With `target_fdr={found['target_fdr']}`, over all tables (cells with 50 edges):"
        lines += [said, ""]
        lines += laid_out(("cell", "edges", "false", "share"), target)
    return lines


def limits(found: dict[str, Any]) -> list[str]:
    """Ours beside networks that know the kind."""
    rows = [
        (
            cell,
            with_error(one["hamming"]["ours"]),
            with_error(one["hamming"]["limit"]),
            signed(one["hamming"]["difference"]),
            with_error(one["log_loss"]["ours"]),
            with_error(one["log_loss"]["limit"]),
        )
        for cell, one in found["kinds"].items()
    ]
    head = (
        "cell",
        "judge",
        "of that kind alone",
        "difference",
        "log-loss, judge",
        "log-loss, alone",
    )
    return [
        "A network that was trained on one kind of truth alone knows what to expect: it comes near "
        "the best that can be said from the evidence. Wrong edges, and cross-entropy of all pairs "
        "of a table in nats. " + _how_trained(found.get("networks", {})),
        "",
        *laid_out(head, rows),
    ]


def _how_trained(networks: dict[str, Any]) -> str:
    """Say how the networks of single kinds were trained."""
    one = next(iter(networks.values()), None)
    if not one:
        return ""
    start = "Each went on from the judge's first network" if one["went_on"] else "Each was trained"
    return f"{start} for {one['steps']:,} steps on {one['tables']:,} tables of its kind."


def leave_out(found: dict[str, Any]) -> list[str]:
    """Say what is lost without a group."""
    base = found["yardstick"]
    rows = []
    for group, places in found["groups"].items():
        for place, one in places.items():
            warned = one["warned"]
            rows.append(
                (
                    f"{group}, {place}",
                    str(one["tables"]),
                    with_error(one["hamming"][base]),
                    with_error(one["hamming"][f"without-{group}"]),
                    signed(one["lost"]),
                    name(one["best_forest"]),
                    signed(one.get("against_forest")),
                    "–" if warned is None else f"{warned['share']:.0%}",
                )
            )
    head = (
        *("group, place", "tables", "trained on all", "without the group", "lost"),
        *("best forest", "less the forest", "warned"),
    )
    below = [
        f"{group} ({place})"
        for group, places in found["groups"].items()
        for place, one in places.items()
        if (gap := one.get("against_forest")) and gap["mean"] > (gap["error"] or 0.0)
    ]
    said = (
        f"Without the group it falls below the best forest on: {', '.join(below)}."
        if below
        else "Nowhere does it fall below the best forest by more than one standard error."
    )
    steps = {
        "short": "trained for as long as the others on all of them",
        "shipped": "the judge that is shipped, of two networks that were trained for five times "
        "as long, so that some of what is lost is due to that",
    }
    return [
        "Networks that were trained for 2,000 steps, each without a group of the world's "
        f"tables, beside {steps[base]}; on the cells of that group and on fresh tables that the "
        "world draws in it (at most 60 columns and 1,000 rows). Wrong edges, and the share of "
        "tables of which the network says, by the cloud of its own training, that they are "
        "foreign to it:",
        "",
        *laid_out(head, rows),
        said,
        "",
    ]


def twins(found: dict[str, Any]) -> list[str]:
    """How far two trainings are apart."""
    rows = [
        (
            label,
            with_error(one["hamming"]),
            with_error(one["log_loss"]),
            number(one["calibration_error"]["mean"], 4),
        )
        for label, one in found["scores"].items()
    ]
    against = ", ".join(
        f"{signed(one['log_loss'])} against {label}"
        for label, one in found["average_against"].items()
    )
    return [
        f"Two trainings with other seeds: a probability moves by {found['mean_move']:.4f} on "
        f"average ({found['mean_move_of_near_pairs']:.3f} where either is between 0.05 and 0.95), "
        f"and {found['changed_decisions_per_table']:.2f} decisions a table change, "
        f"{found['share_of_kept_that_change']:.1%} of the edges that either keeps.",
        "",
        *laid_out(("network", "wrong edges", "log-loss", "calibration error"), rows),
        f"The average's log-loss: {against}.",
        "",
    ]


def real(found: dict[str, Any]) -> list[str]:
    """Real tables, all methods."""
    lines: list[str] = []
    for table, methods in found["tables"].items():
        truths = next(iter(methods.values()))["truths"]
        lines += [f"**{table}**", ""]
        if truths:
            head = ["method", "edges"]
            for truth, one in truths.items():
                told = f"{truth} ({one['true_edges']})"
                head += [f"wrong, {told}", "precision", "recall", "average precision"]
            rows = []
            for method, one in methods.items():
                row = [name(method), str(one["edges"])]
                for part in one["truths"].values():
                    row += [str(part["hamming"]), number(part["precision"]), number(part["recall"])]
                    row.append(number(part["average_precision"]))
                rows.append(row)
            lines += laid_out(head, rows)
        else:
            sizes = sorted(
                {k for one in methods.values() for k in one["sectors"]["first"]}, key=int
            )
            rows = [
                [
                    name(method),
                    str(one["edges"]),
                    number(one["sectors"]["graph"]),
                    *(number(one["sectors"]["first"].get(k)) for k in sizes),
                ]
                for method, one in methods.items()
            ]
            everything = next(iter(methods.values()))["sectors"]["all_pairs"]
            head = ["method", "edges", "of its graph", *(f"first {k}" for k in sizes)]
            lines += [f"Share of edges inside a sector (of all pairs: {everything:.2f}):", ""]
            lines += laid_out(head, rows)
        foreign = methods.get(OURS, {}).get("foreign")
        if foreign:
            lines += ["The judge warns: " + " ".join(foreign), ""]
    for size, methods in found["halves"].items():
        lines += [
            f"**Blood cells, two halves of {size} cells** (14 sites, one cell type at a time): "
            "edges found in both halves over edges found in either:",
            "",
        ]
        rows = [
            (
                name(method),
                with_error({"mean": one["agreement"], "error": one["error"]}),
                number(one["edges"], 1),
            )
            for method, one in sorted(
                methods.items(), key=lambda item: -(item[1]["agreement"] or 0)
            )
        ]
        lines += laid_out(("method", "agreement", "edges"), rows)
    if found["failed"]:
        said = "; ".join(f"{key} ({error})" for key, error in found["failed"].items())
        lines += [f"Without a result: {said}.", ""]
    return lines


def _sizes(networks: dict[str, Any]) -> str:
    """Say how large the networks are, and how long they were trained."""
    told = []
    for label, one in networks.items():
        run = one.get("training")
        if not run:
            return ""
        told.append(
            f"{label.replace('-', ' ')} {run['width']} × {run['blocks']} "
            f"({run['steps']:,} steps, {run['tables']:,} tables)"
        )
    return f"Width × blocks, steps and tables of training: {'; '.join(told)}."


def ablation(found: dict[str, Any]) -> list[str]:
    """Networks without a part."""
    rows = [
        (
            label.replace("-", " "),
            with_error(one["hamming"]),
            signed(one["difference"]["hamming"]),
            with_error(one["log_loss"]),
            signed(one["difference"]["log_loss"]),
        )
        for label, one in found["networks"].items()
    ]
    head = ("network", "wrong edges", "less the yardstick", "log-loss", "less the yardstick")
    tables = next(iter(found["networks"].values()))["hamming"]
    return [
        f"Means over {tables['cells']} cells ({tables['tables']} tables); the yardstick is "
        f"`{found['yardstick']}`. " + _sizes(found["networks"]),
        "",
        *laid_out(head, rows),
        "Wrong edges on real tables:",
        "",
        *laid_out(
            ("network", *found["real"]),
            [
                (label.replace("-", " "), *(str(one[label]) for one in found["real"].values()))
                for label in found["networks"]
            ],
        ),
    ]


def scale(found: dict[str, Any]) -> list[str]:
    """Say what the network costs by itself."""
    rows = [
        (
            f"{one['d']:,}",
            f"{median(one['seconds']):.3g}",
            f"{one['limit_seconds']:g}",
            f"{one['peak_GiB']:.2f}",
        )
        for one in found["results"]
    ]
    return laid_out(("columns", "seconds", "at most", "GiB"), rows)


def speed(found: dict[str, Any]) -> list[str]:
    """Seconds in turn."""
    rows = [(label, f"{value:.3f}") for label, value in found["median_seconds"].items()]
    ratios = [(label, f"{value:.1f}") for label, value in found["ratios"].items()]
    processor = found["machine"]["processor"]
    return [
        f"From the raw table, d = {found['d']}, n = {found['n']}, in turn in one run "
        f"({processor}, {found['cores']} cores); medians. R's seconds are those of the fit alone.",
        "",
        *laid_out(("", "seconds"), rows),
        *laid_out(("ratio", ""), ratios),
    ]
