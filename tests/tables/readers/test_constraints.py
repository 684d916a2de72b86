"""Files of pairs: what is read, and what is said with its line."""

import pandas as pd
import pytest

from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.tables.readers.constraints import read_constraints

NAMES = ["Raf", "Mek", "IL-2", "CD4 cells", "a,b", "source", "x"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Raf,Mek\nMek,x\n", [("Raf", "Mek"), ("Mek", "x")]),
        ("Raf\tMek\n", [("Raf", "Mek")]),
        ("Raf ; Mek\n", [("Raf", "Mek")]),
        ("Raf   Mek\n", [("Raf", "Mek")]),
        ('IL-2 "CD4 cells"\nIL-2 Raf\n', [("IL-2", "CD4 cells"), ("IL-2", "Raf")]),
        ('"a,b",Raf\na,b;Mek\n', [("a,b", "Raf"), ("a,b", "Mek")]),
        ("\ufeff# known\r\n\r\nsource,target\r\nRaf,Mek\r\n", [("Raf", "Mek")]),
        ("source,Raf\n", [("source", "Raf")]),
        ("Source\tTarget\tprobability\nRaf\tMek\t0.9\n", [("Raf", "Mek")]),
        ("Raf,Mek\nMek,Raf\nRaf,Mek,\n", [("Raf", "Mek")]),
    ],
)
def test_pairs_are_read(text, pairs, write):
    assert read_constraints(write(text), NAMES) == pairs


def test_the_edges_of_any_names_are_read_back(tmp_path):
    names = ["-a", "=b", "'=c", "source", "target"]
    edges = [("-a", "=b"), ("'=c", "source"), ("source", "target")]
    table = pd.DataFrame(edges, columns=["source", "target"]).assign(probability=0.9)
    write_csv(tmp_path / "edges.csv", table)
    assert read_constraints(tmp_path / "edges.csv", names) == edges


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "# x\n\nRaf,Mec\n",
            "Line 3 of '{path}' holds 'Mec', which is not a column. Did you mean 'Mek'? Write "
            "names as in the table.",
        ),
        (
            "Raf,Mek,x\n",
            "Line 1 of '{path}' holds 3 names ('Raf,Mek,x'), but a pair has two. Write two names "
            "of columns on each line, such as Raf,Mek.",
        ),
        (
            "Raf\n",
            "Line 1 of '{path}' holds 1 name ('Raf'), but a pair has two. Write two names of "
            "columns on each line, such as Raf,Mek.",
        ),
        (
            f"Raf,{'x' * 5000}\n",
            f"Line 1 of '{{path}}' holds '{'x' * 39}…', which is not a column. Write names as in "
            "the table.",
        ),
        (
            "Raf,\x07Mek\n",
            "Line 1 of '{path}' holds 'Mek', which is not a column. Did you mean 'Mek'? Write "
            "names as in the table.",
        ),
        ("x\tx\n", "Line 1 of '{path}' pairs 'x' with itself. Name two columns."),
        (
            "# nothing\n",
            "'{path}' holds no pairs. Write two names of columns on each line, such as Raf,Mek.",
        ),
        (
            b"\x89PNG\r\n\x1a\n",
            "'{path}' is not text in UTF-8 or UTF-16 (it is not on line 1). Save the table as CSV "
            "in UTF-8.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message, write):
    path = write(text, "pairs.txt")
    with pytest.raises(InputError) as caught:
        read_constraints(path, NAMES)
    assert str(caught.value) == message.format(path=path)


def test_columns_may_be_called_as_headers_are(write):
    names = ["source", "target", "x"]
    assert read_constraints(write("source,target\n"), names) == [("source", "target")]
    assert read_constraints(write("from,to\nsource,x\n"), names) == [("source", "x")]


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_constraints(tmp_path / "nothing", NAMES)
