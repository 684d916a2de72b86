"""Real tables: what graphs are compared with, and that slow methods hold up no others."""

import time

import numpy as np
import pandas as pd
import pytest
from benchmarks.learned import real, real_tables
from benchmarks.learned.options import Options

from reproduce.runner import Store
from spinney.exceptions import InputError
from tests.benchmarks.tiny_judge import tiny_judge


@pytest.fixture
def data(tmp_path):
    """A folder of data with small files in their forms."""
    rng = np.random.default_rng(0)
    for folder in ("dream4", "netsim", "sp500"):
        (tmp_path / folder).mkdir()
    genes = pd.DataFrame(rng.normal(size=(20, 3)), columns=["G1", "G2", "G3"])
    genes.to_csv(tmp_path / "dream4" / "multifactorial_1_expression.csv", index=False)
    edges = pd.DataFrame({"source": ["G3", "G1"], "target": ["G1", "G3"]})
    edges.to_csv(tmp_path / "dream4" / "multifactorial_1_goldstandard_edges.csv", index=False)
    nodes = pd.DataFrame(rng.normal(size=(20, 3)), columns=["0", "1", "2"])
    nodes.to_csv(tmp_path / "netsim" / "sim1_subject1.csv", index=False)
    edges = pd.DataFrame({"cause": [0, 1], "effect": [1, 2]})
    edges.to_csv(tmp_path / "netsim" / "sim1_edges.csv", index=False)
    returns = pd.DataFrame(rng.normal(scale=0.05, size=(30, 4)), columns=list("ABCD"))
    returns.iloc[3, 1] = -0.9
    returns.to_csv(tmp_path / "sp500" / "logreturns.csv.gz", index=False)
    info = pd.DataFrame({"ticker": list("DCBA"), "sector": ["x", "x", "y", "y"], "name": ["-"] * 4})
    info.to_csv(tmp_path / "sp500" / "info.csv", index=False)
    return tmp_path


def test_truths_are_undirected_and_simple(data):
    dream = real_tables.tables()["dream4-1"](data)
    assert np.argwhere(np.triu(dream.truths["gold"])).tolist() == [[0, 2]]
    net = real_tables.tables()["netsim-1"](data)
    assert np.argwhere(np.triu(net.truths["network"])).tolist() == [[0, 1], [1, 2]]
    for table in (dream, net):
        (truth,) = table.truths.values()
        np.testing.assert_array_equal(truth, truth.T)


def test_splits_of_shares_are_gaps_and_sectors_follow_the_columns(data):
    table = real_tables._sp500(data, None)
    assert table.X.isna().sum().tolist() == [0, 1, 0, 0]
    assert table.sectors.tolist() == ["y", "y", "x", "x"]
    some = real_tables._sp500(data, 2)
    assert some.X.shape == (30, 2)
    known = dict(zip("ABCD", "yyxx", strict=True))
    assert some.sectors.tolist() == [known[name] for name in some.X.columns]


def test_halves_share_no_cell():
    first, second = (real_tables.tables()[f"pbmc-100-nk-{half}"](None).X for half in (0, 1))
    assert first.shape == second.shape == (100, 14)
    rows = {tuple(row) for row in first.to_numpy()} & {tuple(row) for row in second.to_numpy()}
    assert not rows


def test_sachs_has_four_truths():
    table = real_tables.tables()["sachs-853"](None)
    edges = {name: int(truth.sum()) // 2 for name, truth in table.truths.items()}
    assert edges == {
        "consensus20": 20,
        "consensus20, moral": 22,
        "bnlearn17": 17,
        "bnlearn17, moral": 17,
    }


def test_a_missing_folder_is_asked_for():
    with pytest.raises(InputError, match="--data or SPINNEY_DATA"):
        real_tables.tables()["dream4-1"](None)


def test_shares_inside_a_sector():
    same = np.array([True, False, False, True, False, False])
    scores = np.zeros((4, 4))
    scores[np.triu_indices(4, 1)] = [0.9, 0.8, 0.0, 0.7, 0.0, 0.6]
    kept = np.array([True, True, False, False, False, False])
    before = real.FIRST
    real.FIRST = (2, 3, 5)
    try:
        found = real.inside(kept, scores + scores.T, same)
    finally:
        real.FIRST = before
    assert found["graph"] == 0.5
    # First three: 0.9 (inside), 0.8, 0.7 (inside); only four pairs are ranked at all.
    assert found["first"] == {"2": 0.5, "3": pytest.approx(2 / 3)}
    assert found["all_pairs"] == pytest.approx(1 / 3)


def half(table, edges, method="m"):
    return {"cell": table, "method": method, "edges": edges}


def test_agreement_of_halves():
    records = [
        half("pbmc-100-nk-0", [[0, 1], [1, 2]]),
        half("pbmc-100-nk-1", [[0, 1], [2, 3]]),
        half("pbmc-100-cd14+hladrmid-0", [[0, 1]]),
        half("pbmc-100-cd14+hladrmid-1", [[0, 1]]),
        half("pbmc-300-nk-0", []),
        half("pbmc-300-nk-1", []),
        half("pbmc-300-igm+-0", [[0, 1]]),  # its other half is not there
    ]
    found = real.agreement(records)
    assert found["100"]["m"]["agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert (found["100"]["m"]["edges"], found["100"]["m"]["tables"]) == (1.5, 2)
    assert np.isnan(found["300"]["m"]["agreement"])  # nothing found, nothing to agree on


def test_work_is_ended_in_time():
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"no result within 0\.2 s"), real.time_limit(0.2):
        time.sleep(60)
    assert time.monotonic() - start < 30


def test_failures_are_told_and_tried_again(tmp_path):
    judge, methods = tmp_path / "judge.npz", ("chow-liu-gaussian",)
    options = Options(results=tmp_path, data=None, judge=judge, methods=methods)
    tiny_judge(0).save(judge)
    found = real.run(options, ("dream4-1",))
    assert "SPINNEY_DATA" in found["failed"]["dream4-1, chow-liu-gaussian"]
    assert found["tables"] == {}


def test_another_judge_is_asked_again(tmp_path):
    judge, methods = tmp_path / "judge.npz", ("learned", "chow-liu-gaussian")
    options = Options(results=tmp_path, judge=judge, methods=methods)
    for seed in (0, 1):
        tiny_judge(seed).save(judge)
        found = real.run(options, ("pbmc-100-nk-0", "pbmc-100-nk-1"))
        assert set(found["halves"]["100"]) == {"learned", "chow-liu-gaussian"}
    records = [r for r in Store(tmp_path / "learned" / "real").read() if r["kind"] == "result"]
    by_method = pd.Series([r["method"] for r in records]).value_counts()
    assert by_method.to_dict() == {"learned": 4, "chow-liu-gaussian": 2}
    assert len({r["judge"] for r in records if r["method"] == "learned"}) == 2
