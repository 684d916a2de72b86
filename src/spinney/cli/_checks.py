"""What can be refused at once, before the data are read and the heavy libraries loaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from spinney._core.choices import check_choice
from spinney.cli._estimators import (
    JUDGE,
    TAKES_KINDS,
    TAKES_KNOWLEDGE,
    TAKES_PAIR_COPULAS,
    names,
)
from spinney.cli._settings import Job, Settings
from spinney.exceptions import InputError

__all__ = ["FEWEST_SPLITS", "check_request", "screen_of"]

CRITERIA = ("cv", "aic", "bic")
HEADERS = ("auto", "yes", "no")
DECIMAL_MARKS = ("auto", ".", ",")
RULES_FOR_GAPS = ("pairwise", "drop", "error")
RULES_FOR_TIES = ("auto", "average", "random", "levels")
DEVICES = ("cpu", "cuda")
SCREENS: dict[str, Any] = {"auto": "auto", "on": True, "off": False}
"""What may be said of screening, and how :class:`spinney.GraphLearner` calls it."""
FEWEST_SPLITS = 5
"""Splits of the rows below which frequencies say nothing."""
FEWEST_ROWS = 10
"""Rows below which nothing is judged."""


def check_request(settings: Settings, job: Job, *, is_new: bool = True) -> None:
    """Refuse what cannot be done, whatever is in the data.

    A run that is not new but done again needs no files of known edges: its record has them.
    """
    name = check_choice(settings.estimator, names(), "estimator")
    _check_data(job.data)
    if job.jobs == 0:
        raise InputError("--jobs must be a number of threads, or -1 for all cores; got 0.")
    if settings.columns and settings.drop:
        raise InputError("--columns and --drop exclude each other. Give one of them.")
    check_choice(settings.header, HEADERS, "value of --header")
    check_choice(settings.decimal, DECIMAL_MARKS, "decimal mark")
    check_choice(settings.missing, RULES_FOR_GAPS, "way with missing values")
    check_choice(settings.ties, RULES_FOR_TIES, "rule for ties")
    _check_rows(settings)
    check_choice(settings.device, DEVICES, "device")
    screen_of(settings.screen)
    for file in (settings.required, settings.forbidden):
        if file is not None and is_new:
            _check_file(file)
    _check_judged_only(name, settings)
    _check_pair_copulas(name, settings)
    if name not in TAKES_KINDS:
        asked = {
            "--kind": bool(settings.kind),
            "--missing": settings.missing != "pairwise",
            "--ties": settings.ties != "auto",
        }
        for option, is_asked in asked.items():
            if is_asked:
                raise InputError(
                    f"Estimator '{name}' takes all columns as numbers. Leave {option} out."
                )
    for option, file in (("required", settings.required), ("forbidden", settings.forbidden)):
        if file is not None and name not in TAKES_KNOWLEDGE:
            raise InputError(
                f"Estimator '{name}' cannot be told edges beforehand. Leave --{option} out, or "
                f"take --estimator {' or '.join(sorted(TAKES_KNOWLEDGE))}."
            )


def _check_judged_only(name: str, settings: Settings) -> None:
    """Refuse what goes by the judge's probabilities with other estimators."""
    splits = settings.stability
    if name != JUDGE:
        if settings.fdr is not None:
            raise InputError(
                f"Estimator '{name}' gives no probabilities that --fdr could go by. Leave it out, "
                f"or take --estimator {JUDGE}."
            )
        if not settings.compare:
            raise InputError(f"Estimator '{name}' is compared with none. Leave --no-compare out.")
        asked = {
            "--group": settings.group is not None,
            "--stability": splits is not None,
            "--screen": settings.screen != "auto",
            "--device": settings.device != "cpu",
        }
        for option, is_asked in asked.items():
            if is_asked:
                raise InputError(
                    f"{option} goes with {JUDGE} only, not with '{name}'. Leave it out, or take "
                    f"--estimator {JUDGE}."
                )
    if splits is not None and splits < FEWEST_SPLITS:
        raise InputError(
            f"--stability takes a number of splits of the rows, {FEWEST_SPLITS} or more; "
            f"got {splits}."
        )


def _check_rows(settings: Settings) -> None:
    """Refuse numbers of rows and precisions that cannot be."""
    rows, precision = settings.rows, settings.precision
    if rows is not None and precision is not None:
        raise InputError(
            "--rows and --precision exclude each other: either settles how many rows are learned "
            "from. Give one of them."
        )
    if precision is not None and not 0.0 < precision < 1.0:
        raise InputError(
            f"--precision takes a number between 0 and 1, such as 0.01; got {precision:g}."
        )
    if rows is not None and rows != "all" and not (rows.isdecimal() and int(rows) >= FEWEST_ROWS):
        raise InputError(
            f"--rows takes a number of rows, {FEWEST_ROWS} or more, or 'all'; got '{rows}'."
        )


def screen_of(text: str) -> str | bool | float:
    """Read ``--screen`` as :class:`spinney.GraphLearner` takes it.

    Examples
    --------
    >>> screen_of("auto"), screen_of("off"), screen_of("0.01")
    ('auto', False, 0.01)
    """
    if text in SCREENS:
        found: str | bool = SCREENS[text]
        return found
    try:
        level = float(text)
    except ValueError:
        level = -1.0
    if not 0.0 < level < 1.0:
        raise InputError(f"--screen takes auto, on, off, or a share between 0 and 1; got '{text}'.")
    return level


def _check_pair_copulas(name: str, settings: Settings) -> None:
    for option, value, how in (
        ("--families", settings.families, "one set of copula families and always looks at these"),
        ("--criterion", settings.criterion, "pair copulas chosen by cross-validation, and always "
         "chooses them so"),
    ):  # fmt: skip
        if value is None or name in TAKES_PAIR_COPULAS:
            continue
        if name == JUDGE:
            raise InputError(f"Estimator '{name}' was trained with {how}. Leave {option} out.")
        raise InputError(f"Estimator '{name}' uses no pair copulas. Leave {option} out.")
    if settings.criterion is not None:
        check_choice(settings.criterion, CRITERIA, "criterion")


def _check_data(data: str) -> None:
    if data != "-":
        _check_file(data)


def _check_file(path: str) -> None:
    if not os.path.lexists(path):
        near = _near(Path(path))
        hint = f" Did you mean '{near}'?" if near else " Check the path."
        raise InputError(f"There is no file '{path}'.{hint}")


def _near(path: Path) -> Path | None:
    """Find a file in the same folder whose name is nearly the same."""
    from difflib import get_close_matches

    try:
        there = {entry.name: entry for entry in os.scandir(path.parent) if entry.is_file()}
    except OSError:
        return None
    found = get_close_matches(path.name, there, n=1, cutoff=0.8)
    return path.with_name(found[0]) if found else None
