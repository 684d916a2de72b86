"""What is said of files."""

from spinney.notices import Notice

of = Notice.of
F = {"file": "'t.csv'"}
EXAMPLE = "Write two names of columns on each line, such as a,b."
NAMES = "names of the columns"

CASES = [
    (of("file-none", **F), "There is no file 't.csv'. Check the path."),
    (of("file-folder", **F), "'t.csv' is a folder. Name a file in it."),
    (of("file-permission", **F), "'t.csv' may not be read. Check its permissions."),
    (of("file-unreadable", **F, cause="why"), "'t.csv' cannot be read (why). Check the path."),
    (of("input-unreadable", cause="why"), "Standard input cannot be read (why). Name a file."),
    (
        of("file-library", suffix=".xlsx", needs="openpyxl", extra="excel"),
        "Reading '.xlsx' needs openpyxl. Install it with: pip install 'spinney[excel]'",
    ),
    (
        of("file-option", **F, format="text", option="sheet"),
        "'t.csv' holds text, for which sheet means nothing. Leave it out.",
        "'t.csv' holds text, for which --sheet means nothing. Leave it out.",
    ),
    (
        of("file-damaged", **F, format="parquet", cause="why"),
        "'t.csv' cannot be read as a Parquet file (why). Write it anew.",
    ),
    (
        of("file-memory", **F, format="excel"),
        "'t.csv' does not fit into memory. Copy what is needed into a file of its own.",
    ),
    (
        Notice("file-cells", facts={**F, "rows": 10**6, "columns": 3, "most": 9, "format": "long"}),
        "'t.csv' holds a table of 1,000,000 × 3 cells; at most 9 are read. Take fewer rows or "
        "columns of it.",
    ),
    (
        of("file-unpacks", **F, bytes=2000, most=10**6),
        "'t.csv' has 2,000 bytes, but unpacks to more than 1,000,000. Unpack it first, and choose "
        "the columns that are needed.",
    ),
    (of("file-zip", **F, members=[]), "'t.csv' holds no file. Pack one table into it."),
    (
        of("file-zip", **F, members=["a", "b"]),
        "'t.csv' holds 2 files ('a' and 'b'). Pack one table into it.",
    ),
    (of("file-password", **F), "'t.csv' has a password. Unpack it first."),
    (of("file-other", **F, what="json"), "'t.csv' is JSON. Save the table as CSV in UTF-8."),
    (
        of("file-hdf5", **F),
        "'t.csv' is an HDF5 file, but no AnnData file with a matrix X. Save the table as CSV in "
        "UTF-8.",
    ),
    (
        of("file-damaged-text", **F, encoding="UTF-16", line=2),
        "'t.csv' starts as text in UTF-16, but is damaged on line 2. Save the table anew as CSV in "
        "UTF-8.",
    ),
    (
        of("file-nul", **F, line=2),
        "'t.csv' is not text (first: a NUL character on line 2). Save the table as CSV in UTF-8.",
    ),
    (
        of("file-not-text", **F, byte=1, line=2),
        "'t.csv' is not text in UTF-8 (first: byte 0x01 on line 2). Save the table as CSV in "
        "UTF-8.",
    ),
    (
        of("file-empty", **F, header=True),
        "'t.csv' is empty. A table has a header and rows below it.",
    ),
    (of("file-empty", **F, header=False), "'t.csv' is empty. A table has columns and rows."),
    (
        of("file-one-column", **F),
        "'t.csv' has one column only. Separate columns by commas, tabs or semicolons.",
    ),
    (of("file-no-rows", **F), "'t.csv' has a header, but no rows below it. Add the data."),
    (
        of("file-row-width", **F, place="line", at=3, cells=1, width=2),
        "Line 3 of 't.csv' has 1 cell, but the header has 2. Complete the row, or put quotes "
        "around cells that hold a separator.",
    ),
    (
        of("file-line", **F, at=2, cause="why"),
        "Line 2 of 't.csv' cannot be read (why). Look for a stray quote.",
    ),
    (
        of("file-quote", **F, at=2),
        "A quote that opens on line 2 of 't.csv' is never closed. Close it, or take it out.",
    ),
    (
        of("file-name-twice", "a", **F),
        "'t.csv' has two columns called 'a'. Give each a name of its own.",
    ),
    (
        of("file-column-type", "a", **F, nested=True, type="list<int>"),
        "Column 'a' of 't.csv' holds lists, records or maps (list<int>). Write it as columns of "
        "numbers or text, or leave it out of the file.",
    ),
    (
        of("file-decimal", "a", cell="0.5", decimal=","),
        "Column 'a' holds '0.5', which is no number with decimal commas. Leave decimal out: it is "
        "found column by column.",
        "Column 'a' holds '0.5', which is no number with decimal commas. Leave --decimal out: it "
        "is found column by column.",
    ),
    (
        of("sheet-empty", **F, sheet="S"),
        "Sheet 'S' of 't.csv' is empty. Choose another with sheet=.",
        "Sheet 'S' of 't.csv' is empty. Choose another with --sheet.",
    ),
    (
        of("sheet-number", **F, number=3, sheets=["a", "b"]),
        "'t.csv' has 2 sheets, but sheet 3 is asked for. Choose from: a, b.",
    ),
    (
        of("sheet-formula", **F, cell="B2", sheet="S"),
        "Cell B2 of sheet 'S' in 't.csv' holds a formula whose value was never computed. Open the "
        "file in Excel or LibreOffice, save it, and read it again.",
    ),
    (of("pairs-none", **F, example="a,b"), f"'t.csv' holds no pairs. {EXAMPLE}"),
    (
        of("pairs-itself", "a", **F, at=2),
        "Line 2 of 't.csv' pairs 'a' with itself. Name two columns.",
    ),
    (
        of("pairs-count", **F, at=2, count=1, text="x", example="a,b"),
        f"Line 2 of 't.csv' holds 1 name ('x'), but a pair has two. {EXAMPLE}",
    ),
    (
        of("pairs-invisible", "a", **F, at=2),
        "Line 2 of 't.csv' holds 'a' with a blank or an invisible character in it. Write the name "
        "as it stands in the table.",
    ),
    (
        of("pairs-unknown", "q", **F, at=2, why=of("column-complex", "q")),
        "Line 2 of 't.csv': Complex data not supported: column 'q' must be real.",
    ),
    (of("read-unpacked", packer="gzip"), "unpacked with gzip"),
    (of("read-unzipped", member="t.csv"), "unpacked 't.csv' from a zip file"),
    (of("read-encoding", encoding="UTF-16"), "read as UTF-16"),
    (
        of("read-cp1252", letter="é", line=1),
        "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'é' on line 1)",
    ),
    (of("read-comments", at=[1, 2], first="# x"), "comment lines 1 to 2 left out ('# x')"),
    (of("read-separator", separator=";"), "columns are separated by semicolons"),
    (of("read-separator", separator="^"), "columns are separated by '^'"),
    (
        of("read-header", place="line", at=1, numbers=True),
        f'line 1 holds the {NAMES}, though most are numbers (otherwise: header="no")',
        f"line 1 holds the {NAMES}, though most are numbers (otherwise: --header no)",
    ),
    (of("read-header", place="line", at=2, numbers=False), f"line 2 holds the {NAMES}"),
    (
        of("read-no-header", place="line", asked=True),
        "no header, as asked; columns are called 'column 1', 'column 2' and so on",
    ),
    (
        of("read-no-header", place="line", asked=False),
        "no header: the first line is like those below it, so columns are called 'column 1', "
        "'column 2' and so on (otherwise: header=\"yes\")",
        "no header: the first line is like those below it, so columns are called 'column 1', "
        "'column 2' and so on (otherwise: --header yes)",
    ),
    (
        of("read-units", place="line", at=2, example="mg"),
        "line 2 left out, as it holds text above numbers, such as units ('mg')",
    ),
    (
        of("read-above", place="row", at=[1, 3], first="Assay"),
        "rows 1 and 3 above the table left out ('Assay' …)",
    ),
    (
        of("read-notes", place="line", at=[9], first="* x"),
        "line 9 left out, as there is no data ('* x')",
    ),
    (
        of("read-empty-rows", place="line", count=2, at=5),
        "2 empty rows at the end (from line 5) left out",
    ),
    (of("read-trimmed", place="line", at=[4]), "separators at the end of line 4 left out"),
    (of("read-trimmed", place="line", at=[4, 6]), "separators at the end of 2 lines left out"),
    (
        of("read-empty-columns", positions=[3]),
        "column 3 left out, as it has neither a name nor values",
    ),
    (
        of("read-name-cleaned", "b 2", position=4, more=1),
        "the name of column 4 held a line break or an invisible character; it is called 'b 2'; so "
        "did 1 more",
    ),
    (
        of("read-name-cut", position=2, length=1000, most=200, more=0),
        "the name of column 2 has 1,000 characters; it is cut to 200",
    ),
    (of("read-unnamed", positions=[2]), "column 2 has no name; it is called 'column 2'"),
    (
        of("read-unnamed", positions=[2, 4]),
        "columns 2 and 4 have no names; they are called 'column 2' and so on",
    ),
    (
        of("read-name-twice", "a", new="a (2)", times=3),
        "the name 'a' occurs 3 times; the second is called 'a (2)' and so on",
    ),
    (
        of("read-names-twice", more=2),
        "2 more names stand more than once and are numbered likewise",
    ),
    (
        of("read-row-names", "No", has_header=True, counts=True, whole=True),
        "column 'No' taken for row names (it counts the rows)",
        "column 'No' taken for row names (it counts the rows); --kind 'No'=continuous keeps it",
    ),
    (
        of("read-row-names", has_header=True, counts=True, whole=True),
        "the first column, which has no name, taken for row names",
    ),
    (
        of("read-row-names-short"),
        "the first column taken for row names, as the header has one name less than there are "
        "columns",
    ),
    (of("read-index", "cell"), "the index of the table ('cell') taken for row names"),
    (
        of("read-sheet-errors", "a", first="#N/A"),
        "spreadsheet errors (such as #N/A) in column 'a' are gaps",
    ),
    (
        of(
            "read-numbers",
            "a",
            "b",
            marks=("decimal", "."),
            reason="",
            example="1.0,5",
            value="10.5",
        ),
        "decimal commas and thousands marked by dots in columns 'a' and 'b' ('1.0,5' read as 10.5)",
    ),
    (
        of("read-numbers", "a", marks=(), reason="unsure-dot", example="1.500", value="1.500"),
        "decimal dots in column 'a' ('1.500' read as 1.500), though nothing tells them from marks "
        'of thousands (otherwise: decimal=",")',
        "decimal dots in column 'a' ('1.500' read as 1.500), though nothing tells them from marks "
        "of thousands (otherwise: --decimal ,)",
    ),
    (
        of("read-na", "a", "b", counts={"-99": 1, "?": 0}),
        "taken as missing: '-99' once and '?' (not in the table), in columns 'a' and 'b'",
    ),
    (of("read-gap-words", "a", words=("-",)), "'-' among numbers in column 'a' is a gap"),
    (
        of("read-sheet", sheet="S", others=["T"]),
        "sheet 'S' taken, the first with a table (others: 'T'; choose with sheet=)",
        "sheet 'S' taken, the first with a table (others: 'T'; choose with --sheet)",
    ),
    (of("read-matrix", n=1000, d=20), "X read: 1,000 observations of 20 variables"),
    (
        of("read-obs", "batch"),
        "column of obs ('batch') kept beside the table",
        "column of obs ('batch') kept beside the table, for --group",
    ),
    (of("read-not", parts=["layers", "raw"]), "layers and raw not read"),
]
