"""Write the tables and pictures of ``docs/accuracy.md``, and tables of other pages.

``python -m scripts.make_accuracy`` reads stored results and writes each table between its marks,
``<!-- table: NAME -->`` and ``<!-- end of table -->``. Results of the judge are stored with its
fingerprint, and `SOURCES` has the command that measures each again. After another judge was
shipped, run those commands (``--commands`` prints them) and this one; a test fails until then.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.accuracy import stored
from benchmarks.accuracy.cells import ALL_CELLS, GROUPS

from benchmarks import _run
from spinney._core.files import whole_file

ROOT = Path(__file__).parents[1]
PAGES = {
    "accuracy": ROOT / "docs" / "accuracy.md",
    "readme": ROOT / "README.md",
    "paper": ROOT / "paper" / "paper.md",
    "groups": ROOT / "docs" / "groups.md",
    "judge": ROOT / "docs" / "judge.md",
    "choosing": ROOT / "docs" / "choosing.md",
    "stability": ROOT / "docs" / "stability.md",
}
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"<!-- table: ([\w-]+) -->\n.*?<!-- end of table -->", re.S)

JUDGE = "learned"
NAMES = {
    "learned": "**spinney's judge**",
    "GraphLearner": "**spinney's judge**",
    "rooted-forests": "`RootedForests`",
    "shared-forest": "`SharedForest`",
    "ef-lambda": "`ForestsLambda` (EF-λ)",
    "et": "`EnsembleOfTrees`",
    "RootedForests": "`RootedForests`",
    "SharedForest": "`SharedForest`",
    "PartialCorrelation": "partial correlations",
    "partial-correlation-fdr": "partial correlations",
    "GraphicalLasso": "graphical lasso, eBIC",
    "glasso-ebic": "graphical lasso, eBIC",
    "filled-glasso-ebic": "graphical lasso, eBIC",
    "glasso-polychoric-stars-0.1": "graphical lasso on polychoric correlations, StARS",
    "neighbourhood-stars-0.1": "neighbourhood selection, StARS",
    "chow-liu-gaussian": "Chow–Liu tree, Gaussian",
    "chow-liu-copulas": "Chow–Liu forest, copulas",
    "huge": "huge: neighbourhoods, RIC",
    "huge-mb-ric": "huge: neighbourhoods, RIC",
    "huge-mb-stars": "huge: neighbourhoods, StARS",
    "huge-glasso-stars": "huge: graphical lasso, StARS",
    "huge-glasso-ebic": "huge: graphical lasso, eBIC",
    "huge-npn-ebic": "huge: nonparanormal, eBIC",
    "BDgraph": "BDgraph, Gaussian copula",
    "bdgraph-ggm": "BDgraph, Gaussian",
    "bdgraph-gcgm": "BDgraph, Gaussian copula",
    "hill climbing, BDeu": "hill climbing, BDeu (pyAgrum)",
    "MIIC": "MIIC (pyAgrum)",
    "oracle": "*oracle of neighbours*",
    "oracle of causes": "*oracle of causes*",
}
# Okabe and Ito (2008). One colour for one method, in every picture of these pages.
COLOURS = {
    "learned": ("#0072B2", "o", "spinney's judge"),
    "rooted-forests": ("#009E73", "^", "RootedForests"),
    "shared-forest": ("#56B4E9", "v", "SharedForest"),
    "bdgraph-gcgm": ("#D55E00", "s", "BDgraph, Gaussian copula"),
    "huge": ("#CC79A7", "D", "huge"),
    "glasso": ("#E69F00", "X", "graphical lasso, eBIC"),
}
KINDS = {
    "connected": "Gaussian, sparse",
    "two-components": "Gaussian, two parts",
    "t-cliques": "Student cliques",
    "loopy": "Gaussian, many loops",
    "grid": "Gaussian, grid",
    "hubs": "Gaussian, three stars",
    "mixed-trees": "tree of copulas",
    "mixed-forests": "two trees of copulas",
    "independent": "no edge",
    "wide": "Gaussian, 80 columns",
    "ising": "yes or no, tree",
    "nominal": "categories, two trees",
    "ordinal": "five levels, sparse",
    "mixed-kinds": "mixed kinds, sparse",
    "complete": "Gaussian, up to 2,000 rows",
    "gaps-10": "10 % missing",
    "gaps-30": "30 % missing",
    "gaps-depends": "missing by other columns",
}
EVERYWHERE = ("learned", "rooted-forests", "shared-forest", "bdgraph-gcgm")
SHOWN = {
    "truths": (*EVERYWHERE, "huge-mb-ric", "glasso-ebic"),
    "tables": (*EVERYWHERE, "huge-glasso-stars", "filled-glasso-ebic"),
}
"""By kind of table, and in the picture; huge and the lasso differ between the groups."""
FEWEST_SEEDS = 10
"""A peer with fewer tables in common with the judge is not compared on a setting."""
TOLD = re.compile(r"(?<!chow-liu)-(gaussian|student)$")
"""Methods that are told the family of the truth are not compared."""
TRUTHS = {
    "sachs-853": ("Sachs, 853 cells, one condition", "consensus20"),
    "sachs-7466": ("Sachs, 7,466 cells, nine conditions", "consensus20"),
    "dream4-1": ("DREAM4, network 1", "gold"),
    "dream4-2": ("DREAM4, network 2", "gold"),
    "dream4-3": ("DREAM4, network 3", "gold"),
    "netsim-1": ("NetSim 1", "network"),
    "netsim-2": ("NetSim 2", "network"),
    "netsim-4": ("NetSim 4", "network"),
}

MISLEADS = {
    "common cause that acts by a wave, 500 rows": (
        "cause acts by sine, 500 rows: false edge",
        "edges between its effects",
    ),
    "common cause that acts by a threshold, 500 rows": (
        "cause acts by threshold, 500 rows: false edge",
        "edges between its effects",
    ),
    "the same, 2,000 rows": (
        "cause acts by threshold, 2000 rows: false edge",
        "edges between its effects",
    ),
    "independent columns, 10 named units of 100 rows": (
        "10 units of 100 rows, likeness .9, 3 columns: edges",
        "edges",
    ),
    "independent random walks, 200 rows": ("random walks, 200 rows: edges", "edges"),
    "2 independent columns of 5 levels, 30 rows": (
        "independent, 2 columns of 5 equal levels, 30 rows: P > .5",
        "edges",
    ),
    "exclusive or of two columns, 500 rows": (
        "x XOR y, 500 rows: mean P of true edges",
        "mean probability of its edges",
    ),
    "an edge of five standard errors, 4,000 rows, 12 columns": (
        "edge of 5 standard errors, 4000 rows, 12 columns: mean P",
        "mean probability",
    ),
    "an edge within 10 units of 100 rows": (
        "10 units of 100 rows, edge within units: found",
        "edges found",
    ),
    "neighbours of a column that has a near-copy, 1,000 rows": (
        "near-copies, 1000 rows: edge of a copy's neighbour",
        "edges found",
    ),
}
"""Rows of ``benchmarks.misleads`` that the page shows: its words, the row, and what is counted."""


def newest(topic: str, section: str) -> dict[str, Any]:
    """Return what was stored last of a section."""
    for path in sorted(_run.RESULTS.glob(f"{topic}-*.json"), reverse=True):
        known = json.loads(path.read_text(encoding="utf-8"))
        if section in known:
            found: dict[str, Any] = known[section]
            return found
    raise SystemExit(f"Nothing is stored of '{section}' ({topic}).")


SOURCES: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "simulated": (
        "python -m benchmarks.accuracy --methods learned --repetitions 30 --fresh",
        lambda: stored.about("truths", JUDGE),
    ),
    "levels and missing values": (
        "python -m benchmarks.accuracy --group tables --methods learned --repetitions 30 --fresh",
        lambda: stored.about("tables", JUDGE),
    ),
    "grafts": (
        "python -m benchmarks.real grafts --methods GraphLearner",
        lambda: newest("real", "grafts"),
    ),
    "grafts, first 60": (
        "python -m benchmarks.real grafts --tables 60 --methods GraphLearner --name 'first 60'",
        lambda: newest("real", "grafts, first 60"),
    ),
    "found again": (
        "python -m benchmarks.real coherence --methods GraphLearner",
        lambda: newest("real", "coherence"),
    ),
    "experts": ("python -m benchmarks.experts judge", lambda: newest("experts", "judge, report")),
    "truths": (
        "python -m benchmarks.learned real --methods learned",
        lambda: newest("learned", "real"),
    ),
    "misleads": ("python -m benchmarks.misleads", lambda: newest("misleads", "after")),
    "groups": ("python -m benchmarks.groups", lambda: newest("groups", "calibration")),
    "drop-one": ("python -m benchmarks.learned drop-one", lambda: newest("learned", "drop-one")),
    "prior": ("python -m benchmarks.prior", lambda: newest("prior", "prior")),
    "bootstrap": ("python -m benchmarks.bootstrap", lambda: newest("bootstrap", "bootstrap")),
}
"""What the judge's figures come from: the command that measures them, and what is stored."""


