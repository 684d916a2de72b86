import json
import threading
import zipfile
from dataclasses import fields

import numpy as np
import pytest
from benchmarks.judge.random_network import random_network
from scipy.special import logit

from spinney._core.threads import one_blas_thread
from spinney.evidence.out_of_distribution import Cloud
from spinney.exceptions import InputError
from spinney.judge import STANDARDISATION, Judge, Network, Settings, judge
from tests.conftest import blas_threads
from tests.judge.drawn import SMALL, WITHOUT, evidence, network

CARD = {"name": "drawn", "seeds": [1, 2], "limits": {"columns": [2, 150]}, "says": "größer"}


def two(**more):
    return Judge([network(seed=1), network(WITHOUT, 2)], CARD, **more)


def changed(path, **change):
    """Write the file of a judge with some arrays changed, None: left out."""
    with np.load(path) as stored:
        arrays = {**{name: stored[name] for name in stored.files}, **change}
    np.savez(path, **{k: v for k, v in arrays.items() if v is not None})


@pytest.fixture
def path(tmp_path):
    two().save(tmp_path / "judge.npz")
    return tmp_path / "judge.npz"


def test_logits_are_averaged_then_calibrated():
    even, odd = evidence(SMALL, 6)
    first, second = (n.logits(even, odd).astype(float) for n in two().networks)
    calibrated = two(scale=0.5, shift=-1.0)
    expected = 0.25 * (first + second) - 1
    np.testing.assert_allclose(calibrated.logits(even, odd), expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        logit(calibrated.probabilities(even, odd)), expected, rtol=0, atol=1e-5
    )
    assert calibrated.logits(even, odd).dtype == np.float32


def test_networks_side_by_side_give_the_same_numbers(two_blas_threads, monkeypatch):
    even, odd = evidence(SMALL, 12)
    many = Judge([network(seed=seed) for seed in range(3)])
    seen, logits = [], Network.logits

    def noted(self, *args, **options):
        seen.append((threading.get_ident(), blas_threads()))
        return logits(self, *args, **options)

    monkeypatch.setattr(Network, "logits", noted)
    one_by_one = many.logits(even, odd)
    assert set(seen) == {(threading.get_ident(), 1)}
    seen.clear()
    monkeypatch.setattr(judge, "PAIRS_FOR_THREADS", len(even))
    assert np.array_equal(many.logits(even, odd), one_by_one)
    threads = {thread for thread, _ in seen}
    assert len(seen) == 3
    assert threading.get_ident() not in threads
    assert len(threads) <= 2  # as many as the library had
    assert {n for _, n in seen} == {1}
    seen.clear()
    many.probabilities(even, odd, n_jobs=1)
    assert {thread for thread, _ in seen} == {threading.get_ident()}
    seen.clear()
    with one_blas_thread():  # whoever keeps it to one thread means the judge, too
        many.logits(even, odd)
    assert {thread for thread, _ in seen} == {threading.get_ident()}
    assert blas_threads() == 2  # as it was


def test_beyond_many_columns_the_first_two_networks_judge(monkeypatch):
    even, odd = evidence(SMALL, 12)
    networks = [network(seed=seed) for seed in range(3)]
    all_three, first_two = Judge(networks).logits(even, odd), Judge(networks[:2]).logits(even, odd)
    assert not np.array_equal(all_three, first_two)
    monkeypatch.setattr(judge, "MANY_COLUMNS", 12)
    assert np.array_equal(Judge(networks).logits(even, odd), all_three)
    monkeypatch.setattr(judge, "MANY_COLUMNS", 11)
    assert np.array_equal(Judge(networks).logits(even, odd), first_two)


def test_a_file_gives_back_what_float16_keeps(tmp_path):
    cloud = Cloud(*(np.arange(k + 1.0) for k in range(len(fields(Cloud)))))
    before = two(scale=0.9, shift=0.1, cloud=cloud)
    before.save(tmp_path / "new" / "judge.npz")
    after = Judge.load(tmp_path / "new" / "judge.npz")
    assert (after.card, after.scale, after.shift) == (CARD, 0.9, 0.1)
    assert [n.settings for n in after.networks] == [SMALL, WITHOUT]
    assert all(map(np.array_equal, vars(after.cloud).values(), vars(cloud).values()))
    for old, new in zip(before.networks, after.networks, strict=True):
        for name, array in old.arrays.items():
            kept = array if name in STANDARDISATION else array.astype(np.float16)
            assert np.array_equal(new.arrays[name], kept), name
    even, odd = evidence(SMALL, 8)
    np.testing.assert_allclose(after.logits(even, odd), before.logits(even, odd), atol=0.05)
    # A second round changes nothing.
    after.save(tmp_path / "again.npz")
    again = Judge.load(tmp_path / "again.npz")
    assert np.array_equal(again.logits(even, odd), after.logits(even, odd))
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "new/judge.npz").read_bytes()


