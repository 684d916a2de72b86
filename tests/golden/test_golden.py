"""The numbers of all estimators stay what they were.

``python -m tests.golden.compare`` says more of what differs.
"""

from functools import cache

import pytest

from tests.golden.compare import beyond, is_elsewhere
from tests.golden.measure import PLAN, measure
from tests.golden.store import Golden, read

QUICK = (
    *("tiny", "two_columns", "three_columns", "sachs", "ordinal", "mixed_few_rows"),
    *("gaps_pairwise", "gaps_ordinal", "gaps_nominal", "penguins", "long"),
)
"""Tables of every kind that take half a second each: all estimators, variants, wide tables."""


@cache
def golden() -> Golden:
    return read()


def test_every_table_is_measured() -> None:
    assert len(PLAN) == 40
    assert list(golden().tables) == list(golden().numbers) == list(PLAN)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLAN]
)
def test_numbers_are_what_they_were(name: str) -> None:
    new = measure(name, golden().tables[name])
    found = beyond(name, golden().numbers[name], new, is_elsewhere(golden()))
    assert [f"{key}: {how}" for key, how, _ in found] == []
