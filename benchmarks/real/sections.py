"""What is measured: grafts, coherence, halves, and columns that are independent."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from training.grafts import common_columns, draw_grafts, read_real, split

from benchmarks.real.methods import JUDGE, METHODS, PROBABILITIES, Answer, ask
from benchmarks.real.oracle import ORACLES, best_threshold
from spinney._core.pairs import to_pairs
from spinney.exceptions import InputError
from spinney.graph.differences import couple
from spinney.metrics import mean_gap, reliability_of_pairs
from spinney.scale.tasks import parallel_map
from spinney.simulate import Grafted, graft
from spinney.tables import read_table

Floats = NDArray[np.float64]

SIZES = {"all": (0, 10**6), "d <= 8": (0, 8), "d 9-16": (9, 16), "d >= 17": (17, 10**6)}
FEW = 100
MANY = (500, 1500)
MOST_COLUMNS = 20
MOST_PER_PACKAGE = 6
"""Long tables of one package, so that no package is the whole result."""
BIN = ("mean_probability", "edge_share", "count")
"""What is stored of each bin of probabilities."""
COHERENCE_BINS = 10
CHANCE_D, CHANCE_N = (2, 3, 5, 8), (20, 30, 50)


class Settings(NamedTuple):
    """What all sections share."""

    folder: Path
    tables: int
    seed: int
    judge: Path | None
    jobs: int
    methods: tuple[str, ...]
    part: str = "report"


def _over(function: Any, tasks: Sequence[Any], settings: Settings) -> list[Any]:
    return parallel_map(
        function, tasks, shared=(settings,), n_jobs=settings.jobs, prefer="processes"
    )


def grafts(settings: Settings) -> dict[str, Any]:
    """Score every method on pairs whose truth is known, by the number of columns."""
    cases = graft_cases(settings)
    found: dict[str, Any] = {"tables": len(cases), "columns": _median(cases, "d")}
    found["rows"] = _median(cases, "n")
    # Results can be compared if this is the same: they are about the same tables and pairs.
    found["drawn"] = hashlib.sha256(b"".join(case["drawn"] for case in cases)).hexdigest()[:12]
    for name in (oracle for oracle in ORACLES if oracle in settings.methods):
        found[f"threshold of the {name}"] = _answer_in_hindsight(cases, name)
    by_size = {
        size: [case for case in cases if low <= case["d"] <= high]
        for size, (low, high) in SIZES.items()
    }
    for name in settings.methods:
        found[name] = {size: _graft_scores(some, name) for size, some in by_size.items()}
    for name in (oracle for oracle in ORACLES if oracle in settings.methods):
        if JUDGE in settings.methods:
            found[f"{JUDGE} / {name}"] = {
                size: _ratio(_wrong(some, JUDGE), _wrong(some, name)) if some else None
                for size, some in by_size.items()
            }
    return found


def graft_cases(settings: Settings) -> list[dict[str, Any]]:
    """Ask every method of the pairs whose truth is known, of each table."""
    seeds = range(settings.seed, settings.seed + settings.tables)
    return _over(_graft_case, list(seeds), settings)


def digest(grown: Grafted) -> bytes:
    """Sum up the values of a table, its edges and which pairs are known."""
    values = grown.X.to_csv(index=False, float_format="%.6g").encode()
    return hashlib.sha256(values + grown.known.tobytes() + grown.adjacency.tobytes()).digest()


def _answer_in_hindsight(cases: list[dict[str, Any]], oracle: str) -> float:
    """Turn the deviates of an oracle into edges, by the threshold that is best on all tables."""
    truth = np.concatenate([case["truth"] for case in cases])
    threshold = best_threshold(np.concatenate([case[oracle] for case in cases]), truth)
    for case in cases:
        case[oracle] = Answer(case[oracle] >= threshold, None)
    return threshold


def _wrong(cases: list[dict[str, Any]], name: str) -> Floats:
    return np.array([float((case[name].edges != case["truth"]).sum()) for case in cases])


def _ratio(wrong: Floats, of: Floats) -> dict[str, float]:
    """Divide two means over the same tables; the error is that of the ratio (delta method)."""
    ratio = wrong.mean() / max(of.mean(), 1e-12)
    error = (wrong - ratio * of).std() / len(of) ** 0.5 / max(of.mean(), 1e-12)
    return {"ratio": float(ratio), "error": float(error)}


def _graft_case(seed: int, settings: Settings) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of infinite numbers
        return _asked_of_grafts(seed, settings)


def _asked_of_grafts(seed: int, settings: Settings) -> dict[str, Any]:
    grown = draw_grafts(seed, settings.part, settings.folder)
    known = to_pairs(grown.known.astype(float)) > 0
    truth = to_pairs(grown.adjacency.astype(float)) > 0
    case: dict[str, Any] = {"d": grown.X.shape[1], "n": len(grown.X), "truth": truth[known]}
    case["drawn"] = digest(grown)
    for name in settings.methods:
        if name in ORACLES:
            case[name] = ORACLES[name](grown)[known]
            continue
        edges, told = ask(name, grown.X, settings.judge)
        case[name] = Answer(edges[known], None if told is None else told[known])
    return case


def _graft_scores(cases: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    if not cases:
        return None
    truth = np.concatenate([case["truth"] for case in cases])
    edges = np.concatenate([case[name].edges for case in cases])
    wrong = _wrong(cases, name)
    both = float((edges & truth).sum())
    found: dict[str, Any] = {
        "tables": len(cases),
        "wrong": float(wrong.mean()),
        "error": float(wrong.std() / len(wrong) ** 0.5),
        "precision": both / max(1.0, float(edges.sum())),
        "recall": both / max(1.0, float(truth.sum())),
    }
    if name in PROBABILITIES:
        told = np.concatenate([case[name].probabilities for case in cases])
        known = np.isfinite(told)  # a pair of which too little is known has no probability
        found["unknown"] = int((~known).sum())
        reliability = reliability_of_pairs(told[known], truth[known], 20)
        found["calibration error"] = mean_gap(reliability)
        bins = reliability.loc[reliability["count"] > 0, list(BIN)]
        found["bins"] = bins.round(4).to_numpy(dtype=float).tolist()
    return found


def coherence(settings: Settings) -> dict[str, Any]:
    """Learn from few rows, from many others, and from another few, and see what stays."""
    settings = settings._replace(methods=tuple(x for x in settings.methods if x not in ORACLES))
    tasks = list(_long_tables(settings))
    cases = [case for case in _over(_coherence_case, tasks, settings) if case is not None]
    found: dict[str, Any] = {"tables": len(cases)}
    for name in settings.methods:
        few, again, many = ([case[name][k] for case in cases] for k in range(3))
        kept = sum(int(a.edges.sum()) for a in few)
        stayed = sum(int((a.edges & b.edges).sum()) for a, b in zip(few, many, strict=True))
        one = {"edges kept": kept, "share that stays": stayed / max(1, kept)}
        one["agreement of two"] = _jaccard(few, again)
        if name in PROBABILITIES:
            p, q = (np.concatenate([a.probabilities for a in some]) for some in (few, many))
            p, q = (x[np.isfinite(p) & np.isfinite(q)] for x in (p, q))
            bins = np.minimum((p * COHERENCE_BINS).astype(int), COHERENCE_BINS - 1)
            table = pd.DataFrame({"few": p, "many": q}).groupby(bins).agg(["mean", "size"])
            gaps = (table["few", "mean"] - table["many", "mean"]).abs() * table["few", "size"]
            one["coherence error"] = float(gaps.sum() / len(p))
            one["bins"] = [
                [round(float(x), 3) for x in (row[0], row[2], row[1])] for row in table.to_numpy()
            ]
        if name == JUDGE:
            one["agreement of two seeds"] = _jaccard(few, [case["other seed"] for case in cases])
        found[name] = one
    return found


def _coherence_case(task: tuple[Path, int], settings: Settings) -> dict[str, Any] | None:
    path, seed = task
    rng = np.random.default_rng(seed)
    frame = _some_columns(path, rng)
    order = rng.permutation(len(frame))
    parts = [order[:FEW], order[FEW : 2 * FEW], order[2 * FEW : 2 * FEW + MANY[1]]]
    samples = common_columns([frame.iloc[rows].reset_index(drop=True) for rows in parts])
    if samples is None:
        return None
    case: dict[str, Any] = {
        name: [ask(name, sample, settings.judge) for sample in samples] for name in settings.methods
    }
    if JUDGE in settings.methods:
        case["other seed"] = ask(JUDGE, samples[0], settings.judge, seed=1)
    return case


def halves(settings: Settings) -> dict[str, Any]:
    """Split real tables into two random halves, and count the differences that are expected."""
    paths = _spread(settings, FEW)
    tasks = [(path, settings.seed + k) for k, path in enumerate(paths)]
    cases = [case for case in _over(_halves_case, tasks, settings) if case is not None]
    expected = np.array([case[0] for case in cases])
    return {
        "tables": len(cases),
        "expected differences": float(expected.mean()),
        "error": float(expected.std() / max(1, len(cases)) ** 0.5),
        "pairs above one half": float(np.mean([case[1] for case in cases])),
    }


def _halves_case(task: tuple[Path, int], settings: Settings) -> tuple[float, int] | None:
    path, seed = task
    rng = np.random.default_rng(seed)
    frame = _some_columns(path, rng)
    order = rng.permutation(len(frame))
    half = len(order) // 2
    parts = [frame.iloc[rows].reset_index(drop=True) for rows in (order[:half], order[half:])]
    samples = common_columns(parts)
    if samples is None:
        return None
    first, second = (ask(JUDGE, sample, settings.judge).probabilities for sample in samples)
    assert first is not None
    assert second is not None
    differs = couple(first, second).differs
    return float(differs.sum()), int((differs > 0.5).sum())


def chance(settings: Settings) -> dict[str, Any]:
    """Count the pairs of independent columns, normal ones and permuted real ones, above 0.95."""
    each = max(4, settings.tables // 12)
    cells = [(d, n, settings.seed + k) for d in CHANCE_D for n in CHANCE_N for k in range(each)]
    found: dict[str, Any] = {"tables a cell": each}
    for margins in ("normal", "real"):
        tasks = [(d, n, seed, margins) for d, n, seed in cells]
        told = _over(_chance_case, tasks, settings)
        by_d = {
            f"d = {d}": float(
                np.mean(np.concatenate([p for p, c in zip(told, cells, strict=True) if c[0] == d]))
            )
            for d in CHANCE_D
        }
        found[margins] = {"all": float(np.mean(np.concatenate(told))), **by_d}
    return found


def _chance_case(task: tuple[int, int, int, str], settings: Settings) -> NDArray[np.bool_]:
    d, n, seed, margins = task
    rng = np.random.default_rng([seed, d, n])
    if margins == "normal":
        frame = pd.DataFrame(rng.normal(size=(n, d))).add_prefix("x")
    else:
        frame = _independent_columns(settings, d, n, rng)
    told = ask(JUDGE, frame, settings.judge).probabilities
    assert told is not None
    return told > 0.95


def _independent_columns(settings: Settings, d: int, n: int, rng: Any) -> pd.DataFrame:
    """Take columns of several real tables, each in an order of its own."""
    paths = split(settings.folder)[settings.part]
    columns: dict[str, Any] = {}
    while len(columns) < d:
        frame = read_real(paths[int(rng.integers(len(paths)))])
        if frame is None or len(frame) < n:
            continue
        column = frame.iloc[:, int(rng.integers(frame.shape[1]))]
        drawn = column.iloc[rng.permutation(len(frame))[:n]].reset_index(drop=True)
        try:
            columns[f"x{len(columns)}"] = drawn
            if len(read_table(pd.DataFrame(columns), min_columns=1).columns) < len(columns):
                columns.popitem()
        except InputError:
            columns.popitem()
    return pd.DataFrame(columns)


def _spread(settings: Settings, rows: int, most: int | None = None) -> list[Path]:
    """Draw tables of enough rows, at most some of each package."""
    paths = list(split(settings.folder)[settings.part])
    order = np.random.default_rng(settings.seed).permutation(len(paths))
    found: list[Path] = []
    for path in (paths[k] for k in order):
        package = path.stem.partition("__")[0]
        frame = read_real(path)
        if frame is None or len(frame) < rows or frame.shape[1] < 3:
            continue
        if sum(x.stem.partition("__")[0] == package for x in found) < MOST_PER_PACKAGE:
            found.append(path)
    return found[: settings.tables if most is None else most]


def _long_tables(settings: Settings) -> Iterator[tuple[Path, int]]:
    for k, path in enumerate(_spread(settings, 2 * FEW + MANY[0])):
        yield path, settings.seed + k


def _some_columns(path: Path, rng: np.random.Generator) -> pd.DataFrame:
    frame = read_real(path)
    assert frame is not None
    d = min(MOST_COLUMNS, frame.shape[1])
    return frame.iloc[:, np.sort(rng.choice(frame.shape[1], d, replace=False))]


def _jaccard(first: Sequence[Answer], second: Sequence[Answer]) -> float:
    """Edges in both, divided by those in either, over all tables."""
    both = sum(int((a.edges & b.edges).sum()) for a, b in zip(first, second, strict=True))
    either = sum(int((a.edges | b.edges).sum()) for a, b in zip(first, second, strict=True))
    return both / max(1, either)


def _median(cases: list[dict[str, Any]], name: str) -> float:
    return float(np.median([case[name] for case in cases]))


ODD_TABLES, ODD_ROWS, ODD_GRAFTS = 60, 200, 8


def _spectra(rng: np.random.Generator) -> Floats:
    """Curves of 40 points: sums of four humps of random height."""
    place, height = np.linspace(0.0, 1.0, 40), rng.normal(size=(ODD_ROWS, 4))
    humps = np.exp(-(((place - rng.random((4, 1))) / 0.3) ** 2))
    return height @ humps + 0.01 * rng.normal(size=(ODD_ROWS, 40))


def _one_factor(rng: np.random.Generator) -> Floats:
    """25 columns that measure the same, with a tenth of its spread as noise."""
    return rng.normal(size=(ODD_ROWS, 1)) + 0.1 * rng.normal(size=(ODD_ROWS, 25))


ODD = {"spectra": _spectra, "one factor": _one_factor}
"""Tables unlike those of training, to which grafts are added."""


def warned(settings: Settings) -> dict[str, Any]:
    """Compare tables that the judge calls unlike its training with all others.

    Of real tables with grafts hardly any is called so; hence `ODD` tables beside them.
    """
    tasks = [("real", settings.seed + k) for k in range(settings.tables)]
    n_odd = min(ODD_TABLES, settings.tables)
    tasks += [(kind, settings.seed + k) for kind in ODD for k in range(n_odd)]
    cases = _over(_warned_case, tasks, settings)
    found: dict[str, Any] = {"tables": len(cases)}
    for name in ("real", *ODD):
        for is_warned in (True, False):
            some = [case for case in cases if case["kind"] == name and case["warned"] == is_warned]
            kept, right, edges = (sum(x[part] for x in some) for part in ("kept", "right", "edges"))
            if some:
                found[f"{name}, {'warned of' if is_warned else 'not warned of'}"] = {
                    "tables": len(some),
                    "edges kept": kept,
                    "precision": right / max(kept, 1),
                    "error": (right * (kept - right) / max(kept, 1) ** 3) ** 0.5,
                    "recall": right / max(edges, 1),
                }
    return found


def _warned_case(task: tuple[str, int], settings: Settings) -> dict[str, Any]:
    kind, seed = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "real":
            grown = draw_grafts(seed, settings.part, settings.folder)
        else:
            frame = pd.DataFrame(ODD[kind](np.random.default_rng(seed)))
            grown = graft(frame, n_grafts=ODD_GRAFTS, random_state=seed)
        model = METHODS[JUDGE](grown.X, settings.judge, 0)
    names = [str(name) for name in grown.X.columns]
    places = [names.index(name) for name in model.node_names_]  # sums and copies are left out
    grown = grown.keep([grown.X.columns[k] for k in places])
    known = to_pairs(grown.known.astype(float)) > 0
    truth = (to_pairs(grown.adjacency.astype(float)) > 0)[known]
    kept = (to_pairs(model.adjacency_.astype(float)) > 0)[known]
    return {
        "kind": kind,
        "warned": bool(model.out_of_distribution_),
        "kept": int(kept.sum()),
        "right": int((kept & truth).sum()),
        "edges": int(truth.sum()),
    }


SECTIONS = {
    "grafts": grafts,
    "coherence": coherence,
    "halves": halves,
    "chance": chance,
    "warned": warned,
}
ALL_METHODS = (*METHODS, *ORACLES)
