"""A small cluster of separate processes, started once for all tests that need one."""

from collections.abc import Iterator

import pytest
from tests.scale.workers.clusters import processes


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Address of a scheduler with two workers of one thread."""
    with processes(2) as cluster:
        yield cluster.scheduler_address
