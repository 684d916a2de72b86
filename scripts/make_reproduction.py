"""Write docs/reproduction.md and its pictures from the results of ``python -m reproduce``.

    python -m scripts.make_reproduction [RESULTS]

`RESULTS` holds ``figure2.csv.xz`` … ``figure6.csv.xz``, or the same as plain CSV (by default
``benchmarks/results/reproduction``);
nothing is computed here but means, so what the page says is what the tables hold.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from reproduce.claims import Finding, Judgement, judge_claims
from reproduce.experiments import EXPERIMENTS, FEWEST_CELLS, METHODS, TRUTHS
from reproduce.figures import draw, methods_in, repetitions_said
from reproduce.judging import FALSE_EDGES
from reproduce.results import read_csv, table_of
from spinney._core.files import whole_file

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "reproduction"
PICTURES = ROOT / "docs" / "figures" / "reproduction"
PAGE = ROOT / "docs" / "reproduction.md"

LABELS = {name: method.label for name, method in METHODS.items()} | {"ef": "EF, 8 nodes"}

INTRODUCTION = """\
# The founding paper again

<!-- Written by scripts/make_reproduction.py from benchmarks/results/reproduction: do not edit. -->

E. Arvaniti and M. Claassen (2014) proposed the ensemble-of-forests models, on which spinney
builds. We simulated the tables of the paper's figures again, ran all methods, and compared the
results with what the paper claims. Run it from a clone:

    make reproduce FIGURES=figure2     # or figure1 … figure6; all without it (hours)
    python -m reproduce all --quick    # a small version of everything, in five minutes
"""

UNFINISHED = (
    "In some figures EF-λ, EF-cuts and ET have fewer than 100 repetitions, and a"
    " claim is judged on the sizes that were run;"
    " `python -m reproduce all --out benchmarks/results/reproduction` continues."
)

TOLERANCE = """\
## When a weight is an edge

The paper does not say which weights are edges. In spinney a weight is an edge if it is at least τ
times the smaller of its two nodes' largest weights; `edge_tolerance` is τ, 0.1 by default. The
table shows wrong edges on tuning seeds, means over {tables} tables of figures 2 to 4 with 50, 100
and 500 samples (`python -m benchmarks.estimators tolerance`; families are given):
"""

SETTING = """\
## How it was done

- **Tables.** Repetition k has the seed 200000 + k. The same seed gives the same graph at every
  number of samples, and small samples are the first rows of larger ones. The paper does not say how
  it drew its matrices; [ours](accuracy-how.md#simulated-tables).
- **Copulas.** EF-λ, EF-cuts and ET get the true family, as in the paper: Gaussian in figures 2, 3
  and 5, Student in figure 4. RootedForests and SharedForest choose from the default families.
  Independence competes for every pair.
- **Methods.** EF-λ takes λ = exp(-ρ), ρ = 2, 2.1, …, 5, and eBIC with γ = ½. EF-cuts takes the
  100 smallest cuts. glasso and nonparanormal are spinney's own, with huge's defaults and StARS.
  BDgraph's results are stored from R: its Gaussian model in figures 2, 3 and 5, its Gaussian
  copula in figure 4.
- **Figure 5.** The paper does not say how it traces its curves. We rank pairs of methods with a
  path of penalties in two ways: by *strength*, the mean edge weight (EF-λ) or absolute partial
  correlation (glasso) along the path; and by *presence*, the share of graphs along the path with
  the pair. "1 % FDR" can be read in three ways: on each table, true edges before more than one in
  a hundred is false, then the mean; on curves that are averaged over tables first; or true edges
  with {false} false ones, 1 % of the pairs without an edge. BDgraph gives many pairs the
  probability one, false ones among them; ties count as found together, hence its zero.
- **Figure 6.** The paper's two drug plates are not public. We used the zero-dose wells of the
  staurosporine plate of the same study: four stimuli and fourteen cell types, wells with at least
  {fewest} cells, and at most 500 cells of each. Graphs of few cells have more components because
  there is less evidence: compare wells of similar size.
- **Time.** {time}
"""


def main() -> None:
    """Read the tables, draw the pictures, write the page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    tables = {}
    for name in EXPERIMENTS:
        path = table_of(folder, name)
        if path.exists():
            tables[name] = read_csv(path)
    for name, frame in tables.items():
        draw(name, frame).savefig(PICTURES / f"{name}.png")
    parts = [
        INTRODUCTION,
        claims_section(judge_claims(tables)),
        figures_section(tables),
        tolerance_section(),
        additions_section(tables),
        SETTING.format(fewest=FEWEST_CELLS, false=FALSE_EDGES, time=time_said(tables, folder)),
    ]
    with whole_file(PAGE) as temporary:
        temporary.write_text("\n".join(part for part in parts if part), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)} and {len(tables)} figures")


