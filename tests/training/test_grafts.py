"""Real tables with grafts: the split, the records, and pairs whose truth is unknown."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from training.grafts import (
    PARTS,
    UnusualGrowth,
    column_contents,
    column_names,
    draw_grafts,
    draw_rows,
    part_of,
    split,
)
from training.metrics import scores
from training.shards import UNKNOWN, Plan, Shard, table_truth
from training.sources import draw_shard

from spinney.exceptions import InputError
from spinney.simulate import graft
from training import grafts


def packages(part, count):
    names = (f"package{k}" for k in range(10_000))
    return [name for name in names if part_of(name) == part][:count]


def some_table(seed, n=60):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return pd.DataFrame(
        {
            f"a{seed}": common + rng.normal(size=n),
            f"b{seed}": np.round(10 * rng.gamma(2.0, size=n)),
            f"c{seed}": np.where(common + rng.normal(size=n) > 0, "yes", "no"),
            f"d{seed}": np.where(rng.random(n) < 0.1, np.nan, common),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make four tables of two packages in each part; two of them stand in another part, too."""
    base = tmp_path_factory.mktemp("real")
    seed = 0
    for part in PARTS:
        for package in packages(part, 2):
            for k in range(2):
                some_table(seed).to_csv(base / f"{package}__table{k}.csv", index=False)
                seed += 1
    (train, *_), (tune, *_) = packages("train", 1), packages("tune", 1)
    # Table 0 is of the part "report": in another order, under other names, with other columns.
    copied = some_table(0).sample(frac=1, random_state=1).set_axis(list("wxyz"), axis=1)
    copied[["x", "y"]].assign(new=np.arange(60) ** 2).to_csv(base / f"{train}__copy.csv")
    # Other rows of the same table.
    some_table(1).iloc[:40].to_csv(base / f"{tune}__rows.csv", index=False)
    (base / f"{train}__broken.csv").write_text('a,b\n1,"2\n')
    return base


def test_parts_share_no_package_and_no_column(folder):
    found = split(folder)
    assert {part: len(paths) for part, paths in found.items()} == dict.fromkeys(PARTS, 4)
    packages_of = {
        part: {path.stem.partition("__")[0] for path in paths} for part, paths in found.items()
    }
    contents = {
        part: set().union(*(column_contents(pd.read_csv(path)) for path in paths))
        for part, paths in found.items()
    }
    for one, other in (("report", "tune"), ("report", "train"), ("tune", "train")):
        assert not packages_of[one] & packages_of[other]
        assert contents[one]
        assert not contents[one] & contents[other]


def test_the_split_is_kept_for_the_next_process(folder, monkeypatch):
    first = split(folder)
    monkeypatch.setattr(grafts, "_split", None)  # it would not be called
    assert split.__wrapped__(folder) == first
    with monkeypatch.context() as other:
        other.setattr(grafts, "SALT", 1)
        with pytest.raises(TypeError):  # another rule, another split
            split.__wrapped__(folder)


def test_contents_and_names_do_not_depend_on_order_and_habit():
    frame = some_table(3)
    other = frame.sample(frac=1, random_state=0)[list(frame)[::-1]]
    assert column_contents(frame) == column_contents(other)
    assert not column_contents(pd.DataFrame({"id": range(100), "sex": [0, 1] * 50}))
    assert column_names(frame.rename(columns={"a3": "A.3"})) == column_names(frame)


@pytest.mark.parametrize("part", PARTS)
def test_a_seed_gives_the_same_table(folder, part):
    own = {path.stem for path in split(folder)[part]}
    for seed in range(8):
        one, two = draw_grafts(seed, part, folder), draw_grafts(seed, part, folder)
        pd.testing.assert_frame_equal(one.X, two.X)
        np.testing.assert_array_equal(one.known, two.known)
        assert one.parameters["table"] in own
        assert one.n_known
        assert 8 <= len(one.X) <= 60
        assert 2 <= one.X.shape[1] <= 30


