"""A graph per group of rows, and the pairs in which groups differ."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import column_position, read_seed
from spinney._core.pairs import named_pairs, pairs_among
from spinney._core.text import counted, shorten_end
from spinney.exceptions import DataWarning, InputError
from spinney.graph.graph import LearnedGraph
from spinney.graph.grouped import GroupedGraphs, compare_groups
from spinney.graph.learning import learn
from spinney.graph.network_test import compare_networks
from spinney.graph.resampling import whole_number
from spinney.judge.learner import FEWEST_ROWS
from spinney.notices import recorded_warnings
from spinney.tables import (
    Drawn,
    Table,
    check_rows,
    draw_groups,
    few_rows,
    open_given,
    part_of,
    read_table,
    split_units,
    warn_of_table,
)
from spinney.tables.columns import RawColumn, frame_of, read_raw
from spinney.tables.rows import number_units, split_column, split_weights
from spinney.tables.table import show


def learn_groups(
    table: Any,
    group: str | int | Sequence[Any] | pd.Series[Any],
    *,
    na: Any = (),
    permutations: int = 0,
    paired: str | int | Sequence[Any] | pd.Series[Any] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Any,
) -> GroupedGraphs:
    """Learn a graph for each group of rows, and the probability that groups differ in an edge.

    The group column is in none of the graphs. Kinds of columns are decided once, on the whole
    table, so that they are the same in all groups. A column that is constant within a group is
    left out there, with a warning. The probability that two groups differ in an edge takes into
    account that groups have most of their edges in common; see
    :mod:`spinney.graph.differences`.

    Parameters
    ----------
    table, na
        As in :func:`spinney.learn`.
    group : name or position of a column, or one label for each row
        The group of each row; 2 to 20 groups. Rows without a label and groups of fewer than ten
        rows are left out, with a warning.
    permutations : int
        Number of permutations, such as 1,000, of a test whether the networks of each two groups
        differ as wholes [1]_; 0 for no test. Each permutation learns two graphs; see
        :mod:`spinney.graph.network_test`.
    paired : name or position of a column, or one label for each row, optional
        The person of each row, if the same persons are in both groups: permutations then swap the
        groups within persons, and there are 1,000 of them by default. The column is not learned
        from.
    checkpoint : path, optional
        File to which finished permutations are written at once, and from which a later call with
        the same table and options goes on.
    **options
        Those of :func:`spinney.learn`; `precision` and `rows` apply to each group. With the size
        of the smallest group as `rows`, no difference is due to unequal sizes.

    Returns
    -------
    GroupedGraphs

    Raises
    ------
    InputError
        If `group` makes no groups: there is no such column, it has more than 20 values, or fewer
        than two groups are large enough.

    References
    ----------
    .. [1] C. D. van Borkulo et al. (2023). Comparing network structures on three aspects: a
       permutation test. Psychological Methods 28, 1273-1285.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.normal(size=(400, 5)), columns=list("abcde"))
    >>> X["b"] += X["a"]
    >>> X["stimulus"] = np.repeat(["none", "PMA"], 200)
    >>> X.loc[X["stimulus"] == "PMA", "d"] += X["c"]
    >>> grouped = learn_groups(X, "stimulus")
    >>> grouped
    <GroupedGraphs: 2 groups by 'stimulus' (PMA 200, none 200 rows), 5 columns; expected 0.9
    differences>
    >>> grouped.differences[["source", "target", "differs"]].head(2).round(1)
      source target  differs
    0      c      d      0.8
    1      b      e      0.0
    """
    given = {key: options.pop(key) for key in ("labels", "layer") if key in options}
    table = open_given(table, na, options.get("kind"), **given)
    groups = split_off_groups(table, group, FEWEST_ROWS)
    permutations = _check_permutations(permutations, paired)
    groups, persons = _split_off_persons(groups, paired)
    wanted, precision = options.pop("rows", None), options.pop("precision", None)
    check_rows(wanted, precision)
    seed = read_seed(options.get("random_state", 0), below=2**31)
    chosen = draw_groups(groups.rows, wanted, precision, seed)
    keep = np.sort(np.concatenate(list(chosen.values())))
    whole, numbers = _read(groups, options, keep)
    constrained = {
        what: named_pairs(options.pop(what, ()), whole.names, what)
        for what in ("required", "forbidden")
    }
    graphs: dict[str, LearnedGraph] = {}
    said: list[str] = []
    found_at = {name: np.searchsorted(keep, own) for name, own in chosen.items()}
    for name, own in chosen.items():
        size = groups.rows[name].size
        drawn = Drawn(own.size, size, seed) if own.size < size else None
        part = part_of(whole, found_at[name], "here, so it is not in this graph", drawn)
        mine: dict[str, Any] = {
            what: pairs_among(pairs, part.names) for what, pairs in constrained.items()
        }
        mine["weights"] = None if numbers is None else numbers[found_at[name]]
        found, notes = _learn_group(name, part, whole.names, {**options, **mine})
        said += notes
        if found is not None:
            graphs[name] = found
    if len(graphs) < 2:
        raise InputError(
            "Groups can be compared if two or more of them can be learned from. " + " ".join(said)
        )
    for sentence in dict.fromkeys(said):
        warnings.warn(sentence, DataWarning, stacklevel=2)
    return GroupedGraphs(
        by=groups.by,
        columns=whole.names,
        graphs=graphs,
        couplings={
            (first, second): compare_groups(whole.names, graphs[first], graphs[second])
            for first, second in combinations(graphs, 2)
        },
        warnings=tuple(dict.fromkeys(said)),
        tests={}
        if not permutations
        else compare_networks(
            whole,
            {name: _complete(whole, found_at[name], options) for name in graphs},
            replace(next(iter(graphs.values())).learner, **constrained),
            permutations,
            persons=None if persons is None else persons[keep],
            seed=seed,
            checkpoint=checkpoint,
            n_jobs=options.get("n_jobs", -1),
            progress=bool(options.get("progress", False)),
        ),
    )


def _learn_group(
    name: str, part: Table, common: tuple[str, ...], options: dict[str, Any]
) -> tuple[LearnedGraph | None, list[str]]:
    """Learn one group; warnings name the group."""
    if len(part.columns) < 2:
        return None, [f"Group '{name}' is left out: fewer than two of its columns vary."]
    with recorded_warnings() as caught:
        found = learn(part, rows="all", **options)
    left_out = [each for each in found.learner.table_.left_out if each.name in common]
    told = [f"column '{each.name}' {each.reason}." for each in left_out]
    told += [] if (sentence := few_rows(part)) is None else [str(sentence)]
    told += [str(warning.message) for warning in caught]
    return found, [f"Group '{name}': {each}" for each in told]


def _check_permutations(permutations: Any, paired: Any) -> int:
    if permutations == 0:
        return 0 if paired is None else MOST_PERMUTATIONS
    return whole_number(permutations, "permutations", FEWEST_PERMUTATIONS)


def _split_off_persons(
    groups: GroupColumn, paired: Any
) -> tuple[GroupColumn, NDArray[np.int64] | None]:
    """Take out the column of persons, and number them; a row without one is a person by itself."""
    if paired is None:
        return groups, None
    if isinstance(paired, int | np.integer):  # positions count the group column
        paired = groups.names_in[column_position(paired, groups.names_in, "paired")]
    frame, _, labels = split_column(groups.frame, paired, "paired")
    return groups._replace(frame=frame), number_units(labels)[0]


def _complete(table: Table, rows: NDArray[np.intp], options: dict[str, Any]) -> NDArray[np.intp]:
    """Return the rows without gaps where rows with gaps are dropped."""
    if options.get("missing") != "drop":
        return rows
    return rows[table.present[rows].all(axis=1)]


def _read(
    groups: GroupColumn, options: dict[str, Any], keep: NDArray[np.intp]
) -> tuple[Table, NDArray[np.float64] | None]:
    """Read all groups together with weights, and warn about problems of the whole table."""
    kinds, missing = options.pop("kind", None), options.get("missing", "pairwise")
    if isinstance(kinds, Mapping):
        kinds = _kinds_by_name(kinds, groups)
    rest, units = split_units(groups.frame, options.pop("unit", None))
    rest, weights = split_weights(rest, options.pop("weights", None))
    # Rows with gaps are dropped later, group by group: here each row must keep its place.
    whole = read_table(
        rest,
        kind=kinds,
        missing="pairwise" if missing == "drop" else missing,
        keep=keep,
        unit=units,
    )
    warn_of_table(whole, rest)
    return whole, None if weights is None else weights[keep]


def _kinds_by_name(kinds: Mapping[Any, Any], groups: GroupColumn) -> dict[Any, Any]:
    """Replace positions, which count the group column, by names."""
    names = groups.names_in
    found = {}
    for column, kind in kinds.items():
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if whole and str(column) not in names and -len(names) <= column < len(names):
            column = names[int(column)]
        if column != groups.by or groups.by in _names(groups.frame):
            found[column] = kind
    return found


def _names(table: Any) -> tuple[str, ...]:
    return table.names if isinstance(table, Table) else tuple(frame_of(table).columns)


FEWEST_PERMUTATIONS, MOST_PERMUTATIONS = 20, 1_000
"""Fewest permutations that can be asked for, and how many there are for paired samples."""

# Which row belongs to which group

MOST_GROUPS = 20
"""Most groups; a column with more values is something else, such as an age."""
MOST_SHOWN = 60
"""Longest name of a group in a message."""


class GroupColumn(NamedTuple):
    """A table without its group column, and the rows of each group.

    Attributes
    ----------
    frame : pandas.DataFrame, Table or TableFile
        The other columns.
    by : str
        Name of the group column.
    rows : dict of int arrays
        Rows of each group, by name, in the order of the column's levels.
    names_in : tuple of str
        Names of all columns, the group column included.
    """

    frame: Any
    by: str
    rows: dict[str, NDArray[np.intp]]
    names_in: tuple[str, ...]


def split_off_groups(
    table: Any, group: str | int | Sequence[Any] | pd.Series[Any], fewest: int
) -> GroupColumn:
    """Read the group column of a table, or separate labels, and find the rows of each group.

    Parameters
    ----------
    table : data frame, array or Table
        The table.
    group : name or position of a column, or one label for each row
        Which group each row belongs to.
    fewest : int
        Smaller groups are skipped with a warning.

    Raises
    ------
    InputError
        If there is no such column, it has too many values to be groups, or fewer than two groups
        are left.

    Examples
    --------
    >>> groups = split_off_groups(pd.DataFrame({"x": [1.5, 2.5, 0.5], "g": list("bab")}), "g", 1)
    >>> {name: rows.tolist() for name, rows in groups.rows.items()}
    {'a': [1], 'b': [0, 2]}
    """
    names = _names(table)
    others, name, labels = split_column(table, group, "group")
    return GroupColumn(others, name, _rows(read_raw(labels, name), fewest), names)


def _rows(raw: RawColumn, fewest: int) -> dict[str, NDArray[np.intp]]:
    labelled = raw.with_levels()
    count = len(labelled.levels)
    if count > MOST_GROUPS:
        raise InputError(
            f"Column '{raw.name}' has {count} distinct values in {raw.present.size} rows, too many "
            f"for groups (at most {MOST_GROUPS}). Cut numbers into a few classes first "
            "(pandas.cut), or name another column."
        )
    found: dict[str, NDArray[np.intp]] = {}
    for code, level in enumerate(labelled.levels):
        rows = np.flatnonzero(labelled.values == code)
        name = show(level)
        found[name] = np.sort(np.concatenate([found[name], rows])) if name in found else rows
    gaps = int(np.isnan(raw.values).sum())
    if gaps:
        _say(
            f"{gaps} of {len(raw.values)} rows have no value in '{raw.name}', so they belong to no "
            "group and are not used."
        )
    kept = {name: rows for name, rows in found.items() if rows.size >= fewest}
    if len(kept) < 2:
        sizes = ", ".join(
            f"'{shorten_end(name, MOST_SHOWN)}' {rows.size}" for name, rows in found.items()
        )
        raise InputError(
            f"Groups can be compared if two or more of them have {fewest} rows; in column "
            f"'{raw.name}' there {'are' if found else 'is'} {sizes or 'nothing'}."
        )
    for name, rows in found.items():
        if name not in kept:
            _say(
                f"Group '{shorten_end(name, MOST_SHOWN)}' of column '{raw.name}' is left out: "
                f"it has {counted(rows.size, 'row')}, and at least {fewest} are needed."
            )
    return kept


def _say(sentence: str) -> None:
    warnings.warn(sentence, DataWarning, stacklevel=5)
