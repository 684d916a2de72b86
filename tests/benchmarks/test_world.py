"""Real tables in the world's cloud: what is read, and what is written."""

import numpy as np
import pandas as pd
import pytest
from benchmarks._run import RESULTS
from benchmarks.world import draw, place, report
from benchmarks.world.real import Real, real_tables
from scipy import stats
from training.cloud import CALIBRATION, fit_cloud

from spinney.evidence.out_of_distribution import FALSE_ALARMS
from spinney.evidence.summaries import SUMMARY_NAMES
from spinney.simulate import gaussian_mrf


@pytest.fixture(scope="module")
def drawn() -> draw.Drawn:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1300, len(SUMMARY_NAMES)))
    values[:, :2] = rng.uniform(1.5, 4.0, size=(1300, 2))
    return draw.Drawn(values, np.full(1300, "tree"), np.full(1300, "gaussian"))


@pytest.fixture
def real() -> dict:
    usual, strange = np.zeros(len(SUMMARY_NAMES)), np.zeros(len(SUMMARY_NAMES))
    for values in (usual, strange):
        values[:2] = np.log([10, 20])
    strange[SUMMARY_NAMES.index("tau_mean")] = 40.0
    records = [
        {"group": "Sachs", "part": part, "d": 10, "n": 20, "values": list(values)}
        for part, values in (("usual", usual), ("strange", strange))
    ]
    return {"names": list(SUMMARY_NAMES), "tables": records}


def test_bundled_tables_are_there_without_a_folder():
    found = list(real_tables(None))
    assert {table.group for table in found} == {
        "Sachs", "blood cells", "blood cells, mixed", "penguins", "voters (ANES 1996)",
    }  # fmt: skip
    shapes = {(table.group, table.part): table.table.shape for table in found}
    assert shapes["Sachs", "7,466 cells, nine conditions"] == (7466, 11)
    assert shapes["blood cells", "cd4+, Reference"] == (1000, 14)
    assert set(report.MARKS) >= {table.group for table in found}


def test_stocks_lose_splits_and_keep_days(tmp_path):
    folder = tmp_path / "sp500"
    folder.mkdir()
    rng = np.random.default_rng(0)
    returns = pd.DataFrame(rng.normal(scale=0.02, size=(400, 120)), columns=map(str, range(120)))
    returns.iloc[3] = -0.69
    returns.to_csv(folder / "logreturns.csv.gz", index=False)
    from benchmarks.world.real import _stocks

    found = [table.table for table in _stocks(folder)]
    assert {table.shape for table in found} == {(n, d) for n in (250, 400) for d in (25, 50, 100)}
    assert all(table.iloc[3].isna().all() and table.isna().sum().sum() == table.shape[1]
               for table in found)  # fmt: skip


def test_a_real_table_is_summarised_as_the_world_is():
    table = gaussian_mrf(60, 4, random_state=0).table
    found = place.measured([Real("Sachs", "a part", table)])
    assert found["names"] == list(SUMMARY_NAMES)
    (record,) = found["tables"]
    assert (record["d"], record["n"]) == (4, 60)
    assert np.exp(record["values"][:2]) == pytest.approx([4, 60], rel=1e-4)


def test_what_was_drawn_is_read_back_and_other_summaries_are_not(tmp_path, drawn):
    path = tmp_path / "world" / "summaries.npz"
    assert len(draw.read(path).values) == 0
    draw._write(path, drawn)
    again = draw.read(path)
    np.testing.assert_allclose(again.values, drawn.values, rtol=1e-6)
    assert list(again.graphs[:2]) == ["tree", "tree"]
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **{**arrays, "names": arrays["names"][::-1]})
    assert len(draw.read(path).values) == 0


@pytest.mark.slow
def test_the_page_says_who_is_foreign_and_keeps_its_text(tmp_path, monkeypatch, drawn, real):
    page, picture = tmp_path / "page.md", tmp_path / "cloud.png"
    page.write_text("Before.\n\n<!-- world begin -->old<!-- world end -->\nAfter.\n")
    monkeypatch.setattr(report, "PAGE", page)
    monkeypatch.setattr(report, "PICTURE", picture)
    report.write(drawn, real)
    text = page.read_text()
    assert text.startswith("Before.")
    assert text.endswith("After.\n")
    assert "old" not in text
    assert "2 real tables, of which 1 would be warned about" in text
    assert "| **Sachs: strange** | 10 | 20 |" in text
    assert "| Sachs: usual | 10 | 20 |" in text
    assert "- Sachs, strange: With 10 columns and 20 rows, the mean over pairs of" in text
    assert picture.stat().st_size > 10_000
    with pytest.raises(SystemExit, match="other summaries"):
        report.write(drawn, {**real, "names": []})


@pytest.mark.slow
def test_tables_of_the_world_are_judged_by_clouds_of_others(drawn):
    found = report.out_of_sample(drawn)
    assert len(found) == len(drawn.values)
    assert 0 < np.mean([bool(said) for said in found]) < 0.04
    cloud = fit_cloud(drawn.values)
    points, axes = report.coordinates(cloud, drawn.values)
    assert points.shape == (len(drawn.values), 2)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)


STORED = RESULTS / "world" / "summaries.npz"


@pytest.mark.slow
@pytest.mark.skipif(not STORED.exists(), reason="the source archive has no results")
def test_false_alarms_on_stored_tables_of_the_world_are_about_one_in_a_hundred():
    stored = draw.read(STORED)
    assert len(stored.values) >= 1000
    alarms = sum(bool(said) for said in report.out_of_sample(stored))
    # Each cut is the k-th largest of m held scores, so the rate behind it is Beta(k, m + 1 - k);
    # both together alarm at most as often as one after the other, at least as often as one.
    m = int(CALIBRATION * len(stored.values) * 2 / 3)
    k = max(int(FALSE_ALARMS / 2 * (m + 1)), 1)
    rates = stats.beta(k, m + 1 - k)
    high = stats.binom(len(stored.values), min(2 * rates.ppf(0.999), 1.0)).ppf(0.999)
    assert 0 < alarms <= high
    assert high < 0.1 * len(stored.values)
