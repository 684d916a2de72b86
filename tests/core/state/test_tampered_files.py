"""Files that are not what they seem: each is refused in one sentence, and none runs code."""

import io
import json
import pickle
import zipfile
from typing import ClassVar

import numpy as np
import pytest
from tests.core.state.cases import assert_same

from spinney import PairCopulas
from spinney._core import registry as _registry
from spinney._core.state import load_model, save_model
from spinney.exceptions import InputError
from spinney.pairs.margins import Margins


@pytest.fixture(scope="module")
def sound(unit, tmp_path_factory):
    model = PairCopulas(["clayton", "student"]).fit(unit)
    return save_model(model, tmp_path_factory.mktemp("sound") / "sound")


def rewrite(source, target, change=lambda document: document, replace=(), add=()):
    """Copy a model file with another document, other entries, or more of them."""
    replace = dict(replace)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "model.json":
                changed = change(json.loads(data))
                data = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
            new.writestr(name, replace.get(name, data))
        for name, data in add:
            new.writestr(name, data)
    return target


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_an_untouched_copy_is_read(sound, tmp_path, unit):
    loaded = load_model(rewrite(sound, tmp_path / "copy"))
    assert_same(loaded.log_density(unit), load_model(sound).log_density(unit))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_files(sound, tmp_path, share):
    data = sound.read_bytes()
    path = tmp_path / "short"
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError, match="short' is not a model file"):
        load_model(path)


def test_a_changed_byte_is_noticed_or_harmless(sound, tmp_path, unit):
    """Checksums guard the contents; a few bytes of a zip archive carry no meaning."""
    data = sound.read_bytes()
    expected = load_model(sound).log_density(unit)
    path = tmp_path / "flipped"
    noticed = 0
    anywhere = np.random.default_rng(0).integers(len(data), size=60)
    directory = np.arange(len(data) - 150, len(data))  # at the end of a zip archive
    for position in [*anywhere, *directory]:
        changed = bytearray(data)
        changed[position] ^= 0xFF
        path.write_bytes(changed)
        try:
            found = load_model(path).log_density(unit)
        except InputError:
            noticed += 1
        else:
            assert_same(found, expected)
    assert noticed > 100


def test_foreign_files(tmp_path):
    path = tmp_path / "foreign"
    for content in (b"", b"hello", pickle.dumps({"a": 1}), npy(np.ones(3))):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a model file of this version of spinney"):
            load_model(path)
    np.savez(path.with_suffix(".npz"), a=np.ones(3))
    for other in (path.with_suffix(".npz"), tmp_path):
        with pytest.raises(InputError, match="not a model file"):
            load_model(other)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nothing")


def set_in(*keys, value):
    def change(document):
        node = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value
        return document

    return change


def scalar(dtype, data):
    return {"type": "scalar", "dtype": dtype, "bytes": data}


def instance(cls, **parameters):
    return {"type": "object", "class": cls, "parameters": parameters, "attributes": {}}


def without_family(document):
    del document["model"]["attributes"]["family_"]
    return document


