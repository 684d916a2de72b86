"""docs/accuracy.md: nothing is said that is not stored, and what did not hold is said."""

import json

import pytest
from scripts import make_learned, make_learned_claims, make_learned_words

MACHINE = {"processor": "a processor"}


def mean(value, error=0.1):
    return {"mean": value, "error": error, "cells": 28, "tables": 840}


@pytest.fixture
def sections():
    """Results of all sections, small and made up."""
    bins = {
        "low": [0.0, 0.5],
        "high": [0.5, 1.0],
        "count": [90, 10],
        "mean_probability": [0.1, 0.9],
        "edge_share": [0.1, 0.8],
    }
    diagram = {"error": 0.002, "pairs": 100, "bins": bins}
    cell = {"mean": 2.0, "error": 0.2, "repetitions": 30, "few": {}, "also_above": []}
    judged = cell | {
        "best": "bdgraph-ggm",
        "best_mean": 2.5,
        "difference": -0.5,
        "difference_error": 0.2,
        "seeds": 30,
        "above": False,
    }
    ablation = {
        "hamming": mean(7.0),
        "log_loss": mean(20.0),
        "difference": {"hamming": mean(0.0), "log_loss": mean(0.0)},
    }
    real = {
        "truths": {
            "gold": {
                "true_edges": 5,
                "hamming": 3,
                "precision": 0.5,
                "recall": None,
                "average_precision": 0.4,
            }
        },
        "sectors": None,
        "edges": 4,
        "seconds": 0.1,
        "foreign": ["It is strange."],
    }
    sectors = {"all_pairs": 0.1, "graph": 0.9, "first": {"100": 0.8}}
    stock = real | {"truths": {}, "sectors": sectors, "foreign": []}
    place = {
        "hamming": {"short": mean(3.0), "without-hubs": mean(4.0)},
        "lost": mean(1.0),
        "best_forest": "shared-forest",
        "against_forest": mean(0.5, 0.2),
        "warned": {"share": 0.4, "most_often": "It is strange."},
        "tables": 60,
    }
    found = {
        "cells": {
            "truths": {
                "cells": {"connected-50": judged, "loopy-50": judged | {"above": True}},
                "mean": {"learned": mean(6.5), "bdgraph-ggm": mean(10.9)},
                "best_single_peer": "bdgraph-ggm",
                "share_below_best_single": 0.4,
            },
            "wide": {
                "learned": {"mean": 30.0, "error": 1.0, "repetitions": 30},
                "et": {
                    "mean": 20.0,
                    "error": 1.0,
                    "repetitions": 30,
                    "ahead": 10.0,
                    "ahead_error": 1.0,
                    "seeds": 30,
                },
            },
        },
        "noise": {
            "tables": {
                "x": {
                    "d": 25,
                    "n": 50,
                    "edges": 0.1,
                    "error": 0.05,
                    "most": 1,
                    "expected_edges": 0.2,
                    "tables": 30,
                }
            }
        },
        "calibration": {
            "target_fdr": 0.1,
            "truths": {
                "all": diagram,
                "by_kind": {"connected": diagram},
                "by_n": {"n = 50": diagram},
                "by_d": {"d = 25": diagram},
                "target": {
                    "connected-50": {"edges": 60, "false": 9, "share": 0.15, "counts": True},
                    "hubs-50": {"edges": 6, "false": 5, "share": 0.83, "counts": False},
                },
            },
        },
        "limits": {
            "kinds": {
                "connected-50": {
                    "hamming": {
                        "ours": mean(3.0),
                        "limit": mean(2.0),
                        "difference": mean(1.0),
                    },
                    "log_loss": {"ours": mean(9.0), "limit": mean(8.0)},
                }
            }
        },
        "leave-out": {"yardstick": "short", "groups": {"hubs": {"world": place}}},
        "twins": {
            "scores": {"seed-1": ablation | {"calibration_error": mean(0.01)}},
            "average_against": {"seed-1": {"log_loss": mean(-0.5)}},
            "mean_move": 0.003,
            "mean_move_of_near_pairs": 0.03,
            "changed_decisions_per_table": 0.4,
            "share_of_kept_that_change": 0.02,
        },
        "real": {
            "tables": {"dream4-1": {"learned": real}, "sp500": {"learned": stock}},
            "halves": {
                "100": {
                    "learned": {"agreement": 0.6, "error": 0.1, "edges": 12.0, "tables": 6},
                    "et": {"agreement": None, "error": None, "edges": 0.0, "tables": 6},
                }
            },
            "failed": {"sp500, et": "TimeoutError: no result within 600 s"},
        },
        "ablation": {
            "yardstick": "short",
            "networks": {"short": ablation, "no-ladder": ablation},
            "real": {"sachs-853": {"short": 12, "no-ladder": 19}},
        },
        "scale": {
            "results": [
                {"d": 25, "seconds": [0.01, 0.3, 0.02], "limit_seconds": 0.05, "peak_GiB": 0.1}
            ]
        },
        "speed": {
            "n": 500,
            "d": 25,
            "cores": 2,
            "median_seconds": {"GraphLearner": 0.1},
            "ratios": {
                "huge glasso + StARS 20 x 20 / GraphLearner": 40.0,
                "BDgraph ggm 5000 / GraphLearner": 4.0,
            },
        },
    }
    return {
        name: {"date": "2026-01-01", "machine": MACHINE, **part} for name, part in found.items()
    }


