"""Messages in the words of the command line.

All messages are written for Python. The command line, and the reports that it writes, pass each of
them through :func:`for_command_line`, which turns parameters into options.
"""

from __future__ import annotations

import re
from shlex import quote


def _levels(match: re.Match[str]) -> str:
    levels = re.findall(r"'(.*?)'|([^\s',]+)", match[2])
    return f"--kind '{match[1]}={'<'.join(text or number for text, number in levels)}<…'"


def _codes(match: re.Match[str]) -> str:
    codes = re.findall(r"'(.*?)'|([^\s',]+)", match[1])
    return f"--na {quote(','.join(text or number for text, number in codes))}"


OPTIONS = (
    (r"in kinds=\{\.\.\.\}", "with --kind COLUMN=KIND"),
    (r"kinds=\{'(.*?)': \[(.*?), …\]\}, or make the column an ordered categorical", _levels),
    (r"kinds=\{'(.*?)': '(\w+)'\}", r"--kind '\1=\2'"),
    (r"\bkinds does\b", "--kind does"),
    (r"\bunits='(.*?)'", r"--unit '\1'"),
    (r"\bunits=", "--unit"),
    (r"\bna=\[(.*?)\]", _codes),
    (r"\b(missing|header|decimal)=\"(.*?)\"", r"--\1 \2"),
    (r"\b(ties)='(\w+)'", r"--\1 \2"),
    (r"\b(rows)=(\d+)", r"--\1 \2"),
    (r"\b(rows|sheet|header|decimal|labels)=(\.\.\.)?", r"--\1"),
    (r"compare=\['ef_lambda'\]", "--estimator forests-lambda"),
    (r"compare=\['shared_forest'\]", "--estimator shared-forest"),
    (r"\bcompare=True", "--compare"),
    (r"\btarget_fdr\b", "--fdr"),
    (r"\bmin_strength\b", "--min-strength"),
    (r"(?<!\w)\.check\(\)", "--check"),
    (r" with X\.T\b| \(pandas\.cut\)| \(cut\)|\bn_samples = ", ""),
)
"""What messages say in Python, and on the command line."""


def for_command_line(message: object) -> str:
    """Write a message with options of the command line in place of parameters.

    Examples
    --------
    >>> for_command_line('Use missing="drop", or name the sheet (sheet=).')
    'Use --missing drop, or name the sheet (--sheet).'
    >>> for_command_line("They may be codes for missing values; if they are, say na=[-9, 'x=7'].")
    'They may be codes for missing values; if they are, say --na -9,x=7.'
    """
    text = str(message)
    for parameter, option in OPTIONS:
        text = re.sub(parameter, option, text)
    return text