def test_grafts_to_train_on_have_weak_parents_and_others_have_none(folder):
    parts = {
        part: {draw_grafts(seed, part, folder).parameters["weak"] for seed in range(6)}
        for part in PARTS
    }
    assert parts == {"report": {0.0}, "tune": {0.0}, "train": {0.0, grafts.WEAK}}


def test_weak_parents_act_by_few_standard_errors():
    """The t of the parent of a graft that nothing is done to but growing it."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.standard_normal((600, 3)), columns=list("abc"))
    found = {}
    for weak in (0.0, 1.0):
        found[weak] = []
        for seed in range(120):
            given = {"n_grafts": 1, "n_parents": 1, "strangers": 0, "gaps": False}
            how = partial(UnusualGrowth, weak=weak)
            grown = graft(frame, **given, growth=how, random_state=seed)
            assert grown.n_edges == 1
            ((parent,),) = grown.parents.values()
            if grown.X["graft1"].dtype != object:
                x, y = (stats.rankdata(grown.X[name]) for name in (parent, "graft1"))
                found[weak].append(abs(np.corrcoef(x, y)[0, 1]) * 600**0.5)
    assert np.median(found[0.0]) > 8
    assert 1.0 < np.median(found[1.0]) < 4.0
    assert max(found[1.0]) < 12


def levels_table(n, seed):
    """Draw columns of few levels that depend on each other."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)[:, None] + rng.normal(size=(n, 4))
    return pd.DataFrame(np.digitize(values, [-1.0, 1.0])).set_axis(list("abcd"), axis=1)


def test_exact_grafts_are_functions_of_their_parents_and_no_copies():
    frame = levels_table(400, 0)
    frame["number"] = np.random.default_rng(0).normal(size=400)
    n_totals = n_classes = 0
    for seed in range(20):
        grown = graft(
            frame,
            n_grafts=2,
            strangers=0,
            gaps=False,
            growth=partial(UnusualGrowth, exact=1.0),
            random_state=seed,
        )
        for name, parents in grown.parents.items():
            if parents == ("number",):
                n_classes += 1
                assert grown.X[name].nunique() <= 5
                order = grown.X.sort_values("number")[name].diff().fillna(0.0) != 0.0
                assert order.sum() <= 20  # steps, and a bend may come back
            elif len(parents) >= 2 and set(parents) <= set("abcd"):
                n_totals += 1
                assert (grown.X.groupby(list(parents))[name].nunique() == 1).all()
            elif len(parents) == 1 and parents[0] in "abcd":  # three levels: it would be a copy
                assert (grown.X.groupby(list(parents))[name].nunique() > 1).any()
    assert min(n_totals, n_classes) >= 3


def test_noise_that_is_a_series_is_like_the_row_before():
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=1000)})
    ranks = [
        grown.X[name].rank()
        for seed in range(10)
        for grown in [
            graft(
                frame,
                n_grafts=1,
                strength=0.25,
                gaps=False,
                growth=partial(UnusualGrowth, serial=1.0),
                random_state=seed,
            )
        ]
        for name in grown.parents
        if pd.api.types.is_numeric_dtype(grown.X[name])
    ]
    assert np.median([x.autocorr() for x in ranks]) > 0.3


