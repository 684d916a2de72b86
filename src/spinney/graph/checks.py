"""Checks of a table and its graph: each is a function and an entry in `CHECKS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spinney._core.kendall import kendall_tau
from spinney._core.pairs import n_pairs, to_pairs
from spinney._core.text import counted, listed, per_cent
from spinney.graph.columns import MOST_ROWS, near_duplicates, normal_scores, rank_correlations
from spinney.judge.learner import FEWEST_ROWS, unlike_notice
from spinney.notices import Level, Notice
from spinney.scores import read_scores
from spinney.tables import (
    CONTINUOUS,
    NOMINAL,
    Column,
    Table,
    describe_gaps,
    describe_kinds,
    few_rows,
    smallest_tau,
)
from spinney.tables.advice import follows, gaps_that_depend
from spinney.tables.relations import find_relations
from spinney.tables.rows import repeated_rows

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

Floats = NDArray[np.float64]

MANY_GAPS = 0.5
"""Share of missing values in a column that is worth a warning."""
TWIN = 0.98
"""Kendall's tau at which two columns count as copies of each other."""
SCREEN, MOST_SCREENED = 0.9, 300
"""Correlation from which on two columns may be copies, and most pairs that are looked at."""
AT_ONCE = 1000
"""Columns compared with all others at a time."""
FEWEST_FOR_CODES = 10
"""Other values that a column needs before one can stand out."""
SCALE_CODES = (
    *((9,), (8, 9), (7, 8, 9), (99,), (98, 99), (97, 98, 99), (88, 99), (77, 88, 99)),
    *((999,), (998, 999), (888, 999), (-9,), (-8, -9), (-99,), (-98, -99), (-88, -99), (-999,)),
    *((-1,), (-2, -1), (-1, 9), (-1, 99), (-9, -8, -1), (-9, -1)),
)
"""What stands for missing at the end of a scale."""
APART = 3
"""Steps between a scale and such a code."""
OFTEN_ON_SCALE = 5
"""Rows of a code in one column: of a tail that falls, so many beyond three empty values are rare
(4 to the power of -5)."""
FEWER = 0.9
"""Share of the rows that a pair must be left with for rows to pass as independent."""
MARKEDLY_FEWER = 0.5
"""Share of the rows below which a pair that is dependent otherwise is worth a warning."""
DECIDED = 0.1
"""Share of the pairs that the effective sample size must decide to be worth a warning."""
DEPENDENT = 3.0
"""Standard errors at which a pair counts as dependent."""


def check_graph(graph: LearnedGraph) -> list[Notice]:
    """Run all checks that apply to a graph and its table."""
    found = [] if graph.table is None else [n for check in CHECKS for n in check(graph.table.once)]
    return [*found, *_enough_rows(graph), *sequence(graph), *_unlike_training(graph)]


def _near_duplicates(table: Table) -> Iterator[Notice]:
    """Name pairs of columns that correlate strongly and have nearly the same neighbours."""
    found = near_duplicates(table)
    if len(found):
        rows = found.itertuples()
        pairs = [f"{row.source} – {row.target} ({row.correlation:.2f})" for row in rows]
        text = (
            f"Nearly the same, with nearly the same neighbours: {listed(pairs, most=5)}. The edges "
            "of one may hide those of the other: drop one of them, or learn from their mean."
        )
        yield Notice("near-duplicates", text, "note")


def _basics(table: Table) -> Iterator[Notice]:
    n, d = table.values.shape
    size = f"Learned from {counted(n, 'row')} and {counted(d, 'column')}."
    yield Notice("table-size", size, "ok")
    kinds = describe_kinds(table).partition(": ")[2]
    yield Notice("column-kinds", f"Kinds of columns: {kinds}.", "ok")
    reasons = [f"'{column.name}' {column.reason}" for column in table.left_out]
    text = "No column was left out."
    if reasons:
        verb = "was" if len(reasons) == 1 else "were"
        text = f"{counted(len(reasons), 'column')} {verb} left out: {listed(reasons, most=10)}."
    yield Notice("left-out-columns", text, "note" if reasons else "ok")


def _few_rows(table: Table) -> Iterator[Notice]:
    warned = few_rows(table)
    if warned is not None:
        yield warned


def _enough_rows(graph: LearnedGraph) -> Iterator[Notice]:
    """Say which dependence can be told from chance by the rows, as they count."""
    table = graph.table
    if table is None or few_rows(table) is not None:
        return
    n, d = table.once.values.shape
    counts = graph.learner.n_rows_counted_ if graph.is_probability else n
    tau = smallest_tau(counts, n_pairs(d)) if counts > 1 else None
    if tau is not None:
        rows = f"{n:,} rows" if counts >= n else f"{n:,} rows (effective sample size {counts:,})"
        enough = f"are enough to distinguish a Kendall's tau of {tau:.2f} from chance"
        yield Notice(
            "enough-rows", f"{rows} {enough} (5 % over all pairs).", "ok", facts={"tau": tau}
        )