def test_claims_that_do_not_hold_are_marked(sections):
    lines = "\n".join(make_learned_claims.overview(sections))
    rows = {row.split("|")[1].strip(): row.split("|")[3].strip() for row in lines.splitlines()[4:]}
    held = {asked[:20]: word for asked, word in rows.items()}
    assert held["wrong edges a table "] == "yes"
    assert held["at least 35% below t"] == "yes"
    assert held["continuous cells: in"] == "**no**"  # loopy-50 is above
    assert held["independent columns:"] == "yes"
    assert held["80 nodes, 50 rows: m"] == "yes"
    assert held["`target_fdr=0.1`: at"] == "**no**"  # 0.15, of a cell with enough edges
    assert held["at least 20 times as"] == "yes"
    assert held["at least 10 times as"] == "**no**"


def test_every_section_is_written(sections):
    text = make_learned.page(sections)
    assert "Not measured yet" not in text
    for said in (
        "above in 1 of 2: loopy-50",
        "falls below the best forest on: hubs (world)",
        "The judge warns: It is strange.",
        "Without a result: sp500, et",
        "| **judge** | 30.0 ± 1.0 | 30 | – |",
        "−0.50 ± 0.10 against seed-1",
        "| no ladder | 19 |",
        "| 25 | 0.02 | 0.05 | 0.10 |",
        "`python -m benchmarks.judge scale`",
    ):
        assert said in text
    assert "hubs-50" not in text  # too few edges to speak of
    # Tables are whole: as many cells in each row as in its head.
    rows = [line for line in text.splitlines() if line.startswith("|")]
    heads = {}
    for k, line in enumerate(text.splitlines()):
        if line.startswith("|---"):
            heads[k] = line.count("|")
    assert len(rows) > 3 * len(heads) - 1
    lines = text.splitlines()
    for k, width in heads.items():
        assert lines[k - 1].count("|") == width
        for line in lines[k + 1 :]:
            if not line.startswith("|"):
                break
            assert line.count("|") == width, line


def test_sections_without_results_are_named():
    text = make_learned.page({})
    assert text.count("Not measured yet") == len(make_learned.PARTS)
    assert "In short" not in text


def test_the_latest_of_each_section_counts(tmp_path):
    for day, part in (("01", {"a": 1, "b": 1}), ("02", {"b": 2, "scale": 3})):
        (tmp_path / f"learned-2026-01-{day}.json").write_text(json.dumps(part))
    (tmp_path / "judge-2026-01-01.json").write_text(json.dumps({"scale": 1, "b": 9}))
    assert make_learned.stored(tmp_path) == {"a": 1, "b": 2, "scale": 1}


def test_pictures_are_drawn(sections, tmp_path):
    sections["cells"].pop("truths")  # those come from records
    make_learned.figures.draw(sections, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["judge_reliability.png"]


def test_numbers_that_are_missing_are_dashes():
    assert make_learned_words.with_error(None) == "–"
    assert make_learned_words.signed({"mean": None, "error": None}) == "–"
    assert make_learned_words.number(None) == "–"
    assert make_learned_words.name("no-such") == "no-such"
