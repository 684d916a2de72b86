"""Present, absent or undecided: in frames, files, words, pictures and on the page."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from typer.testing import CliRunner

import spinney
from spinney._core.pairs import to_pairs
from spinney.cli._app import app
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_csv
from spinney.judge.choice import training_share
from spinney.judge.judge import find_judge
from tests.graph.cases import chains, plain_judge


def by_hand(probability, sure=0.9):
    if probability >= sure:
        return "present"
    return "absent" if probability <= 1 - sure else "undecided"


@pytest.fixture(scope="module")
def found():
    frame = chains(80)
    frame["d"] -= 0.4 * frame["lonely"]
    frame["rare"] = np.random.default_rng(1).normal(size=80)
    frame.loc[12:, "rare"] = np.nan
    frame.loc[:8, "a"] = np.nan  # three rows have both
    return spinney.learn(frame, judge=plain_judge(3.0), kind={"rare": "continuous"})


def test_verdicts_are_those_of_the_probabilities(found):
    told = found.verdicts
    assert list(told) == list(told.index) == list(found.names)
    for u in found.names:
        for v in found.names:
            P = found.probabilities.loc[u, v]
            assert told.loc[u, v] == ("" if u == v else by_hand(P))
    assert {"present", "absent", "undecided"} <= {*told.to_numpy().ravel()}
    for table in (found.edges, found.pairs):
        assert table["verdict"].tolist() == [by_hand(P) for P in table["probability"]]


def test_the_summary_counts_them(found):
    P, edge = to_pairs(found.scores), to_pairs(found.joined.astype(float)) > 0
    inside, outside = (Counter(by_hand(p) for p in P[own]) for own in (edge, ~edge))
    assert inside["absent"] == outside["present"] == 0
    assert inside["undecided"]
    expected = (
        f"{edge.sum()} edges: {inside['present']} present (P ≥ 0.9), {inside['undecided']} likely; "
        f"{(~edge).sum()} other pairs: {outside['absent']} absent (P ≤ 0.1), "
        f"{outside['undecided']} undecided (1 with too few rows)."
    )
    assert expected in " ".join(found.summary().split())


def test_sure_moves_the_bounds_and_not_the_edges(found):
    other = found.at(sure=0.6)
    assert other.edges["verdict"].tolist() == [by_hand(P, 0.6) for P in other.edges["probability"]]
    undecided = [(each.verdicts == "undecided").sum().sum() for each in (found, other)]
    assert undecided[0] > undecided[1]
    pd.testing.assert_frame_equal(other.adjacency, found.adjacency)
    assert "P ≥ 0.6" in " ".join(other.summary().split())


@pytest.mark.parametrize("sure", [0.4, 1.2, "much", None])
def test_a_bound_that_is_none_is_refused(sure):
    with pytest.raises(InputError, match=r"sure must be a number between 0\.5 and 1, not"):
        spinney.learn(chains(), judge=plain_judge(), sure=sure)


def test_an_estimator_without_probabilities_has_none():
    from spinney.models.baselines import ChowLiu

    graph = spinney.LearnedGraph.of(ChowLiu().fit(chains().to_numpy()))
    with pytest.raises(InputError, match="verdicts need probabilities, and chow-liu gives none"):
        _ = graph.verdicts
    assert "verdict" not in graph.pairs


def test_likely_edges_are_lighter_and_the_legend_says_so(found):
    likely = found.edges["verdict"] == "undecided"
    assert likely.any()
    ax = found.plot()
    (lines,) = ax.collections
    inks = [round(float(ink), 6) for ink in lines.get_colors()[:, 3]]
    assert Counter(inks) == {1.0: int((~likely).sum()), min(inks): int(likely.sum())}
    assert min(inks) < 0.5
    said = [text.get_text() for text in ax.figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert {"present (at least 0.9)", "likely"} <= {*said}


def test_the_command_line_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chains(60).to_csv("rows.csv", index=False)
    done = CliRunner().invoke(app, ["learn", "rows.csv", "--sure", "0.8", "-o", "out"])
    assert done.exit_code == 0, done.output
    assert "verdicts: " in done.output
    assert "present (P ≥ 0.8)" in done.output
    for name in ("edges", "pairs"):
        table = read_csv(f"out/{name}.csv")
        assert table["verdict"].tolist() == [by_hand(float(P), 0.8) for P in table["probability"]]
    assert '<select id="verdict">' in (tmp_path / "out" / "report.html").read_text()
    refused = CliRunner().invoke(app, ["learn", "rows.csv", "--sure", "0.3", "-o", "other"])
    assert refused.exit_code == 2


# Edges that matter: those that are surely strong stay as they were, the others are counted


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x, y, z, w = rng.normal(size=(4, 1500))
    frame = pd.DataFrame({"x": x, "y": y - x, "weak": z + 0.2 * x, "w": w + y})
    return frame.assign(kind=np.where(x + 0.4 * rng.normal(size=1500) > 0.5, "a", "b"))


@pytest.fixture(scope="module")
def whole(frame):
    return spinney.learn(frame, kind={"kind": "nominal"})


def surely(edges):
    return np.maximum(edges["strength_low"], -edges["strength_high"])


def test_weak_edges_are_left_out_and_counted(frame, whole):
    least = 0.2
    found = spinney.learn(frame, kind={"kind": "nominal"}, min_strength=least)
    stay = whole.edges[surely(whole.edges) > least]
    assert "kind" in set(stay["target"])
    assert 0 < len(stay) < len(whole.edges)
    pd.testing.assert_frame_equal(found.edges, stay.reset_index(drop=True))
    pd.testing.assert_frame_equal(whole.at(min_strength=least).edges, found.edges)
    n = len(whole.edges) - len(stay)
    assert found.learner.left_out_.facts["count"] == n
    words = " ".join(found.summary().split())
    assert f"{n} weak edge" in words
    assert "below 0.2, or may be" in words
    assert found.expected_missed == whole.expected_missed
    assert found.expected_false < whole.expected_false
    assert whole.learner.left_out_ is None


def test_required_edges_stay(frame):
    options = {"min_strength": 0.9}
    required = spinney.learn(frame[["x", "y", "weak"]], required=[("x", "weak")], **options)
    assert required.edges[["source", "target"]].to_numpy().tolist() == [["x", "weak"]]
    none = spinney.learn(frame[["x", "y", "weak"]], **options)
    assert "weak edges were left out: their strength is" in none.summary()


@pytest.mark.parametrize("wrong", [-0.1, 2, None, "much"])
def test_what_is_no_strength_is_refused(frame, wrong):
    with pytest.raises(InputError, match="min_strength must be a number between 0 and 1"):
        spinney.learn(frame, min_strength=wrong)


# What is known beforehand of how many pairs are edges shifts their log-odds


FRAME = chains(40)


def base_share(d):
    """The share of edges on the card, by hand, in the middle of the sizes 9 to 16."""
    (sizes,) = find_judge(None).card["reliability"].values()
    low, high = next(map(int, size.split("-")) for size in sizes if size == "9-16")
    assert round((low * high) ** 0.5) == d
    bins = np.array(sizes["9-16"])
    return (bins[:, 1] * bins[:, 2]).sum() / bins[:, 2].sum()


def test_a_share_shifts_all_log_odds_alike():
    plain, shifted = (spinney.learn(FRAME, prior=prior) for prior in (None, 0.4))
    moved = logit(to_pairs(shifted.scores)) - logit(to_pairs(plain.scores))
    np.testing.assert_allclose(moved, moved[0], rtol=1e-6)
    expected = logit(0.4) - logit(training_share(find_judge(None).card, 6))
    np.testing.assert_allclose(moved, expected, rtol=1e-6)


def test_the_share_of_training_is_that_of_the_card():
    assert training_share(find_judge(None).card, 12) == pytest.approx(base_share(12), rel=1e-12)
    shares = [training_share(find_judge(None).card, d) for d in (2, 5, 12, 30, 500)]
    assert shares == sorted(shares, reverse=True)  # the more columns, the fewer of the pairs


@pytest.mark.parametrize("as_frame", [True, False])
def test_pairs_shift_alone(as_frame, tmp_path):
    table = [["b", "a", 0.01], ["a", "lonely", 0.9]]
    prior = pd.DataFrame(table, columns=["source", "target", "probability"]) if as_frame else table
    plain, told = spinney.learn(FRAME), spinney.learn(FRAME, prior=prior)
    base = training_share(find_judge(None).card, 6)
    for u, v, p in table:
        before, after = (logit(each.probabilities.loc[u, v]) for each in (plain, told))
        assert after - before == pytest.approx(logit(p) - logit(base), rel=1e-6)
    same = told.probabilities == plain.probabilities
    assert (~same).sum().sum() == 4  # two pairs, twice each
    told.save(tmp_path / "graph.spinney")
    again = spinney.LearnedGraph.load(tmp_path / "graph.spinney")
    assert pd.DataFrame(again.learner.prior).to_numpy().tolist() == table


def table_of_density(rng, share, n, d=8):
    """A Gaussian table, each pair of which is an edge with the same probability."""
    edge = np.triu(rng.uniform(size=(d, d)) < share, 1)
    precision = np.where(edge, rng.uniform(0.15, 0.45, (d, d)) * rng.choice([-1, 1], (d, d)), 0.0)
    precision = precision + precision.T
    precision += np.eye(d) * (0.3 - min(np.linalg.eigvalsh(precision)[0], 0.0))
    X = rng.multivariate_normal(np.zeros(d), np.linalg.inv(precision), n)
    return pd.DataFrame(X).add_prefix("x"), to_pairs((edge | edge.T).astype(float)) > 0


@pytest.mark.filterwarnings("ignore:15 rows are few")
@pytest.mark.parametrize(("share", "n"), [(0.04, 60), (0.6, 15)])
def test_the_true_density_makes_probabilities_better(share, n):
    """By their log-loss, on tables that are sparser and denser than those of training.

    Many rows show the density of a dense table by themselves (docs/choosing.md).
    """
    losses = {None: 0.0, share: 0.0}
    for seed in range(12):
        frame, truth = table_of_density(np.random.default_rng(seed), share, n=n)
        for prior in losses:
            P = to_pairs(spinney.learn(frame, prior=prior).scores).clip(1e-9, 1 - 1e-9)
            losses[prior] -= np.log(np.where(truth, P, 1 - P)).sum()
    assert losses[share] < 0.95 * losses[None]


@pytest.mark.parametrize(
    ("prior", "told"),
    [
        (0.0, r"prior must lie between 0 and 1, not 0\.0\. Use required and"),
        (1.5, "prior must lie between 0 and 1"),
        ("many", "prior takes a number between 0 and 1, or pairs with their probabilities"),
        ([("a", "b")], "prior takes a number between 0 and 1, or pairs"),
        ([("a", "b", 1.0)], "prior of 'a' and 'b' must lie between 0 and 1"),
        ([("a", "z", 0.5)], "prior names a column 'z' that the table does not have"),
        ([("a", "a", 0.5)], "prior pairs 'a' with itself"),
        (pd.DataFrame({"a": [1]}), "needs the columns source, target and probability"),
    ],
)
def test_what_is_no_prior_is_refused(prior, told):
    with pytest.raises(InputError, match=told):
        spinney.learn(FRAME, prior=prior)


def test_a_judge_that_does_not_know_its_training_is_refused():
    with pytest.raises(InputError, match="needs a judge whose card says"):
        spinney.learn(FRAME, prior=0.2, judge=plain_judge())


def test_the_command_line_takes_a_prior(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("rows.csv", index=False)
    pd.DataFrame([["a", "b", 0.02]], columns=["source", "target", "probability"]).to_csv("p.csv")

    def run(prior, out):
        words = ["learn", "rows.csv", "--no-report", "--prior", prior, "-o", out]
        return CliRunner().invoke(app, words)

    for given, prior in (("0.05", 0.05), ("p.csv", [("a", "b", 0.02)])):
        done = run(given, prior_folder := f"out-{given}")
        assert done.exit_code == 0, done.output
        expected = spinney.learn(FRAME, prior=prior).pairs["probability"]
        found = read_csv(f"{prior_folder}/pairs.csv")["probability"].astype(float)
        np.testing.assert_allclose(found, expected, rtol=1e-7)  # as written
    refused = run("2", "other")
    assert refused.exit_code == 2
    assert "--prior must lie between 0 and 1" in refused.output
    refused = run("none.csv", "other")
    assert "--prior takes a number between 0 and 1, or a file; got 'none.csv'." in refused.output
