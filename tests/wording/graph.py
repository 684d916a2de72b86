"""What is said of a learned graph and of the checks of its table."""

from spinney.notices import Notice

of = Notice.of

CASES = [
    (of("as-warned", text="The file was cut short."), "The file was cut short."),
    (of("table-size", n=1, d=12), "1 row and 12 columns were learned from."),
    (of("column-kinds", kinds="3 continuous"), "Kinds of columns: 3 continuous."),
    (of("left-out-columns", reasons=[]), "No column was left out."),
    (
        of("left-out-columns", reasons=["'k' is constant"]),
        "1 column was left out: 'k' is constant.",
    ),
    (
        of("enough-rows", n=1200, counted=227, tau=0.151),
        "1,200 rows, which count as 227, are enough to tell a Kendall's tau of 0.15 from chance "
        "(5 % over all pairs).",
    ),
    (
        of("enough-rows", n=1200, counted=1200, tau=0.123),
        "1,200 rows are enough to tell a Kendall's tau of 0.12 from chance (5 % over all pairs).",
    ),
    (of("no-gaps"), "No value is missing."),
    (
        of("gaps", "b", share=0.01, shares=[0.042], n=120, n_complete=115),
        "1.0 % of all values are missing, in 1 column; most in b (4.2 %). 115 rows of 120 are "
        "complete; each pair was learned from the rows that have both values.",
    ),
    (
        of("ties", shares=[]),
        "No continuous column has one value in more than a fifth of its rows.",
    ),
    (
        of("ties", "c", shares=[(0.5, 0.3)]),
        "1 continuous column has the same value in many rows, such as a limit of detection: c (0.3 "
        "in 50 %). Equal values have no order, which leaves less to learn from.",
    ),
    (of("repeated-rows", count=0, n=120, once=False), "No duplicate rows."),
    (
        of("repeated-rows", count=6, n=126, once=False),
        "6 rows (4.8 %) repeat an earlier row in every column. Duplicates inflate the evidence; "
        "remove them unless they are separate measurements.",
    ),
    (
        of("repeated-rows", count=400, n=500, once=True),
        "400 rows (80 %) repeat an earlier row in every column. Each distinct row counts once; "
        "find out where the duplicates come from.",
    ),
    (of("twins", pairs=[], tau=0.98), "No two columns are nearly the same."),
    (
        of("twins", pairs=[("b", "copy")], tau=0.98),
        "Nearly the same (Kendall's tau beyond 0.98): b – copy. Edges of one cannot be told from "
        "edges of the other; keep one of them.",
    ),
    (
        of("codes-for-missing", found=[("b", 9.0, 18)], each=True),
        "Numbers that may be codes for missing values: b (9 in 18 rows). They are taken as they "
        "are; if they are codes, say na=['b=9'].",
        "Numbers that may be codes for missing values: b (9 in 18 rows). They are taken as they "
        "are; if they are codes, say --na b=9.",
    ),
    (
        of("codes-for-missing", found=[("b", -999.0, 18)], each=False),
        "Numbers that may be codes for missing values: b (-999 in 18 rows). They are taken as they "
        "are; if they are codes, say na=[-999].",
        "Numbers that may be codes for missing values: b (-999 in 18 rows). They are taken as they "
        "are; if they are codes, say --na -999.",
    ),
    (of("far-values", found={}), "No value lies far from all others of its column."),
    (
        of("far-values", found={"d": 1e6}),
        "Far from all other values: d (1e+06). Ranks are used, so they do little harm; but they "
        "may be slips, or codes for missing values.",
    ),
    (
        of("rows-not-tested"),
        "Rows are taken to be independent draws. Whether they are (no time series, no repeats of "
        "one sample) was not tested here.",
    ),
    (
        of("rows-independent"),
        "Neighbouring rows are no more alike than independent rows would be.",
    ),
    (
        of("rows-counted", counted=40, n=200, pairs=[], judged=True),
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they count "
        "as fewer (40 of 200 for the worst pair). If rows belong to units, such as patients, name "
        "their column (units=); if their order means nothing, shuffle them.",
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they count "
        "as fewer (40 of 200 for the worst pair). If rows belong to units, such as patients, name "
        "their column (--unit); if their order means nothing, shuffle them.",
    ),
    (
        of("rows-counted", counted=40, n=200, pairs=[("a", "b"), ("a", "c")], judged=True),
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they "
        "count as fewer (40 of 200 for the worst pair). The result for a – b and a – c depends on"
        " this. If rows belong to units, such as patients, name their column (units=); if their "
        "order means nothing, shuffle them.",
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they "
        "count as fewer (40 of 200 for the worst pair). The result for a – b and a – c depends on"
        " this. If rows belong to units, such as patients, name their column (--unit); if their "
        "order means nothing, shuffle them.",
    ),
    (
        of("rows-counted", counted=40, n=200, pairs=[("a", "b")], judged=False),
        "Neighbouring rows are alike, as in a time series or in repeats of one unit, so they are "
        "worth fewer independent rows (40 of 200 for the worst pair): doubt a – b. Only "
        "graph-learner takes that into account.",
    ),
    (
        of("size-calibration", low=2, high=7, error=0.0896),
        "On tables of 2 to 7 columns, as this one, probabilities are off by 0.09 on average.",
    ),
    (
        of("unknown-pairs", pairs=[("a", "b")], lack="order"),
        "1 pair could not be judged, because neighbouring rows are alike and count as fewer than "
        "10 independent ones: a – b. That it is not an edge means nothing; if the order of rows "
        "means nothing, shuffle them.",
    ),
    (
        of("unknown-pairs", pairs=[("a", "b")], lack="units"),
        "1 pair could not be judged, because rows of one unit are alike and count as fewer than "
        "10 independent ones: a – b. That it is not an edge means nothing; more units are needed.",
    ),
    (
        of("unknown-pairs", pairs=[("a", "b"), ("a", "c")], lack="values"),
        "2 pairs could not be judged, because rows with both values count as fewer than 10 "
        "independent ones: a – b and a – c. That these are not edges means nothing; more rows "
        "with both values are needed.",
    ),
    (
        of("groups-too-many", "age", count=60, n=90, most=20, ordered=True),
        "Column 'age' has 60 distinct values in 90 rows, too many for groups (20 are the most): "
        "cut it into a few classes first (pandas.cut), or name another column.",
        "Column 'age' has 60 distinct values in 90 rows, too many for groups (20 are the most): "
        "cut it into a few classes first, or name another column.",
    ),
    (of("method-note", method="EF-λ", note="Not run."), "EF-λ: Not run."),
    (
        of("every-judged-graph"),
        "An edge has no direction, and an unmeasured common cause can create an edge between its "
        "effects.",
    ),
    (
        of("every-graph"),
        "An edge has no direction, and an unmeasured common cause can create an edge between its "
        "effects. Rows that depend on each other (a time series, repeats) are worth fewer "
        "independent rows.",
    ),
]