def marks() -> dict[str, str]:
    """Return the fingerprint of the judge behind each result, by the command that renews it."""
    return {command: str(read().get("judge")) for command, read in SOURCES.values()}


def laid_out(head: list[str], rows: list[list[str]]) -> str:
    """Write a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plus_minus(mean: float, error: float | None, digits: int = 2) -> str:
    """Write a mean with its standard error, which no line break parts from it."""
    known = error is not None and np.isfinite(error)
    return f"{mean:.{digits}f}" + (f"\u00a0±\u00a0{error:.{digits}f}" if known else "")


GRAFTED = (
    "GraphLearner",
    "RootedForests",
    "SharedForest",
    "PartialCorrelation",
    "GraphicalLasso",
    "huge",
    "BDgraph",
    "oracle",
    "oracle of causes",
)


def _grafts() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return results on all draws, and on the first 60, to which R's packages are limited."""
    every = [newest("real", f"grafts{of}") for of in (", peers", ", oracles", "")]
    first = [newest("real", f"grafts, {of}first 60") for of in ("peers, ", "")]
    for found in (every, first):
        if len({part["drawn"] for part in found}) > 1:
            raise SystemExit("Methods were asked about different draws: run them again.")
    return every[0] | every[1] | every[2], first[0] | first[1]


