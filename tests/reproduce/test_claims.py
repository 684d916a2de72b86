"""Claims: the numbers are paired means with their errors, and the verdict follows its rule."""

import numpy as np
import pandas as pd
import pytest

from reproduce.claims import CLAIMS, judge_claims

METRICS = ("hamming", "precision", "recall", "false_positives", "inter_component_false_positives")


def table(name, n, values):
    """One row per method and seed; `values` gives the metrics of each method, by seed."""
    rows = []
    for method, metrics in values.items():
        length = max(np.size(metrics.get(metric, 0.0)) for metric in METRICS)
        for seed in range(length):
            row = {"figure": name, "n": n, "method": method, "seed": seed}
            for metric in METRICS:
                row[metric] = np.broadcast_to(metrics.get(metric, 0.0), length)[seed]
            rows.append(row)
    return pd.DataFrame(rows)


def judgement(figure, words, frame):
    found = [j for j in judge_claims({figure: frame}) if j.figure == figure and words in j.sentence]
    assert len(found) == 1
    return found[0]


def test_differences_are_paired_and_unmatched_seeds_left_out():
    ours, theirs = np.array([3.0, 9.0, 4.0, 7.0]), np.array([5.0, 10.0, 8.0, 7.5, 100.0])
    frame = table("figure3", 50, {"ef-cuts": {"hamming": ours}, "et": {"hamming": theirs}})
    (finding,) = judgement("figure3", "EF-cuts performs better", frame).findings
    gaps = ours - theirs[:4]
    assert finding.repetitions == 4
    assert finding.mean == pytest.approx(gaps.mean())
    assert finding.standard_error == pytest.approx(gaps.std(ddof=1) / 2)
    assert finding.met
    assert finding.sure == (abs(gaps.mean()) > 2 * finding.standard_error)


@pytest.mark.parametrize(
    ("precision", "verdict"),
    [
        ([0.99, 0.98], "holds"),
        ([0.99, 0.80], "holds in part"),
        ([0.99, 0.80, 0.98], "holds in part"),
        ([0.80, 0.99, 0.80], "does not hold"),
        ([0.80, 0.80], "does not hold"),
    ],
)
def test_the_verdict_counts_conditions_over_sizes(precision, verdict):
    parts = [
        table("figure2", n, {"ef-lambda": {"precision": [p, p + 0.004]}})
        for n, p in zip((50, 100, 500), precision, strict=False)
    ]
    assert judgement("figure2", "precision", pd.concat(parts)).verdict == verdict


def test_what_was_not_run_is_not_measured():
    frame = table("figure2", 50, {"glasso": {"hamming": [1.0, 2.0]}})
    for j in judge_claims({"figure2": frame}):
        assert j.verdict == "not measured", j.sentence
    assert len(judge_claims({})) == len(CLAIMS)


def test_a_method_that_broke_turns_the_verdict():
    good = {
        "ef-lambda": {"hamming": [2.0, 3.0, 2.5]},
        "et": {"hamming": [9.0, 10.0, 11.0]},
        "glasso": {"hamming": [19.0, 20.0, 22.0]},
        "nonparanormal": {"hamming": [19.0, 20.0, 22.0]},
    }
    words = "considerably smaller"
    assert judgement("figure4", words, table("figure4", 50, good)).verdict == "holds"
    broken = good | {"ef-lambda": {"hamming": [25.0, 26.0, 24.0]}}
    assert judgement("figure4", words, table("figure4", 50, broken)).verdict == "does not hold"


def rankings(counts, **columns):
    """Rows of figure 5 at n = 50; `columns` make what a ranking that finds `counts` edges has."""
    return pd.DataFrame(
        {"n": 50, "method": method, "seed": seed}
        | {f"{name}{suffix}": make(count) for name, make in columns.items() for suffix in SUFFIXES}
        for method, found in counts.items()
        for seed, count in enumerate(found)
    )


SUFFIXES = ("", "_by_presence")
COUNTS = {"ef-lambda": (19, 21, 20), "glasso": (10, 10, 10)}


def test_almost_double_is_a_ratio_with_an_error():
    frame = rankings(COUNTS, edges_before_fdr_1=lambda count: count)
    found = judgement("figure5", "almost double", frame).findings
    assert len(found) == 2  # by strength and by presence
    for finding in found:
        assert finding.mean == pytest.approx(20 - 18)
        assert finding.met
        assert finding.sure


def test_almost_double_beside_thirty_false_edges():
    frame = rankings(COUNTS, true_edges_before_false=lambda count: [0.0] * 30 + [count])
    found = judgement("figure5", "not edges, which a ROC", frame)
    assert [f.mean for f in found.findings] == pytest.approx([2.0, 2.0])
    assert found.verdict == "holds"


def test_almost_double_on_mean_curves():
    """Tables with `count` true pairs before all others: the mean curve bends at the shortest."""

    def curve(count):
        return np.minimum(np.arange(1, 61), count).tolist()

    frame = rankings(COUNTS, true_edges_by_rank=curve)
    found = judgement("figure5", "averaged first", frame)
    ours = np.mean([curve(count) for count in COUNTS["ef-lambda"]], axis=0)
    # At rank 20 the mean is 19.67: between 19 and 20 the share of false edges passes 1 %.
    share = 0.19 / (0.19 + (20 - ours[19]) - 0.2)
    expected = 19 + share * (ours[19] - 19) - 1.8 * 10
    assert [f.mean for f in found.findings] == pytest.approx([expected] * 2)
    assert all(f.standard_error > 0 for f in found.findings)
    assert judgement("figure5", "averaged first", rankings({"glasso": (3, 4)})).findings == []


def test_share_of_wrong_pairs_between_clusters():
    wrong = {"hamming": [10.0, 20.0, 0.0], "inter_component_false_positives": [9.0, 17.0, 0.0]}
    (finding,) = judgement("figure4", "almost equal", table("figure4", 50, {"et": wrong})).findings
    assert finding.repetitions == 2  # a table without a wrong pair has no share
    assert finding.mean == pytest.approx((0.9 + 0.85) / 2)


def test_wells_count_once_however_often_they_are_fitted():
    wells = [
        ("BCR/FcR-XL", "nk", (1, 1, 1, 2)),
        ("Vanadate", "nk", (3, 3)),
        ("Vanadate", "b", (2,)),
    ]
    frame = pd.DataFrame(
        {"n": 500, "method": "ef-lambda", "seed": seed, "stimulus": stimulus}
        | {"cell_type": cell_type, "n_components": count}
        for stimulus, cell_type, counts in wells
        for seed, count in enumerate(counts)
    )
    (finding,) = judgement("figure6", "several components are common", frame).findings
    assert finding.repetitions == 3
    shares = np.array([0.25, 1.0, 1.0])
    assert finding.mean == pytest.approx(shares.mean())
    assert finding.standard_error == pytest.approx(shares.std(ddof=1) / np.sqrt(3))


def test_every_claim_of_the_benchmark_section_is_there():
    said = " ".join(claim.sentence for claim in CLAIMS)
    for words in ("similar accuracy", "false positives is zero", "inter-cluster", "limited recall"):
        assert words in said
    assert {claim.figure for claim in CLAIMS} == {f"figure{k}" for k in range(2, 7)}
