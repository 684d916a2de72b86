"""``paper.md``: every number in it is one of ``run.json``, of the tables, or of the data."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney import load_model
from spinney._core.text import listed
from spinney.graph.export.spreadsheet import read_csv

FIXED = ("95 %", "pairwise", "2014", "Cramér's V")


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table of all kinds of columns, with gaps, a constant and two components."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(2, 260))
    table = pd.DataFrame(
        {
            "income": x,
            "age": x + rng.normal(size=260),
            "mood": np.clip(np.round(-x + rng.normal(size=260)), -2, 2),
            "town": np.array(list("pqr"))[np.clip(np.round(z + 1), 0, 2).astype(int)],
            "noise": z + 0.5 * rng.normal(size=260),
            "lonely": rng.normal(size=260),
            "same": 1,
        }
    )
    table.loc[rng.uniform(size=260) < 0.1, "age"] = np.nan
    table.to_csv("people.csv", index=False)
    return table


def parts_of(text):
    """The parts of the file, by their headings."""
    _, *found = re.split(r"^## (.*)\n\n", text, flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


def take(text, pattern, *expected):
    """Find a sentence, compare its numbers, and take it out of the text."""
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    assert found.groups("0") == tuple(map(str, expected)), pattern
    return text[: found.start()] + text[found.end() :]


def no_number_left(text):
    for known in FIXED:
        text = text.replace(known, "")
    assert not re.findall(r"\d+", text), text


def signed(value):
    return f"{value:+.2f}".replace("-", "−")


OPTIONS = {
    "plain": ("--kind", "mood=ordinal"),
    "all": (
        *("--kind", "mood=ordinal", "--fdr", 0.2, "--min-strength", 0.01, "--seed", 7),
        *("--stability", 20, "--layout", "circle", "--forbidden", "never.txt"),
    ),
    "drop": ("--kind", "mood=ordinal", "--missing", "drop", "--cut", 0.3, "--rows", "all"),
    "drawn": ("--kind", "mood=ordinal", "--rows", 200),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_number_is_of_the_run(people, spinney, name):
    Path("never.txt").write_text("age,noise\n")
    result = spinney("learn", "people.csv", "--model", *OPTIONS[name])
    assert result.exit_code == 0, result.stderr
    folder = Path("people-graph")
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    edges, nodes = read_csv(folder / "edges.csv"), read_csv(folder / "nodes.csv")
    parts = parts_of((folder / "paper.md").read_text(encoding="utf-8"))
    settings, counts = record["settings"], record["result"]
    n, d = len(people.dropna() if name == "drop" else people), counts["columns"]

    text = parts["Methods"]
    rows = {
        "drop": (r"the (\d+) of (\d+) rows without missing values", n, record["data"]["rows"]),
        "drawn": (
            r"(\d+) of (\d+) rows \(drawn at random with seed (\d+)\)",
            *(counts.get("rows", {}).get(key) for key in ("used", "of", "seed")),
        ),
    }.get(name, (r"(\d+) rows", record["data"]["rows"]))
    text = take(
        text, f"from the table (people.csv): {rows[0]} and", record["data"]["name"], *rows[1:]
    )
    kinds = nodes["kind"].value_counts()
    assert set(kinds.index) == {"continuous", "ordinal", "nominal"}
    text = take(
        text,
        r"(\d+) columns \((\d) continuous, (\d) ordinal and (\d) nominal\)",
        *(d, *(kinds[kind] for kind in ("continuous", "ordinal", "nominal"))),
    )
    text = take(text, r"We left out (\d+) column: '(\w+)'", len(counts["left_out"]), "same")
    gaps = ~load_model(folder / "graph.spinney").table.present
    if name == "drop":
        assert "No value was missing." in text
    else:
        text = take(
            text,
            r"(\d+) of (\S+) values \((.*?)\) were missing, in (\d) column; (\d+) of (\d+) rows",
            *(gaps.sum(), f"{gaps.size:,}", f"{100 * gaps.mean():.1f} %", gaps.any(axis=0).sum()),
            *((~gaps.any(axis=1)).sum(), len(gaps)),
        )
    text = take(text, r"each of (\d+) pairs", counts["pairs"])
    text = take(text, r"judge (\w+)\)", record["judge"]["fingerprint"])
    if settings["fdr"] is None:
        text = take(text, r"probability above ([\d.]+) are", settings["cut"] or 0.5)
    else:
        text = take(text, r"false edges at (\d+) % or less", round(100 * settings["fdr"]))
        text = take(text, r"lies beyond ±([\d.]+)\.", settings["min_strength"])
        known = record["known_edges"]
        text = take(text, r"(\d) required, (\d) forbidden", *map(len, known.values()))
        n_samples = settings["stability"]
        text = take(text, r"(\d+) bootstrap samples of", n_samples)
        text = take(text, r"(\d+) subsets without 5 % to 75 % of them \(.*?2018\)", n_samples)
    text = take(text, r"random seed was (\d+)", record["seed"])
    versions = record["versions"]
    text = take(
        text,
        r"Software: spinney (\S+), Python (\S+), numpy (\S+), scipy (\S+)\.\n",
        *(record["spinney_version"], record["python"], versions["numpy"], versions["scipy"]),
    )
    no_number_left(text)

    text, size = parts["Results"], edges["strength"].abs()
    assert counts["edges"] == len(edges)
    share = f"{100 * len(edges) / counts['pairs']:.0f} %"
    text = take(text, r"(\d+) of (\d+) pairs \((.*?)\)", counts["edges"], counts["pairs"], share)
    told = [float(x) for x in re.findall(r"about ([\d.]+) are", text)]
    exact = [counts[f"expected_{what}"] for what in ("false", "missed")]
    assert told == [round(value, 1) for value in exact if value >= 0.05]
    text = re.sub(r"about [\d.]+ are", "", text)
    found = pd.read_csv(folder / "pairs.csv")
    told = found.groupby("edge")["verdict"].value_counts()
    text = take(
        text,
        r"(\d+) edges?: (?:(\d+) present \(P ≥ 0.9\))?(?:, )?(?:(\d+) likely)?;",
        *(len(edges), told.get((True, "present"), 0), told.get((True, "undecided"), 0)),
    )
    text = take(
        text,
        r"(\d+) other pairs?: (?:(\d+) absent \(P ≤ 0.1\))?(?:, )?(?:(\d+) undecided)?\.",
        *(
            (~found["edge"]).sum(),
            told.get((False, "absent"), 0),
            told.get((False, "undecided"), 0),
        ),
    )
    sizes = nodes["component"].value_counts()
    alone = nodes.loc[nodes["component"].map(sizes) == 1, "name"]
    text = take(
        text,
        r"form (\w+) components? of (.*?) columns(?:; (\d) columns? ha\w+ no edge \((.*?)\))?\.",
        {1: "one"}.get((sizes > 1).sum(), (sizes > 1).sum()),
        listed([str(size) for size in sizes if size > 1]),
        len(alone),
        listed([*alone]) or "0",
    )
    text = take(
        text,
        r"from (\S+) to (\S+) \(median (\S+)\)",
        *(f"{value:.2f}" for value in (size.min(), size.max(), size.median())),
    )
    row = edges.loc[size.idxmax()]
    written = "{:.2f}".format if "town" in (row["source"], row["target"]) else signed
    text = take(
        text,
        r"strongest edge is (\w+) – (\w+) \((\S+), 95 % interval \[(\S+), (\S+)\]\)",
        *(row["source"], row["target"]),
        *(written(row[key]) for key in ("strength", "strength_low", "strength_high")),
    )
    unsure = (edges["strength_low"] * edges["strength_high"] <= 0).sum()
    if unsure:
        text = take(text, r"of (\d) edges? contains? 0", unsure)
    if settings["stability"]:
        shares = [int(share) for share in re.findall(r" (\d+) % \|\n", parts["Edges"])]
        stable = sum(share >= 90 for share in shares)
        text = take(text, r"(\d) of (\d) edges were found in at least 90 %", stable, len(edges))
        text = re.sub(r"CS coefficients: [a-z0-9. ,]+\.", "", text)
    no_number_left(text)

    text = take(
        parts["Figure"],
        r"(\d+) edges among (\d+) columns, (\d+)",
        *(counts["edges"], d, 200 if name == "drawn" else n),
    )
    text = text.replace("of 260 rows", "") if name == "drawn" else text
    text = take(text, r"strongest here has (\S+)\. ", f"{size.max():.2f}")
    text = take(text, r"strength of (0\.7)", 0.7)
    text = take(text, r"of at least ([\d.]+),", settings["sure"])
    text = re.sub(r"\(here \S+ to \S+\)", "", text)
    assert ("circle" in text) == (record["how"]["layout"] == "circle")
    no_number_left(text)

    lines = [line for line in parts["Edges"].split("\n") if line.startswith("| ")][1:]
    assert len(lines) == len(edges)
    for line, row in zip(lines, edges.to_dict("records"), strict=True):
        edge, probability, strength, interval, *_ = (cell.strip() for cell in line.split("|")[1:-1])
        assert edge == f"{row['source']} – {row['target']}"
        if probability[0] not in "<>":
            assert probability == f"{row['probability']:.3f}"
        nominal = "town" in (row["source"], row["target"])
        keys = ("strength", "strength_low", "strength_high")
        told = [f"{row[key]:.2f}" if nominal else signed(row[key]) for key in keys]
        assert [strength, interval] == [told[0], f"[{told[1]}, {told[2]}]"]
        assert f"{row['source']} -- {row['target']}" in parts["Edges"]  # in LaTeX


def test_the_checklist_knows_what_was_done(people, spinney):
    status = {}
    for options in ((), ("--stability", 20)):
        assert spinney("learn", "people.csv", "--force", *options).exit_code == 0
        checklist = parts_of(Path("people-graph/paper.md").read_text("utf-8"))["Checklist"]
        lines = [line.split(" | ") for line in checklist.split("\n") if line.startswith("| ")]
        status[options] = {line[0].removeprefix("| "): line[2] for line in lines}
    without, with_it = status.values()
    assert without["Stability of edges"] == "lacks"
    assert {with_it[f"Stability of {what}"] for what in ("edges", "centralities")} == {"has"}
    assert with_it["Difference tests of edges"] == "has"
    assert without["Sample"] == "yours"
    assert without["Software and versions"] == "has"


def test_other_estimators_claim_no_probability(table, spinney):
    assert spinney("learn", table, "-e", "chow-liu", "--families", "gaussian").exit_code == 0
    parts = parts_of(Path("cells-graph/paper.md").read_text("utf-8"))
    assert (
        "We estimated the network with Chow–Liu (estimator chow-liu) of spinney."
        in parts["Methods"]
    )
    assert "probability" not in parts["Methods"] + parts["Results"] + parts["Figure"]
    assert "Strength" not in parts["Edges"]
