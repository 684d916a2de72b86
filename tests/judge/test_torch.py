"""The network in torch: the twin for training, and the engine for those who have a GPU."""

import sys

import numpy as np
import pytest

from spinney.exceptions import InputError
from spinney.judge import Judge, Network, Settings, _formulas
from tests.judge.drawn import SMALL, WITHOUT, evidence, negated, network
from tests.judge.reference import reference_logits

DEFAULT = Settings(n_even=20, n_odd=6)


def test_without_torch_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r'^A device needs torch: pip install "spinney'):
        network().logits(*evidence(SMALL, 4), device="cpu")


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def model(torch):
    from training import model

    return model


@pytest.mark.parametrize("settings", [SMALL, WITHOUT, DEFAULT])
@pytest.mark.parametrize("d", [2, 3, 9])
def test_all_three_agree_with_the_formulas(torch, model, settings, d):
    own, (even, odd) = network(settings, 1), evidence(settings, d, 1)
    expected = reference_logits(settings, own.arrays, even, odd)
    twin = model.from_arrays(settings, own.arrays)
    tensors = torch.from_numpy(even)[None], torch.from_numpy(odd)[None]
    trained = twin(*tensors, torch.ones(1, d, dtype=torch.bool)).detach().numpy()[0]
    np.testing.assert_allclose(trained, expected, rtol=0, atol=1e-4)
    engine = own.logits(even, odd, device="cpu")
    np.testing.assert_allclose(engine, expected, rtol=0, atol=1e-4)
    np.testing.assert_allclose(own.logits(even, odd), expected, rtol=0, atol=1e-4)


def test_after_float16_the_twin_still_agrees(torch, model, tmp_path):
    Judge([network(DEFAULT, 3)]).save(tmp_path / "judge.npz")
    own, (even, odd) = Judge.load(tmp_path / "judge.npz").networks[0], evidence(DEFAULT, 7)
    twin = model.from_arrays(own.settings, own.arrays)
    mask = torch.ones(1, 7, dtype=torch.bool)
    logits = twin(torch.from_numpy(even)[None], torch.from_numpy(odd)[None], mask)
    np.testing.assert_allclose(own.logits(even, odd), logits.detach()[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize("settings", [SMALL, WITHOUT])
def test_padding_changes_nothing(torch, model, settings):
    twin = model.from_arrays(settings, network(settings).arrays)
    d, sizes = 7, (7, 2, 4)
    even, odd = (np.full((3, 21, k), 1e6, dtype=np.float32) for k in (5, 3))
    places, alone = [], []
    u, v = np.triu_indices(d, 1)
    for i, size in enumerate(sizes):
        place = np.flatnonzero((u < size) & (v < size))
        even[i, place], odd[i, place] = evidence(settings, size, i)
        places.append(place)
        alone.append(network(settings).logits(even[i, place], odd[i, place]))
    mask = torch.arange(d)[None] < torch.tensor(sizes)[:, None]
    together = twin(torch.from_numpy(even), torch.from_numpy(odd), mask)
    for i, place in enumerate(places):
        np.testing.assert_allclose(together[i].detach()[place], alone[i], rtol=0, atol=1e-4)
    # Nor do padded columns reach the gradients.
    sum(together[i, place].sum() for i, place in enumerate(places)).backward()
    assert all(torch.isfinite(p.grad).all() for p in twin.parameters())


def test_the_first_logits_are_low_and_blocks_begin_small(torch, model):
    torch.manual_seed(1)
    twin = model.PairNetwork(DEFAULT)
    own = Network(DEFAULT, model.to_arrays(twin))
    logits = own.logits(*evidence(DEFAULT, 9, size=1.0))
    assert -3 < logits.mean() < -1
    assert logits.std() < 1


def test_arrays_go_to_torch_and_back(torch, model):
    own = network(DEFAULT)
    back = model.to_arrays(model.from_arrays(DEFAULT, own.arrays))
    assert list(back) == list(DEFAULT.shapes)
    assert all(np.array_equal(back[name], own.arrays[name]) for name in back)
    arrays = dict(own.arrays)
    del arrays["A"]
    with pytest.raises(InputError, match="'A' of the network is missing"):
        model.from_arrays(DEFAULT, arrays)
    with pytest.raises(InputError, match="'w' has shape"):
        model.from_arrays(DEFAULT, {**own.arrays, "w": np.zeros(3)})
    with pytest.raises(InputError, match="'even_middle' is none of"):
        model.PairNetwork(SMALL).set_standardisation(even_middle=np.zeros(5))


def test_the_engine_is_exactly_invariant_to_signs_and_computes_in_parts(torch, monkeypatch):
    own, (even, odd) = network(), evidence(SMALL, 6)
    before = own.logits(even, odd, device="cpu")
    signs = np.array([1, -1, 1, 1, -1, -1])
    assert np.array_equal(own.logits(even, negated(odd, signs), device="cpu"), before)
    monkeypatch.setattr(_formulas, "TORCH_PARTS", (4, 3 * 4 * 6**2))
    in_parts = own.logits(even, odd, device="cpu")
    np.testing.assert_allclose(in_parts, before, rtol=0, atol=1e-5)


def test_the_session_keeps_its_precision(torch):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        network().logits(*evidence(SMALL, 4), device="cpu")
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(before)


def test_a_device_that_is_not_there_is_refused(torch):
    with pytest.raises(InputError, match="Torch cannot use the device 'nowhere'"):
        network().logits(*evidence(SMALL, 4), device="nowhere")
