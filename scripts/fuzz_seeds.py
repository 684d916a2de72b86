"""Small files of every format, and words that readers have stumbled over."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["NAMES", "SEEDS", "TOKENS", "Seed"]

NAMES = ["Raf", "Mek", "Erk", "IL-2", "CD4 cells"]


@dataclass(frozen=True)
class Seed:
    """A file, and how it is packed if something is inside."""

    name: str
    data: bytes
    inside: Mapping[str, bytes] | None = None
    pack: Callable[[Mapping[str, bytes]], bytes] = lambda members: b"".join(members.values())


PLAIN = b"cell,Raf,Mek,phase\nc1,1.5,2,G1\nc2,0.5,7,S\nc3,NA,3,G1\nc4,2.25,1,S\n"
GERMAN = 'Größe;"Menge, kg";Anteil\n1,5;1.234,5;12%\n2,25;999;7,5 %\n-3;12.345,25;?\n'
ABOVE = b"# made by hand\n##x\nRun 7\n\nOperator,me\na,b,c\n1,2,3\n4,5,6\nSource: WHO\n"
BLANKS = b'"a" "b"\n"r1" 1 2\n"r2" 3 4e5\n"r3" -1 inf\n'
QUOTES = b'a,"b\n""2""",c\r\n1,"x\r\ny",TRUE\r\n2,"1,234",FALSE\r\n3,"5,678",\r\n'
DATES = (
    b"when,clock,case,x\n2024-01-31,08:30,7,-99\n2024-02-01,23:59,9,2\n2023-12-31,11:00,8,3\n"
    b"2024-02-29,?,6,4\n"
)
DAYS = b"day\tid\n31.12.2024 12:00\t7\n1.2.2024\t9\n05.06.2023\t8\n30.09.2024\t1\n"
GCT = b"#1.2\n2\t2\nName\tDescription\ts1\ts2\ng1\tx\t1'234\t2 345\ng2\ty\t3\t4\n"
CONSTRAINTS = b"source,target\nRaf,Mek\nErk\tIL-2\nCD4 cells;Raf\n# x\nMek Erk\n"
TOKENS = [
    *(b'"', b'""', b"\n", b"\r", b"\r\n", b"\0", b",", b";", b"\t", b"|", b" ", b"#", b"%", b"!"),
    *(b"inf", b"-1e999", b"1e5", b"1,234", b"1.234.567", b"0x10", b"1_000", b"9" * 400, b"#N/A"),
    *(b"sep=;\n", b"sep=\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"PK\x03\x04"),
    *(b"PAR1", b"=HYPERLINK(1)", b"<script>", b"\xe2\x80\xae", b"\xf0\x9f\x91\xa9", b"\x85"),
    *(b"\xe2\x88\x92", b"\xd9\xa3", b"\xc2\xb2", b"\xe2\x85\xa7", b"TRUE", b"NaN", b"%%", b"--"),
    *(b",,,,,,,,", b"\n\n\n\n", b"unnamed: 0", b"id", b"{", b"}", b"1 234 567", b"'", b"\x7f"),
    *(b"2024-13-45", b"24:61", b"0000-00-00", b"31/12/9999", b"-99", b"+12:00Z"),
    *(b"<f>1</f>", b"<v></v>", b't="s"', b't="e"', b't="d"', b'r="XFD1048576"', b"99999999999"),
]


def _zip(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(6, 3)), columns=["Raf", "Mek", "Erk"])
    frame["phase"] = list("GSGSGM")
    frame["ok"] = [True, False, None, True, False, True]
    frame["day"] = pd.date_range("2020-01-01", periods=6)
    frame.iloc[2, 1] = np.nan
    return frame


def _texts() -> list[Seed]:
    texts = [PLAIN, GERMAN.encode(), GERMAN.encode("cp1252"), ABOVE, BLANKS, QUOTES, GCT]
    texts += [DATES, DAYS]
    texts += [GERMAN.encode("utf-16"), PLAIN.decode().encode("utf-16-be")]
    return [Seed("text", text) for text in texts] + [Seed("constraints", CONSTRAINTS)] * 2


def _packed() -> list[Seed]:
    seeds = []
    for name, pack in (("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress)):

        def packed(members: Mapping[str, bytes], pack: Callable[[bytes], bytes] = pack) -> bytes:
            return pack(b"".join(members.values()))

        seeds.append(Seed(name, pack(PLAIN), {"t": PLAIN}, packed))
    return [*seeds, Seed("zip", _zip({"t.csv": ABOVE}), {"t.csv": ABOVE}, _zip)]


def _tables() -> list[Seed]:
    """Return files of libraries that are there."""
    seeds = []
    try:
        buffer = io.BytesIO()
        _frame().to_excel(buffer, sheet_name="s")
        with zipfile.ZipFile(buffer) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        seeds += [Seed("excel", buffer.getvalue(), members, _zip)] * 2
    except ImportError:
        print("openpyxl is not there: no Excel files")
    try:
        for compression in ("none", "snappy"):
            buffer = io.BytesIO()
            _frame().set_index("phase").to_parquet(buffer, compression=compression)
            seeds.append(Seed("parquet", buffer.getvalue()))
    except ImportError:
        print("pyarrow is not there: no Parquet files")
    return [*seeds, *_h5ad()]


def _h5ad() -> list[Seed]:
    try:
        import anndata
    except ImportError:
        print("anndata is not there: no AnnData files")
        return []
    import tempfile
    from pathlib import Path

    from scipy import sparse

    numbers = _frame()[["Raf", "Mek", "Erk"]].to_numpy()
    obs = pd.DataFrame({"condition": list("ababab")}, index=[f"c{k}" for k in range(6)])
    seeds = []
    with tempfile.TemporaryDirectory() as folder:
        for matrix in (numbers, sparse.csr_matrix(numbers)):
            path = Path(folder) / "t.h5ad"
            anndata.AnnData(matrix, obs=obs).write_h5ad(path)
            seeds.append(Seed("h5ad", path.read_bytes()))
    return seeds


SEEDS = [*_texts(), *_packed(), *_tables()]
"""All of them; formats with more code come more than once."""
