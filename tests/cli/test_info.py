"""``spinney info``: what runs here."""

import json
from types import SimpleNamespace

from spinney import __version__
from spinney._core import choices
from spinney._core.processor import describe_lanes
from spinney.cli import _options, info


def test_json_has_all_parts(spinney):
    result = spinney("info", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["versions"]["spinney"] == __version__
    assert list(told["estimators"]) == _options.names()
    assert set(told["formats"]) == {"text", *info.FORMATS}
    assert told["machine"]["registers"] == describe_lanes()


def test_quiet_prints_nothing(spinney):
    assert spinney("info", "--quiet").output == ""


def test_a_format_that_is_not_there_says_how_to_have_it(monkeypatch):
    monkeypatch.setattr(info, "find_spec", lambda name: None)
    assert (
        info._library("python_calamine", "excel") == "not installed: pip install 'spinney[excel]'"
    )


def test_gpu_and_cluster_are_told_or_how_to_have_them(spinney, monkeypatch):
    monkeypatch.setattr(info, "find_spec", lambda name: None)
    monkeypatch.setattr(choices, "why_no_cuda", lambda: "torch is not there.")
    told = json.loads(spinney("info", "--json").stdout)["machine"]
    assert told["cluster"] == "not installed: pip install 'spinney[cluster]'"
    assert told["GPU"] == "none: torch is not there."


def test_a_gpu_is_named(monkeypatch):
    monkeypatch.setattr(choices, "why_no_cuda", lambda: None)
    torch = SimpleNamespace(cuda=SimpleNamespace(get_device_name=lambda: "NVIDIA H200"))
    monkeypatch.setattr(info, "import_module", lambda name: torch)
    assert info._gpu() == "NVIDIA H200"
