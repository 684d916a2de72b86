"""Write what docs/accuracy.md says about tables with levels and gaps, from the stored results.

``python -m scripts.make_accuracy_tables_real [--print]``; also a part of
``python -m scripts.make_accuracy_tables``. The peers' repetitions come from ``benchmarks/peers``,
those of all other methods from ``benchmarks/results/accuracy/tables-reporting``, whichever machine
made them: they are joined by cell and seed, and refused if their tables were not the same.
Methods of which nothing is stored are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
from benchmarks._run import RESULTS
from benchmarks.accuracy import report
from benchmarks.accuracy.cells import TABLE_CELLS
from benchmarks.accuracy.real_tables import TABLE_KINDS, TABLE_ROWS
from benchmarks.peers.methods import PEERS
from benchmarks.peers.stored import read_cell
from scripts import make_accuracy_tables_checks
from scripts.paired import against_all, difference, mean_and_error, paired

from reproduce.runner import Store

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
PICTURE = PAGE.parent / "images" / "accuracy_tables.png"
BEGIN, END = "<!-- real tables begin -->", "<!-- real tables end -->"
FOLDER = RESULTS / "accuracy" / "tables-reporting"

FORESTS = {
    "rooted-forests": "RootedForests",
    "shared-forest": "SharedForest",
    "ef-lambda": "ForestsLambda",
    "et": "EnsembleOfTrees",
}
OTHERS = {
    "complete-cases": "complete rows",
    "mean-imputation": "means",
    "filled-glasso-stars-0.1": "glasso, StARS",
    "filled-glasso-ebic": "glasso, eBIC",
    "filled-nonparanormal-stars-0.1": "npn, StARS",
    "glasso-polychoric-stars-0.1": "polychoric, StARS",
    "glasso-polychoric-ebic": "polychoric, eBIC",
}
FROM_R = {
    "bdgraph-gcgm": "BDgraph gcgm",
    "huge-glasso-stars": "huge: glasso, StARS",
    "huge-glasso-ebic": "huge: glasso, eBIC",
    "huge-npn-ebic": "huge: npn, eBIC",
}
RIVALS = OTHERS | FROM_R
NAMES = FORESTS | RIVALS
JUDGED = ("rooted-forests", "shared-forest")
"""The estimators of which it is said where they win and lose."""
WORDS = ("won", "ahead", "level", "behind", "lost", "open")
WAYS_AROUND_GAPS = ("complete-cases", "mean-imputation")
DRAWN = (*JUDGED, "ef-lambda", "mean-imputation", "filled-glasso-stars-0.1", "bdgraph-gcgm")
ASIDE = 1.1
"""The aim: with a tenth of the values missing, at most this times the mistakes without gaps."""


def stored(folder: Path = FOLDER) -> pd.DataFrame:
    """All repetitions that did not fail; ways around gaps only where there are gaps.

    Raises
    ------
    InputError
        If two methods saw different tables under the same cell and seed.
    """
    peers = [{"kind": "result", **r} for cell in TABLE_CELLS for r in peer_results(cell)]
    # The runner looks peers up in the same files: its copies are left out.
    ours = [r for r in Store(folder).results().values() if r["method"] not in PEERS]
    frame = report.tidy(peers + ours)
    idle = frame.method.isin(WAYS_AROUND_GAPS) & ~frame.kind_of_truth.str.startswith("gaps")
    return frame[frame.method.isin(NAMES) & ~idle].reset_index(drop=True)


def peer_results(cell: str) -> list[dict[str, Any]]:
    """Read the peers' repetitions; ``complete`` is ``connected``, table by table, under one name.

    A peer that saw a table under either name has seen it: same table, same seed, same graph.
    """
    results: list[dict[str, Any]] = read_cell(cell)["results"]
    if not cell.startswith("complete"):
        return results
    own = {(r["method"], r["seed"]) for r in results}
    twins = read_cell(cell.replace("complete", "connected"))["results"]
    wanted = {method for method, _ in own}
    return results + [
        {**r, "cell": cell}
        for r in twins
        if r["method"] in wanted and (r["method"], r["seed"]) not in own
    ]


def grid(frame: pd.DataFrame, names: dict[str, str], metric: str, digits: int) -> list[str]:
    """Lay out cells down, methods across."""
    names = {key: label for key, label in names.items() if key in set(frame.method)}
    if not names:
        return []
    lines = ["| | n | " + " | ".join(names.values()) + " |", "|---|---|" + "---|" * len(names)]
    for kind in TABLE_KINDS:
        for n in TABLE_ROWS:
            part = frame[frame.cell == f"{kind}-{n}"]
            values = [mean_and_error(part[part.method == key][metric], digits) for key in names]
            first = kind if n == TABLE_ROWS[0] else ""
            lines.append(f"| {first} | {n} | " + " | ".join(values) + " |")
    return [*lines, ""]


def seconds(frame: pd.DataFrame) -> list[str]:
    """Lay out median seconds: methods down, rows across."""
    waited = frame[~frame.method.str.startswith("huge") | (frame.collect_garbage == True)]  # noqa: E712
    medians = waited.groupby(["method", "n"]).seconds.median()
    lines = [
        "| | " + " | ".join(f"n = {n}" for n in TABLE_ROWS) + " |",
        "|---|" + "---|" * len(TABLE_ROWS),
    ]
    for key, label in NAMES.items():
        if key in medians:
            shown = [f"{medians[key, n]:.2f}" if (key, n) in medians else "–" for n in TABLE_ROWS]
            lines.append(f"| {label} | " + " | ".join(shown) + " |")
    return [*lines, ""]


def truths() -> list[str]:
    """Say what the cells are."""
    lines = ["| | truth |", "|---|---|"]
    return [*lines, *(f"| {kind} | {said} |" for kind, (said, _) in TABLE_KINDS.items()), ""]


def repetitions(frame: pd.DataFrame) -> list[str]:
    """Say how many repetitions there are, and how wide the errors."""
    counts = frame.groupby(["method", "n"]).seed.nunique()
    by_cell = frame.groupby(["method", "n", "cell"]).seed.nunique()
    errors = frame.groupby(["method", "cell"]).hamming.sem()
    lines = [
        "| repetitions | " + " | ".join(f"n = {n}" for n in TABLE_ROWS) + " | standard errors |",
        "|---|" + "---|" * (len(TABLE_ROWS) + 1),
    ]
    for key, label in NAMES.items():
        if key not in counts:
            continue
        shown = []
        for n in TABLE_ROWS:
            known = by_cell[key].get(n, pd.Series(dtype=int)) if n in counts[key] else None
            if known is None:
                shown.append("–")
            else:
                low, high = known.min(), known.max()
                shown.append(f"{low}" if low == high else f"{low} to {high}")
        wide = errors[key].dropna()
        said = f"{wide.median():.1f}, at most {wide.max():.1f}" if len(wide) else "–"
        lines.append(f"| {label} | " + " | ".join(shown) + f" | {said} |")
    return [*lines, ""]


def verdicts(frame: pd.DataFrame) -> list[str]:
    """Say cell by cell who is ahead, over the seeds that both have."""
    text = []
    for ours in JUDGED:
        lines = [
            f"| {FORESTS[ours]} | n | wrong edges | the closest other | wrong edges | difference "
            "(seeds) | |",
            "|---|---|---|---|---|---|---|",
        ]
        said: dict[str, list[str]] = {word: [] for word in WORDS}
        for cell in TABLE_CELLS.values():
            part = frame[frame.cell == cell.name]
            found = against_all(part, ours, list(RIVALS))
            if found is None:
                continue
            own, other = (part[part.method == name].hamming for name in (ours, found.rival))
            thin = "".join(f", {NAMES[name]} not judged" for name in found.not_judged)
            said[found.word].append(cell.name + ("*" if thin else ""))
            lines.append(
                f"| {cell.kind} | {cell.n} | {mean_and_error(own, 1)} | {NAMES[found.rival]} | "
                f"{mean_and_error(other, 1)} | {found.difference} | {found.word}{thin} |"
            )
        total = sum(map(len, said.values()))
        if not total:
            continue
        words = "; ".join(
            f"**{word}** in {len(cells)} ({', '.join(cells)})"
            for word, cells in said.items()
            if cells
        )
        text += [f"**{FORESTS[ours]}**, of {total} cells: {words}.", "", *lines, ""]
    return text


def price_of_gaps(frame: pd.DataFrame) -> list[str]:
    """Compare tables with gaps with the same tables without, seed by seed."""
    lines = [
        "| | n | complete | 10 % missing | difference (seeds) | within 10 %? | 30 % | depends |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key in (*FORESTS, "bdgraph-gcgm"):
        for n in TABLE_ROWS:
            own = frame[(frame.method == key) & (frame.n == n)]
            known = paired(own, "kind_of_truth", "complete", "gaps-10")
            if known.empty:
                continue
            over = difference(known["gaps-10"], ASIDE * known["complete"])
            inside = "yes" if over.mean <= 0 else "no"
            surely = "" if over.is_sure else ", not sure"
            more = [
                mean_and_error(own[own.kind_of_truth == kind].hamming, 1)
                for kind in ("gaps-30", "gaps-depends")
            ]
            lines.append(
                f"| {NAMES[key] if n == TABLE_ROWS[0] else ''} | {n} | "
                f"{mean_and_error(known['complete'], 1)} | {mean_and_error(known['gaps-10'], 1)} | "
                f"{difference(known['gaps-10'], known['complete'])} | {inside}{surely} | "
                + " | ".join(more)
                + " |"
            )
    return [*lines, ""]


def iterations() -> str:
    """Say where BDgraph ran for fewer iterations than elsewhere."""
    told = {
        name: methods["bdgraph-gcgm"]["iterations"]
        for name in TABLE_CELLS
        if "bdgraph-gcgm" in (methods := read_cell(name)["methods"])
    }
    usual = max(told.values(), default=0)
    fewer = [f"{name} ({number:,})" for name, number in told.items() if number < usual]
    said = f"BDgraph with {usual:,} iterations"
    return f"{said}, and fewer on {', '.join(fewer)}." if fewer else f"{said}."


def draw(frame: pd.DataFrame, picture: Path = PICTURE) -> None:
    """Draw wrong edges of a few methods over all cells."""
    means = report.summary(frame[frame.method.isin(DRAWN)])
    order = {name: place for place, name in enumerate(DRAWN)}
    means = means.sort_values("method", key=lambda names: names.map(order), kind="stable")
    picture.parent.mkdir(parents=True, exist_ok=True)
    report.draw(means.replace({"method": NAMES}), "hamming").savefig(picture)


def text(frame: pd.DataFrame) -> str:
    """Write all that stands between the marks."""
    alt = "Wrong edges of six methods over eight kinds of tables, against the number of rows"
    lines = [
        *truths(),
        f"![{alt}](images/{PICTURE.name})",
        "",
        "**Won and lost.** Differences of wrong edges are taken seed by seed, over the seeds that "
        "both methods have, with their standard error; negative is better. The closest other is "
        "the one against which the difference is worst. Won: ahead of every other method, lost: "
        "behind one of them, by more than chance allows (a difference whose interval of 95 %, by "
        "Student's t, excludes zero); ahead and behind: not surely so. A method with fewer "
        "than three seeds in common is not judged, and the cell has a star.",
        "",
        *verdicts(frame),
        "**What gaps cost.** The same tables with and without gaps, seed by seed. The aim is at "
        "most 10 % more wrong edges with 10 % of the values missing:",
        "",
        *price_of_gaps(frame),
        *make_accuracy_tables_checks.text(),
        "**Repetitions**, and the standard errors of mean wrong edges (median and largest over the "
        f"cells). {iterations()}",
        "",
        *repetitions(frame),
        "**Wrong edges**, mean ± standard error:",
        "",
        *grid(frame, FORESTS, "hamming", 1),
        *grid(frame, OTHERS, "hamming", 1),
        *grid(frame, FROM_R, "hamming", 1),
        "**Average precision:**",
        "",
        *grid(frame, FORESTS, "average_precision", 2),
        *grid(frame, RIVALS, "average_precision", 2),
        "**Seconds of a fit**, medians on one thread with other processes beside it; those of R "
        "are from another machine, and huge's from its first repetitions (see above):",
        "",
        *seconds(frame),
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Replace what stands between the marks, or print it."""
    frame = stored()
    if "--print" in (sys.argv[1:] if arguments is None else arguments):
        print(text(frame))
        return
    draw(frame)
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n" + text(frame) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
