"""Machine code: whether it is compiled yet, and how to compile all of it ahead."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Step", "kernels_compiled", "warm_up_steps"]


def kernels_compiled() -> bool:
    """Whether the kernel that fits pairs, the longest to compile, lies in numba's cache.

    Examples
    --------
    >>> kernels_compiled() in (True, False)
    True
    """
    from spinney._core.compile import is_compiled
    from spinney.pairs.copulas.block import fit_pairs

    return is_compiled(fit_pairs)


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
