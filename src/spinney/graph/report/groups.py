"""Results of several groups in one folder: a folder per group, and the differences."""

from __future__ import annotations

import base64
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from spinney import __version__
from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.graph import LearnedGraph
from spinney.graph.grouped import GroupedGraphs
from spinney.graph.plots.comparison import draw_differences_page
from spinney.graph.plots.style import save_figure
from spinney.graph.report.folder import (
    ALL_NAMES,
    OUTPUTS,
    RECORD,
    Output,
    check_files,
    checksum,
    names_of,
    whole_results,
    write_outputs,
    write_run,
)
from spinney.graph.report.page import fill_template, joined, policy

GROUP_FILES: tuple[Output, ...] = (
    Output("report.html", "what differs between the groups; open it in a browser", ""),
    Output("groups.csv", "pairs, the most different first", ""),
    Output("differences.png", "the differences as a picture", ""),
    Output("differences.svg", "the same, editable", ""),
    Output(RECORD, "how it was made, to do it again", ""),
)
"""The files beside the folders of the groups."""


def check_group_folder(
    folder: str | Path, names: Iterable[str], *, force: bool = False
) -> dict[str, str]:
    """Check whether results of groups may be written to a folder.

    Parameters
    ----------
    folder : path
        Need not exist.
    names : names of the groups
        Each gets a folder within.
    force : bool
        Whether earlier results may be replaced.

    Returns
    -------
    dict
        The name of each group's folder.

    Raises
    ------
    InputError
        If there are earlier results (without `force`), or a folder of a group's name holds other
        files, which are never replaced.
    """
    folder = check_files(folder, names_of(GROUP_FILES), force=force)
    folders = folder_names(names, names_of(GROUP_FILES))
    for group, name in folders.items():
        place = folder / name
        if not os.path.lexists(place):
            continue
        if not place.is_dir() or place.is_symlink() or not _is_result(place):
            raise InputError(
                f"'{place}' is in the way of the results of group '{group[:60]}', and is none of "
                "spinney's to replace. Name another folder with --out."
            )
        if not force:
            raise InputError(
                f"'{folder}' already holds results of group '{group[:60]}'. Give --force to "
                "replace, or another folder with --out."
            )
    return folders


def write_group_results(
    folder: str | Path,
    grouped: GroupedGraphs,
    graphs: Mapping[str, LearnedGraph],
    *,
    force: bool = False,
    outputs: Iterable[Output] = OUTPUTS,
    report: bool = True,
) -> Path:
    """Write the graphs of groups and their differences to a folder: all of it or nothing.

    Each group has a folder with all `outputs`, named after the group as far as possible. Beside
    these are ``report.html`` (what differs, with links to the reports of the groups),
    ``groups.csv`` (pairs, the most different first), ``differences.png`` and
    ``differences.svg``, and ``run.json``.

    Parameters
    ----------
    folder : path
        Made if needed. Other files in it are kept.
    grouped : GroupedGraphs
        What :func:`spinney.learn_groups` found.
    graphs : mapping of LearnedGraph
        The graph of each group as shown, by name of the group.
    force : bool
        Whether to replace earlier results.
    outputs : list of Output
        The files of a group's folder.
    report : bool
        Whether the page and the pictures of differences are written.

    Returns
    -------
    path
        The folder.

    Raises
    ------
    InputError
        If something that must not be replaced is in the way.
    OSError
        If the disc is full, or a file cannot be written; then nothing has changed.
    """
    outputs = tuple(outputs)
    folders = check_group_folder(folder, grouped.names, force=force)
    folder = Path(folder)
    with whole_results(folder) as temporary:
        for name in grouped.names:
            place = temporary / folders[name]
            place.mkdir()
            write_outputs(place, graphs[name], outputs)
        write_csv(temporary / "groups.csv", grouped.differences)
        if report:
            _write_differences(temporary, grouped, graphs, folders, outputs)
        written = [path for path in sorted(temporary.rglob("*")) if path.is_file()]
        checksums = {path.relative_to(temporary).as_posix(): checksum(path) for path in written}
        first = graphs[grouped.names[0]]
        told = replace(first, run={**(first.run or {}), "files": checksums})
        write_run(temporary / RECORD, told)
        # Another run may have written meanwhile.
        check_group_folder(folder, grouped.names, force=force)
    return folder


def _write_differences(
    place: Path,
    grouped: GroupedGraphs,
    graphs: Mapping[str, LearnedGraph],
    folders: Mapping[str, str],
    outputs: tuple[Output, ...],
) -> None:
    title = f"What differs by {grouped.by}"
    figure = draw_differences_page(grouped.drawn, title=title)
    for kind in ("png", "svg"):
        save_figure(figure, place / f"differences.{kind}", kind)
    has_report = any(output.name == "report.html" for output in outputs)
    page = render_groups(
        grouped,
        picture=(place / "differences.png").read_bytes(),
        links={name: f"{folders[name]}/report.html" for name in grouped.names if has_report},
        run=graphs[grouped.names[0]].run,
    )
    (place / "report.html").write_text(page, encoding="utf-8", newline="\n")