def grafts() -> str:
    """Show real tables with added columns: all draws, by size, and the first 60."""
    every, first = _grafts()
    rows = []
    for name in GRAFTED:
        some, sixty = every.get(name), first.get(name)
        sizes = [some[size] if some else None for size in ("d <= 8", "d 9-16", "d >= 17")]
        shown = [some["all"] if some else None, sixty["all"] if sixty else None, *sizes]
        one = (some or sixty or {})["all"]
        row = ["" if x is None else plus_minus(x["wrong"], x["error"]) for x in shown]
        row[2:2] = [_gap(one), f"{one['precision']:.2f}", f"{one['recall']:.2f}"]
        rows.append([NAMES[name], *row])
    head = ["wrong edges a draw", "220 draws", "first 60", "calibration error", "precision"]
    return laid_out([*head, "recall", "2–8 columns", "9–16", "17 and more"], rows)


def _gap(one: dict[str, Any]) -> str:
    gap = one.get("calibration error")
    return "" if gap is None else f"{gap:.3f}"


def calibration() -> str:
    """Show how calibration depends on the number of columns."""
    every, _ = _grafts()
    rows = [
        [NAMES[name], *(_gap(every[name][size]) for size in ("d <= 8", "d 9-16", "d >= 17"))]
        for name in ("GraphLearner", "SharedForest")
    ]
    return laid_out(["calibration error, 220 draws", "2–8 columns", "9–16", "17 and more"], rows)


def found_again() -> str:
    """Show which edges of 100 rows many other rows confirm."""
    judge = {"GraphLearner": newest("real", "coherence")["GraphLearner"]}
    known = judge | newest("real", "coherence, peers")
    rows = [
        [
            NAMES[name],
            f"{one['edges kept']}",
            f"{one['share that stays']:.0%}".replace("%", " %"),
            f"{one['agreement of two']:.2f}",
            "" if "coherence error" not in one else f"{one['coherence error']:.3f}",
        ]
        for name, one in known.items()
        if isinstance(one, dict) and "edges kept" in one
    ]
    head = ["method", "edges in 100 rows", "found again", "agreement of two samples"]
    return laid_out([*head, "coherence error"], rows)


