"""What is said of tables."""

from spinney.notices import Notice

of = Notice.of

CASES = [
    (
        of("column-constant", "GDP", n=120),
        "Column 'GDP' is constant over 120 rows, so it has no ranks. Drop it.",
    ),
]
