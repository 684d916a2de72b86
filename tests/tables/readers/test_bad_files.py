"""Files that hold no table: what is wrong is said in one sentence, with the line in an editor."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import zipfile

import pandas as pd
import pytest

from spinney.exceptions import InputError
from spinney.tables.readers import open_table

EMPTY = "'{path}' is empty. A table has a header and rows below it."
ONE = "'{path}' has one column only. Separate columns by commas, tabs or semicolons."
SAVE = "Save the table as CSV in UTF-8."
COMPLETE = "Complete the row, or put quotes around cells that hold a separator."


def zipped(names, content=b"a,b\n1,2\n"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


BAD = {
    "0 bytes": (b"", EMPTY),
    "blanks": (" \n\n", EMPTY),
    "a byte order mark": (b"\xef\xbb\xbf", EMPTY),
    "separators": (",,\n,,\n", EMPTY),
    "empty gzip": (gzip.compress(b""), EMPTY),
    "one column": ("a\n1\n2\n", ONE),
    "one column of words": ("name\nJohn Smith\nAnn Jones\n", ONE),
    "one column, then nothing": ("a,\n1,\n2,\n", ONE),
    "a header only": ("a,b\n", "'{path}' has a header, but no rows below it. Add the data."),
    "a short row": (
        "a,b,c\n1,2,3\n4,5\n",
        f"Line 3 of '{{path}}' has 2 cells, but the header has 3. {COMPLETE}",
    ),
    "a long row after a blank line": (
        "a,b\r\n1,2\r\n\r\n4,5,6\r\n",
        f"Line 4 of '{{path}}' has 3 cells, but the header has 2. {COMPLETE}",
    ),
    "rows longer than the header": (
        "a,b\n1,2,3,4\n5,6,7,8\n",
        f"Line 2 of '{{path}}' has 4 cells, but the header has 2. {COMPLETE}",
    ),
    "rows shorter than the header": (
        "a,b,c,d\n1,2\n3,4\n",
        f"Line 2 of '{{path}}' has 2 cells, but the header has 4. {COMPLETE}",
    ),
    "a word below a header": (
        "a,b\nword\n",
        f"Line 2 of '{{path}}' has 1 cell, but the header has 2. {COMPLETE}",
    ),
    "units, and a long row below": (
        "a,b\nmg,kg\n1,2\n3,4\n5,6\n7,8,9\n",
        f"Line 6 of '{{path}}' has 3 cells, but the header has 2. {COMPLETE}",
    ),
    "a row of one cell": (
        "a,b\n1,2\n3\n4,5\n",
        f"Line 3 of '{{path}}' has 1 cell, but the header has 2. {COMPLETE}",
    ),
    "a short row below comments and quotes over lines": (
        '\ufeff# x\r\n\r\na,b\r\n1,"x\r\n\r\ny"\r\n"p\nq"\r\n3,4\r\n',
        f"Line 7 of '{{path}}' has 1 cell, but the header has 2. {COMPLETE}",
    ),
    "a short row with old Mac line ends": (
        "a,b\r1,2\r3,4,5\r6,7\r",
        f"Line 3 of '{{path}}' has 3 cells, but the header has 2. {COMPLETE}",
    ),
    "an open quote": (
        'a,b\n1,2\n3,"4\n5,6\n',
        "A quote that opens on line 3 of '{path}' is never closed. Close it, or take it out.",
    ),
    "an open quote behind quotes with something after them": (
        '"a" ,b\n1,2\n3,"4\n5,6\n',
        "A quote that opens on line 3 of '{path}' is never closed. Close it, or take it out.",
    ),
    "an open quote at the end": (
        'a,b\n1,2\n3,"',
        "A quote that opens on line 3 of '{path}' is never closed. Close it, or take it out.",
    ),
    "a cell without end": (
        'a,b\n1,"2\n' + "x" * 140_000 + "\n",
        "Line 2 of '{path}' cannot be read (field larger than field limit (131072)). "
        "Look for a stray quote.",
    ),
    "a NUL": (
        b"a,b\n1,\x002\n",
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 2). {SAVE}",
    ),
    "a NUL in UTF-16": (
        "a,b\r\n1,\x002\r\n".encode("utf-16"),
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 2). {SAVE}",
    ),
    "half of UTF-16": (
        "a,b\n1,2\n".encode("utf-16")[:-1],
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 2). {SAVE}",
    ),
    "bytes that are no letters": (
        b"a,b\n1,\x81\n",
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 2). {SAVE}",
    ),
    "bytes that are no text": (
        b"a,b\n\x01\x02,\xff\n",
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 2). {SAVE}",
    ),
    "broken gzip": (
        gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6],
        "'{path}' cannot be read (Compressed file ended before the end-of-stream marker was "
        "reached). Save or copy it again.",
    ),
    "broken bzip2": (
        bz2.compress(b"a,b\n1,2\n")[:-6],
        "'{path}' cannot be read (Compressed data ended before the end-of-stream marker was "
        "reached). Save or copy it again.",
    ),
    "broken xz": (
        lzma.compress(b"a,b\n1,2\n")[:-6],
        "'{path}' cannot be read (Compressed data ended before the end-of-stream marker was "
        "reached). Save or copy it again.",
    ),
    "broken zip": (
        b"PK\x03\x04\x00\x00",
        "'{path}' cannot be read (File is not a zip file). Save or copy it again.",
    ),
    "zip of two": (
        zipped(["a.csv", "b.csv"]),
        "'{path}' must hold one file, but has 'a.csv' and 'b.csv'.",
    ),
    "zip of none": (
        zipped(["folder/"]),
        "'{path}' must hold one file, but has none.",
    ),
    "PNG": (
        b"\x89PNG\r\n\x1a\n\0\0",
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 1). {SAVE}",
    ),
    "a Word document": (
        zipped(["[Content_Types].xml", "word/document.xml"]),
        f"'{{path}}' is not text in UTF-8 or UTF-16 (it is not on line 1). {SAVE}",
    ),
    "a web page": (
        "<!DOCTYPE html><html><table>",
        f"'{{path}}' is a web page, XML or JSON. {SAVE}",
    ),
    "JSON": (
        '[{"a": 1, "b": 2},\n {"a": 3, "b": 4}]\n',
        f"'{{path}}' is a web page, XML or JSON. {SAVE}",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_in_a_sentence(case, write):
    content, message = BAD[case]
    path = write(content)
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == message.format(path=path)


def test_places_without_a_file(tmp_path):
    with pytest.raises(InputError) as caught:
        open_table(tmp_path / "nothing.csv")
    assert str(caught.value) == f"There is no file '{tmp_path}/nothing.csv'. Check the path."
    with pytest.raises(InputError) as caught:
        open_table(tmp_path)
    assert str(caught.value).startswith(f"'{tmp_path}' cannot be read (")
    with pytest.raises(InputError, match=r"cannot be read \(embedded null byte\)"):
        open_table("a\0b")


def test_a_choice_that_is_none(write):
    with pytest.raises(InputError, match="There is no choice for header 'maybe'"):
        open_table(write("a,b\n1,2\n"), header="maybe")
    with pytest.raises(InputError, match="There is no decimal mark ';'"):
        open_table(write("a,b\n1,2\n"), decimal=";")


def test_options_that_mean_nothing_are_refused(write, tmp_path):
    path = write("a,b\n1,2\n")
    with pytest.raises(InputError) as caught:
        open_table(path, sheet=1)
    assert str(caught.value) == (f"'{path}' holds text, which does not use sheet=. Leave it out.")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1], "b": [2]}).to_parquet(path)
    with pytest.raises(InputError) as caught:
        open_table(path, header="no")
    assert str(caught.value) == (
        f"'{path}' holds a Parquet table, which does not use header=. Leave it out."
    )


def test_what_a_pickle_would_run_is_not_run(write, tmp_path):
    harm = tmp_path / "harm"

    class Harmful:
        def __reduce__(self):
            return (os.mkdir, (str(harm),))

    content = pickle.dumps(Harmful())
    with pytest.raises(InputError, match="is not text"):
        open_table(write(content))
    assert not harm.exists()
    pickle.loads(content)
    assert harm.exists()  # it would have run
