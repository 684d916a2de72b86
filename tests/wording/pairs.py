"""What is said where the densities of pairs are fitted."""

from spinney.notices import Notice

TIED = (
    "Column 'b' (and 1 more) has 16 distinct values, and 38% of all pairs of its rows tie. Average "
    "ranks then make independent columns look dependent. Use {}, or leave it out."
)
LONG = (
    "The log-densities of 1,000,000 rows and 780 pairs would take 6.2 GB, so they are summed and "
    "not kept. Learn from fewer rows ({}) to have what needs them all."
)

CASES = [
    (
        Notice("ties-many", "warning", ("b", "d"), facts={"distinct": 16, "share": 0.38}),
        TIED.format("ties='random'"),
        TIED.format("--ties random"),
    ),
    (
        Notice("densities-not-held", facts={"n": 1_000_000, "n_pairs": 780}),
        LONG.format("rows=20000"),
        LONG.format("--rows 20000"),
    ),
]
