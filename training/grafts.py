"""Real tables with grafts: which are trained on, which are kept apart, and how one is drawn.

The folder of CSV files, named ``package__dataset.csv``, is that of the environment variable
``SPINNEY_REAL_TABLES``, or ``build/real-tables``; it does not come with the package. Packages are
dealt out by their names: a fifth is kept apart for reports, a tenth for choices and calibration,
and training gets the rest. The same table stands in several packages, so a table is left out
where it shares a column, or most of its column names, with one of a part that is kept further
apart.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.signal import lfilter

from spinney._core.files import whole_file
from spinney.exceptions import InputError
from spinney.simulate.graft import Grafted, Growth, ParentColumn, cut, graft, varies
from spinney.tables import read_table

__all__ = [
    "PARTS",
    "UnusualGrowth",
    "common_columns",
    "draw_grafts",
    "draw_rows",
    "find_folder",
    "part_of",
    "read_real",
    "split",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rng = np.random.Generator

PARTS = ("report", "tune", "train")
"""Kept apart for reports; for choices and calibration; for training. The first is the strictest."""
SALT = 465
"""The first with which the parts hold about a fifth and a tenth of the tables, and no package
makes up most of a part: they differ much in size."""
ROWS = (8, 1500)
COLUMNS = (1, 25)
MOST_COLUMNS = 30
FEWEST_LONG = 100
"""Rows of a table that few and many are drawn from."""
KEPT = "split.json"
ATTEMPTS = 20
UNUSUAL = 0.07
"""Probability that a graft to train on is an exact function of its parents, and that its noise is
a series. Reports have none: they are compared with reports from before there were such grafts."""
WEAK, SOME_WEAK = 0.2, 0.5
"""Probability that a parent of a graft to train on is weak, in this share of the tables: real
columns have many neighbours of which little is seen. Reports and choices have no weak parents, for
the same reason."""
WEAK_ERRORS = (0.7, 8.0)
"""Range of a weak parent's effect in standard errors: what it adds to the others' effects, divided
by the noise, times the square root of the number of rows."""
MOST_WEAK = 1.0
"""Largest effect of a weak parent, in standard deviations of the noise."""
SMALL, ALONE = 4, 0.12
"""Columns up to which a table to train on is permuted and gets no graft with this probability.
Otherwise most pairs of the smallest tables would be edges, five of six where there are two columns,
and the judge would take two columns for dependent before it has seen them."""
DISTINCT = 12
"""Values that a column must have for two equal ones to be no accident."""
SAME_NAMES = 0.6
"""Share of the column names of two tables that makes them the same."""


def find_folder() -> Path | None:
    """Find the folder of real tables; None if there is none."""
    given = os.environ.get("SPINNEY_REAL_TABLES")
    folder = Path(given) if given else Path(__file__).parents[1] / "build" / "real-tables"
    return folder if _has_tables(folder) else None


_FOUND: set[Path] = set()
"""Folders with tables: to list one for each draw would take as long as the draw."""


def _has_tables(folder: Path) -> bool:
    if folder not in _FOUND and folder.is_dir() and any(folder.glob("*.csv")):
        _FOUND.add(folder)
    return folder in _FOUND


def part_of(package: str) -> str:
    """Tell which part the tables of a package belong to.

    Examples
    --------
    >>> part_of("datasets"), part_of("carData"), part_of("modeldata")
    ('train', 'report', 'tune')
    """
    digest = hashlib.sha256(f"{SALT}:{package}".encode()).digest()
    place = int.from_bytes(digest[:8], "big") % 100
    return "report" if place < 20 else "tune" if place < 30 else "train"


@cache
def read_real(path: Path) -> pd.DataFrame | None:
    """Read a table; None if it cannot be."""
    try:
        frame = pd.read_csv(path, low_memory=False)
    except (OSError, ValueError):  # pandas' own errors are ValueErrors
        return None
    return frame if len(frame) >= ROWS[0] and frame.shape[1] >= 2 else None


@cache
def split(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Deal out the tables of a folder to the parts.

    All of them have to be read for that, so the result is kept beside them (:data:`KEPT`), if
    that can be, for the next process.
    """
    files = [[path.name, path.stat().st_size] for path in sorted(folder.glob("*.csv"))]
    rule = [SALT, DISTINCT, SAME_NAMES, files]
    with suppress(OSError, ValueError, KeyError):
        kept = json.loads((folder / KEPT).read_text())
        if kept["rule"] == rule:
            return {part: tuple(folder / name for name in kept[part]) for part in PARTS}
    found = _split(folder)
    names = {part: [path.name for path in paths] for part, paths in found.items()}
    with suppress(OSError), whole_file(folder / KEPT) as path:
        path.write_text(json.dumps({"rule": rule, **names}))
    return found