def _is_result(place: Path) -> bool:
    """Whether a folder holds only what spinney writes."""
    inside = {path.name for path in place.iterdir()}
    return bool(inside) and inside <= ALL_NAMES


# Unique folder names for groups, valid on every system

MOST_LETTERS = 40
"""Letters of a folder name; some systems limit paths."""
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that Windows reserves, whatever their suffix."""


def folder_names(groups: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Give every group a folder of its own.

    Letters and digits of any script, ``-`` and ``_`` are kept; everything else becomes ``_``. Dots
    and lines at either end go, and long names are cut. If two names then clash, if only on a system
    that ignores case, the later one is numbered.

    Parameters
    ----------
    groups : names
        Each once.
    taken : names
        Names of files beside the folders.

    Examples
    --------
    >>> list(folder_names(["BCR/FcR-XL", "..", "a", "A", "CON", "é"]).values())
    ['BCR_FcR-XL', 'group', 'a', 'A-2', 'group_CON', 'é']
    """
    found: dict[str, str] = {}
    used = {name.casefold() for name in taken}
    for group in groups:
        text = unicodedata.normalize("NFKC", group.encode("utf-8", "replace").decode("utf-8"))
        safe = re.sub(r"[^\w.-]+", "_", text)[:MOST_LETTERS].strip("._-") or "group"
        name = safe = f"group_{safe}" if _DEVICES.fullmatch(safe) else safe
        number = 1
        while name.casefold() in used:
            number += 1
            name = f"{safe}-{number}"
        used.add(name.casefold())
        found[group] = name
    return found


# The page above the reports of all groups

STYLES = ("base.css", "layout.css", "tables.css", "print.css")
MOST_ROWS = 500
"""Most pairs in the table; groups.csv has all."""
SMALLEST = 0.01
"""Least probability of a difference for a pair that is an edge in no group to be listed."""
MOST_GROUPS = 6
"""Most groups with their own column of probabilities."""


def render_groups(
    grouped: GroupedGraphs,
    *,
    picture: bytes,
    links: Mapping[str, str],
    run: Mapping[str, Any] | None = None,
) -> str:
    """Make the page: one self-contained file that links to the reports of the groups.

    Parameters
    ----------
    grouped : GroupedGraphs
        The groups.
    picture : bytes
        The differences as PNG.
    links : mapping
        Path of the report of each group, relative to the page; may be empty.
    run : mapping, optional
        How it was made; its ``made`` is the date of the page.
    """
    script = joined(("groups.js",))
    return fill_template(
        "groups.html.j2",
        title=f"What differs by {grouped.by}",
        grouped=grouped,
        links={name: quote(link) for name, link in links.items()},
        picture=base64.b64encode(picture).decode("ascii"),
        table=_table(grouped),
        version=__version__,
        made=str((run or {}).get("made", datetime.now(UTC).isoformat(timespec="seconds"))),
        style=joined(STYLES),
        script=script,
        policy=policy(script),
    )


def _table(grouped: GroupedGraphs) -> dict[str, Any]:
    """List the pairs that may differ or are edges in some group, the most different first."""
    couplings = grouped.couplings
    ranked = np.nan_to_num(grouped.differs, nan=-1.0)
    probabilities = np.array(list(grouped.probabilities.values()))
    z = np.array([two.strength_z for two in couplings.values()])
    largest = np.nan_to_num(np.abs(z)).argmax(axis=0)
    most = np.nan_to_num([two.differs for two in couplings.values()]).argmax(axis=0)
    joined_in_some = (np.nan_to_num(probabilities) > 0.5).any(axis=0)
    order = np.argsort(-ranked, kind="stable")
    chosen = order[((ranked >= SMALLEST) | (joined_in_some & (ranked >= 0.0)))[order]]
    first, second = pair_nodes(len(grouped.columns))
    rows = []
    for k in chosen[:MOST_ROWS].tolist():
        two = list(couplings)[most[k]]
        posterior = np.nan_to_num(couplings[two].coupling.posterior[k])
        rows.append(
            {
                "source": grouped.columns[first[k]],
                "target": grouped.columns[second[k]],
                "differs": ranked[k],
                "owners": two if posterior[1] > posterior[2] else two[::-1],
                "probabilities": probabilities[:MOST_GROUPS, k].tolist(),
                "z": z[largest[k], k],
            }
        )
    listed = grouped.names[:MOST_GROUPS]
    return {"rows": rows, "n_listed": len(chosen), "n_pairs": len(ranked), "groups": listed}