def _experts() -> dict[str, dict[str, float]]:
    """Return wrong edges by method and table (``network/rows``), where all have an answer."""
    parts = [newest("experts", "judge, report"), newest("experts", "peers, report")]
    wrong = {name: one["wrong"] for part in parts for name, one in part["methods"].items()}
    if parts[0]["tables"] != parts[1]["tables"]:
        raise SystemExit("The peers' results are of other tables of expert networks.")
    keys = [k for k in parts[0]["tables"] if all(one[k] is not None for one in wrong.values())]
    return {name: {key: one[key] for key in keys} for name, one in wrong.items()}


def experts() -> str:
    """Show tables drawn from published Bayesian networks."""
    judge = newest("experts", "judge, report")
    rows = []
    for name, wrong in _experts().items():
        row = [NAMES[name]]
        for n in judge["rows"]:
            counts = np.array([v for key, v in wrong.items() if key.endswith(f"/{n}")])
            row.append(plus_minus(counts.mean(), counts.std(ddof=1) / len(counts) ** 0.5, 1))
        gaps = judge["methods"].get(name, {}).get("calibration error", {})
        row.append(", ".join(f"{gaps[str(n)]:.3f}" for n in judge["rows"]) if gaps else "")
        rows.append(row)
    head = ["wrong edges a table", *(f"{n:,} rows" for n in judge["rows"])]
    return laid_out([*head, "calibration error"], rows)


def experts_ahead() -> str:
    """Show on how many tables of networks each peer is ahead, and behind."""
    wrong = _experts()
    ours = wrong.pop("GraphLearner")
    sizes = newest("experts", "judge, report")["rows"]
    rows = []
    for name, theirs in wrong.items():
        row = [NAMES[name]]
        for n in sizes:
            keys = [key for key in ours if key.endswith(f"/{n}")]
            fewer = sum(theirs[key] < ours[key] for key in keys)
            more = sum(theirs[key] > ours[key] for key in keys)
            row.append(f"{fewer} fewer, {more} more")
        rows.append(row)
    return laid_out([f"tables, of {len(keys)}", *(f"{n:,} rows" for n in sizes)], rows)


def mean_over_cells(values: pd.Series) -> tuple[float, float]:
    """Return the mean of the cells' means, and its error: cells are given, tables are drawn."""
    by_cell = pd.to_numeric(values).dropna().groupby(level="cell")
    errors = by_cell.sem()
    return float(by_cell.mean().mean()), float(np.sqrt((errors**2).sum()) / len(errors))


def simulated() -> str:
    """Show means over both groups of settings, for all methods that ran on all of them."""
    found: dict[str, list[str]] = {}
    order: dict[str, float] = {}
    for position, group in enumerate(GROUPS):
        frame = stored.read(group).set_index("cell")
        for method, part in frame.groupby("method"):
            if method not in NAMES or part.index.nunique() < len(GROUPS[group]):
                continue
            row = found.setdefault(NAMES[str(method)], [""] * 4)
            mean, error = mean_over_cells(part["hamming"])
            row[2 * position] = plus_minus(mean, error)
            order.setdefault(NAMES[str(method)], mean + 1000 * position)
            if str(method) in (JUDGE, "shared-forest", "bdgraph-ggm", "bdgraph-gcgm"):
                row[2 * position + 1] = f"{mean_over_cells(part['calibration_error'])[0]:.3f}"
    rows = [[name, *found[name]] for name in sorted(found, key=order.__getitem__)]
    head = ["wrong edges a table", "28 settings of numbers", "calibration error"]
    return laid_out([*head, "24 with levels or missing values", "calibration error"], rows)


def by_kind(group: str) -> pd.DataFrame:
    """Return mean wrong edges by kind of truth, over numbers of rows."""
    frame = stored.read(group)
    frame = frame[frame.method.isin(SHOWN[group])]
    cells = frame.groupby(["cell", "method"])["hamming"].mean().unstack()
    kinds = cells.groupby([ALL_CELLS[str(cell)].kind for cell in cells.index]).mean()
    kinds = kinds.reindex([kind for kind in KINDS if kind in kinds.index])
    return kinds[list(SHOWN[group])]


