"""The choice of a device: names, and what is said where there is no GPU."""

import sys

import numpy as np
import pytest

from spinney import GraphLearner, PairCopulas
from spinney._core.choices import read_device
from spinney.exceptions import DataWarning, InputError
from spinney.judge import Judge, Network, Settings
from spinney.scale.gpu import device as _cuda


@pytest.fixture
def no_gpu(monkeypatch):
    """A machine without a GPU, whatever this one has."""
    reasons = {"numba-cuda": "no driver.", "torch": "no torch."}
    monkeypatch.setattr(_cuda, "why_no_cuda", lambda needs=("numba-cuda",): reasons[needs[0]])


@pytest.mark.parametrize("wrong", ["gpu", "cuda:0", None, 0])
def test_other_names_are_refused(wrong):
    with pytest.raises(InputError, match=r"device must be one of cpu, cuda; it is .*\.$"):
        read_device(wrong)
    with pytest.raises(InputError, match="device must be one of cpu, cuda"):
        PairCopulas(device=wrong).fit(np.random.default_rng(0).uniform(size=(20, 2)))


def test_pair_copulas_fall_back_with_a_word(no_gpu):
    U = np.random.default_rng(0).uniform(size=(30, 2))
    options = {"families": ["gaussian"], "cv": 2}
    with pytest.warns(DataWarning, match="so the processor computes: no driver.") as said:
        there = PairCopulas(**options, device="cuda").fit(U)
    assert len(said) == 1
    np.testing.assert_array_equal(there.parameters_, PairCopulas(**options).fit(U).parameters_)


def test_judge_falls_back_with_a_word(no_gpu):
    judge = Judge([Network.random(Settings(n_even=3, n_odd=1, n_blocks=1))])
    even, odd = np.ones((6, 3)), np.ones((6, 1))
    with pytest.warns(DataWarning, match="so the processor computes: no torch."):
        there = judge.logits(even, odd, device="cuda")
    np.testing.assert_array_equal(there, judge.logits(even, odd))


@pytest.mark.parametrize(("need", "module"), [("numba-cuda", "numba.cuda"), ("torch", "torch")])
def test_what_is_missing_is_named(monkeypatch, need, module):
    monkeypatch.setitem(sys.modules, module, None)
    if module == "numba.cuda":
        monkeypatch.delattr("numba.cuda", raising=False)
    _cuda.why_no_cuda.cache_clear()
    _cuda.cuda_module.cache_clear()
    try:
        said = _cuda.why_no_cuda((need,))
        assert said == f"{need} is not installed. {_cuda.HOW_TO_INSTALL}"
    finally:
        _cuda.why_no_cuda.cache_clear()


def test_numba_cuda_is_imported_where_numpy_has_lost_an_old_name(monkeypatch):
    monkeypatch.delitem(vars(np), "row_stack", raising=False)
    _cuda.cuda_module.cache_clear()
    assert hasattr(_cuda.cuda_module(), "jit")
    assert vars(np)["row_stack"] is np.vstack


def test_learning_falls_back_with_one_word(no_gpu):
    table = np.random.default_rng(0).normal(size=(40, 4)).cumsum(axis=1)
    with pytest.warns(DataWarning, match="so the processor computes") as said:
        there = GraphLearner(device="cuda").fit(table)
    assert sum("processor computes" in str(word.message) for word in said) == 1
    here = GraphLearner().fit(table)
    np.testing.assert_array_equal(there.edge_probabilities_, here.edge_probabilities_)
