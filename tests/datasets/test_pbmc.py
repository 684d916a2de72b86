import numpy as np
import pytest

from spinney.datasets import (
    PBMC_CELL_TYPES,
    PBMC_PHOSPHO_SITES,
    PBMC_STIMULI,
    PBMC_SURFACE_MARKERS,
    load_pbmc,
    pbmc_counts,
)
from spinney.exceptions import InputError


def test_shape_and_sum_are_those_of_the_source():
    pbmc = load_pbmc(surface_markers=True)
    assert pbmc.X.shape == (51_936, 23)
    assert list(pbmc.X.columns) == [*PBMC_SURFACE_MARKERS, *PBMC_PHOSPHO_SITES]
    units = np.rint(pbmc.X.to_numpy() * 10_000)
    # Sum of the source file in units of its fourth decimal; any changed cell shows.
    assert int(units.sum()) == 13_456_799_241
    assert np.array_equal(pbmc.X.to_numpy(), units / 10_000)


def test_sites_alone_are_the_default_and_the_traps_are_as_documented():
    X = load_pbmc().X
    assert tuple(X.columns) == PBMC_PHOSPHO_SITES
    share = (X <= 0).mean()
    assert share.mean() == pytest.approx(0.1416, abs=5e-5)
    assert share.idxmax() == "pStat3"


def test_counts_agree_with_what_is_loaded():
    counts = pbmc_counts()
    assert counts.shape == (14, 4)
    assert counts.to_numpy().sum() == 51_936
    for cell_type in ("nk", "igm-", "cd14-hladrhigh"):
        for stimulus in PBMC_STIMULI:
            pbmc = load_pbmc(cell_type, stimulus)
            assert len(pbmc.X) == counts.loc[cell_type, stimulus]
            assert set(pbmc.cell_types) == {cell_type}
            assert set(pbmc.stimuli) == {stimulus}
            assert list(pbmc.X.index) == list(range(len(pbmc.X)))


def test_names_listed_are_those_in_the_data():
    pbmc = load_pbmc()
    assert set(pbmc.cell_types) == set(PBMC_CELL_TYPES)
    assert set(pbmc.stimuli) == set(PBMC_STIMULI)


def test_several_kinds_are_taken_together():
    both = load_pbmc(["cd4+", "cd8+"], stimulus="Reference")
    assert len(both.X) == 3989 + 5068
    assert "cd4+, cd8+; Reference" in both.description


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cell_type": "CD4"}, r"no cell type 'CD4'. Did you mean 'cd4\+'\? Choose from: cd14"),
        ({"stimulus": "reference"}, "Did you mean 'Reference'"),
        ({"cell_type": ["nk", "zebra"]}, "no cell type 'zebra'. Choose from"),
        ({"stimulus": [3]}, "no stimulus 3. Choose from: Vanadate, Reference"),
    ],
)
def test_unknown_names_are_answered_with_those_there_are(arguments, message):
    with pytest.raises(InputError, match=message):
        load_pbmc(**arguments)


def test_what_a_caller_changes_does_not_reach_the_next_caller():
    first = load_pbmc("nk")
    before = first.X.iloc[0, 0]
    first.X.iloc[0, 0] = 99.0
    assert load_pbmc("nk").X.iloc[0, 0] == before