def kinds() -> str:
    """Show wrong edges by kind of simulated table."""
    rows = []
    for group in GROUPS:
        for kind, row in by_kind(group).iterrows():
            values = [f"**{x:.1f}**" if x == row.min() else f"{x:.1f}" for x in row]
            rows.append([f"{KINDS[str(kind)]} (`{kind}`)", *values])
    names = ["judge", "`RootedForests`", "`SharedForest`", "BDgraph", "huge", "lasso"]
    return laid_out(["table", *names], rows)


def losses() -> pd.DataFrame:
    """Return the settings on which a peer is ahead of the judge by more than one error."""
    rows = []
    for group in GROUPS:
        frame = stored.read(group)
        for cell in GROUPS[group]:
            wide = frame[frame.cell == cell].pivot(index="seed", columns="method", values="hamming")
            gaps = wide.drop(columns=JUDGE).rsub(wide[JUDGE], axis=0).astype(float)
            for peer in gaps.columns:
                gap = gaps[peer].dropna()
                if len(gap) < FEWEST_SEEDS or TOLD.search(str(peer)) or peer not in NAMES:
                    continue
                # One table of all gives a mean of exactly one error, which is not above it.
                if gap.mean() > max(1.000001 * gap.sem(), 0):
                    theirs = pd.to_numeric(wide.loc[gap.index, peer])
                    rows.append((cell, peer, gap.mean() + theirs.mean(), theirs.mean(), gap))
    frame = pd.DataFrame(rows, columns=["cell", "peer", "judge", "wrong", "gap"])
    frame["ahead"] = [gap.mean() for gap in frame["gap"]]
    return frame.sort_values("ahead", ascending=False)


def peers_ahead() -> str:
    """Show the peer that is furthest ahead on each of these settings."""
    best = losses().drop_duplicates("cell")
    rows = [
        [
            f"`{one.cell}`",
            NAMES[one.peer],
            f"{one.judge:.2f}",
            f"{one.wrong:.2f}",
            f"{one.gap.mean():+.2f} ± {one.gap.sem():.2f} ({len(one.gap)})",
        ]
        for one in best.itertuples()
    ]
    return laid_out(["setting", "peer", "judge", "peer's", "difference (tables)"], rows)


def truths() -> str:
    """Show wrong edges on tables with a published graph."""
    known = newest("learned", "real")["tables"]
    methods = ("learned", "rooted-forests", "shared-forest", "bdgraph-ggm", "huge-mb-ric")
    rows = []
    for table, (label, truth) in TRUTHS.items():
        wrong = {
            method: one["truths"][truth]["hamming"]
            for method, one in known[table].items()
            if method in NAMES
        }
        best = min((m for m in wrong if m != JUDGE), key=wrong.__getitem__)
        edges = known[table][JUDGE]["truths"][truth]["true_edges"]
        row = [f"{wrong[m]:.0f}" if m in wrong else "" for m in methods]
        rows.append([f"{label} ({edges} edges)", *row, f"{wrong[best]:.0f} ({NAMES[best]})"])
    names = ["judge", "`RootedForests`", "`SharedForest`", "BDgraph", "huge", "best other"]
    return laid_out(["wrong edges", *names], rows)


HALVED = (
    "glasso-ebic",
    "huge-mb-ric",
    "shared-forest",
    "rooted-forests",
    "bdgraph-gcgm",
    "learned",
)


def halves() -> str:
    """Show the agreement of two halves of blood cells, and the edges of a half."""
    known = newest("learned", "real")["halves"]
    sizes = sorted(known, key=int)
    rows = []
    for method in HALVED:
        row = [NAMES[method]]
        for one in (known[size][method] for size in sizes):
            row += [plus_minus(one["agreement"], one["error"]), f"{one['edges']:.1f}"]
        rows.append(row)
    head = [word for size in sizes for word in (f"{size} cells", "edges")]
    return laid_out(["agreement of two samples", *head], rows)


def readme() -> str:
    """Show the table of the README: huge and BDgraph on the first 60 draws."""
    every, first = _grafts()
    rows = []
    for name in GRAFTED[:-1]:
        some, sixty = (known.get(name, {}).get("all") for known in (every, first))
        row = ["" if x is None else plus_minus(x["wrong"], x["error"]) for x in (some, sixty)]
        rows.append([NAMES[name], *row, _gap(some or sixty or {})])
    return laid_out(["wrong edges a draw", "220 draws", "first 60", "calibration error"], rows)