def test_two_networks_of_the_usual_size_stay_below_three_megabytes(tmp_path):
    settings = Settings(n_even=60, n_odd=12)
    Judge([random_network(settings, s) for s in (1, 2)]).save(tmp_path / "judge.npz")
    assert (tmp_path / "judge.npz").stat().st_size < 3_000_000


def test_no_array_needs_pickle(path):
    with np.load(path, allow_pickle=False) as stored:
        assert all(stored[name].dtype != object for name in stored.files)
        assert json.loads(str(stored["card"])) == CARD


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": np.array(2)}, "It has format 2; this version of spinney reads 1"),
        ({"format": None}, "KeyError"),
        ({"card": np.array("[1]")}, "TypeError"),
        ({"card": np.array("{")}, "JSONDecodeError"),
        ({"settings": np.array('[{"n_even": 5}]')}, "n_odd"),
        ({"settings": np.array("[]")}, "at least one network"),
        ({"network0_A": None}, "The array 'A' is missing"),
        ({"network1_w": np.zeros(3)}, "'w' has shape"),
        ({"calibration": np.zeros(3)}, "not enough values"),
        ({"calibration": np.array([0.0, 0.0])}, "scale of a judge must be positive"),
        ({"card": np.array([{}], dtype=object)}, "allow_pickle"),
    ],
)
def test_files_that_hold_no_judge_are_refused_by_name(path, change, message):
    changed(path, **change)
    with pytest.raises(InputError, match=message) as caught:
        Judge.load(path)
    assert str(path) in str(caught.value)


def test_foreign_and_damaged_files_are_refused(path, tmp_path):
    text, array, archive = (tmp_path / name for name in ("a.npz", "b.npz", "c.npz"))
    text.write_text("name,value\n")
    with array.open("wb") as file:
        np.save(file, np.zeros(3))
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("note.txt", "nothing")
    half = tmp_path / "half.npz"
    half.write_bytes(path.read_bytes()[:5000])
    garbled = tmp_path / "garbled.npz"
    data = bytearray(path.read_bytes())
    data[3000:3100] = bytes(100)
    garbled.write_bytes(data)
    empty = tmp_path / "empty.npz"
    empty.touch()
    for wrong in (text, array, archive, half, garbled, empty):
        with pytest.raises(InputError, match=wrong.name):
            Judge.load(wrong)
    with pytest.raises(InputError, match="There is no file"):
        Judge.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="There is no file"):
        Judge.load(tmp_path)


def test_without_a_shipped_judge_one_sentence_says_so(monkeypatch, tmp_path, path):
    monkeypatch.setattr(judge, "SHIPPED", tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"^This installation holds no trained judge; [^.]*\.$"):
        Judge.load()
    monkeypatch.setattr(judge, "SHIPPED", path)
    assert Judge.load().card == CARD


def test_what_cannot_be_stored_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError, match=r"ends in '\.npz'"):
        two().save(tmp_path / "judge.bin")
    with pytest.raises(InputError, match="card must be plain JSON"):
        Judge([network()], {"when": object()}).save(tmp_path / "judge.npz")
    with pytest.raises(InputError, match="card must be plain JSON"):
        Judge([network()], {"loss": float("nan")}).save(tmp_path / "judge.npz")
    large = Network(SMALL, {**network().arrays, "w0": np.array(1e5)})
    with pytest.raises(InputError, match="'w0' holds numbers beyond the range of float16"):
        Judge([large]).save(tmp_path / "judge.npz")
    assert not list(tmp_path.iterdir())


def test_judges_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="at least one network"):
        Judge([])
    other = network(Settings(n_even=4, n_odd=3, width=8, n_blocks=1))
    with pytest.raises(InputError, match="same channels"):
        Judge([network(), other])
    with pytest.raises(InputError, match="scale of a judge must be positive"):
        Judge([network()], scale=-1.0)
