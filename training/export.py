"""From runs to the file of a judge: weights, calibration, cloud and card; and its scores."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

import spinney
from spinney.evidence import CHANNELS, N_EVEN, N_ODD
from spinney.evidence.out_of_distribution import Cloud
from spinney.exceptions import InputError
from spinney.judge import STANDARDISATION, Judge, Network
from spinney.judge.judge import smallness
from spinney.metrics import reliability_of_pairs
from training.checkpoint import in_all, load_checkpoint, load_network
from training.cloud import fit_cloud, table_summaries_from_pairs
from training.evaluate import Judged, judge_pool
from training.model import PairNetwork, from_arrays, to_arrays
from training.pool import Pool
from training.shards import Folders, Plan, Shard, list_folders, shard_path

__all__ = ["check", "export", "fit_calibration", "make_cloud", "stored_network"]

CLOUD_TABLES = 40_000
"""Tables that the cloud is made of, at most."""
RELIABILITY_COLUMNS = ((2, 8), (9, 16), (17, 150))
"""Numbers of columns by which the card tells how far probabilities can be trusted."""
FEWEST_TABLES = 20
"""Tables that a kind must have for its scores to stand in the card."""
SAME = 0.01
"""How far a logit of the written judge may lie from that of the networks it was made of."""
Numbers = tuple[float, float, float, float]
"""Scale and shift of logits, and what they are less by in small tables."""


def export(
    runs: Sequence[Path],
    out: Path,
    calibrate: Folders = None,
    cloud: Folders = None,
    fit: bool = True,
    device: str = "auto",
    say: Callable[[str], None] = print,
) -> Judge:
    """Write the networks of one or more runs as one judge.

    Parameters
    ----------
    runs : sequence of Path
        Folders of runs; the judge averages their logits.
    out : Path
        File of the judge.
    calibrate : Path or sequence of Path, optional
        Folders of tables that no run has seen. Scale and shift of the logits are fitted on those
        with an even seed and reported on those with an odd one.
    fit : bool
        Whether to fit them at all; if not, the tables are only scored.
    cloud : Path or sequence of Path, optional
        Folders of training tables, of which the judge remembers where they lie.
    """
    states = [load_checkpoint(run) for run in runs]
    for run, state in zip(runs, states, strict=True):
        if state is None:
            raise InputError(f"{run} holds no checkpoint. Train first: python -m training train …")
        if state["channels"] != [channel.name for channel in CHANNELS]:
            raise InputError(f"{run} was trained on other channels of evidence. Train again.")
        if state["step"] < state["made_by"]["steps"]:
            say(f"{run} has only come to step {state['step']} of {state['made_by']['steps']}")
    # Calibrated is what is stored, so the networks are rounded first.
    networks = [stored_network(load_network(run)) for run in runs]
    place = _device(device)
    card = _card([state for state in states if state is not None])
    numbers, judged = (1.0, 0.0, 0.0, 0.0), None
    if calibrate:
        pool = Pool(calibrate, place, say=say).take_all()
        twins = [_twin(network, place) for network in networks]
        judged = judge_pool(twins, pool)
        pool.close()
        if fit:
            numbers, card["calibration"] = _calibrate(judged, say)
        else:
            card["calibration"] = {"numbers": numbers, "after": judged.scores()}
        card["calibration"]["tables"] = pool.describe()
        card["validation"] = _scores_in_words(judged, numbers)
        card["reliability"] = _reliability(judged)
    found = make_cloud(cloud, say) if cloud else None
    Judge(tuple(networks), card, *numbers[:2], found, numbers[2:]).save(out)
    judge = Judge.load(out)
    if judged is not None:
        say(f"largest difference of logits: {_difference(judge, judged):.1e}")
    say(f"wrote {out}: {len(networks)} networks, {out.stat().st_size / 1e6:.2f} MB")
    return judge


def stored_network(model: PairNetwork) -> Network:
    """Give a network as it will be read from its file: learned numbers are rounded to float16."""
    arrays = {
        name: array if name in STANDARDISATION else array.astype(np.float16).astype(np.float32)
        for name, array in to_arrays(model).items()
    }
    return Network(model.settings, arrays)


def fit_calibration(
    logits: NDArray[Any], truth: NDArray[Any], weights: NDArray[Any], small: NDArray[Any]
) -> Numbers:
    r"""Find scale a and shift b of the logits, and what they are less by in small tables.

    .. math:: \min \sum_i w_i \left[\log(1 + e^{t_i}) - y_i t_i\right], \qquad
              t_i = (a - a' s_i) z_i + b - b' s_i

    References
    ----------
    .. [1] J. Platt (1999). Probabilistic outputs for support vector machines.
    """
    z, y, s = (np.asarray(values, dtype=float) for values in (logits, truth, small))
    w = np.asarray(weights, dtype=float) / np.sum(weights)
    terms = np.stack([z, np.ones_like(z), -s * z, -s])

    def loss(numbers: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        t = numbers @ terms
        value = float(w @ (np.logaddexp(0.0, t) - y * t))
        return value, terms @ (w * (expit(t) - y))

    start = np.array([1.0, 0.0, 0.0, 0.0])
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


def calibrated(logits: NDArray[Any], small: NDArray[Any], numbers: Numbers) -> NDArray[Any]:
    """Apply what :func:`fit_calibration` finds."""
    scale, shift, less_scale, less_shift = numbers
    return np.asarray((scale - small * less_scale) * logits + shift - small * less_shift)


def make_cloud(
    folders: Folders, say: Callable[[str], None] = print, n_tables: int = CLOUD_TABLES
) -> Cloud | None:
    """Fit where the first tables of some folders lie; None, and a word, if they are too few."""
    several = list_folders(folders)
    summaries = [
        table_summaries_from_pairs(shard.evidence, shard.d, shard.n)
        for folder in several
        for shard in _shards(folder, n_tables // len(several))
    ]
    tables = np.concatenate(summaries)
    say(f"the cloud is made of {len(tables)} tables")
    try:
        return fit_cloud(tables)
    except InputError as error:  # a judge without a cloud is better than none
        say(str(error))
        return None


def check(judge: Path, tables: Folders, device: str = "auto") -> pd.DataFrame:
    """Score a run, or the file of a judge, on tables: all, and by group, kind, rows and columns."""
    place = _device(device)
    numbers: Numbers = (1.0, 0.0, 0.0, 0.0)
    if judge.is_dir():
        networks = [load_network(judge, device=place)]
    else:
        loaded = Judge.load(judge)
        numbers = (loaded.scale, loaded.shift, *loaded.few)
        networks = [_twin(network, place) for network in loaded.networks]
    pool = Pool(tables, place).take_all()
    judged = judge_pool(networks, pool)
    pool.close()
    judged.logits = calibrated(judged.logits, _smallness(judged), numbers)
    return judged.by()


def _shards(folder: Path, n_tables: int) -> Iterator[Shard]:
    seen = 0
    for k in range(Plan.load(folder).n_shards):
        if seen >= n_tables or not shard_path(folder, k).exists():
            return
        shard = Shard.load(shard_path(folder, k))
        if len(shard):
            seen += len(shard)
            yield shard


def _calibrate(judged: Judged, say: Callable[[str], None]) -> tuple[Numbers, dict[str, Any]]:
    """Fit on tables of even seeds, report on tables of odd ones; all folders weigh the same."""
    fitted, held = (np.flatnonzero(judged.seed % 2 == parity) for parity in (0, 1))
    rows, small = judged.rows(fitted), _smallness(judged)
    origin = np.repeat(judged.origin, np.diff(judged.first))[rows]
    known = judged.weights[rows] > 0
    share = 1.0 / np.maximum(np.bincount(origin, weights=known), 1.0)
    weights = known * share[origin]
    numbers = fit_calibration(judged.logits[rows], judged.truth[rows], weights, small[rows])
    before = judged.scores(held)
    after = judged.scores(held, calibrated(judged.logits, small, numbers))
    say(
        f"calibration: scale {numbers[0]:.4f}, shift {numbers[1]:+.4f}, in small tables less by "
        f"{numbers[2]:.4f} and {numbers[3]:+.4f}; on {len(held)} other tables the expected "
        f"calibration error goes from {before['ece']:.5f} to {after['ece']:.5f}, the loss from "
        f"{before['loss']:.4f} to {after['loss']:.4f}"
    )
    return numbers, {"numbers": numbers, "before": before, "after": after}


def _smallness(judged: Judged) -> NDArray[Any]:
    """Tell of every pair how small its table is."""
    return np.asarray(smallness(np.repeat(judged.d, np.diff(judged.first))))


def _scores_in_words(judged: Judged, numbers: Numbers) -> dict[str, Any]:
    judged.logits = calibrated(judged.logits, _smallness(judged), numbers)
    table = judged.by()
    table = table[table.tables >= FEWEST_TABLES]
    return {
        name: {str(row.value): _plain(row) for row in rows.itertuples()}
        for name, rows in table.groupby("by", sort=False)
    }


def _reliability(judged: Judged) -> dict[str, dict[str, list[list[float]]]]:
    """By source and number of columns: mean probability, share of edges and pairs, in ten bins."""
    told, known = expit(judged.logits), judged.weights > 0
    found: dict[str, dict[str, list[list[float]]]] = {}
    for folder, tables in zip(judged.folders, judged.by_folder().values(), strict=True):
        of_source = found.setdefault(Plan.load(folder).source, {})
        for low, high in RELIABILITY_COLUMNS:
            rows = judged.rows(tables[(judged.d[tables] >= low) & (judged.d[tables] <= high)])
            rows = rows[known[rows]]
            bins = reliability_of_pairs(told[rows], judged.truth[rows] == 1)
            columns = ["mean_probability", "edge_share", "count"]
            of_source[f"{low}-{high}"] = bins[bins["count"] > 0][columns].round(4).values.tolist()
    return found


def _plain(row: Any) -> dict[str, float]:
    names = ("loss", "brier", "wrong", "edges", "ece", "tables")
    return {name: round(float(getattr(row, name)), 6) for name in names}


def _card(states: Sequence[dict[str, Any]]) -> dict[str, Any]:
    from training.world import World

    first = states[0]["made_by"]
    return {
        "name": f"judge of {len(states)} networks",
        "made": datetime.date.today().isoformat(),
        "spinney": spinney.__version__,
        "torch": states[0]["torch"],
        "world": repr(World(without=tuple(first["tables.without"]))),
        "runs": [
            {
                # Where a run started lies on one machine only; its tables and steps are counted.
                "options": state["made_by"] | {"start": Path(state["made_by"]["start"]).name},
                "reproducible": state["on_time"],
                **in_all(state),
            }
            for state in states
        ],
        "channels": [
            {"name": c.name, "parity": c.parity, "group": c.group, "meaning": c.meaning}
            for c in CHANNELS
        ],
        "n_even": N_EVEN,
        "n_odd": N_ODD,
        "limits": (
            "Calibrated on simulated tables and on real ones to which columns with known edges "
            "were added. On a table unlike these, probabilities may be wrong with no visible sign."
        ),
    }


def _difference(judge: Judge, judged: Judged) -> float:
    """Compare the file, as the package reads it, with what the networks said, on some tables."""
    shard = next(_shards(judged.folders[0], 1))
    worst = 0.0
    for i in range(min(8, len(shard))):
        record = shard.record(i)
        table = int(np.flatnonzero((judged.seed == record.seed) & (judged.origin == 0))[0])
        found = judge.logits(record.evidence[:, :N_EVEN], record.evidence[:, N_EVEN:])
        expected = judged.logits[judged.rows(np.array([table]))]
        worst = max(worst, float(np.abs(found - expected).max()))
    if worst > SAME:
        raise InputError(f"The written judge differs from its networks, by {worst:.3g} in a logit.")
    return worst


def _twin(network: Network, device: torch.device) -> PairNetwork:
    return from_arrays(network.settings, network.arrays).to(device).eval()


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)