def test_records_mark_what_is_unknown(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_REAL_TABLES", str(folder))
    shard, report = draw_shard(0, Plan("grafts", 0, 3, 3))
    assert not report.failed
    shard.save(tmp_path / "shard.npz")
    shard = Shard.load(tmp_path / "shard.npz")
    for i in range(3):
        record, grown = shard.record(i), draw_grafts(i, "train", folder)
        np.testing.assert_array_equal(record.truth, table_truth(grown.adjacency, grown.known))
        assert record.groups == ("grafts",)
        assert (record.truth != UNKNOWN).sum() == grown.n_known
    assert (shard.truth == UNKNOWN).any()


def test_few_rows_and_many_others_have_the_same_columns(folder, tmp_path):
    base = tmp_path / "long"
    base.mkdir()
    package = packages("train", 1)[0]
    for k in range(2):
        some_table(k, n=400).to_csv(base / f"{package}__long{k}.csv", index=False)
        some_table(7 + k, n=60).to_csv(base / f"{package}__short{k}.csv", index=False)
    for seed in range(0, 24, 2):
        few, many = (draw_rows(seed + k, "train", base) for k in range(2))
        assert list(few.X) == list(many.X)
        assert "long" in few.parameters["table"] == many.parameters["table"]
        assert 12 <= len(few.X) <= 100
        assert 3 * len(few.X) <= len(many.X) == 400 - len(few.X)
        (name,) = [name for name in few.X if name.startswith("a")] or [None]
        if name:  # its values are all different
            assert not set(few.X[name]) & set(many.X[name])
        assert not (few.known & ~np.eye(few.X.shape[1], dtype=bool)).any()
        pd.testing.assert_frame_equal(few.X, draw_rows(seed, "train", base).X)
    with pytest.raises(InputError, match="long enough"):
        draw_rows(0, "train", folder)


def test_without_a_folder_an_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("SPINNEY_REAL_TABLES", str(tmp_path))
    with pytest.raises(InputError, match="build/real-tables"):
        draw_grafts(0)


def test_scores_leave_out_unknown_pairs():
    logits = np.array([2.0, -2.0, -1.0, 3.0, 0.5, -4.0])
    truth = np.array([1, UNKNOWN, 0, UNKNOWN, 0, 1])
    changed = np.where(truth == UNKNOWN, 9.0, logits)
    found = scores(logits, truth, np.array([4]))
    assert found == scores(changed, truth, np.array([4]))
    assert found["edges"] == 2
    assert found["wrong"] == 2


def test_loss_has_no_gradient_at_unknown_pairs():
    torch = pytest.importorskip("torch")
    from training.train import _blank_batch, loss_of

    batch = _blank_batch(2, 4, torch.device("cpu"))
    truth = torch.tensor([[1, 0, UNKNOWN, 0, UNKNOWN, 1]] * 2, dtype=torch.uint8)
    logits = torch.randn(2, 6, requires_grad=True)
    loss_of(logits, batch._replace(truth=truth)).backward()
    assert ((logits.grad == 0) == (truth == UNKNOWN)).all()


def test_calibration_gives_no_weight_to_unknown_pairs():
    pytest.importorskip("torch")
    from training.evaluate import Judged

    class Pool:
        d, n, seed = np.array([2, 3]), np.array([9, 9]), np.array([0, 1])
        labels, origin, folders, offsets = [{}, {}], np.array([0, 0]), [], np.array([0, 1])

    judged = Judged(Pool(), np.zeros(4, np.float32), np.array([1, UNKNOWN, 0, 1], np.uint8))
    np.testing.assert_allclose(judged.weights, [1 / 2, 0, 1 / 3, 1 / 3])


def test_training_mixes_folders(tmp_path):
    pytest.importorskip("torch")
    from training.__main__ import main
    from training.export import check
    from training.pool import Pool, in_turn

    from spinney.judge import Judge
    from tests.training.cases import made_up_folder

    folders = [
        made_up_folder(tmp_path / "one", 60, start=0),
        made_up_folder(tmp_path / "two", 30, start=0),
    ]
    pool = Pool(folders).take_all()
    assert len(pool) == 90
    np.testing.assert_array_equal(np.bincount(pool.origin), [60, 30])
    assert pool.describe()["stop"] == [60, 30]
    pool.close()
    part = Pool(folders, limit=30).take_all()
    np.testing.assert_array_equal(np.bincount(part.origin), [20, 10])
    part.close()
    assert in_turn([2, 1]) == [(0, 0), (1, 0), (0, 1)]
    both = [str(folder) for folder in folders]
    small = ["--width", "8", "--odd-width", "4", "--triangle-width", "4", "--blocks", "1"]
    run = ["--out", str(tmp_path / "run"), "--steps", "40", "--rate", "0.02", *small]
    assert main(["train", "--tables", *both, "--validation", *both, *run]) == 0
    judge = tmp_path / "judge.npz"
    assert main(["export", str(tmp_path / "run"), "--out", str(judge), "--calibrate", *both]) == 0
    assert Judge.load(judge).card["calibration"]["tables"]["stop"] == [60, 30]
    assert check(judge, folders, "cpu").tables[0] == 90
