"""A new format is a function that reads it, and a line in the list."""

import json

import numpy as np
import pandas as pd

from spinney.tables.readers import open_table, opening
from spinney.tables.readers.opening import Format
from spinney.tables.table_file import TableFile

SIGN = b"TOY1"


def read_toy(source, options):
    return TableFile(pd.DataFrame(json.loads(source.data.removeprefix(SIGN))), (), "toy")


TOY = Format("toy", SIGN, read_toy)


def test_a_new_format_is_a_function_and_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "FORMATS", (TOY, *opening.FORMATS))
    path = tmp_path / "cells.toy"
    path.write_bytes(SIGN + json.dumps({"a": [1.5, 2.0, 3.5], "b": ["x", "y", "x"]}).encode())
    opened = open_table(path)
    assert opened.names == ("a", "b")
    np.testing.assert_array_equal(opened.column("a"), [1.5, 2.0, 3.5])
    plain = tmp_path / "cells.csv"
    plain.write_text("a,b\n1.5,x\n2.0,y\n")
    assert open_table(plain).names == ("a", "b")  # others are read as before
