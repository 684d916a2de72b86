"""What is said where the densities of pairs are fitted."""

from spinney.notices import Notice

TIED = (
    "Column 'b' (and 1 more) has 16 distinct values, and 38% of all pairs of its rows tie. Average "
    "ranks then make independent columns look dependent. Use {}, or leave it out."
)
LARGE = (
    "The densities of 1,000,000 rows and 780 pairs take about 18.7 GB, and the machine has 8.0 GB. "
    "Learn from fewer rows, such as {}."
)
SIZES = {"n": 1_000_000, "n_pairs": 780, "needed": 18.72, "has": 8.0}

CASES = [
    (
        Notice("ties-many", "warning", ("b", "d"), facts={"distinct": 16, "share": 0.38}),
        TIED.format("ties='random'"),
        TIED.format("--ties random"),
    ),
    (
        Notice("densities-too-large", facts=SIZES),
        LARGE.format("rows=20000"),
        LARGE.format("--rows 20000"),
    ),
]