def gaps(table: Table) -> Iterator[Notice]:
    """Count the missing values, name the worst columns, and say whether they depend on values."""
    shares = (~table.present).mean(axis=0)
    if not shares.any():
        yield Notice("no-gaps", "No value is missing.", "ok")
        return
    worst = [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] > 0]
    named = [f"{table.names[k]} ({per_cent(float(shares[k]))})" for k in worst]
    text = (
        f"{describe_gaps(table)}. Most are missing in {listed(named, most=3)}. Each pair was "
        "learned from the rows that have both values."
    )
    level: Level = "warning" if shares.max() >= MANY_GAPS else "note"
    yield Notice("gaps", text, level, tuple(table.names[k] for k in worst))
    depends = gaps_that_depend(table)
    if depends is not None:
        yield depends


def copies(table: Table) -> Iterator[Notice]:
    """Count repeated rows, where rows are unlikely to agree by chance."""
    found = repeated_rows(table)
    if found is not None:
        yield found


def sums(table: Table) -> Iterator[Notice]:
    """Name columns that follow exactly from others and were kept all the same."""
    found = find_relations(table)
    if found:
        yield follows(found, kept=True)


def twins(table: Table) -> Iterator[Notice]:
    """Name pairs of nearly identical columns: absolute Kendall's tau above 0.98."""
    n, d = table.values.shape
    least = smallest_tau(n, max(n_pairs(d), 1))
    if least is None or least > TWIN:
        return  # with so few rows, some of so many pairs agree by chance
    found = [f"{table.names[i]} – {table.names[j]}" for i, j in _twins(table)]
    text = "No two columns are nearly the same."
    if found:
        one = "each pair" if len(found) > 1 else "them"
        text = (
            f"Nearly the same (Kendall's tau beyond {TWIN:g}): {listed(found, most=5)}. Their "
            f"edges cannot be distinguished; keep one of {one}."
        )
    yield Notice("twins", text, "warning" if found else "ok")