def _split(folder: Path) -> dict[str, tuple[Path, ...]]:
    found: dict[str, list[Path]] = {part: [] for part in PARTS}
    contents: set[int] = set()
    names: list[frozenset[str]] = []
    by_part: dict[str, list[Path]] = {part: [] for part in PARTS}
    for path in sorted(folder.glob("*.csv")):
        by_part[part_of(path.stem.partition("__")[0])].append(path)
    for part in PARTS:
        here: list[tuple[frozenset[int], frozenset[str]]] = []
        for path in by_part[part]:
            if (frame := read_real(path)) is None:
                continue
            content, called = column_contents(frame), column_names(frame)
            if contents.isdisjoint(content) and not any(_alike(called, x) for x in names):
                found[part].append(path)
            here.append((content, called))
        contents.update(*(content for content, _ in here))
        names += [called for _, called in here]
    return {part: tuple(paths) for part, paths in found.items()}


def column_contents(frame: pd.DataFrame) -> frozenset[int]:
    """Hash the sorted values of the columns that are told apart by them.

    Numbers are compared to six digits. Columns of few values, and those that count the rows or the
    years, are equal by accident.
    """
    found = set()
    for _, column in frame.items():
        values = column.dropna()
        distinct = values.nunique()
        if distinct < DISTINCT:
            continue
        if pd.api.types.is_numeric_dtype(values):
            numbers = np.sort(values.to_numpy(dtype=float))
            steps = np.diff(np.unique(numbers))
            if (steps == steps[0]).all():
                continue
            text = "\n".join(f"{x:.6g}" for x in numbers)
        else:
            text = "\n".join(sorted(map(str, values)))
        found.add(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
    return frozenset(found)


def column_names(frame: pd.DataFrame) -> frozenset[str]:
    """Give the names of the columns without what differs by habit."""
    return frozenset(re.sub(r"[^a-z0-9]", "", str(name).lower()) for name in frame.columns)


def _alike(names: frozenset[str], others: frozenset[str]) -> bool:
    if min(len(names), len(others)) < 3:
        return False
    return len(names & others) >= SAME_NAMES * len(names | others) or names <= others


def draw_grafts(seed: int, part: str = "train", folder: Path | None = None) -> Grafted:
    """Draw random rows and columns of a random table of a part, and grow grafts on them.

    Small tables are favoured, as they are among real ones: a third have up to four columns of
    their own, and the median has 200 rows where the table is long enough. One table in eight has
    its columns permuted, so that they are independent.
    """
    paths = _paths(part, folder)
    rng = np.random.default_rng([seed, PARTS.index(part)])
    for _ in range(ATTEMPTS):
        path = paths[int(rng.integers(len(paths)))]
        frame = read_real(path)
        assert frame is not None
        unusual = 0.0 if part == "report" else UNUSUAL
        weak = WEAK if part == "train" and rng.random() < SOME_WEAK else 0.0
        grown = _draw(frame, rng, unusual, weak)
        if grown is not None:
            told = {"groups": ("grafts",), "graph": "grafts", "table": path.stem}
            told["spoils"] = ("permuted",) if grown.parameters["shuffle"] else ()
            return replace(grown, parameters=grown.parameters | told, seed=seed)
    raise InputError(f"No table of the seed {seed} has two columns to learn from.")


def _paths(part: str, folder: Path | None) -> tuple[Path, ...]:
    folder = find_folder() if folder is None else folder
    if folder is None:
        raise InputError(
            "There is no folder of real tables. Unpack real-tables.tar.xz into build/real-tables, "
            "or let SPINNEY_REAL_TABLES name another folder."
        )
    if not (paths := split(folder)[part]):
        raise InputError(f"{folder} holds no table of the part '{part}'.")
    return paths


def draw_rows(seed: int, part: str = "train", folder: Path | None = None) -> Grafted:
    """Draw few rows of a long table, or many others of the same columns; nothing is known of it.

    An even seed gives the few, a median of 80, and the next seed the many: three times as many at
    least, up to 1,500.
    """
    paths = _paths(part, folder)
    rng = np.random.default_rng([seed // 2, PARTS.index(part), 1])
    for _ in range(10 * ATTEMPTS):
        path = paths[int(rng.integers(len(paths)))]
        frame = read_real(path)
        assert frame is not None
        n, d = frame.shape
        if n < FEWEST_LONG:
            continue
        few = int(np.exp(rng.normal(np.log(80), 0.8)).clip(12, n // 4))
        places = np.sort(rng.choice(d, _n_columns(d, rng, fewest=2), replace=False))
        order = rng.permutation(n)[: few + ROWS[1]]
        parts = (np.sort(order[:few]), np.sort(order[few:]))
        samples = common_columns([frame.iloc[rows, places] for rows in parts])
        if samples is not None:
            X = samples[seed % 2].reset_index(drop=True)
            columns = X.shape[1]
            told = {"groups": ("rows",), "graph": ("few", "many")[seed % 2], "table": path.stem}
            known = np.eye(columns, dtype=bool)
            return Grafted(X, np.zeros_like(known), known, {}, told, seed)
    raise InputError(f"No table of the seed {seed} is long enough.")


def common_columns(samples: list[pd.DataFrame]) -> list[pd.DataFrame] | None:
    """Keep the columns that something can be learned from in every sample; None if too few are."""
    for _ in range(3):
        try:
            kept = [{column.name for column in read_table(x).columns} for x in samples]
        except InputError:
            return None
        common = set.intersection(*kept)
        names = [name for name in samples[0].columns if str(name) in common]
        if len(names) < 2:
            return None
        if len(names) == samples[0].shape[1]:
            return samples
        samples = [x[names] for x in samples]
    return None


@dataclass
class UnusualGrowth(Growth):
    """Grafts that are functions of their parents, whose noise is a series, or with weak parents.

    Attributes
    ----------
    exact : float
        Probability that a graft has no noise: it is a total of its parents, or classes of one.
    serial : float
        Probability that the noise of a graft is a series, in which each row is like the one before.
    weak : float
        Probability that a parent is weak: its effect is 0.7 to 8 standard errors, whatever the
        strength of the graft's other parents. It is an edge all the same.
    """

    exact: float = 0.0
    serial: float = 0.0
    weak: float = 0.0
    _is_exact: bool = field(default=False, init=False)

    def parted(
        self, effects: list[Floats], present: Bools, rng: Rng
    ) -> tuple[list[Floats], Floats | float]:
        """Part the effects into strong ones and the sum of the weak ones, scaled."""
        drawn = rng.random(len(effects)) < self.weak if self.weak else np.zeros(len(effects), bool)
        faint: Floats | float = 0.0
        n = int(present.sum())
        for k in np.flatnonzero(drawn).tolist():
            others = np.column_stack(
                [np.ones(n), *(f[present] for j, f in enumerate(effects) if j != k)]
            )
            own = effects[k][present]
            left = float(np.std(own - others @ np.linalg.lstsq(others, own, rcond=None)[0]))
            t = float(np.exp(rng.uniform(*np.log(WEAK_ERRORS))))
            faint = faint + effects[k] * min(MOST_WEAK, t / (n**0.5 * max(left, 0.3)))
        return [f for f, is_weak in zip(effects, drawn, strict=True) if not is_weak], faint

    def noise(self, n: int, rng: Rng) -> Floats:
        """Draw the noise, and whether it is a series, or not shown at all."""
        self._is_exact, is_series = (
            bool(chance) and rng.random() < chance for chance in (self.exact, self.serial)
        )
        noise = super().noise(n, rng)
        if is_series:
            like = rng.uniform(0.3, 0.97)
            noise = lfilter([(1.0 - like**2) ** 0.5], [1.0, -like], noise)
        return noise

    def function(
        self, parents: list[ParentColumn], signal: Floats | float, present: Bools, rng: Rng
    ) -> Floats | None:
        """Give a function of the parents, unless it would be as good as the only parent is."""
        if not self._is_exact:
            return None
        values = np.broadcast_to(signal, present.shape).astype(float)
        if len(parents) == 1:
            values = cut(values, present, int(rng.integers(2, 6)), rng)
            if len(np.unique(parents[0].values[present])) < 2 * len(np.unique(values[present])):
                return None
        return values if varies(values[present]) else None


def _n_columns(d: int, rng: np.random.Generator, fewest: int = COLUMNS[0]) -> int:
    return int(np.exp(rng.normal(np.log(6.5), 0.9)).clip(fewest, min(d, COLUMNS[1])))


def _draw(
    frame: pd.DataFrame, rng: np.random.Generator, chance: float, weak: float
) -> Grafted | None:
    n, d = frame.shape
    rows = int(np.exp(rng.normal(np.log(220), 1.1)).clip(ROWS[0], min(n, ROWS[1])))
    columns = _n_columns(d, rng)
    alone = bool(chance) and columns <= SMALL and rng.random() < ALONE
    columns = max(columns, 2) if alone else columns
    if rng.random() < 0.3:
        first = int(rng.integers(n - rows + 1))
        chosen = np.arange(first, first + rows)
    else:
        chosen = np.sort(rng.choice(n, rows, replace=False))
    places = np.sort(rng.choice(d, columns, replace=False))
    some = frame.iloc[chosen, places].reset_index(drop=True)
    room = MOST_COLUMNS - columns
    strangers = int(rng.integers(1, 4)) if rng.random() < 0.35 else 0
    strangers = min(strangers, columns, room - 1)
    shuffle = bool(rng.random() < 0.125) or alone
    # Most real tables have few columns of their own; one in five gets many grafts.
    most = columns + 10 if rng.random() < 0.2 else columns // 2 + 2
    most = min(room - strangers, most)
    n_grafts = 0 if alone else int(rng.integers(0 if shuffle else 1, most + 1))
    if columns + strangers + n_grafts < 2:
        n_grafts += 1
    grown = graft(
        some,
        n_grafts=n_grafts,
        strangers=strangers,
        shuffle=shuffle,
        random_state=rng,
        growth=partial(UnusualGrowth, exact=chance, serial=chance, weak=weak),
    )
    grown.parameters.update(exact=chance, serial=chance, weak=weak)
    try:
        table = read_table(grown.X)
    except InputError:
        return None
    kept = {column.name for column in table.columns}
    grown = replace(grown, read=table).keep(name for name in grown.X.columns if str(name) in kept)
    return grown if grown.n_known else None
