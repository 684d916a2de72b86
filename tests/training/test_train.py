import json
import signal
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from spinney.evidence import CHANNELS, N_EVEN, N_ODD
from spinney.exceptions import InputError
from tests.training.cases import GROUPS, few_or_many, made_up_folder, made_up_record

torch = pytest.importorskip("torch")
from training.checkpoint import Options, load_checkpoint, load_network  # noqa: E402 (needs torch)
from training.coherence import FewAndMany  # noqa: E402
from training.evaluate import judge_pool  # noqa: E402
from training.export import export, fit_calibration  # noqa: E402
from training.model import PairNetwork, to_arrays  # noqa: E402
from training.pool import Pool  # noqa: E402
from training.standardise import standardisation  # noqa: E402
from training.train import Trainer, loss_of  # noqa: E402

SMALL = Options(
    steps=12,
    width=8,
    odd_width=4,
    triangle_width=4,
    blocks=1,
    batch_pairs=150,
    warm_up=3,
    first=0.3,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made_up_folder(tmp_path_factory.mktemp("training") / "tables", 60)


def train(folder, out, options=SMALL, until=None, **settings):
    trainer = Trainer(options, folder, out, device="cpu", say=lambda line: None, **settings)
    if until is not None:
        halt_at(trainer, until)
    finished = trainer.run()
    trainer.close()
    return finished


def halt_at(trainer, step):
    """Let the trainer hear a request to end at some step, as it would from Ctrl-C."""
    gradient = trainer._gradient

    def gradient_or_signal():
        if trainer.step == step - 1:
            signal.raise_signal(signal.SIGTERM)
        return gradient()

    trainer._gradient = gradient_or_signal


def test_training_in_two_parts_equals_training_in_one_go(folder, tmp_path):
    assert train(folder, tmp_path / "one")
    assert not train(folder, tmp_path / "two", until=5)
    assert load_checkpoint(tmp_path / "two")["step"] == 5
    assert train(folder, tmp_path / "two")
    one, two = (load_checkpoint(tmp_path / name) for name in ("one", "two"))
    assert one["step"] == two["step"] == 12
    for part in ("model", "average"):
        for name, value in one[part].items():
            assert torch.equal(value, two[part][name]), name
    start = PairNetwork(SMALL.network(N_EVEN, N_ODD)).state_dict()
    assert not torch.equal(one["model"]["even_in.weight"], start["even_in.weight"])


def test_a_run_with_other_settings_is_not_gone_on_from(folder, tmp_path):
    train(folder, tmp_path)
    with pytest.raises(InputError, match="seed: 1 there, 2 here"):
        train(folder, tmp_path, Options(**{**SMALL.to_dict(), "seed": 2}))


def test_a_gradient_that_is_not_finite_is_left_out(folder, tmp_path):
    trainer = Trainer(SMALL, folder, tmp_path, device="cpu", say=lambda line: None)
    backward = trainer._backward

    def broken(batch, factor):
        return backward(batch, float("nan") if trainer.step in (2, 7) else factor)

    trainer._backward = broken
    assert trainer.run()
    trainer.close()
    assert all(torch.isfinite(p).all() for p in trainer.model.parameters())
    assert all(torch.isfinite(p).all() for p in trainer.average.parameters())
    last = json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["skipped"] == 2
    assert np.isfinite(last["loss"])


def test_scores_on_the_way_are_those_of_the_averaged_network(folder, tmp_path):
    validation = made_up_folder(tmp_path / "validation", 20, start=7000)
    train(folder, tmp_path / "run", validation=validation, validate_every=6)
    text = (tmp_path / "run/metrics.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    scored = [line for line in lines if "validation" in line]
    assert [line["step"] for line in scored] == [6, 12]
    pool = Pool(validation).take_all()
    pool.close()
    found = judge_pool([load_network(tmp_path / "run")], pool).scores()
    assert found == pytest.approx(scored[-1]["validation"], rel=1e-6)


def test_tables_that_come_late_are_waited_for_or_done_without(folder, tmp_path):
    late = made_up_folder(tmp_path / "late", 60)
    (late / "shard-000004.npz").unlink()
    said = []
    trainer = Trainer(SMALL, late, tmp_path / "run", device="cpu", patience=0.02, say=said.append)
    assert trainer.run()
    trainer.close()
    assert len(trainer.pool) == 40
    assert not load_checkpoint(tmp_path / "run")["on_time"]
    assert sum("depend on how fast" in line for line in said) == 1


def test_training_by_the_clock_ends_in_time_and_takes_tables_as_they_come(
    folder, tmp_path, monkeypatch
):
    now = iter(range(10_000))
    monkeypatch.setattr("training.train.time", SimpleNamespace(monotonic=lambda: float(next(now))))
    late = made_up_folder(tmp_path / "late", 60)
    (late / "shard-000004.npz").unlink()  # nobody makes it: training goes on without
    start = tmp_path / "before"
    train(folder, start)
    options = replace(SMALL, steps=100, minutes=3.0, uses=2.0, start=str(start))
    trainer = Trainer(options, late, tmp_path / "run", device="cpu", patience=0.05, say=print)
    assert trainer.run()
    trainer.close()
    assert trainer._place() == 100
    assert 5 < trainer.step < 180
    assert trainer.optimizer.param_groups[0]["lr"] < 0.1 * options.rate
    assert len(trainer.pool) == 40
    assert trainer.n_used > 2 * 40


def test_the_loss_is_the_mean_over_tables_of_sums_over_pairs(folder):
    pool = Pool(folder).take_all()
    pool.close()
    tables = pool.members[8]
    batch = pool.batch(8, np.arange(len(tables)))
    rng = np.random.default_rng(4)
    logits = rng.normal(size=batch.truth.shape)
    expected = []
    for i, table in enumerate(tables):
        record = made_up_record(int(pool.seed[table]))
        d = int(pool.d[table])
        z = logits[i][np.triu_indices(8, 1)[1] < d]
        p = expit(z)
        terms = np.where(record.truth == 1, -np.log(p), -np.log1p(-p))
        expected.append(terms.sum() / d)
    found = loss_of(torch.from_numpy(logits), batch)
    assert float(found) == pytest.approx(np.mean(expected), rel=1e-6)


def test_all_tables_are_judged_in_their_order_whatever_the_batches(folder):
    torch.manual_seed(3)
    network = PairNetwork(SMALL.network(N_EVEN, N_ODD)).eval()
    pool = Pool(folder, without=GROUPS[:1]).take_all()
    pool.close()
    judged = judge_pool([network, network], pool, batch_pairs=200)
    for i in (0, 3, len(judged) - 1):
        record = made_up_record(int(judged.seed[i]))
        evidence = torch.from_numpy(record.evidence.astype(np.float16).astype(np.float32))
        even, odd = evidence[None, :, :N_EVEN], evidence[None, :, N_EVEN:]
        d = int(judged.d[i])
        expected = network(even, odd, torch.ones(1, d, dtype=torch.bool))[0].detach().numpy()
        rows = judged.rows(np.array([i]))
        np.testing.assert_allclose(judged.logits[rows], expected, rtol=0, atol=2e-5)
        np.testing.assert_array_equal(judged.truth[rows], record.truth)


def test_scores_by_group_and_size_are_those_of_their_tables(folder):
    torch.manual_seed(3)
    pool = Pool(folder).take_all()
    pool.close()
    judged = judge_pool([PairNetwork(SMALL.network(N_EVEN, N_ODD)).eval()], pool)
    table = judged.by().set_index(["by", "value"])
    assert table.loc[("all", ""), "tables"] == 60
    trees = np.flatnonzero(["trees" in made_up_record(seed).groups for seed in range(60)])
    assert table.loc[("group", "trees"), "loss"] == judged.scores(trees)["loss"]
    for by in ("graph", "rows", "columns"):
        assert table.loc[by, "tables"].sum() == 60


def test_range_and_scale_of_channels(rng):
    evidence = rng.normal(1.0, 3.0, size=(20_000, len(CHANNELS))).astype(np.float32)
    evidence[:, 2] = 4.0  # never changes
    arrays = standardisation(evidence, drop=["table"])
    dropped = np.array([channel.group == "table" for channel in CHANNELS])[:N_EVEN]
    kept = ~dropped & (np.arange(N_EVEN) != 2)
    np.testing.assert_allclose(arrays["even_center"], evidence[:, :N_EVEN].mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(arrays["even_scale"][kept], 3.0, rtol=0.03)
    np.testing.assert_allclose(arrays["odd_scale"], 10**0.5, rtol=0.03)
    outside = (evidence[:, :N_EVEN] < arrays["even_low"]) | (
        evidence[:, :N_EVEN] > arrays["even_high"]
    )
    assert 0 < outside[:, kept].mean() < 0.001
    assert dropped.any()
    np.testing.assert_array_equal(arrays["even_low"][dropped], arrays["even_center"][dropped])
    np.testing.assert_array_equal(arrays["even_high"][dropped], arrays["even_center"][dropped])
    assert (arrays["even_scale"] > 0).all()


def test_a_dropped_group_changes_no_logit(folder):
    network = PairNetwork(SMALL.network(N_EVEN, N_ODD)).eval()
    pool = Pool(folder).take_all()
    pool.close()
    network.set_standardisation(**standardisation(pool.sample(60, 300, 1), drop=["shapes"]))
    record = made_up_record(5)
    other = record.evidence.copy()
    shapes = [k for k, channel in enumerate(CHANNELS) if channel.group == "shapes"]
    other[:, shapes] += 3.0
    mask = torch.ones(1, (1 + int((1 + 8 * len(other)) ** 0.5)) // 2, dtype=torch.bool)

    def logits(values):
        evidence = torch.from_numpy(values)[None]
        return network(evidence[..., :N_EVEN], evidence[..., N_EVEN:], mask)

    assert torch.equal(logits(record.evidence), logits(other))
    other[:, [channel.group for channel in CHANNELS].index("given")] += 1.0
    assert not torch.equal(logits(record.evidence), logits(other))


def test_unknown_groups_of_evidence_are_refused():
    with pytest.raises(InputError, match="no group 'tarot'"):
        standardisation(np.zeros((5, len(CHANNELS)), np.float32), ["tarot"])


def test_calibration_against_logistic_regression(rng):
    z = rng.normal(-1, 2, size=5000)
    y = rng.random(5000) < expit(0.7 * z + 0.4)
    w, s = rng.uniform(0.1, 1.0, size=(2, 5000))
    found = fit_calibration(z, y, w, s)
    oracle = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    oracle.fit(np.column_stack([z, -s * z, -s]), y, sample_weight=w)
    a, less_a, less_b = oracle.coef_[0]
    assert found == pytest.approx((a, oracle.intercept_[0], less_a, less_b), abs=1e-5)


def test_coherence_draws_the_answer_from_few_rows_to_that_from_many(folder, tmp_path):
    """Many rows are sure of every pair; few say nothing. So few rows must learn to be sure."""
    rows = made_up_folder(tmp_path / "rows", 40, make=few_or_many)
    gaps = {}
    for weight in (0.0, 3.0):
        options = replace(SMALL, steps=60, rate=0.02, coherence=weight, coherent_from=0.0)
        assert train(folder, tmp_path / f"{weight}", options, rows=rows)
        pool = Pool(rows).take_all()
        told = judge_pool([load_network(tmp_path / f"{weight}")], pool)
        pool.close()
        few, many = (
            np.concatenate([told.logits[told.rows(np.array([k]))] for k in np.flatnonzero(which)])
            for which in (told.seed % 2 == 0, told.seed % 2 == 1)
        )
        gaps[weight] = np.abs(expit(few) - expit(many)).mean()
    assert gaps[3.0] < 0.8 * gaps[0.0]


def test_a_table_without_its_partner_is_left_out(tmp_path):
    rows = made_up_folder(tmp_path / "rows", 7, make=few_or_many)
    pairs = FewAndMany(Pool(rows))
    pairs.take(0.0)
    assert sum(map(len, pairs.members.values())) == 3
    few, many, _ = pairs.batch(1, 0, 100)
    assert (few.d == many.d).all()
    assert few.evidence.shape == many.evidence.shape
    pairs.pool.close()


def test_training_says_when_tables_are_used_too_often(folder, tmp_path):
    lines = []
    for steps in (12, 200):
        options = replace(SMALL, steps=steps)
        trainer = Trainer(options, folder, tmp_path / f"{steps}", device="cpu", say=lines.append)
        trainer.run()
        trainer.close()
    told = [line for line in lines if "used" in line]
    assert "by heart" not in told[0]
    assert "by heart" in told[-1]


def test_training_goes_on_with_a_network_of_a_judge(folder, tmp_path):
    runs = [tmp_path / "first", tmp_path / "second"]
    for seed, run in enumerate(runs, start=1):
        assert train(folder, run, replace(SMALL, seed=seed))
    judge = export(runs, tmp_path / "judge.npz", say=lambda line: None)
    for seed, place in ((1, 0), (2, 1), (3, 0)):
        options = replace(SMALL, seed=seed, start=str(tmp_path / "judge.npz"))
        started = Trainer(options, folder, tmp_path / f"next-{seed}", device="cpu")
        for name, array in to_arrays(started.model).items():
            np.testing.assert_array_equal(array, judge.networks[place].arrays[name])
        assert started.before["steps"] == SMALL.steps
        started.close()
    with pytest.raises(InputError, match="no network of these sizes"):
        Trainer(
            replace(SMALL, width=16, start=str(tmp_path / "judge.npz")), folder, tmp_path / "other"
        )


def test_the_card_counts_what_a_network_was_trained_with_before(folder, tmp_path):
    before = ""
    for name in ("first", "second", "third"):
        assert train(folder, tmp_path / name, replace(SMALL, start=before))
        before = str(tmp_path / name)
    run = export([tmp_path / "third"], tmp_path / "judge.npz", say=lambda line: None).card["runs"][
        0
    ]
    assert (run["steps"], run["tables"]) == (3 * SMALL.steps, 3 * 60)
    assert run["options"]["start"] == "second"
