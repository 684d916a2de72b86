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
    (r"in kind=\{\.\.\.\}", "with --kind COLUMN=KIND"),
    (r"kind=\{'(.*?)': \[(.*?), …\]\}, or make the column an ordered categorical", _levels),
    (r"kind=\{'(.*?)': '(\w+)'\}", r"--kind '\1=\2'"),
    (r"\bkind does\b", "--kind does"),
    (r"\bunit='(.*?)'", r"--unit '\1'"),
    (r"\bna=\[(.*?)\]", _codes),
    (r"\b(missing|header|decimal|device)=\"(.*?)\"", r"--\1 \2"),
    (r"\b(ties)='(\w+)'", r"--\1 \2"),
    (r"\b(rows|precision)=(?=\d)", r"--\1 "),
    (r"\b(rows|precision)(?= must)", r"--\1"),
    (r"\b(rows|sheet|header|decimal|labels|unit|weights|group|paired)=(\.\.\.)?", r"--\1"),
    (r"\bfdr(?= must| =|\))", "--fdr"),
    (r"\bmin_strength\b", "--min-strength"),
    (r"\bsure(?= must)", "--sure"),
    (r"\bprior=?(?= (?:must|takes|names|pairs|of '|needs))", "--prior"),
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
