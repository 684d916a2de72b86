"""Fixtures shared by all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_info, threadpool_limits

from spinney._core import progress

# A first call compiles, so time says nothing; derandomised, so that a run can be repeated.
# `make test-all` asks for the thorough profile; tests that say a number of examples mean it.
ALWAYS = settings(deadline=None, derandomize=True, print_blob=True)
settings.register_profile("quick", ALWAYS, max_examples=30)
settings.register_profile("thorough", ALWAYS, max_examples=100)
settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put forests and models in the second half, which the second of two workers begins with.

    It compiles their kernels while the first one compiles those of pairs, and each finds what the
    other has compiled. Side by side they would compile the same ones at the same time.
    """
    items.sort(key=lambda item: _is_of_second_half(item.path))


def _is_of_second_half(path: Path) -> bool:
    tests = Path(__file__).parent
    if not path.is_relative_to(tests):
        return True
    folder = path.relative_to(tests).parts[0]
    return folder in ("forests", "models") or folder > "pairs"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261115)


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Let processes hear Ctrl-C and a closed terminal, as those in the background do not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    hang_up = getattr(signal, "SIGHUP", signal.SIGINT)
    before_hang_up = signal.getsignal(hang_up)
    if before_hang_up == signal.SIG_IGN:
        signal.signal(hang_up, signal.SIG_DFL)
    yield
    signal.signal(hang_up, before_hang_up)
    signal.signal(signal.SIGINT, before)


class Bars:
    """What stands in for rich's bars, and writes down what is going on."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int | None]] = []

    def add_task(self, label: str, total: int | None) -> str:
        self.told.append((label, total))
        return label

    def advance(self, label: str, steps: int) -> None:
        self.told.append((label, steps))

    def remove_task(self, label: str) -> None:
        pass


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> Bars:
    """Bars that are shown already, so that every stage adds its own."""
    shown = Bars()
    monkeypatch.setattr(progress, "_bars", shown)
    return shown


def blas_threads() -> int:
    """Count the threads that linear algebra may use now."""
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


@pytest.fixture
def two_blas_threads() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        if blas_threads() != 2:
            pytest.skip("this linear algebra library has one thread only")
        yield
