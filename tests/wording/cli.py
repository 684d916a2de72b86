"""What a run says of itself."""

from spinney.notices import Notice

SMALLER = "Choose fewer columns with --columns, or take a part of the rows."


def of(code, level="warning", **facts):
    return Notice(code, level, facts=facts)


CASES = [
    (
        of("memory-lacking", "error", needed=70.25, has=16.0),
        f"This needs about 70.2 GB of memory, and this machine has 16.0 GB. {SMALLER}",
    ),
    (
        of("memory-lacking", needed=7.0, has=4.0),
        f"This needs about 7.0 GB of memory, and 4.0 GB are free here. {SMALLER}",
    ),
    (
        of("method-slow", method="shared_forest", most=2000),
        "Not run: with more than 2,000 columns it takes minutes; to have it nevertheless, name it "
        "in compare=[...].",
        "Not run: with more than 2,000 columns it takes minutes; --estimator shared-forest learns "
        "with it alone.",
    ),
    (
        of("method-too-long", n=100_000, n_pairs=50_000),
        "Not run: it holds a number for each of 100,000 rows and 50,000 pairs, about 40.0 GB; to "
        "have it, learn from fewer rows (rows=...).",
        "Not run: it holds a number for each of 100,000 rows and 50,000 pairs, about 40.0 GB; to "
        "have it, learn from fewer rows (--rows).",
    ),
    (
        of("method-whole", reason="it weighs the densities of all pairs"),
        "Not run: it weighs the densities of all pairs, and of a wide table only some are fitted.",
    ),
    (
        of("again-other-data", then="a", now="b"),
        "The data are not those of the earlier run: their checksum differs. So the graph may be "
        "another.",
    ),
    (
        of("again-other-judge", then="a", now="b"),
        "The judge is not that of the earlier run. So the graph may be another.",
    ),
    (
        of("again-other-version", then="0.1", now="0.2"),
        "The earlier run was made by spinney 0.1; this is 0.2. So the graph may be another.",
    ),
]
