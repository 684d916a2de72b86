"""``spinney learn --cluster`` with a scheduler and workers that were started by hand."""

import json
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from tests.scale.workers.clusters import by_command_line
from tests.scale.workers.test_same_bits import table
from typer.testing import CliRunner

from spinney.cli._app import app


def write_table(path):
    pd.DataFrame(table(60, 6, 5)).add_prefix("x").to_csv(path, index=False)


def spinney(*words, **options):
    command = [sys.executable, "-m", "spinney", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_an_address_where_nobody_answers_is_one_line_and_status_2(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("spinney.scale.cluster.ANSWER_S", 0.5)
    monkeypatch.chdir(tmp_path)
    write_table("cells.csv")
    done = CliRunner().invoke(app, ["learn", "--cluster", "tcp://127.0.0.1:1", "cells.csv"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "No Dask scheduler answers at tcp://127.0.0.1:1." in done.stderr
    assert not (tmp_path / "cells-graph").exists()


@pytest.mark.slow
def test_learning_on_a_cluster_writes_what_one_machine_writes(tmp_path):
    write_table(tmp_path / "cells.csv")
    common = ("--stability", "20", tmp_path / "cells.csv")
    alone = spinney("learn", "--out", tmp_path / "alone", *common)
    _, told = alone.communicate()
    assert alone.returncode == 0, told
    with by_command_line(2, tmp_path) as (address, _):
        run = spinney("learn", "--cluster", address, "--out", tmp_path / "many", *common)
        _, told = run.communicate()
    assert run.returncode == 0, told
    for name in ("edges.csv", "pairs.csv", "nodes.csv"):
        one, many = tmp_path / "alone" / name, tmp_path / "many" / name
        assert one.exists() == many.exists()
        assert not one.exists() or one.read_bytes() == many.read_bytes()
    settings = [json.loads((tmp_path / k / "run.json").read_text()) for k in ("alone", "many")]
    assert settings[0]["settings"] == settings[1]["settings"]
    assert (tmp_path / "many" / "edges.csv").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("heeded_interrupts")
def test_an_interrupt_ends_the_run_tells_how_far_it_was_and_leaves_nothing_running(tmp_path):
    distributed = pytest.importorskip("distributed")
    write_table(tmp_path / "cells.csv")
    with by_command_line(2, tmp_path) as (address, workers):
        words = ("--cluster", address, "--out", tmp_path / "out")
        run = spinney("learn", *words, "--stability", "3000", tmp_path / "cells.csv")
        checkpoint = tmp_path / "out-unfinished" / "stability-1.jsonl"
        end = time.monotonic() + 120
        while not checkpoint.exists() or checkpoint.read_text().count("\n") < 20:
            assert run.poll() is None, run.communicate()
            assert time.monotonic() < end, "no sample was finished"
            time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, told = run.communicate(timeout=60)
        assert run.returncode == 130, told
        assert time.monotonic() - begun < 20
        assert "Interrupted." in told
        assert "Traceback" not in told
        kept = checkpoint.read_text().count("\n")
        time.sleep(2)
        assert checkpoint.read_text().count("\n") == kept >= 20
        assert all(worker.poll() is None for worker in workers)
        with distributed.Client(address) as client:
            assert not any(client.processing().values())
        # The same command goes on from there.
        again = spinney("learn", *words, "--stability", "3000", tmp_path / "cells.csv")
        while checkpoint.read_text().count("\n") <= kept:
            assert again.poll() is None, again.communicate()
            assert time.monotonic() < end + 120
            time.sleep(0.2)
        again.send_signal(signal.SIGINT)
        again.communicate(timeout=60)
        assert again.returncode == 130
