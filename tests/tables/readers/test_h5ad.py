"""AnnData files, written by anndata; it has an environment of its own."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from spinney.exceptions import InputError
from spinney.tables.readers import frames, open_table


@pytest.fixture
def adata(rng):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame(
        {"condition": pd.Categorical(["a", "b", "a", "b"]), "age": [1.5, 2, 3, 4]},
        index=["c1", "c2", "c3", "c4"],
    )
    var = pd.DataFrame(index=["Raf", "Mek", "Erk"])
    values = rng.poisson(2.0, size=(4, 3)).astype(np.float32)
    return anndata.AnnData(values, obs=obs, var=var)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_the_matrix_is_the_table_and_obs_stands_beside_it(kind, adata, tmp_path):
    expected = pd.DataFrame(np.asarray(adata.X), adata.obs_names, adata.var_names)
    adata.X = kind(adata.X)
    adata.layers["counts"] = adata.X
    adata.write_h5ad(tmp_path / "t.h5ad")
    table = open_table(tmp_path / "t.h5ad")
    pd.testing.assert_frame_equal(table.frame, expected, check_names=False)
    pd.testing.assert_frame_equal(table.extra, adata.obs, check_names=False)
    assert table.extra.index.equals(table.frame.index)
    assert table.format == "h5ad"
    assert table.decisions == (
        "X read: 4 observations of 3 variables",
        "columns 'condition' and 'age' of obs kept apart from the table, for groups",
        "layers not read",
    )


def test_too_large_is_refused_before_it_is_unpacked(adata, tmp_path, monkeypatch):
    path = tmp_path / "t.h5ad"
    adata.X = sparse.csr_matrix(adata.X)
    adata.write_h5ad(path)
    monkeypatch.setattr(frames, "MOST_CELLS", 11)
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == (
        f"'{path}' holds a table of 4 × 3 cells; at most 11 are read. Keep the rows and columns "
        "that are needed."
    )


def test_other_and_damaged_files(adata, tmp_path, write):
    import h5py

    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["data"] = [1, 2, 3]
    with pytest.raises(InputError) as caught:
        open_table(tmp_path / "t.h5")
    assert str(caught.value) == (
        f"'{tmp_path}/t.h5' is an HDF5 file, but no AnnData file with a matrix X. Save the table "
        "as CSV in UTF-8."
    )
    adata.write_h5ad(tmp_path / "t.h5ad")
    content = (tmp_path / "t.h5ad").read_bytes()
    path = write(content[: len(content) // 2], "half.h5ad")
    with pytest.raises(
        InputError, match=r"cannot be read as an AnnData file \(.*Save or copy it again\."
    ):
        open_table(path)


def test_without_the_library_it_is_said_how_to_get_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(InputError) as caught:
        open_table(write(b"\x89HDF\r\n\x1a\n\0\0\0"))
    assert str(caught.value) == (
        "Reading '.h5ad' needs anndata. Install it with: pip install 'spinney[anndata]'"
    )
