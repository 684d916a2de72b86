"""Comma-separated values that are safe to open in a spreadsheet and read back unchanged.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@``, and a column of a table may
have any name. So text is quoted, and text that would run is prefixed with an apostrophe, as `OWASP
recommends <https://owasp.org/www-community/attacks/CSV_Injection>`_; :func:`read_csv` removes it.
Numbers are left unchanged.

Files are UTF-8. Those with letters beyond ASCII begin with a byte order mark, without which Excel
garbles them; pure ASCII files do not, because some simple readers cannot handle it.
"""

from __future__ import annotations

import re
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from spinney._core.files import whole_file
from spinney.exceptions import InputError

NAMES = ("source", "target", "name")
"""Columns that hold column names of the data, always read as text."""
# Some locales run full-width signs too, and white space before a sign may be dropped.
_RUN = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")
_PLAIN = re.compile(r"\w[\w .-]*")
_NUMBERS = re.compile(r"(?: ?-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)+")


def defuse(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run.

    Text that already begins with apostrophes before such a sign gets one more, so that
    :func:`undo_defuse` restores it.

    Examples
    --------
    >>> defuse("=1+1"), defuse("1+1"), undo_defuse("'=1+1")
    ("'=1+1", '1+1', '=1+1')
    """
    return "'" + text if _is_run(text) else text


def undo_defuse(text: str) -> str:
    """Remove the apostrophe that :func:`defuse` adds."""
    return text[1:] if text.startswith("'") and _is_run(text) else text


def _is_run(text: str) -> bool:
    """Whether a spreadsheet would run a text once leading apostrophes are removed."""
    text = text.lstrip("'")
    # Numbers, such as the parameters of a copula, are harmless.
    return _RUN.match(text) is not None and _NUMBERS.fullmatch(text) is None


def write_csv(path: str | Path, table: pd.DataFrame) -> None:
    r"""Write a table as comma-separated values for spreadsheets and programs.

    Numbers have eight significant digits, missing values are empty; text and unusual column names
    are quoted and defused.

    Parameters
    ----------
    path : path
        Written whole or not at all.
    table : data frame
        Numbers, truth values and text.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> write_csv(path, pd.DataFrame({"source": ["=1+1"], "rows": [3], "tau": [1 / 3]}))
    >>> path.read_text()
    'source,rows,tau\n"\'=1+1",3,0.33333333\n'
    """
    cells = [_cells(table[name]) for name in table.columns]
    lines = [[_heading(str(name)) for name in table.columns], *zip(*cells, strict=True)]
    text = "".join(",".join(line) + "\n" for line in lines)
    mark = "" if text.isascii() else "\ufeff"
    with whole_file(path) as temporary:
        # The same line ends on every system, so that files can be compared byte by byte.
        temporary.write_bytes((mark + text).encode("utf-8", "replace"))


def read_csv(path: str | Path) -> pd.DataFrame:
    """Read what :func:`write_csv` wrote: the same text, and numbers with eight digits.

    Columns of :data:`NAMES` are text even if they look like numbers.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> write_csv(path, pd.DataFrame({"source": ["01", "1.0"], "family": ["=1+1", "NA"]}))
    >>> read_csv(path).to_dict("list")
    {'source': ['01', '1.0'], 'family': ['=1+1', 'NA']}
    """
    # Only empty cells are missing: a column may be called "NA" or "None".
    options: dict[str, Any] = {
        "keep_default_na": False,
        "na_values": [""],
        "dtype": dict.fromkeys(NAMES, "object"),
    }
    text = Path(path).read_bytes().decode("utf-8-sig")
    if "\0" in text:  # which cuts names in the fast parser of pandas before 3
        table = pd.read_csv(StringIO(text, newline=""), engine="python", **options)
    else:
        table = pd.read_csv(StringIO(text, newline=""), lineterminator="\n", **options)
    for name in table.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]]:
        table[name] = [undo_defuse(v) if isinstance(v, str) else v for v in table[name]]
    return table.rename(columns=undo_defuse)


def read_columns(
    path: str | Path, *columns: str, lacks: str = ", so spinney did not write it"
) -> pd.DataFrame:
    """Read a table that must have these columns of names; an empty name is not missing.

    `lacks` ends the sentence that refuses a table without one of them.

    Raises
    ------
    InputError
        If the file is not a table, or lacks one of the columns.
    """
    try:
        table = read_csv(path)
    except pd.errors.EmptyDataError:
        table = pd.DataFrame()
    except (ValueError, OSError) as error:
        raise InputError(f"'{path}' cannot be read as a table: {error}.") from error
    missing = set(columns) - set(table.columns)
    if missing:
        raise InputError(f"'{path}' has no column '{min(missing)}'{lacks}.")
    return table.assign(**{name: table[name].fillna("").astype(str) for name in columns})


def _cells(column: pd.Series[Any]) -> list[str]:
    """Write the cells of a column; a missing value is empty."""
    if column.dtype.kind == "f":
        numbers = column.to_numpy(dtype=float) + 0.0  # zero without a sign
        return ["" if v != v else f"{v:.8g}" for v in numbers.tolist()]
    quote = cache(_quoted)  # names repeat in many rows
    values = zip(column.tolist(), column.isna(), strict=True)
    return ["" if gap else quote(v) if isinstance(v, str) else str(v) for v, gap in values]


def _heading(name: str) -> str:
    """Write the name of a column, quoted only if necessary."""
    return name if _PLAIN.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    return '"' + defuse(text).replace('"', '""') + '"'
