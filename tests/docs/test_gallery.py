"""The gallery's prose rests on what its scripts find."""

import runpy

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from tests.docs.pages import ROOT

GALLERY = ROOT / "docs" / "gallery"
# Of each page: pairs that it calls joined, and pairs of which it says that they are not.
CLAIMS = {
    "anes": (
        "PID vote, ClinLR vote, selfLR PID, ClinLR DoleLR, educ income, age income, TVnews age",
        "TVnews vote, age vote",
    ),
    "clinic": (
        "statin ldl, hba1c statin, age statin, bmi crp, smoker crp, bmi pressure, age pressure, "
        "age bmi, age egfr, egfr haemoglobin, sex haemoglobin, bmi hba1c",
        "ldl hba1c, smoker pressure",
    ),
    "economy": (
        "output unemployment, output consumption, output investment, oil inflation, "
        "bank_rate ten_year",
        "consumption investment",
    ),
    "genes": ("R0 g012, R3 g050", "g012 g013"),
    "likert": (
        "sleep1 sleep2, sleep3 sleep4, mood1 mood2, mood1 mood4, worry2 worry3",
        "worry1 sleep1",
    ),
    "penguins": (
        "species bill_length_mm, species bill_depth_mm, species island, species sex, "
        "body_mass_g sex, bill_depth_mm sex, flipper_length_mm body_mass_g",
        "island sex",
    ),
    "sachs": ("Raf Mek, Erk Akt, PKC P38, PKC Jnk, PIP2 PIP3, Plcg PIP2, Plcg PIP3", "Mek Erk"),
}


@pytest.fixture
def run(monkeypatch):
    mpl.use("agg")
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    return lambda name: runpy.run_path(str(GALLERY / f"{name}.py"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_page_says_is_what_its_script_finds(name, run):
    made = run(name)
    joined, apart = ([pair.split() for pair in text.split(", ")] for text in CLAIMS[name])
    adjacency = made["found"].adjacency
    assert [pair for pair in joined if not adjacency.loc[*pair]] == []
    assert [pair for pair in apart if adjacency.loc[*pair]] == []
    if name == "clinic":
        counts = [made["marked"](made[graph])["truth"] for graph in ("found", "whole")]
        assert (counts[0] == "true").sum() > (counts[1] == "true").sum()
    if name == "genes":
        assert made["right"].mean() > 0.8
        assert set(made["found"].nodes.nlargest(10, "degree")["name"]) == set(made["names"][:10])


@pytest.mark.slow
def test_what_the_page_on_blood_cells_says(run):
    made = run("blood_cells")
    pairs = made["pma"].differences.set_index(["source", "target"])
    assert pairs.loc[("pErk", "pS6"), "probability_PMA/Ionomycin"] > 0.5
    assert set(made["stronger"].iloc[0][["source", "target"]]) == {"pSlp76", "pPlcg2"}
    assert 2.5 < made["stronger"].iloc[0]["strength_z"] < 3
    assert made["null"].expected_differences < made["pma"].expected_differences / 2


def test_the_index_has_every_page():
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    for script in GALLERY.glob("*.py"):
        assert f"]({script.name}): " in index
        if "# needs: " not in script.read_text(encoding="utf-8"):
            assert script.stem in {*CLAIMS, "blood_cells"}