# The claims


def claims_section(judgements: list[Judgement]) -> str:
    """One row per claim."""
    counts = Counter(j.verdict for j in judgements)
    least = min(f.repetitions for j in judgements for f in j.findings)
    lines = [
        "## Which of the paper's claims hold",
        "",
        f"Of {len(judgements)} claims, {counts['holds']} hold, {counts['holds in part']} hold in"
        f" part and {counts['does not hold']} do not. Each number is a mean over"
        f" at least {least} tables. {UNFINISHED if least < 100 else ''}".rstrip(),
        "",
        "*Asked* is our reading of the claim. *Measured* are means ± standard errors over"
        " repetitions (of paired differences where two methods are compared), by number of"
        " samples. Numbers on the wrong side of their bound are **bold**; a question mark means"
        " that the bound is within two standard errors. A claim holds if every number is on the"
        " right side, does not hold if fewer than half are, and holds in part otherwise.",
        "",
        "| figure | the paper says | asked | measured | verdict |",
        "|---|---|---|---|---|",
    ]
    for j in judgements:
        figure = j.figure.removeprefix("figure")
        row = (figure, j.sentence, j.reading, measured(j.findings), f"**{j.verdict}**")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def measured(findings: list[Finding]) -> str:
    """Gather findings by what they are of, one line each."""
    said: dict[str, list[str]] = {}
    for f in findings:
        number = _number(f.mean, f.standard_error) + ("" if f.sure else "?")
        said.setdefault(f.said, []).append(f"{f.n}: " + (number if f.met else f"**{number}**"))
    return "<br>".join(f"{what}: {', '.join(values)}" for what, values in said.items()) or "–"


def _number(mean: float, error: float) -> str:
    digits = 2 if abs(mean) < 2 else 1
    text = f"{mean:.{digits}f}" + (f"\u00a0±\u00a0{error:.{digits}f}" if np.isfinite(error) else "")
    return text.replace("-", "−")


# The figures


def figures_section(tables: dict[str, pd.DataFrame]) -> str:
    """Every figure with its means."""
    lines = [
        "## The figures",
        "",
        "Figure 1 shows [six copulas](copulas.md#families-of-copulas). Means ± standard errors:",
        "",
    ]
    for name, frame in tables.items():
        title = _title(name)
        lines += [f"### Figure {name[-1]}: {title}", ""]
        lines += [f"![Figure {name[-1]}: {title}](figures/reproduction/{name}.png)", ""]
        if name == "figure6":
            lines += wells_table(frame)
        elif name == "figure5":
            lines += [f"True edges before 1 % FDR, {repetitions_said(frame)}:", ""]
            lines += means_table(frame, "edges_before_fdr_1")
        else:
            lines += [f"Hamming distance, {repetitions_said(frame)}:", ""]
            lines += means_table(frame, "hamming")
    return "\n".join(lines)


def _title(name: str) -> str:
    truth = EXPERIMENTS[name].truth
    return "blood cells by mass cytometry" if truth == "pbmc" else TRUTHS[truth][0]