MODEL = ("model",)
ATTRIBUTES = ("model", "attributes")
PARAMETERS = ("model", "parameters")
ROWS = ["a", "float64", {"type": "array", "number": 0}]
FRAME = {"type": "frame", "n_rows": 10**9, "columns": [ROWS]}
GENERATOR = {"type": "generator", "name": "os", "state": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: b"{not json", "JSONDecodeError"),
        (lambda _: b"[1, 2]", "TypeError"),
        (lambda _: b"[" * 100_000, "RecursionError"),
        (lambda d: json.dumps(d).replace('"cv": 5', '"cv": NaN').encode(), "NaN is not JSON"),
        (set_in("format", value="other"), "its format is 'other'"),
        (set_in("format_version", value=2), "in version 2 of the format.*Update spinney"),
        (set_in("format_version", value="1"), "format version is '1'"),
        (set_in("model", value={"type": "tuple", "items": []}), "holds no model"),
        (set_in(*MODEL, "class", value="os.system"), "'os.system', which this version"),
        (set_in(*MODEL, "class", value="Encoder"), "'Encoder', which this version"),
        (set_in(*MODEL, "class", value=["PairCopulas"]), "which this version"),
        (set_in(*PARAMETERS, "colour", value=1), "no parameter or attribute 'colour'"),
        (set_in(*ATTRIBUTES, "__class__", value=1), "no parameter or attribute '__class__'"),
        (without_family, "lacks family_"),
        (set_in(*ATTRIBUTES, "families_", value={"type": "code"}), "unknown type 'code'"),
        (set_in(*ATTRIBUTES, "families_", value={}), "KeyError: 'type'"),
        (set_in(*ATTRIBUTES, "family_", "number", value=999), "arrays/999.npy"),
        (set_in(*ATTRIBUTES, "family_", "number", value="../x"), "ValueError"),
        (set_in(*ATTRIBUTES, "n_features_in_", value=6), "same number of columns"),
        (set_in(*PARAMETERS, "cv", value=scalar("O", "00" * 8)), "ValueError"),
        (set_in(*PARAMETERS, "cv", value=scalar("<f8", "00" * 16)), "ValueError"),
        (set_in(*PARAMETERS, "cv", value=FRAME), "more or fewer rows than it says"),
        (set_in(*PARAMETERS, "cv", value=GENERATOR), "generator of the unknown kind 'os'"),
        (set_in(*PARAMETERS, "cv", value=instance("Clayton", theta=-1)), "theta must lie in"),
    ],
)
def test_documents_that_were_tampered_with(sound, tmp_path, change, message):
    path = rewrite(sound, tmp_path / "changed", change)
    with pytest.raises(InputError, match=message) as caught:
        load_model(path)
    assert str(path) in str(caught.value)


class Trap:
    """Unpickling it would leave a mark."""

    sprung: ClassVar[list[int]] = []

    def __reduce__(self):
        return spring, ()


def spring():
    Trap.sprung.append(1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(np.array([Trap()], dtype=object), allow_pickle=True), "Object arrays cannot be"),
        (pickle.dumps(Trap()), "ValueError"),
        (npy(np.ones(3))[:-1], "ValueError"),
    ],
    ids=["pickled objects", "pickle", "too short"],
)
def test_arrays_that_were_tampered_with(sound, tmp_path, data, message):
    path = rewrite(sound, tmp_path / "changed", replace=[("arrays/0.npy", data)])
    with pytest.raises(InputError, match=message):
        load_model(path)
    assert not Trap.sprung


def test_the_trap_works():
    pickle.loads(pickle.dumps(Trap()))
    assert Trap.sprung.pop() == 1


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("parameters_", lambda a: a[:-1], r"parameters_ .* not of shape \(10, 2\)"),
        ("parameters_", lambda a: a * 1e6, "copula beyond its bounds"),
        ("parameters_", lambda a: a * np.nan, "copula beyond its bounds"),
        ("fold_of_row_", lambda a: a - 1, "outside of all folds"),
        ("rotation_", lambda a: a + 45, "rotated by"),
        ("family_", lambda a: np.full_like(a, "gumbel"), "'gumbel'.*none of their families"),
        ("log_likelihood_", lambda a: a.T, "log_likelihood_"),
    ],
)
def test_parts_that_do_not_fit_together(sound, tmp_path, name, change, message):
    model = load_model(sound)
    setattr(model, name, change(getattr(model, name)))
    path = save_model(model, tmp_path / "changed")
    with pytest.raises(InputError, match=message):
        load_model(path)


def test_marginals_that_do_not_fit_together(table, tmp_path):
    model = Margins().fit(table)
    model._ranks = model._ranks[:-1]
    with pytest.raises(InputError, match="same number of columns"):
        load_model(save_model(model, tmp_path / "changed"))


def test_a_registered_class_that_is_not_storable(sound, tmp_path, monkeypatch):
    path = rewrite(sound, tmp_path / "changed", set_in(*MODEL, "class", value="ChowLiu"))
    entries = [entry._replace(storable=False) for entry in _registry.REGISTRY]
    monkeypatch.setattr(_registry, "REGISTRY", tuple(entries))
    with pytest.raises(InputError, match="'ChowLiu', which this version of spinney does not know"):
        load_model(path)
