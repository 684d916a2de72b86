"""What is said of tables."""

from spinney.notices import Notice
from spinney.tables import LeftOut

of = Notice.of
LEFT = (LeftOut("a", "constant"), LeftOut("b", "levels", {"levels": 9, "n": 20}))
TEXT = (LeftOut("c", "text", {"first": "n/a?"}),)

CASES = [
    (
        of(
            "columns-follow",
            "total",
            left=(LeftOut("total", "sum", {"of": ["a", "b", "c"]}),),
            kept=False,
        ),
        "Left out, because it follows from other columns: 'total' is the sum of a, b and c. To "
        "keep 'total', give its kind in kinds={...}.",
        "Left out, because it follows from other columns: 'total' is the sum of a, b and c. To "
        "keep 'total', give its kind with --kind COLUMN=KIND.",
    ),
    (
        of(
            "columns-follow",
            "a",
            "x",
            left=(
                LeftOut("a", "rest", {"of": ["b", "c"], "total": 100.0}),
                LeftOut("x", "one-hot", {"of": ["y", "z"]}),
            ),
            kept=False,
        ),
        "Left out, because they follow from other columns: 'a' sums to 100 with b and c, in every "
        "row; 'x' is set where none of y and z is, in every row. To keep such a column, give its "
        "kind in kinds={...}. The others are still parts of one whole, which alone makes them "
        "fall as others rise; logarithms of their ratios avoid that. Put one-hot columns together "
        "in one column of categories.",
        "Left out, because they follow from other columns: 'a' sums to 100 with b and c, in every "
        "row; 'x' is set where none of y and z is, in every row. To keep such a column, give its "
        "kind with --kind COLUMN=KIND. The others are still parts of one whole, which alone makes "
        "them fall as others rise; logarithms of their ratios avoid that. Put one-hot columns "
        "together in one column of categories.",
    ),
    (
        of("columns-follow", "d", left=(LeftOut("d", "mean", {"of": ["a", "b"]}),), kept=True),
        "'d' is the mean of a and b. Given the others each of these columns is known, so their "
        "edges show no more than that. Leave one out of each.",
    ),
    (
        of("units-unnamed", "id", count=20, n=1400, kind="continuous"),
        "'id' looks like the unit that rows belong to, such as a patient (20 values in 1,400 "
        "rows), so it was not learned from. If it is, say units='id': rows of one unit then count "
        "as fewer. If it is a variable, say kinds={'id': 'continuous'}.",
        "'id' looks like the unit that rows belong to, such as a patient (20 values in 1,400 "
        "rows), so it was not learned from. If it is, say --unit id: rows of one unit then count "
        "as fewer. If it is a variable, say --kind id=continuous.",
    ),
    (
        of("table-sparse"),
        "The table is a sparse matrix, but ranks need every entry. Use X.toarray().",
    ),
    (
        of("table-ragged", cause="odd"),
        "The rows of the table differ in length (odd).",
    ),
    (of("table-complex"), "Complex data not supported: the table must hold real numbers."),
    (
        of("table-without-shape", type="dict"),
        "A table has rows and columns, but the input is a dict without them. Pass a data frame, "
        "such as pandas.DataFrame(X), or an array of shape (n, d).",
    ),
    (
        of("table-inside", type="SachsData"),
        "A SachsData is not a table, but holds one: pass its attribute .X.",
    ),
    (
        of("table-dimensions", ndim=1),
        "A table has rows and columns, but the input has 1 dimension(s). Reshape your data: "
        "X.reshape(-1, 1) makes one column of a plain list.",
    ),
    (
        of("table-few-columns", shape=(5, 0), least=2),
        "The table has too few columns: 0 feature(s) (shape=(5, 0)) while a minimum of 2 is "
        "required.",
    ),
    (
        of("table-few-columns", shape=(5, 1), least=2),
        "The table has 1 column(s), but at least 2 are needed to form a pair. Add the columns that "
        "it may depend on.",
    ),
    (
        of("table-few-rows", n=3, least=4),
        "The table has too few rows (n_samples = 3); at least 4 are needed. Collect more rows.",
        "The table has too few rows (3); at least 4 are needed. Collect more rows.",
    ),
    (
        of("table-transposed", n=4, d=80, tau=0.987),
        "Are the variables in the rows? The table has 4 rows and 80 columns, which rise and fall "
        "together (median rank correlation 0.99) on one scale. If each column is a sample, "
        "transpose it with X.T.",
        "Are the variables in the rows? The table has 4 rows and 80 columns, which rise and fall "
        "together (median rank correlation 0.99) on one scale. If each column is a sample, "
        "transpose it.",
    ),
    (
        of("column-name-twice", "a", count=2),
        "The column name 'a' occurs 2 times. Give each column a name of its own.",
    ),
    (of("column-complex", "a"), "Complex data not supported: column 'a' must be real."),
    (
        of("column-integers", "a"),
        "Column 'a' holds whole numbers beyond 2^53 that cannot be told apart as floating-point "
        "numbers. Subtract a common offset, or leave it out if it is a label.",
    ),
    (
        of("column-long-integer", "a", digits=401),
        "Column 'a' holds a whole number of 401 digits, too large for a floating-point number. "
        "Take its logarithm or leave it out.",
    ),
    (
        of("column-object", "a", type="dict"),
        "Column 'a' holds a dict, but each argument must be a string-free number. Leave the column "
        "out.",
    ),
    (
        of("column-dates", "a"),
        "Column 'a' holds dates or times. Turn them into numbers or leave it out.",
    ),
    (
        of("column-dates-unclear", "a", first="03/04/2024"),
        "Column 'a' holds dates in which day and month cannot be told apart (first: '03/04/2024'). "
        "Write them as 2024-12-31.",
    ),
    (
        of("column-text", "a", first="low"),
        "Column 'a' holds text (first: 'low'). Encode it as numbers or leave it out.",
    ),
    (
        of("column-infinite", "a", rows=(2,), count=1, n=9),
        "Column 'a' has 1 infinite value(s) (inf) of 9 (first: row 2). Replace them by finite "
        "numbers or drop those rows.",
    ),
    (
        of("column-infinite", "a", rows=(2,), count=1, n=9, line=4, file="t.csv"),
        "Column 'a' has 1 infinite value(s) (inf) of 9 (first: line 4 of t.csv). Replace them by "
        "finite numbers or drop those rows.",
    ),
    (
        of("infinite-as-gaps", "a", "b", level="warning", counts=(1, 20)),
        "Infinite numbers are taken as missing values: 1 in 'a', 20 in 'b'.",
    ),
    (
        of("column-gaps", "a", rows=(2,), count=1, n=9, can_keep=False),
        "Column 'a' has 1 missing value(s) (NaN) of 9 (first: row 2). Drop those rows or fill them "
        "before fitting.",
    ),
    (
        of("column-gaps", "a", rows=(2,), count=1, n=9, can_keep=True),
        "Column 'a' has 1 missing value(s) (NaN) of 9 (first: row 2). Use missing=\"pairwise\" to "
        'learn each pair from the rows that have both values, missing="drop", or fill them before '
        "fitting.",
        "Column 'a' has 1 missing value(s) (NaN) of 9 (first: row 2). Use --missing pairwise to "
        "learn each pair from the rows that have both values, --missing drop, or fill them before "
        "fitting.",
    ),
    (
        of("column-constant", "GDP", n=120),
        "Column 'GDP' is constant over 120 rows, so it has no ranks. Drop it.",
    ),
    (
        of("not-inside-unit", "a", rows=(3,), value=1.0),
        "U must lie strictly between 0 and 1; column 'a' reaches 1.0 at row 3. Use "
        "pseudo_observations(X) first.",
    ),
    (
        of("kinds-mapping", "a", given="'ordinal'"),
        "kinds must be a mapping, such as {'a': 'ordinal'}, not 'ordinal'.",
    ),
    (
        of("kind-binary", "a", levels=3),
        "Column 'a' cannot be binary: it has 3 distinct values. Make it ordinal or nominal in "
        "kinds={...}.",
        "Column 'a' cannot be binary: it has 3 distinct values. Make it ordinal or nominal with "
        "--kind COLUMN=KIND.",
    ),
    (
        of("kind-order", "pain", levels=("much", "none", "some")),
        "Column 'pain' holds labels whose order is not known. Give them in their order, "
        "kinds={'pain': ['much', 'none', 'some', …]}, or make the column an ordered categorical.",
        "Column 'pain' holds labels whose order is not known. Give them in their order, --kind "
        "'pain=much<none<some<…'.",
    ),
    (
        of("kind-levels", "a", kind="nominal", levels=60, most=50),
        "Column 'a' cannot be nominal: it has 60 levels, and 50 are the most. Group its values.",
    ),
    (
        of("kind-unlisted", "a", value="low", listed="mid, high"),
        "Column 'a' holds 'low', which kinds does not list (listed: mid, high). Add it.",
        "Column 'a' holds 'low', which --kind does not list (listed: mid, high). Add it.",
    ),
    (
        of("rows-complete-few", "a", complete=2, n=9, least=4, gaps=7),
        "2 of 9 row(s) have no gaps, but at least 4 are needed; column 'a' has most gaps (7). "
        'Leave it out, or use missing="pairwise".',
        "2 of 9 row(s) have no gaps, but at least 4 are needed; column 'a' has most gaps (7). "
        "Leave it out, or use --missing pairwise.",
    ),
    (
        of("columns-left-few", count=1, least=2, left=LEFT[:1]),
        "1 of 2 column(s) can be learned from, but at least 2 are needed to form a pair: 'a' is "
        "constant. Add columns.",
    ),
    (
        of("columns-left-out", "c", left=TEXT),
        "1 column is left out: 'c' holds text among numbers (first: 'n/a?'). Write numbers alone, "
        "and nothing where there is none, to keep such a column.",
    ),
    (
        of("columns-left-out", "a", "b", left=LEFT),
        "2 columns are left out: 'a' is constant; 'b' has 9 levels in 20 rows: group its "
        "categories. To keep a column that has two values or more, give its kind in kinds={...}.",
        "2 columns are left out: 'a' is constant; 'b' has 9 levels in 20 rows: group its "
        "categories. To keep a column that has two values or more, give its kind with --kind "
        "COLUMN=KIND.",
    ),
    (
        of("rows-lack-columns", "a", "b"),
        "The table has no column 'a', which the model was fitted on (nor 1 other(s)). Add it, with "
        "gaps if its values are not known.",
    ),
    (
        of("rows-of-other-width", found=3, expected=4),
        "The table has 3 column(s), but the model was fitted on 4. Pass rows with the same "
        "columns.",
    ),
    (
        of("level-unknown", "colour", value="'green'", known=["blue", "red"]),
        "Column 'colour' holds 'green', which was not there when the model was fitted (known: "
        "blue, red).",
    ),
    (
        of("gaps-depend", "x", depend_on=["z"], p=0.0012),
        "Values of 'x' are not missing at random: whether they are missing depends on 'z' (p = "
        "0.001). Doubt edges between columns that both depend on 'z'.",
    ),
    (
        of("gaps-depend", *"abcd", depend_on=list("zzzz"), p=0.002),
        "Values are not missing at random: whether they are missing depends in 'a' on 'z', in 'b'"
        " on 'z', in 'c' on 'z' and likewise in 1 more column (p = 0.002). Doubt edges between "
        "columns that both depend on such a cause.",
    ),
    (
        of("rows-few", n=12, pairs=45, in_common=False, tau=0.7),
        "12 rows are few for 45 pairs of columns: only pairs with a Kendall's tau of at least "
        "0.70 can be told from chance (5 % over all pairs). Expect only the strongest edges, or "
        "collect more rows.",
    ),
    (
        of("rows-few", n=4, pairs=1, in_common=True, tau=None),
        "4 rows in common (the median of all pairs) are few for 1 pair of columns: not even two "
        "columns in the same order can be told from chance (5 % over all pairs). Expect no edges, "
        "or collect more rows.",
    ),
    (
        of("rows-in-units", counted=32, n=200, units=30),
        "30 units: the 200 rows count as 32 independent ones for the worst-affected pair.",
    ),
    (
        of("units-length", count=3, n=200),
        "units= takes the name of a column, or one label for each of the 200 rows; it has 3 "
        "entries.",
        "--unit takes the name of a column, or one label for each of the 200 rows; it has 3 "
        "entries.",
    ),
    (
        of("units-missing", "who", count=3, n=200),
        "3 of 200 rows have no value in 'who', so each is a unit of its own.",
    ),
    (
        of("choice-unknown", what="column", value="raff", hint=" Did you mean 'Raf'?", shown="Raf"),
        "There is no column 'raff'. Did you mean 'Raf'? Choose from: Raf.",
    ),
    (
        of("column-unknown", "q", parameter="required", hint=" Did you mean 'Q'?"),
        "required names a column 'q' that the table does not have. Did you mean 'Q'?",
    ),
]