def about() -> str:
    """Say which judge the figures are of, and when they were measured."""
    found = [read() for _, read in SOURCES.values()]
    marks = " and ".join(sorted({f"`{one['judge']}`" for one in found}))
    days = sorted({one["date"][:10] for one in found})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return f"Figures of the judge are of the one with the fingerprint {marks}, measured on {when}."


def misleads() -> str:
    """Show difficult tables: shares of pairs, with the error over tables."""
    known = newest("misleads", "after")["rows"]
    rows = []
    for label, (name, word) in MISLEADS.items():
        one = known[name]
        rows.append([label, word, plus_minus(100 * one["value"], 100 * one["error"], 0) + " %"])
    return laid_out(["table", "counted", "result"], rows)


COUPLED = {
    "all": ("all", None),
    "no edge moved": ("changed", "0"),
    "a fifth of the edges moved": ("changed", "0.2"),
    "50 and 50 rows": ("rows", "50 and 50"),
    "200 and 200 rows": ("rows", "200 and 200"),
    "500 and 500 rows": ("rows", "500 and 500"),
    "400 and 100 rows": ("rows", "400 and 100"),
}


def groups() -> str:
    """Show how many differences of two groups are expected, against the truth."""
    known = newest("groups", "calibration")
    rows = []
    for label, (name, kind) in COUPLED.items():
        one = known[name] if kind is None else known[name][kind]
        ways = [one[way] for way in ("coupled", "product")]
        row = [f"{one['true']:.2f}", *(f"{way['expected']:.2f}" for way in ways)]
        row += [f"{way['log loss']:.2f}" for way in ways]
        rows.append([label, *row, *(f"{100 * way['calibration error']:.2f} %" for way in ways)])
    head = ["tables", "true differences", "expected", "expected, product"]
    head += ["log loss", "log loss, product", "calibration error", "calibration error, product"]
    return laid_out(head, rows)


def groups_calibration() -> str:
    """Show how many pairs differ, by the stated probability that they do."""
    rows = [
        [f"{k / 10:.1f} to {(k + 1) / 10:.1f}", f"{count:,.0f}", f"{stated:.3f}", f"{observed:.3f}"]
        for k, (stated, observed, count) in enumerate(
            newest("groups", "calibration")["reliability"]["coupled"]
        )
    ]
    return laid_out(["stated probability", "pairs", "mean", "observed frequency"], rows)


def groups_null() -> str:
    """Show how many differences are expected between random halves of a table."""
    known = newest("groups", "null")
    rows = []
    for label in ("Sachs", "blood cells", "simulated, 25 columns"):
        ways = [known[label][way] for way in ("coupled", "product")]
        row = [f"{way['expected']:.2f}" for way in ways]
        rows.append([label, *row, *(f"{way['above one half']:.2f}" for way in ways)])
    head = ["table", "expected", "expected, product", "above 1/2", "above 1/2, product"]
    return laid_out(head, rows)


def drop_one() -> str:
    """Show the five channels that the judge misses most."""
    known = newest("learned", "drop-one")
    parts = {
        "world": "simulated tables",
        "grafts-tune": "real tables with added columns",
        "experts-tune": "published networks",
    }
    channels = [name for name in known["world"] if name != "none"]
    channels.sort(key=lambda name: -sum(known[part][name]["wrong"] for part in parts))
    rows = [
        [f"`{name}`"]
        + [
            # plus 0.0: no minus before a zero
            plus_minus(round(known[p][name]["wrong"], 1) + 0.0, known[p][name]["wrong error"], 1)
            for p in parts
        ]
        for name in channels[:5]
    ]
    return laid_out(["channel", *parts.values()], rows)


def prior() -> str:
    """Show the log-loss without and with the true share of edges."""
    cells = newest("prior", "prior")["cells"]
    sizes = (15, 30, 60, 200)
    rows = []
    for share in (0.04, 0.1, 0.2, 0.4, 0.6):
        found = [cells[f"{share}, {size} rows"] for size in sizes]
        rows.append([f"{share:.0%}".replace("%", " %")])
        rows[-1] += [f"{one['without']:.3f} → {one['with']:.3f}" for one in found]
    return laid_out(["true share", *(f"{size} rows" for size in sizes)], rows)


