"""What docs/accuracy.md says of levels and gaps: paired by seed, and never more than is known."""

import json

import pandas as pd
import pytest
from benchmarks.accuracy.cells import TABLE_CELLS
from benchmarks.peers.stored import read_cell
from scripts import make_accuracy_tables_checks as checks
from scripts import make_accuracy_tables_real as page
from scripts.paired import against_all, difference, paired

from reproduce.judging import fingerprint
from reproduce.runner import Store
from spinney.exceptions import InputError


def frame(**wrong):
    """Wrong edges by method: a list for seeds 0, 1, …; None where there is no such seed."""
    rows = [
        {"method": method.replace("_", "-"), "seed": seed, "hamming": value}
        for method, values in wrong.items()
        for seed, value in enumerate(values)
        if value is not None
    ]
    return pd.DataFrame(rows)


def test_only_common_seeds_are_compared():
    known = paired(frame(a=[1, 2, 3, 4], b=[None, 4, 4, 4, 9]), "method", "a", "b")
    assert known.index.tolist() == [1, 2, 3]
    gap = difference(known["a"], known["b"])
    assert (gap.mean, gap.seeds) == (-1.0, 3)
    assert gap.error == pytest.approx(1 / 3**0.5)
    assert not gap.is_sure


@pytest.mark.parametrize(
    ("rivals", "closest", "word", "not_judged"),
    [
        ({"b": [5, 5, 6], "c": [9, 9, 9]}, "b", "won", []),
        ({"b": [3, 5, 8], "c": [9, 9, 9]}, "b", "ahead", []),  # 3 errors, but of three seeds
        ({"b": [1, 0, 2], "c": [9, 9, 9]}, "b", "level", []),
        ({"b": [1, 1, 0.5], "c": [0, 9, 9]}, "b", "behind", []),
        ({"b": [0, 0, 0], "c": [1, 1, 1]}, "b", "lost", []),
        ({"b": [0, 0, 0], "c": [-9, 9, -9]}, "b", "lost", []),  # c is ahead by chance, b surely
        ({"b": [9, 9, 9], "c": [0, 0, None]}, "b", "won", ["c"]),
        ({"c": [9, 9, None]}, "c", "open", ["c"]),
    ],
)
def test_words_follow_from_the_worst_rival(rivals, closest, word, not_judged):
    found = against_all(frame(a=[1, 1, 1], **rivals), "a", ["b", "c", "absent"])
    assert (found.rival, found.word, found.not_judged) == (closest, word, not_judged)


def test_nothing_to_compare_is_not_won():
    assert against_all(frame(a=[1, 1, 1]), "a", ["b"]) is None


def record(cell, method, seed, hamming, table=None):
    mark = fingerprint(TABLE_CELLS[cell].simulate(seed)) if table is None else table
    return {
        "kind": "result",
        "run": "elsewhere",
        "cell": cell,
        "method": method,
        "seed": seed,
        "table": mark,
        "seconds": 1.0,
        "hamming": hamming,
        "average_precision": 0.5,
    }


@pytest.fixture
def store(tmp_path):
    kept = Store(tmp_path)
    for seed in (200_000, 200_001, 200_002):
        kept.append(record("complete-100", "rooted-forests", seed, 2))
        kept.append(record("gaps-10-100", "rooted-forests", seed, seed - 200_000))
        kept.append(record("complete-100", "mean-imputation", seed, 2))
        kept.append(record("gaps-10-100", "mean-imputation", seed, 7))
        kept.append(record("gaps-10-100", "bdgraph-gcgm", seed, 99))
    kept.append(record("gaps-10-100", "shared-forest", 200_000, 0) | {"error": "failed"})
    return kept


@pytest.mark.slow
def test_records_from_elsewhere_are_joined_with_the_peers(store, tmp_path):
    found = page.stored(tmp_path)
    assert not found.duplicated(["cell", "method", "seed"]).any()
    assert (found[found.method == "bdgraph-gcgm"].hamming < 99).all()  # the peers' own records
    assert "shared-forest" not in set(found.method)
    gapless = found[found.cell == "complete-100"]
    assert "mean-imputation" not in set(gapless.method)
    lines = page.price_of_gaps(found)
    assert "| RootedForests | 100 | 2.0 ± 0.0 | 1.0 ± 0.6 | -1.0 ± 0.6 (3) | yes" in lines[2]
    text = page.text(found)
    assert "**RootedForests**, of 2 cells: " in text
    assert "| RootedForests | 3 | – | – |" in text
    assert "nan" not in text


@pytest.mark.parametrize("n", [100, 500])
def test_what_peers_did_on_connected_tables_holds_for_complete_ones(n):
    twins = {(r["method"], r["seed"]): r for r in read_cell(f"connected-{n}")["results"]}
    own = read_cell(f"complete-{n}")["results"]
    assert own
    for r in own:
        twin = twins[r["method"], r["seed"]]
        assert (r["table"], r["edges"]) == (twin["table"], twin["edges"])
    found = page.peer_results(f"complete-{n}")
    assert {r["cell"] for r in found} == {f"complete-{n}"}
    assert len({(r["method"], r["seed"]) for r in found}) == len(found) == 4 * 12


def test_records_on_other_tables_are_refused(store, tmp_path):
    store.append(record("gaps-10-100", "rooted-forests", 200_001, 1, table="other"))
    with pytest.raises(InputError, match="different tables"):
        page.stored(tmp_path)


def test_the_page_has_room_for_it():
    content = page.PAGE.read_text(encoding="utf-8")
    assert content.index(page.BEGIN) < content.index(page.END)


def test_the_latest_sections_are_shown(tmp_path):
    assert checks.text(tmp_path) == []
    means = {"all": [0.6, 0.1, 30], "gaps": {"0.0": [0.2, 0.1, 10]}}
    name = "binary, n=50"
    noise = {
        "tables": 30,
        "seeds": [310000, 320000],
        "means": {"RootedForests, n=50": means},
        "worst": {"RootedForests, n=50": {name: [2.0, 1.0, 2]}},
        "worst_again": {"RootedForests": {name: [0.25, 0.1, 8]}},
    }
    (tmp_path / "tables-2026-01-01.json").write_text(json.dumps({"noise": {"old": True}}))
    (tmp_path / "tables-2026-01-02.json").write_text(json.dumps({"noise": noise}))
    lines = checks.text(tmp_path)
    row = "| RootedForests, n=50 | 0.60 ± 0.10 (30) | 0.20 ± 0.10 (10) | – | – | 2.00 ± 1.00 (2): "
    assert row + f"{name} | 0.25 ± 0.10 (8): {name} |" in lines
    assert "average: RootedForests, n=50. In the worst mixture, drawn again: none." in lines[-2]
