"""R packages as peers: tables go out as files, an Rscript process runs, graphs come back.

One process serves many jobs, because loading the packages takes longer than many of the fits.
"""

from __future__ import annotations

import csv
import datetime
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.methods import PEERS, Peer
from spinney._core.files import whole_file
from spinney._core.pairs import n_nodes, to_matrix, to_pairs
from spinney._core.processor import machine

__all__ = ["Job", "PeerError", "PeerResult", "has_r", "read_results", "run_jobs", "write_results"]

SCRIPT = Path(__file__).with_name("peers.R")


class PeerError(RuntimeError):
    """R, a package of it or one of its fits is not there; the message says which."""


@dataclass(frozen=True, eq=False)
class Job:
    """A table for a peer.

    Attributes
    ----------
    name : str
        A name to find the result by, such as ``"grid-n100-007"``.
    X : array of shape (n, d)
        The table; NaN where a value is missing, which only BDgraph's gcgm takes.
    method : str
        A key of :data:`PEERS`, or any name if `peer` is given.
    seed : int
        What R's generator is seeded with, just before the fit.
    peer : Peer, optional
        By default the one that `method` names.
    not_continuous : array of shape (d,), optional
        Columns that BDgraph's gcgm knows by their order only (its ``not.cont``), and whose latent
        values it draws. By default it decides by itself: those with at most half as many
        different values as rows.
    """

    name: str
    X: NDArray[np.float64]
    method: str
    seed: int
    peer: Peer | None = None
    not_continuous: NDArray[np.bool_] | None = None

    def resolved(self) -> Peer:
        """Return the peer that is to run."""
        if self.peer is not None:
            return self.peer
        if self.method not in PEERS:
            raise PeerError(f"There is no peer {self.method!r}; there are {', '.join(PEERS)}.")
        return PEERS[self.method]


@dataclass(frozen=True)
class PeerResult:
    """The graph that a peer found, and how.

    Attributes
    ----------
    name, method, seed
        Of the job.
    n, d : int
        Size of the table.
    seconds : float
        In R, for the fit and the choice; neither start nor files.
    edges : list of pairs
        The graph: positions of columns, the smaller first.
    ranking : list of float
        A number per pair in the order of ``np.triu_indices(d, 1)``; larger is more likely an edge.
        Posterior probabilities (BDgraph), mean strength along the path (huge).
    penalty : float or None
        The chosen penalty (huge).
    options : dict
        All that R was told.
    versions : dict
        Of R and the package.
    date : str
        When it ran.
    """

    name: str
    method: str
    seed: int
    n: int
    d: int
    seconds: float
    edges: list[list[int]]
    ranking: list[float]
    penalty: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    date: str = ""

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """The graph as a boolean matrix."""
        matrix = np.zeros((self.d, self.d), dtype=bool)
        for i, j in self.edges:
            matrix[i, j] = matrix[j, i] = True
        return matrix

    @property
    def ranking_matrix(self) -> NDArray[np.float64]:
        """The ranking as a symmetric matrix."""
        assert n_nodes(len(self.ranking)) == self.d
        return to_matrix(self.ranking)


def has_r() -> bool:
    """Tell whether Rscript can be started."""
    return shutil.which("Rscript") is not None


def run_jobs(
    jobs: Sequence[Job], timeout_s: float | None = None, collect_garbage: bool = True
) -> list[PeerResult]:
    """Run jobs in one R process, in order.

    Parameters
    ----------
    jobs : sequence of Job
        What to run.
    timeout_s : float, optional
        Seconds for all of them.
    collect_garbage : bool
        Whether R obeys when huge asks it, several times in every fit, to collect garbage. If not,
        the graphs are the same and come much sooner, but `seconds` is not what a user would wait;
        the results' options say so.

    Raises
    ------
    PeerError
        If there is no R, a package is missing, a fit fails or `timeout_s` runs out.
    """
    if not has_r():
        raise PeerError(
            "Rscript was not found. Install R with its packages by `make peers`, or use the "
            "results stored in benchmarks/peers/."
        )
    if not jobs:
        return []
    with tempfile.TemporaryDirectory(prefix="spinney-peers-") as name:
        folder = Path(name)
        _write_jobs(folder, jobs)
        _start(folder, timeout_s, collect_garbage)
        return _read_jobs(folder, jobs, collect_garbage)


def _write_jobs(folder: Path, jobs: Sequence[Job]) -> None:
    tables: dict[int, str] = {}  # a table that several peers run on is written once
    rows = []
    for k, job in enumerate(jobs):
        if id(job.X) not in tables:
            tables[id(job.X)] = f"table-{len(tables)}.csv"
            lines = [",".join(map(_number, row)) for row in job.X.tolist()]
            (folder / tables[id(job.X)]).write_text("\n".join(lines) + "\n")
        flags = () if job.not_continuous is None else job.not_continuous.tolist()
        row = {"job": f"{k:06d}", "table": tables[id(job.X)], "seed": job.seed}
        row["not_continuous"] = " ".join(str(int(flag)) for flag in flags)
        rows.append(row | job.resolved().options())
    with (folder / "jobs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _number(x: float) -> str:
    return "NA" if np.isnan(x) else f"{x:.17g}"


def _start(folder: Path, timeout_s: float | None, collect_garbage: bool) -> None:
    command = ["Rscript", "--vanilla", str(SCRIPT), str(folder)]
    command += [] if collect_garbage else ["no-gc"]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        done = _count_done(folder)
        raise PeerError(f"R ran longer than {timeout_s:g} s; {done} job(s) were done.") from error
    except subprocess.CalledProcessError as error:
        lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
        said = " ".join(x for x in lines if x != "Execution halted")[-500:]
        raise PeerError(f"R stopped after {_count_done(folder)} job(s): {said}") from error


def _count_done(folder: Path) -> int:
    done = folder / "done.csv"
    return len(done.read_text().splitlines()) if done.exists() else 0


def _read_jobs(folder: Path, jobs: Sequence[Job], collect_garbage: bool) -> list[PeerResult]:
    with (folder / "versions.csv").open(newline="") as file:
        versions = {row["name"]: row["version"] for row in csv.DictReader(file)}
    with (folder / "done.csv").open(newline="") as file:
        done = {row[0]: row[1:] for row in csv.reader(file)}
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    results = []
    for k, job in enumerate(jobs):
        key, peer = f"{k:06d}", job.resolved()
        adjacency = np.loadtxt(folder / f"{key}-adjacency.csv", delimiter=",", ndmin=2) > 0
        ranking = np.loadtxt(folder / f"{key}-ranking.csv", delimiter=",", ndmin=2)
        seconds, penalty = done[key]
        results.append(
            PeerResult(
                name=job.name,
                method=job.method,
                seed=job.seed,
                n=len(job.X),
                d=job.X.shape[1],
                seconds=round(float(seconds), 4),
                edges=np.argwhere(np.triu(adjacency)).tolist(),
                ranking=[float(f"{x:.6g}") for x in to_pairs(ranking)],
                penalty=None if penalty == "NA" else float(penalty),
                options={**peer.options(), "collect_garbage": collect_garbage},
                versions={name: versions[name] for name in ("R", peer.package)},
                date=date,
            )
        )
    return results


def write_results(path: str | Path, results: Sequence[PeerResult]) -> None:
    """Store results with a word about the machine; the file appears whole or not at all."""
    record = {"machine": machine(), "results": [asdict(result) for result in results]}
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(record) + "\n")


def read_results(path: str | Path) -> list[PeerResult]:
    """Read results back."""
    record = json.loads(Path(path).read_text())
    return [PeerResult(**result) for result in record["results"]]