def bootstrap() -> str:
    """Show how many edges of bootstrap samples are false or missed."""
    cells = newest("bootstrap", "bootstrap")["cells"]
    ways = {"all rows": "all rows", "bootstrap": "bootstrap samples", "halves": "halves"}
    rows = [
        [str(n), label, *(f"{cells[f'{n} rows, {way}'][what]:.2f}" for what in ("false", "missed"))]
        for n in (100, 300)
        for way, label in ways.items()
    ]
    return laid_out(["rows", "learned from", "false edges", "missed edges"], rows)


TABLES = {
    "drop-one": drop_one,
    "prior": prior,
    "bootstrap": bootstrap,
    "groups": groups,
    "groups-calibration": groups_calibration,
    "groups-null": groups_null,
    "about": about,
    "misleads": misleads,
    "grafts": grafts,
    "calibration": calibration,
    "found-again": found_again,
    "experts": experts,
    "simulated": simulated,
    "kinds": kinds,
    "peers-ahead": peers_ahead,
    "experts-ahead": experts_ahead,
    "truths": truths,
    "halves": halves,
    "readme": readme,
    "paper": readme,
}


def written(text: str) -> str:
    """Return a page with all its tables written again."""
    return BLOCK.sub(
        lambda found: f"<!-- table: {found[1]} -->\n{TABLES[found[1]]()}\n<!-- end of table -->",
        text,
    )


def picture_of_kinds() -> Any:
    """Draw wrong edges by kind of table: a line a kind, a mark a method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 7.4), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, (group, title) in zip(
        panels, {"truths": "numbers", "tables": "levels or missing values"}.items(), strict=True
    ):
        found = by_kind(group)
        heights = -np.arange(len(found))
        axes.hlines(heights, 0, found.max(axis=1), color="0.9", zorder=0)
        apart = np.linspace(0.33, -0.33, len(COLOURS))  # so that no mark hides another
        for method, key, shift in zip(found.columns, COLOURS, apart, strict=True):
            colour, marker, label = COLOURS[key]
            front = 4 if key == JUDGE else 3
            size = 8 if key == JUDGE else 7
            axes.plot(found[method], heights + shift, marker, color=colour, ms=size, label=label)
            axes.lines[-1].set(zorder=front, markeredgecolor="white", markeredgewidth=0.6)
        axes.set_xscale("symlog", linthresh=1, linscale=0.5)
        axes.set_xlim(-0.1, 250)
        axes.set_xticks([0, 1, 3, 10, 30, 100], ["0", "1", "3", "10", "30", "100"])
        axes.minorticks_off()
        axes.set_yticks(heights, [KINDS[str(kind)] for kind in found.index], fontsize=10)
        axes.set_title(title, loc="left", fontsize=11)
        axes.set_xlabel("wrong edges a table", fontsize=10)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=10, frameon=False)
    return figure


def picture_of_calibration() -> Any:
    """Draw observed frequency against stated probability, on real tables with added columns."""
    from matplotlib.figure import Figure

    known = newest("real", "grafts")
    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.75", lw=1, zorder=1)
    stated, observed, count = np.array(known["GraphLearner"]["all"]["bins"]).T
    colour, marker, _ = COLOURS[JUDGE]
    error = np.sqrt(np.maximum(observed * (1 - observed), 0.25 / count) / count)
    axes.errorbar(stated, observed, error, fmt=marker, color=colour, ms=6, lw=1, zorder=3)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("stated probability", fontsize=10)
    axes.set_ylabel("observed frequency", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Write tables and pictures, or print the commands that measure the judge again."""
    parser = argparse.ArgumentParser(prog="python -m scripts.make_accuracy")
    parser.add_argument("--commands", action="store_true", help="only print what measures again")
    if parser.parse_args().commands:
        print(*marks(), sep="\n")
        return
    for path in PAGES.values():
        text = written(path.read_text(encoding="utf-8"))
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    for name, draw in {
        "accuracy.png": picture_of_kinds,
        "calibration.png": picture_of_calibration,
    }.items():
        draw().savefig(IMAGES / name, dpi=150, metadata={"Software": None})
        print(f"wrote docs/images/{name}")


if __name__ == "__main__":
    main()
