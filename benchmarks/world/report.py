"""What docs/accuracy.md says of real tables in the world's cloud, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training.cloud import fit_cloud

from benchmarks.world.draw import Drawn
from spinney.evidence.out_of_distribution import FALSE_ALARMS, Cloud
from spinney.evidence.summaries import N_SIZES, SUMMARIES, SUMMARY_NAMES
from spinney.graph.plots.style import DATA, INK, quiet

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "accuracy.md"
PICTURE = DOCS / "images" / "world-cloud.png"
BEGIN, END = "<!-- world begin -->", "<!-- world end -->"

Floats = NDArray[np.float64]

# Okabe and Ito's colours and a shape each, so that neither has to tell groups apart alone.
MARKS = {
    "Sachs": ("#D55E00", "s"),
    "blood cells": ("#0072B2", "o"),
    "blood cells, mixed": ("#56B4E9", "D"),
    "penguins": ("#222222", "P"),
    "voters (ANES 1996)": ("#222222", "X"),
    "DREAM4": ("#009E73", "^"),
    "NetSim": ("#CC79A7", "v"),
    "S&P 500": ("#E69F00", "*"),
}
FURTHEST = 5.0
"""Normal scores are drawn, and enter the coordinates, no further out than this."""


def write(drawn: Drawn, real: dict[str, Any]) -> None:
    """Write the page and the picture."""
    if tuple(real["names"]) != SUMMARY_NAMES:
        raise SystemExit("The stored tables have other summaries. Run without --page.")
    cloud = fit_cloud(drawn.values)
    lines = [*_counts(cloud, drawn, real), *_groups(cloud, real), *_each(cloud, real)]
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{head}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{tail}", encoding="utf-8")
    picture(cloud, drawn, real).savefig(PICTURE, dpi=130)
    print("  wrote", PAGE.name, "and", PICTURE.name)


def _counts(cloud: Cloud, drawn: Drawn, real: dict[str, Any]) -> list[str]:
    rate = np.mean([bool(found) for found in out_of_sample(drawn)])
    foreign = sum(bool(cloud.outside(table["values"])) for table in real["tables"])
    return [
        f"{len(drawn.values):,} tables of the world, {len(SUMMARY_NAMES)} summaries each; "
        f"{len(real['tables'])} real tables, of which {foreign} would be warned about. Of the "
        f"world's own tables, each judged by a cloud made of others, {rate:.1%} would be "
        f"(aim: {FALSE_ALARMS:.0%}).",
        "",
    ]


def out_of_sample(drawn: Drawn, parts: int = 3) -> list[list[str]]:
    """Judge each of the world's tables by a cloud that was made without it."""
    part = np.arange(len(drawn.values)) % parts
    found = []
    for k in range(parts):
        cloud = fit_cloud(drawn.values[part != k])
        found += [cloud.outside(x) for x in drawn.values[part == k]]
    return found


def _groups(cloud: Cloud, real: dict[str, Any]) -> list[str]:
    lines = [
        "| collection | tables | median distance | median tail probability | warned about |",
        "|---|---|---|---|---|",
    ]
    for group in dict.fromkeys(table["group"] for table in real["tables"]):
        part = [table["values"] for table in real["tables"] if table["group"] == group]
        places = np.array([cloud.distance(values) for values in part])
        warned = sum(bool(cloud.outside(values)) for values in part)
        distance, tail = np.median(places, axis=0)
        lines.append(f"| {group} | {len(part)} | {distance:.1f} | {tail:.3f} | {warned} |")
    return [*lines, ""]


def _each(cloud: Cloud, real: dict[str, Any]) -> list[str]:
    lines = [
        "| table | d | n | distance | tail probability | furthest out | (normal score) |",
        "|---|---|---|---|---|---|---|",
    ]
    for table in real["tables"]:
        values = np.array(table["values"])
        distance, tail = cloud.distance(values)
        z = cloud.normal_scores(values)
        z[:N_SIZES] = 0.0
        k = int(np.argmax(np.abs(z)))
        mark = "**" if cloud.outside(values) else ""
        lines.append(
            f"| {mark}{table['group']}: {table['part']}{mark} | {table['d']} | {table['n']:,} | "
            f"{distance:.1f} | {tail:.3f} | {SUMMARIES[SUMMARY_NAMES[k]].words} | {z[k]:+.1f} |"
        )
    said = ["", "What the warnings say:", ""]
    for table in real["tables"]:
        sentences = cloud.outside(table["values"])
        if sentences:
            said.append(f"- {table['group']}, {table['part']}: " + " ".join(map(str, sentences)))
    return [*lines, *(said if len(said) > 3 else []), ""]


def coordinates(cloud: Cloud, x: Floats, axes: Floats | None = None) -> tuple[Floats, Floats]:
    """Give principal coordinates of normal scores, sizes left out."""
    z = np.clip(cloud.normal_scores(x)[:, N_SIZES:], -FURTHEST, FURTHEST)
    if axes is None:
        axes = np.linalg.svd(z - z.mean(axis=0), full_matrices=False)[2][:2]
    return z @ axes.T, axes


def picture(cloud: Cloud, drawn: Drawn, real: dict[str, Any]) -> Any:
    """Draw the cloud in two principal coordinates, and how far each real table is out."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    values = np.array([table["values"] for table in real["tables"]])
    groups = np.array([table["group"] for table in real["tables"]])
    points, axes = coordinates(cloud, drawn.values)
    places, _ = coordinates(cloud, values, axes)
    left.scatter(*points.T, s=6, color=DATA, alpha=0.4, linewidths=0, label="the world")
    world = np.array([cloud.distance(x).distance for x in drawn.values])
    distances = np.array([cloud.distance(x).distance for x in values])
    highest = right.hist(world, bins=60, color=DATA, alpha=0.5, linewidth=0)[0].max()
    for row, group in enumerate(dict.fromkeys(groups)):
        color, marker = MARKS[group]
        part = groups == group
        size = 110 if marker == "*" else 42
        style = {"s": size, "color": color, "marker": marker, "edgecolor": "white"}
        left.scatter(*places[part].T, linewidths=0.7, label=group, zorder=3, **style)
        height = highest * (1.95 - 0.115 * row)  # above the histogram, a line for each group
        heights = np.full(part.sum(), height)
        right.scatter(distances[part], heights, linewidths=0.7, zorder=3, **style)
    right.set_ylim(0, 2.08 * highest)
    right.set_yticks([t for t in right.get_yticks() if t <= highest])
    right.axvline(cloud.cuts.joint, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    right.annotate(
        "99.5 % of the world \nlie left of this line ",
        (cloud.cuts.joint, 0.5 * highest),
        ha="right",
        fontsize=8,
        color=INK,
    )
    left.set_xlabel("first principal coordinate of the summaries", fontsize=9)
    left.set_ylabel("second", fontsize=9)
    right.set_xlabel("joint distance from the middle of the world", fontsize=9)
    right.set_ylabel("tables of the world", fontsize=9, loc="bottom")
    left.set_title("Given their size, where tables lie", fontsize=10, loc="left", color=INK)
    right.set_title("How far out they are", fontsize=10, loc="left", color=INK)
    figure.legend(
        *left.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=5,
        fontsize=8.5,
        frameon=False,
        handletextpad=0.2,
    )
    for panel in (left, right):
        quiet(panel)
    return figure
