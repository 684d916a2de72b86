"""Cases of what the forest models say."""

from spinney.notices import Notice

_FACTS = {"strength": 0.574, "gain": 2.0, "n": 10, "n_pairs": 3}
_STRONGEST = (
    "No edge was kept. The strongest pair, 'a' and 'b', is as strong as a correlation of 0.57: a "
    "gain of 2.0 nats from 10 rows. To stand out among 3 pairs "
)

CASES = [
    (
        Notice("no-pair-gains", "note"),
        "No edge was kept: no pair says more about new rows than independence does.",
    ),
    (
        Notice("no-pair-stands-out", "note", ("a", "b"), facts={**_FACTS, "needed": 2.25}),
        f"{_STRONGEST}it would have to gain about 2.2; more rows or fewer columns would settle it.",
    ),
    (
        Notice("no-pair-stands-out", "note", ("a", "b"), facts={**_FACTS, "needed": 1.5}),
        f"{_STRONGEST}a gain of about 1.5 is enough: loosen the model's own penalty or tolerance.",
    ),
]