def means_table(frame: pd.DataFrame, metric: str) -> list[str]:
    """Lay out mean ± standard error: methods down, samples across."""
    frame = frame.dropna(subset=[metric])
    sizes = sorted(set(frame.n))
    lines = ["| | " + " | ".join(f"n = {n}" for n in sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for method in methods_in(frame):
        cells = []
        for n in sizes:
            values = frame[(frame.method == method) & (frame.n == n)][metric].astype(float)
            known = len(values) > 0
            cells.append(_number(values.mean(), values.sem()) if known else "–")
        lines.append(f"| {METHODS[method].label} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def wells_table(frame: pd.DataFrame) -> list[str]:
    """Say how many components there are under each stimulus."""
    lines = [
        "| stimulus | wells | components, mean | share of fits with several | "
        "share of edges that are not Gaussian |",
        "|---|---|---|---|---|",
    ]
    for stimulus, part in frame[frame.n == frame.n.max()].groupby("stimulus"):
        several = (part.n_components > 1).mean()
        other = part.n_non_gaussian_edges.sum() / max(part.n_edges.sum(), 1)
        lines.append(
            f"| {stimulus} | {part.cell_type.nunique()} | {part.n_components.mean():.1f} | "
            f"{several:.2f} | {other:.2f} |"
        )
    return [*lines, ""]


# Why some claims do not hold


def tolerance_section() -> str:
    """Compare rules of what is an edge, from ``python -m benchmarks.estimators tolerance``."""
    stored = sorted(RESULTS.parent.glob("estimators-*.json"))
    found = [json.loads(path.read_text()).get("tolerance") for path in stored]
    known = [section for section in found if section]
    if not known:
        return ""
    section = known[-1]
    cells = pd.DataFrame(section["cells"])
    tolerances = cells.tolerance.unique()
    tables = section["repetitions"] * len(cells[["truth", "n"]].drop_duplicates())
    lines = [
        TOLERANCE.format(tables=tables),
        "| τ | " + " | ".join(map(str, tolerances)) + " |",
        "|---" * (len(tolerances) + 1) + "|",
    ]
    means = cells.groupby(["model", "tolerance"]).hamming.mean()
    for model in cells.model.unique():
        shown = [f"{means[model, t]:.2f}" for t in tolerances]
        lines.append(f"| {LABELS[model]} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


# What is new


def additions_section(tables: dict[str, pd.DataFrame]) -> str:
    """Compare RootedForests and SharedForest with EF-λ, on the same tables."""
    better = {"rooted-forests": 0, "shared-forest": 0}
    worse, settings = dict(better), 0
    for name in ("figure2", "figure3", "figure4", "figure5"):
        if name not in tables:
            continue
        metric, sign = ("edges_before_fdr_1", 1) if name == "figure5" else ("hamming", -1)
        for _, part in tables[name].groupby("n"):
            by_seed = part.pivot_table(metric, "seed", "method").astype(float)
            if not {"ef-lambda", *better} <= set(by_seed):
                continue
            settings += 1
            for method in better:
                gap = (by_seed[method] - by_seed["ef-lambda"]).dropna()
                sure = abs(gap.mean()) > 2 * gap.sem()
                better[method] += bool(sure and sign * gap.mean() > 0)
                worse[method] += bool(sure and sign * gap.mean() < 0)
    if not settings:
        return ""
    lines = [
        "## What RootedForests and SharedForest add",
        "",
        "We compared Hamming distances (figure 5: true edges before 1 % FDR, by strength) with"
        " those of EF-λ on the same tables. EF-λ gets the true family, the other two do not. A"
        " difference counts if it is larger than two standard errors.",
        "",
    ]
    for method, count in better.items():
        lines.append(
            f"- **{METHODS[method].label}** is better than EF-λ in {count} of {settings} settings "
            f"and worse in {worse[method]}."
        )
    lines += ["- Median seconds a table: " + seconds_said(tables) + "."]
    return "\n".join(lines) + "\n"


def seconds_said(tables: dict[str, pd.DataFrame]) -> str:
    """Say how long each method takes on the 25-node tables."""
    frames = [t for name, t in tables.items() if name in ("figure2", "figure3", "figure4")]
    together = pd.concat(frames) if frames else next(iter(tables.values()))
    return ", ".join(
        f"{METHODS[m].label} {together[together.method == m].seconds.median():.2g}"
        for m in methods_in(together)
    )


def time_said(tables: dict[str, pd.DataFrame], folder: Path) -> str:
    """Say how long figures 2 to 5 took: by the clock, if that was noted, and in all threads."""
    frames = [
        t for name, t in tables.items() if name in ("figure2", "figure3", "figure4", "figure5")
    ]
    if not frames:
        return "Not measured."
    ran = pd.concat(frames)
    ran = ran[ran.method != "bdgraph"]
    cuts = ran[ran.method == "ef-cuts"].seconds.sum() / 3600
    hours = ran.seconds.sum() / 3600
    said = (
        f"The repetitions of figures 2 to 5 took {hours:.1f} hours of one thread together, "
        f"{cuts:.1f} of them EF-cuts."
    )
    noted = folder / "full-run.json"
    if noted.exists():
        run = json.loads(noted.read_text())
        said += (
            f" By the clock the run took {run['minutes'] / 60:.1f} hours on "
            f"{run['cores']} cores of an {run['processor']} ({run['date']}), compilation and "
            "pictures included."
        )
    return said


if __name__ == "__main__":
    main()
