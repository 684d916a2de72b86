"""Machine code: whether it is compiled yet, and how to compile all of it ahead."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

    from spinney.pairs.margins import Ties
    from spinney.tables import Table

__all__ = [
    *("Step", "compile_forests", "compile_level_pairs", "compiling_aside", "kernels_compiled"),
    "warm_up_steps",
]


def kernels_compiled() -> bool:
    """Whether a kernel that fits pairs, the longest to compile, lies in numba's cache.

    Examples
    --------
    >>> kernels_compiled() in (True, False)
    True
    """
    from spinney._core.compile import is_compiled
    from spinney.pairs.copulas.block import fit_level_pairs, fit_pairs

    return is_compiled(fit_pairs) or is_compiled(fit_level_pairs)


@contextmanager
def compiling_aside(table: Table, ties: Ties) -> Iterator[None]:
    """Let other processes compile what this one will need later, while a block runs."""
    from spinney._core.compile import cache_folder, compile_together

    if os.name != "posix" or os.cpu_count() == 1 or cache_folder() is None:
        yield
        return
    with tempfile.NamedTemporaryFile() as shared:
        compile_together(shared.name)
        nominal = any(column.kind == "nominal" for column in table.columns)
        calls = [f"compile_forests({shared.name!r}, {nominal})"]
        if _has_levels(table, ties):
            calls.append(f"compile_level_pairs({shared.name!r})")
        others = [_start(call) for call in calls]
        try:
            yield
        finally:
            for other in others:
                other.kill()
                other.wait()
            compile_together(None)


def _start(call: str) -> subprocess.Popen[bytes]:
    """Call a function of this module in a process of its own."""
    code = f"from spinney.cli import _compiled; _compiled.{call}"
    quiet: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen([sys.executable, "-c", code], **quiet)


def _has_levels(table: Table, ties: Ties) -> bool:
    """Whether an ordered column has levels, or so many ties that they are taken for levels."""
    from spinney.pairs.margins import Margins

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        margins = Margins(ties=ties, random_state=0).fit(table)
    columns = zip(table.columns, margins.masses_, strict=True)
    return any(len(masses) and column.kind != "nominal" for column, masses in columns)


def compile_level_pairs(shared: str, kind: str = "ordinal") -> None:
    """Compile what fits pairs of columns with levels of one kind.

    `shared` is as in :func:`spinney._core.compile.compile_together`.
    """
    import numpy as np

    from spinney._core.compile import compile_together
    from spinney.pairs.copulas import PairCopulas
    from spinney.pairs.pair_fit import PairFit
    from spinney.tables import read_table

    compile_together(shared)
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).integers(0, 3, (ROWS, 2))
    codes = read_table(X, kinds={"x0": kind, "x1": kind})
    PairFit(PairCopulas(families=["gaussian"], n_jobs=1)).fit(codes)


def compile_forests(shared: str, nominal: bool) -> None:
    """Compile sums over forests, which come last in a run, and what fits `nominal` columns."""
    import numpy as np

    from spinney._core.compile import compile_together
    from spinney.models import ForestsLambda, SharedForest
    from spinney.pairs.densities import PairDensities

    compile_together(shared)
    warnings.simplefilter("ignore")
    X = 0.1 * np.random.default_rng(0).normal(size=(ROWS, FEW * (FEW - 1) // 2))
    densities: Any = PairDensities(X)
    for model in (ForestsLambda(n_jobs=1), SharedForest(n_jobs=1)):
        model.fit(densities)
    if nominal:
        compile_level_pairs(shared, "nominal")


# Compiling ahead: by learning from small tables of every kind.
#
# Which kernels run depends on the kinds of columns, gaps, ties, and the number of columns (lanes of
# one node each for few, tiles for many). So there is one table for each case, as small as possible.
ROWS, FEW, MANY = 60, 6, 40
MOST = {"forests-cuts": 12}
"""Columns beyond which an estimator is slow without running any other kernel."""


class Step(NamedTuple):
    """One part of the work and its name."""

    name: str
    run: Callable[[], None]


def warm_up_steps() -> list[Step]:
    """List the steps; those compiled before take only a moment."""
    from spinney.cli._estimators import JUDGE, names

    tables = dict(_tables())
    steps = [Step(f"{JUDGE}, {kind}", partial(_judge, table)) for kind, table in tables.items()]
    # Parallel threads have kernels of their own, and so do listed pairs.
    side_by_side = partial(_judge, tables["many rows"], n_jobs=2)
    steps.append(Step(f"{JUDGE}, two threads", side_by_side))
    for kind in ("many columns", "levels and gaps"):
        steps.append(Step(f"{JUDGE}, {kind}, screened", partial(_judge, tables[kind], screen=0.2)))
    for name in names():
        if name != JUDGE:
            chosen = [table for table in tables.values() if table.shape[1] <= MOST.get(name, MANY)]
            steps.append(Step(name, partial(_fit, name, chosen)))
    return steps


def _tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield small tables of every kind that kernels tell apart."""
    from spinney.simulate import copula_forest, gaussian_mrf, threshold, with_gaps

    plain = copula_forest(ROWS, FEW, random_state=1)
    mixed = threshold(gaussian_mrf(ROWS, FEW, random_state=1), "mixed", random_state=1)
    table = mixed.table.assign(
        group=list("abc" * (ROWS // 3)), tied=plain.X[:, 0].round(1), wide=plain.X[:, 1]
    )
    yield "numbers", plain.table
    # Edges so certain that doubles underflow, so that numbers with wide exponents are used.
    yield "many rows", gaussian_mrf(2000, 9, random_state=0).table
    yield "many columns", copula_forest(ROWS // 2, MANY, random_state=1).table
    yield "gaps", with_gaps(plain, 0.1, random_state=1).table
    yield "levels", table
    gappy = table.astype({name: object for name in table if name != "wide"})
    gappy.iloc[::7, 0] = None
    gappy.iloc[::5, 5] = None
    yield "levels and gaps", gappy.infer_objects()


def _judge(table: pd.DataFrame, n_jobs: int = 1, screen: float | Literal["auto"] = "auto") -> None:
    from spinney.graph import learn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn(table, compare=True, n_jobs=n_jobs, screen=screen)


def _fit(name: str, tables: list[Any]) -> None:
    """Fit an estimator to every table that it can take."""
    from spinney.cli._estimators import find, make
    from spinney.exceptions import InputError
    from spinney.pairs.copulas import PairCopulas

    for table in tables:
        potentials = PairCopulas(random_state=0, n_jobs=1)
        model = make(find(name), {"random_state": 0, "n_jobs": 1, "potentials": potentials})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(table)
            except InputError:  # too many columns for it, or levels that it cannot take
                continue