def _twins(table: Table) -> list[tuple[int, int]]:
    """Find copies among the pairs of ordered columns that correlate most."""
    values = table.values[:: max(len(table) // MOST_ROWS, 1)]
    scores = np.where(table.nominal, np.nan, normal_scores(values))
    near: list[tuple[float, int, int]] = []
    for start in range(0, len(table.columns), AT_ONCE):  # to save memory
        r = np.triu(np.abs(rank_correlations(scores, slice(start, start + AT_ONCE))), start + 1)
        near += [(-float(r[u, v]), int(u) + start, int(v)) for u, v in np.argwhere(r > SCREEN)]
    found = []
    for _, u, v in sorted(near)[:MOST_SCREENED]:
        x, y = values[~np.isnan(values[:, [u, v]]).any(axis=1)][:, [u, v]].T
        if len(x) >= FEWEST_ROWS and abs(kendall_tau(x, y)) > TWIN:
            found.append((u, v))
    return found


def codes(table: Table) -> Iterator[Notice]:
    """Name columns in which a number such as -999 or 9 may stand for a missing value.

    In a continuous column such a code consists of nines, occurs at least twice, and is farther
    from all other values than these are from each other; or it is -1, -9 or -99, occurs five times,
    and no other value is negative. At the end of a scale it is one of :data:`SCALE_CODES`, three
    steps or more from the others (or the only negative number), and occurs so often, or in the
    rows of another column's code, that a long tail does not explain it.
    """
    columns = list(zip(table.columns, table.values.T, strict=True))
    found: list[tuple[str, float, int]] = []
    on_scales: list[tuple[str, float, NDArray[np.bool_]]] = []
    for column, values in columns:
        if column.kind == CONTINUOUS:
            found += [(column.name, *code) for code in _far_nines(values)]
        else:
            on_scales += [(column.name, *code) for code in _ends_of_scale(column, values)]
    for name, value, rows in on_scales:
        others = [other for k, _, other in on_scales if k != name]
        together = any(2 * (rows & other).sum() > min(rows.sum(), other.sum()) for other in others)
        if rows.sum() >= (2 if together or value > 10.0 else OFTEN_ON_SCALE):
            found.append((name, value, int(rows.sum())))
    if found:
        coded = {(name, value) for name, value, _ in found}
        each = any(
            value in (values if column.kind == CONTINUOUS else column.levels)
            for _, value, _ in found
            for column, values in columns
            if (column.name, value) not in coded
        )
        named = [f"{name} ({value:g} in {count} rows)" for name, value, count in found]
        values = [f"'{name}={value:g}'" if each else f"{value:g}" for name, value, _ in found]
        text = (
            f"Numbers that may be codes for missing values: {listed(named, most=5)}. spinney reads "
            f"them as numbers; if they are codes, use na=[{', '.join(dict.fromkeys(values))}]."
        )
        yield Notice("codes-for-missing", text)


def sequence(graph: LearnedGraph) -> Iterator[Notice]:
    """Report the effective sample size, and the pairs that it decides.

    It is a warning where it decides a tenth of the pairs. A pair is decided if its rows count as
    fewer than half, and it would be dependent by three standard errors if all of them counted,
    whichever other column is given, but as they count it is not. Nothing is known of a pair whose
    rows count as fewer than ten, so it is decided, too. An estimator other than the judge counts
    all rows, so for it every edge whose rows are worth less than half depends on that.
    """
    table, given, judged = graph.table, graph.as_given, graph.is_probability
    if table is not None and table.units is not None:
        worth = f"effective sample size {graph.learner.n_rows_counted_:,}"
        if table.weighted:
            rows = counted(len(table.once), "weighted row")
            yield Notice("rows-weighted", f"{rows}: {worth}.", "note")
        else:
            rows = f"{counted(len(table), 'row')} of {counted(len(np.unique(table.units)), 'unit')}"
            text = f"{rows}: {worth} for the worst-affected pair."
            yield Notice("rows-in-units", text, "note")
        return
    if judged and graph.evidence is not None:
        shares = graph.evidence.row_shares
        z = np.abs(graph.evidence.channel("given_one_z"))
        decided = (z < DEPENDENT) & (z >= DEPENDENT * np.sqrt(shares))
        decided |= shares * graph.evidence.n_rows < FEWEST_ROWS
    elif given is not None:
        shares = to_pairs(read_scores(given, degree=1).row_shares)
        decided = graph.joined[graph.judged.ends]
    else:
        if table is not None:
            text = (
                "This estimator treats rows as independent. Whether they are (no time series, no "
                "repeated samples) was not tested."
            )
            yield Notice("rows-not-tested", text, "note")
        return
    least = shares.min(initial=1.0)
    if least >= FEWER:
        text = "Neighbouring rows are no more alike than independent rows would be."
        yield Notice("rows-independent", text, "ok")
        return
    first, second = graph.judged.ends
    found = np.flatnonzero(decided & (shares < MARKEDLY_FEWER))
    worst = found[np.argsort(shares[found], kind="stable")].tolist()
    pairs = listed([f"{graph.names[first[k]]} – {graph.names[second[k]]}" for k in worst], most=3)
    n = max(0 if each is None else len(each) for each in (table, given))
    few = f"{round(n * float(least)):,} of {n:,} for the worst pair"
    doubt = f" The result for {pairs} depends on this." if pairs else ""
    cure = "Only graph-learner takes that into account."
    if judged:
        cure = (
            "If rows belong to units, such as patients, name their column (unit=); if their order "
            "means nothing, shuffle them."
        )
    text = (
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, which reduces "
        f"the effective sample size ({few}).{doubt} {cure}"
    )
    level: Level = "warning" if worst and len(worst) >= DECIDED * len(shares) else "note"
    yield Notice("rows-counted", text, level)


def _unlike_training(graph: LearnedGraph) -> Iterator[Notice]:
    if graph.is_probability:
        notices = graph.learner.out_of_distribution_
        nothing = "No sign that the table is unlike those that the judge was trained on."
        yield unlike_notice(notices) if notices else Notice("unlike-training", nothing, "ok")


CHECKS: tuple[Callable[[Table], Iterable[Notice]], ...] = (
    *(_basics, gaps, _few_rows, copies, sums, twins, _near_duplicates, codes),
)
"""The checks of a table, in the order of the report."""


def _far_nines(values: Floats) -> Iterator[tuple[float, int]]:
    """Find codes of nines far from all other values, and how often they come."""
    known = values[~np.isnan(values)]
    for value in (float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))):
        others = known[known != value]
        count = known.size - others.size
        nines = count > 1 and set(f"{abs(value):.15g}") == {"9"}
        if others.size < FEWEST_FOR_CODES:
            continue
        alone = value in (-1.0, -9.0, -99.0) and others.min() >= 0.0 and count >= OFTEN_ON_SCALE
        if alone or (nines and np.abs(others - value).min() > np.ptp(others)):
            yield value, count


def _ends_of_scale(column: Column, values: Floats) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Find codes at the end of a scale of whole numbers, and their rows."""
    levels = column.levels
    if column.kind == NOMINAL or not all(type(level) in (int, float) for level in levels):
        return
    for ends in SCALE_CODES:
        scale = [level for level in levels if level not in ends]
        if len(scale) + len(ends) != len(levels) or len(scale) < 2 or scale[0] not in (0, 1):
            continue
        whole = all(float(level).is_integer() for level in scale)
        # A number below zero stands apart from a scale of three steps or more without any.
        far = [end for end in ends if end > 0 or len(scale) < 3]
        apart = min((abs(end - level) for end in far for level in scale), default=APART)
        if whole and apart >= APART and max(np.diff(scale)) < APART:
            for end in ends:
                yield float(end), values == levels.index(end)
            return
