"""Parameters in messages become options of the command line; other words stay."""

import pytest

from spinney._core.command_line import for_command_line

CASES = {
    "give its kind in kind={...}.": "give its kind with --kind COLUMN=KIND.",
    "kind={'my id': 'continuous'} keeps it": "--kind 'my id=continuous' keeps it",
    "which kind does not list": "which --kind does not list",
    "say unit='who': rows": "say --unit 'who': rows",
    "name their column (unit=); if": "name their column (--unit); if",
    'Use missing="pairwise", or missing="drop".': "Use --missing pairwise, or --missing drop.",
    '(otherwise: decimal=",")': "(otherwise: --decimal ,)",
    "does not use sheet=.": "does not use --sheet.",
    "fewer rows, such as rows=20000.": "fewer rows, such as --rows 20000.",
    "fewer rows (rows=...).": "fewer rows (--rows).",
    "Use ties='random', or": "Use --ties random, or",
    "say na=[-99, 7].": "say --na -99,7.",
    "say na=['a b=9', 'c=9'].": "say --na 'a b=9,c=9'.",
    "may be false (fdr).": "may be false (--fdr).",
    "all may be false (fdr = 1).": "all may be false (--fdr = 1).",
    "Column 'fdr' is constant.": "Column 'fdr' is constant.",
    "or may be (min_strength).": "or may be (--min-strength).",
    "an edge needs more than 0.5 (cut).": "an edge needs more than 0.5.",
    "(.check() shows how well)": "(--check shows how well)",
    "transpose it with X.T.": "transpose it.",
    "too few rows (n_samples = 3)": "too few rows (3)",
    "Its order: kind={'x': ['low', 'high', 3, …]}, or make the column an ordered categorical.": (
        "Its order: --kind 'x=low<high<3<…'."
    ),
    "Column 'kinds' has 3 rows = 3 units.": "Column 'kinds' has 3 rows = 3 units.",
}


@pytest.mark.parametrize("message", CASES)
def test_messages_name_options(message):
    assert for_command_line(message) == CASES[message]
