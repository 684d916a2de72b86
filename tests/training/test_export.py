import numpy as np
import pytest

from spinney.evidence import CHANNELS, N_EVEN
from spinney.exceptions import InputError
from spinney.judge import STANDARDISATION, Judge
from spinney.judge.judge import smallness
from tests.training.cases import made_up_folder, made_up_record

torch = pytest.importorskip("torch")
from training.__main__ import main  # noqa: E402 (needs torch)
from training.checkpoint import load_network  # noqa: E402
from training.export import calibrated, check, export, make_cloud  # noqa: E402

SIZES = {"steps": 40, "width": 8, "odd-width": 4, "triangle-width": 4, "blocks": 1}
TINY = [f"--{name}={value}" for name, value in {**SIZES, "batch-pairs": 150}.items()]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two runs by the command line, and the judge of both."""
    base = tmp_path_factory.mktemp("export")
    tables = made_up_folder(base / "tables", 40)
    made_up_folder(base / "validation", 40, start=7000)
    for seed in ("1", "2"):
        run = ["train", "--tables", str(tables), "--out", str(base / seed), "--seed", seed]
        assert main([*run, *TINY, "--device", "cpu"]) == 0
    runs = [base / "1", base / "2"]
    export(runs, base / "judge.npz", base / "validation", device="cpu", say=lambda line: None)
    return base


def test_the_judge_averages_the_runs_in_half_precision(made):
    judge = Judge.load(made / "judge.npz")
    record = made_up_record(7003)
    evidence = record.evidence.astype(np.float16).astype(np.float32)
    logits = []
    for seed in ("1", "2"):
        network = load_network(made / seed)
        with torch.no_grad():
            for name, value in network.named_parameters():
                assert name not in STANDARDISATION
                value.copy_(value.half().float())
            d = (1 + int((1 + 8 * len(evidence)) ** 0.5)) // 2
            tensor = torch.from_numpy(evidence)[None]
            mask = torch.ones(1, d, dtype=torch.bool)
            logits.append(network(tensor[..., :N_EVEN], tensor[..., N_EVEN:], mask)[0].numpy())
    numbers = (judge.scale, judge.shift, *judge.few)
    expected = calibrated(np.mean(logits, axis=0), smallness(d), numbers)
    found = judge.logits(evidence[:, :N_EVEN], evidence[:, N_EVEN:])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_calibration_lowers_the_loss_and_is_on_the_card(made):
    card = Judge.load(made / "judge.npz").card
    before, after = card["calibration"]["before"], card["calibration"]["after"]
    assert after["loss"] < before["loss"]  # forty steps of training leave much to calibrate
    assert before["tables"] == after["tables"] == 20
    assert [run["options"]["seed"] for run in card["runs"]] == [1, 2]
    assert [channel["name"] for channel in card["channels"]] == [c.name for c in CHANNELS]
    assert card["limits"]


def test_scores_of_the_file_are_those_on_its_card(made):
    judge = Judge.load(made / "judge.npz")
    found = check(made / "judge.npz", made / "validation", "cpu").set_index(["by", "value"])
    told = judge.card["validation"]
    bins = judge.card["reliability"]["world"]["2-8"]
    assert all(0 <= share <= 1 and 0 < mean < 1 for mean, share, _ in bins)
    assert found.loc[("all", ""), "loss"] == pytest.approx(told["all"][""]["loss"], abs=1e-4)
    assert set(told["graph"]) == {"tree", "ring"}


def test_the_scores_of_a_run_differ_from_those_of_the_judge(made):
    run = check(made / "1", made / "validation", "cpu")
    judge = check(made / "judge.npz", made / "validation", "cpu")
    assert run.loss[0] > judge.loss[0]


def test_errors_are_one_line(made, tmp_path, capsys):
    assert main(["export", str(tmp_path), "--out", str(tmp_path / "a.npz")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["tables", "--out", str(tmp_path), "--seeds", "ten"])


def test_other_channels_are_not_exported(made, tmp_path):
    state = torch.load(made / "1" / "checkpoint.pt", weights_only=True)
    torch.save({**state, "channels": ["one"]}, tmp_path / "checkpoint.pt")
    with pytest.raises(InputError, match="other channels"):
        export([tmp_path], tmp_path / "a.npz")


def test_the_cloud_goes_into_the_file_and_too_few_tables_make_none(made, tmp_path):
    many = made_up_folder(tmp_path / "many", 820, size=100)
    export([made / "1"], tmp_path / "a.npz", cloud=many, say=lambda line: None)
    assert Judge.load(tmp_path / "a.npz").cloud.n_tables.sum() == 820
    said = []
    assert make_cloud(made / "tables", said.append) is None
    assert "800 tables or more" in said[-1]
