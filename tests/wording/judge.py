"""Cases of what the judge says."""

from spinney.notices import Notice

_SIZE = {"d": 1200, "n": 90}
_SEEN = Notice("unlike-training-columns", "warning", facts={**_SIZE, "least": 2, "most": 100})
_COLUMNS = "The table has 1,200 columns; the judge has seen tables with 2 to 100."
_ROWS = Notice("unlike-training-rows", "warning", facts={**_SIZE, "least": 100, "most": 2000})
_VALUE = {"summary": "the mean share of tied rows", "value": 0.9, "limit": 0.5}
_TWO = {"first": "the first", "second": "the second", "first_value": 1.5, "second_value": 2.0}
_KEPT = {"probability": 0.254, "cut": 0.5, "target_fdr": None}

CASES = [
    (_SEEN, _COLUMNS),
    (_ROWS, "The table has 90 rows; the judge has seen tables with 100 to 2,000."),
    (
        Notice("unlike-training", "warning", facts={"notices": (_SEEN,)}),
        "The table is unlike those that the judge was trained on, so doubt its probabilities "
        f"(.check() shows how well they do here). {_COLUMNS}",
        "The table is unlike those that the judge was trained on, so doubt its probabilities "
        f"(--check shows how well they do here). {_COLUMNS}",
    ),
    (
        Notice("unlike-training", "ok", facts={"notices": ()}),
        "Nothing shows that the table is unlike those the judge was trained on.",
    ),
    (
        Notice("unlike-training-copies", facts={"pairs": [("a", "b")]}),
        "a – b carry nearly the same information: keep one of them.",
    ),
    (
        Notice("unlike-training-copies", facts={"pairs": [("a", "b"), ("a", "c")]}),
        "a – b and a – c carry nearly the same information: keep one of each pair.",
    ),
    (
        Notice("unlike-training-follows", columns=("sum",)),
        "'sum' follows from the other columns: leave it out.",
    ),
    (
        Notice("unlike-training-repeats", facts={"count": 8, "n": 40}),
        "8 of 40 rows repeat others: drop the repeats.",
    ),
    (
        Notice("unlike-training-few", facts={"n": 12, "d": 40}),
        "It has only 12 rows for 40 columns: choose fewer columns, or collect rows.",
    ),
    (
        Notice("unlike-training-gaps", columns=("x",), facts={"percent": 93}),
        "'x' is missing in 93 % of the rows: leave it out.",
    ),
    (
        Notice("unlike-training-one-value", columns=("x",), facts={"percent": 99}),
        "'x' has one value in 99 % of the rows: leave it out.",
    ),
    (
        Notice("unlike-training-alike-rows"),
        "Neighbouring rows are much alike: name their units (units=), or take rows that are "
        "further apart.",
        "Neighbouring rows are much alike: name their units (--unit), or take rows that are "
        "further apart.",
    ),
    (
        Notice("unlike-training-other"),
        "No single column or row explains it: see which edges other methods find, too "
        "(compare=True).",
        "No single column or row explains it: see which edges other methods find, too (--compare).",
    ),
    (
        Notice("unlike-training-work", "warning", facts={**_SIZE, "most": 40}),
        "The table has 90 rows; of 1,200 columns, the judge has seen tables with 40 rows at most.",
    ),
    (
        Notice("unlike-training-summary", "warning", facts={**_SIZE, **_VALUE, "above": True}),
        "With 1,200 columns and 90 rows, the mean share of tied rows is 0.9; in 99.9 % of such "
        "tables that the judge has seen it is at most 0.5.",
    ),
    (
        Notice("unlike-training-summary", "warning", facts={**_SIZE, **_VALUE, "above": False}),
        "With 1,200 columns and 90 rows, the mean share of tied rows is 0.9; in 99.9 % of such "
        "tables that the judge has seen it is at least 0.5.",
    ),
    (
        Notice(
            "unlike-training-together",
            "warning",
            facts={**_SIZE, **_TWO, "distance": 12.31, "limit": 9.04},
        ),
        "With 1,200 columns and 90 rows, no number by itself is unusual, but together they lie at "
        "distance 12.3 from the middle of the tables that the judge has seen (99.5 % of them "
        "within 9.0); most of it comes from the first (1.5) beside the second (2).",
    ),
    (
        Notice(
            "unlike-training-parts",
            "warning",
            columns=("GDP",),
            facts={"count": 2, "of": 3, "notices": (_SEEN,)},
        ),
        "2 neighbourhoods of 3 are unlike them in other ways; that of column 'GDP', for example: "
        f"{_COLUMNS}",
    ),
    (
        Notice("no-pair-to-judge", "note", facts={"fewest": 10}),
        "No edge was kept, because no pair could be judged: each is forbidden, or its rows count "
        "as fewer than 10 independent ones.",
    ),
    (
        Notice("no-edge-kept", "note", columns=("a", "b"), facts=_KEPT),
        "No edge was kept. The most probable pair, 'a' and 'b', has a probability of 0.25, and "
        "more than 0.5 is asked for (cut).",
        "No edge was kept. The most probable pair, 'a' and 'b', has a probability of 0.25, and "
        "more than 0.5 is asked for.",
    ),
    (
        Notice("no-edge-kept", "note", columns=("a", "b"), facts={**_KEPT, "target_fdr": 0.1}),
        "No edge was kept. The most probable pair, 'a' and 'b', has a probability of 0.25, and at "
        "most 0.1 of the edges may be false (target_fdr).",
        "No edge was kept. The most probable pair, 'a' and 'b', has a probability of 0.25, and at "
        "most 0.1 of the edges may be false (--fdr).",
    ),
    (
        Notice("weak-edges", "note", facts={"count": 12, "min_strength": 0.1}),
        "12 weak edges were left out: their strength is below 0.1, or may be (min_strength).",
        "12 weak edges were left out: their strength is below 0.1, or may be (--min-strength).",
    ),
    (
        Notice("weak-edges", "note", facts={"count": 1, "min_strength": 0.1}),
        "1 weak edge was left out: its strength is below 0.1, or may be (min_strength).",
        "1 weak edge was left out: its strength is below 0.1, or may be (--min-strength).",
    ),
]
