"""Odd tables, each with its right reading and what is said of it."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

from spinney.tables.readers import open_table

COMMAS = "columns are separated by commas"
TABS = "columns are separated by tabs"
SEMICOLONS = "columns are separated by semicolons"
BLANKS = "columns are separated by blanks"
FIRST = "line 1 holds the names of the columns"
NUMBERS = f'{FIRST}, though most are numbers (otherwise: header="no")'
NONE = (
    'no header, the first line is like those below it (otherwise: header="yes"); columns are '
    "called 'column 1', 'column 2' and so on"
)
PLAIN = {"a": [1, 3], "b": [2, 4]}


def zipped(*names, content=b"a,b\n1,2\n3,4\n"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


ODD = {
    "commas": ("a,b\n1,2\n3,4\n", PLAIN, [COMMAS, FIRST]),
    "tabs": ("a\tb\n1\t2\n3\t4\n", PLAIN, [TABS, FIRST]),
    "semicolons": ("a;b\n1;2\n3;4\n", PLAIN, [SEMICOLONS, FIRST]),
    "bars": ("a|b\n1|2\n3|4\n", PLAIN, ["columns are separated by bars", FIRST]),
    "runs of blanks": ("  a   b\n 1  2 \n3 \t 4\n", PLAIN, [BLANKS, FIRST]),
    "a line that names the separator": (
        "sep=;\na;b\n1;2\n3;4\n",
        PLAIN,
        [SEMICOLONS, "line 2 holds the names of the columns"],
    ),
    "gzip, whatever the suffix": (
        gzip.compress(b"a,b\n1,2\n3,4\n"),
        PLAIN,
        ["unpacked with gzip", COMMAS, FIRST],
    ),
    "bzip2": (bz2.compress(b"a,b\n1,2\n3,4\n"), PLAIN, ["unpacked with bzip2", COMMAS, FIRST]),
    "xz": (lzma.compress(b"a,b\n1,2\n3,4\n"), PLAIN, ["unpacked with xz", COMMAS, FIRST]),
    "zip of one file": (
        zipped("__MACOSX/._t.csv", "t.csv"),
        PLAIN,
        ["unpacked 't.csv' from a zip file", COMMAS, FIRST],
    ),
    "UTF-8 with a mark": ("\ufeffa,b\r\n1,2\r\n3,4\r\n", PLAIN, [COMMAS, FIRST]),
    "UTF-16 with a mark": (
        "a,b\n1,2\n3,4\n".encode("utf-16"),
        PLAIN,
        ["read as UTF-16", COMMAS, FIRST],
    ),
    "UTF-16, big end first, with a mark": (
        b"\xfe\xff" + "a,b\n1,2\n3,4\n".encode("utf-16-be"),
        PLAIN,
        ["read as UTF-16", COMMAS, FIRST],
    ),
    "Latin-1": (
        "a,größe\n1,2\n3,4\n".encode("latin-1"),
        {"a": [1, 3], "größe": [2, 4]},
        [
            "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'ö' on line 1)",
            COMMAS,
            FIRST,
        ],
    ),
    "Windows-1252": (
        "a,b\n1,€\n3,$\n1,€\n".encode("cp1252"),
        {"a": [1, 3, 1], "b": ["€", "$", "€"]},
        [
            "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: '€' on line 2)",
            COMMAS,
            FIRST,
        ],
    ),
    "Cyrillic": (
        "имя,возраст\nИван,34\nОльга,29\n".encode("cp1251"),
        {"возраст": [34, 29]},
        [
            "read as cp1251, as it is not UTF-8 (first: 'и' on line 1)",
            COMMAS,
            FIRST,
            "column 'имя' taken for row names",
        ],
    ),
    "Japanese": (
        "名前,年齢\n太郎,34\n花子,29\n".encode("cp932"),
        {"年齢": [34, 29]},
        [
            "read as cp932, as it is not UTF-8 (first: '名' on line 1)",
            COMMAS,
            FIRST,
            "column '名前' taken for row names",
        ],
    ),
    "French": (
        "âge,réponse\n1,très bien\n2,à peine\n3,très bien\n".encode("cp1252"),
        {"âge": [1, 2, 3], "réponse": ["très bien", "à peine", "très bien"]},
        [
            "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'â' on line 1)",
            COMMAS,
            FIRST,
        ],
    ),
    "old Mac line ends": ("a,b\r1,2\r3,4\r", PLAIN, [COMMAS, FIRST]),
    "quotes over lines": (
        'a,b\n1,"x\ny"\n3,"x\ny"\n',
        {"a": [1, 3], "b": ["x\ny", "x\ny"]},
        [COMMAS, FIRST],
    ),
    "decimal commas in one column of a file with commas": (
        'a,b\n"1,5",2.5\n"0,25",4\n',
        {"a": [1.5, 0.25], "b": [2.5, 4.0]},
        [COMMAS, FIRST, "decimal commas in column 'a' ('1,5' read as 1.5)"],
    ),
    "decimal commas in many columns": (
        "a;b;c;d;e;f;g\n1,5;1,5;1,5;1,5;1,5;1,5;7\n1;2;3;4;5;6;7\n",
        {**{name: [1.5, k] for k, name in enumerate("abcdef", 1)}, "g": [7, 7]},
        [
            SEMICOLONS,
            FIRST,
            "decimal commas in columns 'a', 'b', 'c', 'd' and 2 more ('1,5' read as 1.5)",
        ],
    ),
    "thousands with commas": (
        'a,b\n"1,234,567",1\n"2,345",2\n',
        {"a": [1234567, 2345], "b": [1, 2]},
        [COMMAS, FIRST, "thousands marked by commas in column 'a' ('1,234,567' read as 1234567)"],
    ),
    "thousands with commas, decimals with dots": (
        "a\tb\n1,234.5\t1\n2.5\t2\n",
        {"a": [1234.5, 2.5], "b": [1, 2]},
        [TABS, FIRST, "thousands marked by commas in column 'a' ('1,234.5' read as 1234.5)"],
    ),
    "thousands with dots": (
        "a;b\n1.234,5;1\n1.234.567;2\n",
        {"a": [1234.5, 1234567.0], "b": [1, 2]},
        [
            SEMICOLONS,
            FIRST,
            "decimal commas and thousands marked by dots in column 'a' ('1.234,5' read as 1234.5)",
        ],
    ),
    "thousands with blanks and apostrophes": (
        "a\tb\n1 234\t1'234,5\n12\u202f345\t2\n",
        {"a": [1234, 12345], "b": [1234.5, 2.0]},
        [
            TABS,
            FIRST,
            "thousands marked by blanks in column 'a' ('1 234' read as 1234)",
            "decimal commas and thousands marked by apostrophes in column 'b' "
            "('1'234,5' read as 1234.5)",
        ],
    ),
    "one comma, with tabs": (
        "a\tb\n1,500\t2\n999\t1\n",
        {"a": [1500, 999], "b": [2, 1]},
        [
            TABS,
            FIRST,
            "thousands marked by commas in column 'a' ('1,500' read as 1500), which is a guess "
            '(otherwise: decimal=",")',
        ],
    ),
    "one comma, with semicolons": (
        "a;b\n1,500;2\n2,500;1\n",
        {"a": [1.5, 2.5], "b": [2, 1]},
        [
            SEMICOLONS,
            FIRST,
            "decimal commas in column 'a' ('1,500' read as 1.500), which is a guess (otherwise: "
            'decimal=".")',
        ],
    ),
    "one comma, and decimal dots elsewhere": (
        "a;b\n1,500;2.5\n2,500;1\n",
        {"a": [1500, 2500], "b": [2.5, 1.0]},
        [
            SEMICOLONS,
            FIRST,
            "thousands marked by commas in column 'a' ('1,500' read as 1500), as other columns "
            "have decimal dots",
        ],
    ),
    "one comma, and decimal commas elsewhere": (
        "a\tb\n1,500\t2,5\n2,500\t1\n",
        {"a": [1.5, 2.5], "b": [2.5, 1.0]},
        [
            TABS,
            FIRST,
            "decimal commas in column 'a' ('1,500' read as 1.500), as other columns have decimal "
            "commas",
            "decimal commas in column 'b' ('2,5' read as 2.5)",
        ],
    ),
    "one comma, and four digits without": (
        "a\tb\n1,500\t2\n2500\t1\n",
        {"a": [1.5, 2500.0], "b": [2, 1]},
        [TABS, FIRST, "decimal commas in column 'a' ('1,500' read as 1.500)"],
    ),
    "one dot, and decimal commas elsewhere": (
        "a;b\n1.500;2,5\n2.500;1\n",
        {"a": [1500, 2500], "b": [2.5, 1.0]},
        [
            SEMICOLONS,
            FIRST,
            "thousands marked by dots in column 'a' ('1.500' read as 1500), as other columns have "
            "decimal commas",
            "decimal commas in column 'b' ('2,5' read as 2.5)",
        ],
    ),
    "one dot, and nothing else": (
        "a,b\n1.500,2\n2.500,1\n",
        {"a": [1.5, 2.5], "b": [2, 1]},
        [
            COMMAS,
            FIRST,
            "decimal dots in column 'a' ('1.500' read as 1.500), which is a guess (otherwise: "
            'decimal=",")',
        ],
    ),
    "one dot, and other decimal dots": (
        "a,b\n1.500,2.5\n2.500,1\n",
        {"a": [1.5, 2.5], "b": [2.5, 1.0]},
        [COMMAS, FIRST],
    ),
    "percent": (
        "a,b\n12%,50%\n7.5 %,low\n3%,low\n",
        {"a": [12.0, 7.5, 3.0], "b": ["50%", "low", "low"]},
        [COMMAS, FIRST, "percent signs in column 'a' ('7.5 %' read as 7.5)"],
    ),
    "units stay text": ("a,b\n5 mg,1\n5 mg,2\n", {"a": ["5 mg"] * 2, "b": [1, 2]}, [COMMAS, FIRST]),
    "a real minus": (
        "a,b\n\u22121.5,1\n2,\u22122e\u22123\n",
        {"a": [-1.5, 2], "b": [1, -0.002]},
        [COMMAS, FIRST],
    ),
    "dashes among numbers": (
        "a,b\n1,-\n2,3\n3,4\n3,None\n",
        {"a": [1, 2, 3, 3], "b": [np.nan, 3, 4, np.nan]},
        [
            COMMAS,
            FIRST,
            "'-' and 'None' in column 'b' taken as missing, as all else are numbers",
        ],
    ),
    "errors of spreadsheets": (
        "a,b\n1,#DIV/0!\n2,3\n#N/A,4\n",
        {"a": [1, 2, np.nan], "b": [np.nan, 3, 4]},
        [
            COMMAS,
            FIRST,
            "spreadsheet errors in columns 'a' and 'b' (such as #N/A) taken as missing",
        ],
    ),
    "infinities": (
        "a,b\n1,2\n\n-Inf,3\n2,1e999\n",
        {"a": [1, -np.inf, 2], "b": [2, 3, np.inf]},
        [COMMAS, FIRST],
    ),
    "years as names": (
        "1990,1991,1992\n1.5,2,3\n2.5,3,1\n3,4,1\n",
        {"1990": [1.5, 2.5, 3], "1991": [2, 3, 4], "1992": [3, 1, 1]},
        [COMMAS, NUMBERS],
    ),
    "m/z values as names": (
        "101.2,102.3,103.7,110,120\n5,4,300,200,1\n700,100,3,1,500\n3,200,1,30,6\n",
        {
            "101.2": [5, 700, 3],
            "102.3": [4, 100, 200],
            "103.7": [300, 3, 1],
            "110": [200, 1, 30],
            "120": [1, 500, 6],
        },
        [COMMAS, NUMBERS],
    ),
    "numbers that count as names": (
        "gene,1,2,3\nx,1,5,2\ny,2,2,7\nz,3,1,4\n",
        {"1": [1, 2, 3], "2": [5, 2, 1], "3": [2, 7, 4]},
        [COMMAS, NUMBERS, "column 'gene' taken for row names"],
    ),
    "a name that ends in id": (
        "lipid,a\n7,1\n3,2\n",
        {"lipid": [7, 3], "a": [1, 2]},
        [COMMAS, FIRST],
    ),
    "no header": (
        "1.5,2\n1.2,3\n1.7,1\n",
        {"column 1": [1.5, 1.2, 1.7], "column 2": [2, 3, 1]},
        [COMMAS, NONE],
    ),
    "no header, and text that comes again": (
        "M,1.5,2\nF,1.2,3\nM,1.3,2\n",
        {"column 1": list("MFM"), "column 2": [1.5, 1.2, 1.3], "column 3": [2, 3, 2]},
        [COMMAS, NONE],
    ),
    "no header, but row names": (
        "g1,1.5,2\ng2,1.2,3\ng3,1.7,1\n",
        {"column 2": [1.5, 1.2, 1.7], "column 3": [2, 3, 1]},
        [COMMAS, NONE, "column 1 taken for row names"],
    ),
    "no values": (
        "a,b,c\n1,NA,2\n3,,4\n",
        {"a": [1, 3], "b": [np.nan, np.nan], "c": [2, 4]},
        [COMMAS, FIRST],
    ),
    "no name": (
        "a,,b\n1,2,3\n4,5,6\n",
        {"a": [1, 4], "column 2": [2, 5], "b": [3, 6]},
        [COMMAS, FIRST],
    ),
    "a name twice": (
        "a,b,a,a (2)\n1,2,3,4\n5,6,7,8\n",
        {"a": [1, 5], "b": [2, 6], "a (3)": [3, 7], "a (2)": [4, 8]},
        [COMMAS, FIRST, "names that occur more than once are numbered: 'a (3)'"],
    ),
    "names three times": (
        "a,b,a,a\n1,2,3,4\n5,6,7,8\n",
        {"a": [1, 5], "b": [2, 6], "a (2)": [3, 7], "a (3)": [4, 8]},
        [COMMAS, FIRST, "names that occur more than once are numbered: 'a (2)' and 'a (3)'"],
    ),
    "several columns without names": (
        "a,,,b\n1,2,3,4\n5,6,7,8\n",
        {"a": [1, 5], "column 2": [2, 6], "column 3": [3, 7], "b": [4, 8]},
        [COMMAS, FIRST],
    ),
    "unusual blanks and invisible characters in a name": (
        "a\u00a0b,c\u202ed\n1,2\n3,4\n",
        {"a b": [1, 3], "cd": [2, 4]},
        [
            COMMAS,
            FIRST,
        ],
    ),
    "a line break and a control character in a name": (
        'a,"b\r\n2",c\x07d\n1,2,3\n4,5,6\n',
        {"a": [1, 4], "b 2": [2, 5], "c d": [3, 6]},
        [
            COMMAS,
            FIRST,
        ],
    ),
    "a long name": (
        f"a,{'x' * 10_000}\n1,2\n3,4\n",
        {"a": [1, 3], "x" * 199 + "…": [2, 4]},
        [
            COMMAS,
            FIRST,
        ],
    ),
    "names of all peoples": (
        "كيمياء,基因,👩\u200d🔬,=HYPERLINK(1)\n1,2,3,4\n5,6,7,8\n",
        {"كيمياء": [1, 5], "基因": [2, 6], "👩\u200d🔬": [3, 7], "=HYPERLINK(1)": [4, 8]},
        [COMMAS, FIRST],
    ),
    "nothing but lines with #": (
        "#a,b,c\n#1,2,3\n#3,4,3\n",
        {"b": [2, 4], "c": [3, 3]},
        [COMMAS, FIRST, "column '#a' taken for row names"],
    ),
    "comment lines": (
        '# made by hand, "twice\n#\n% see below\n\na,b\n1,2\n3,4\n',
        PLAIN,
        [
            "comment lines 1 to 3 left out ('# made by hand, \"twice')",
            COMMAS,
            "line 5 holds the names of the columns",
        ],
    ),
    "GCT": (
        "#1.2\n2\t2\nName\tDescription\ts1\ts2\ng1\tx\t1\t2\ng2\tx\t3\t4\n",
        {"Description": ["x", "x"], "s1": [1, 3], "s2": [2, 4]},
        [
            "comment line 1 left out ('#1.2')",
            TABS,
            "line 2 above the table left out ('2')",
            "line 3 holds the names of the columns",
            "column 'Name' taken for row names",
        ],
    ),
    "lines above the header": (
        "Assay 7\n\nOperator,me\nDate,2020\na,b,c\n1,2,3\n4,5,6\n7,8,9\n",
        {"a": [1, 4, 7], "b": [2, 5, 8], "c": [3, 6, 9]},
        [
            COMMAS,
            "lines 1 and 3 to 4 above the table left out ('Assay 7' …)",
            "line 5 holds the names of the columns",
        ],
    ),
    "units below the header": (
        "name,a,b\nmethod 1,mg/l,°C\nx,1,2\ny,3,4\ny,5,6\n",
        {"name": ["x", "y", "y"], "a": [1, 3, 5], "b": [2, 4, 6]},
        [
            COMMAS,
            FIRST,
            "line 2 left out, as it holds text above numbers, such as units ('°C')",
        ],
    ),
    "no units, but values below a limit": (
        "a,b\n<1,<1\n1,2\n3,4\n5,6\n",
        {"a": ["<1", 1, 3, 5], "b": ["<1", 2, 4, 6]},
        [COMMAS, FIRST],
    ),
    "a separator at the ends of lines": (
        "a,b\n1,2,\n3,4,\n",
        PLAIN,
        [COMMAS, FIRST, "separators at the end of lines left out"],
    ),
    "empty columns": (
        "a,b,,\n1,2,,\n3,4,,\n",
        PLAIN,
        [COMMAS, FIRST, "columns 3 to 4 left out: neither name nor values"],
    ),
    "empty rows below": (
        "a,b\n1,2\n,\n3,4\n,\n,\n",
        {"a": [1, np.nan, 3], "b": [2, np.nan, 4]},
        [COMMAS, FIRST, "lines 5 to 6 left out, as there is no data"],
    ),
    "notes below": (
        "a,b,c\n1,2,3\n4,5,6\nSource: WHO,,\n* 2020\n",
        {"a": [1, 4], "b": [2, 5], "c": [3, 6]},
        [
            COMMAS,
            FIRST,
            "lines 4 to 5 left out, as there is no data ('Source: WHO')",
        ],
    ),
    "row names": (
        "Probe,a,b\nx,1,2\ny,3,4\n",
        PLAIN,
        [COMMAS, FIRST, "column 'Probe' taken for row names"],
    ),
    "row names without a name, one twice": (
        ",a,b\nx,1,2\nx,3,4\n",
        PLAIN,
        [COMMAS, FIRST, "the first column, which has no name, taken for row names"],
    ),
    "row names as R writes them": (
        '"a" "b"\n"1" 1 2\n"2" 3 4\n',
        PLAIN,
        [
            BLANKS,
            FIRST,
            "the first column, which has no name, taken for row names",
        ],
    ),
    "a column that counts": (
        "Index,a,b\n0,1,2\n1,3,4\n",
        PLAIN,
        [
            COMMAS,
            FIRST,
            "column 'Index' taken for row names (it counts the rows); kind={'Index': "
            "'continuous'} keeps it",
        ],
    ),
    "identifiers": (
        "patient_id,a,b\n1071,1,2\n1003,3,4\n",
        PLAIN,
        [
            COMMAS,
            FIRST,
            "column 'patient_id' taken for row names; kind={'patient_id': 'continuous'} keeps it",
        ],
    ),
    "measurements without a name": (
        ",a\n1.5,2\n3.5,4\n",
        {"column 1": [1.5, 3.5], "a": [2, 4]},
        [COMMAS, FIRST],
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_tables_are_read_and_every_decision_is_said(case, write):
    content, expected, decisions = ODD[case]
    table = open_table(write(content))
    found = table.frame.reset_index(drop=True)
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected), check_dtype=False)
    assert list(table.decisions) == decisions
    assert len(table.lines) == len(table.frame)


@pytest.mark.parametrize("decimal", [",", "."])
def test_a_decimal_mark_decides_only_where_either_may_be_meant(decimal, write):
    dots = open_table(write("a,b\n0.125,1.5\n-0.25,2.25\n3.5,0.75\n"), decimal=decimal)
    assert dots.frame["a"].tolist() == [0.125, -0.25, 3.5]
    commas = open_table(write("a;b\n0,125;1,500\n-0,25;2,250\n3,5;75\n"), decimal=decimal)
    assert commas.frame["a"].tolist() == [0.125, -0.25, 3.5]
    assert commas.frame["b"].tolist() == ([1.5, 2.25, 75] if decimal == "," else [1500, 2250, 75])
