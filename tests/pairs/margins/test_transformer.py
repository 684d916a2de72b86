import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney.datasets import load_sachs
from spinney.exceptions import InputError
from spinney.pairs.margins import Margins, pseudo_observations


@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")  # some checks pass constants
@parametrize_with_checks(
    [
        Margins(),
        Margins(transform_by="smooth", smooth="kernel"),
        Margins(transform_by="smooth", smooth="parametric"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def table(rng):
    z = rng.normal(size=(150, 3))
    return pd.DataFrame(
        {"skew": np.exp(2 * z[:, 0]), "counts": np.round(4 * z[:, 1]), "plain": z[:, 2]},
        index=[f"row{k}" for k in range(150)],
    )


@pytest.mark.parametrize("ties", ["average", "random"])
def test_fitted_rows_get_their_ranks_exactly(table, ties):
    marginals = Margins(ties=ties, random_state=3)
    expected = pseudo_observations(table, ties=ties, random_state=3)
    pd.testing.assert_frame_equal(marginals.fit_transform(table), expected, check_exact=True)
    pd.testing.assert_frame_equal(marginals.transform(table), expected, check_exact=True)


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(4)])
def test_random_ties_are_drawn_once_per_fit(table, random_state):
    marginals = Margins(ties="random", random_state=random_state).fit(table)
    first = marginals.transform(table)
    assert first.equals(marginals.transform(table))
    ranks = np.sort(first["counts"].to_numpy())
    np.testing.assert_array_equal(ranks, np.arange(1, 151) / 151)


@pytest.mark.parametrize("transform_by", ["ranks", "smooth"])
def test_new_rows_stay_strictly_inside(table, transform_by):
    marginals = Margins(transform_by=transform_by).fit(table)
    far = pd.DataFrame({name: [-1e300, 0.0, 1e300] for name in table.columns})
    U = marginals.transform(far).to_numpy()
    assert U.min() > 0
    assert U.max() < 1
    assert (np.diff(U, axis=0) >= 0).all()


@pytest.mark.parametrize("smooth", ["auto", "kernel", "parametric"])
def test_smooth_transform_is_undone(table, smooth):
    marginals = Margins(transform_by="smooth", smooth=smooth).fit(table)
    back = marginals.inverse_transform(marginals.transform(table))
    pd.testing.assert_frame_equal(back, table.astype(float), rtol=1e-6, atol=1e-9)
    pd.testing.assert_frame_equal(marginals.cdf(table), marginals.transform(table))


def test_ranks_go_back_to_about_where_they_came_from():
    X = load_sachs().X
    marginals = Margins().fit(X)
    back = marginals.inverse_transform(marginals.transform(X))
    middle = (back - X).abs() / X
    assert middle.median().max() < 0.15


@pytest.mark.parametrize("method", ["transform", "cdf", "log_density", "inverse_transform"])
def test_data_frames_stay_data_frames_and_agree_with_arrays(table, method):
    frame_in = pseudo_observations(table) if method == "inverse_transform" else table
    from_frame = getattr(Margins().fit(table), method)(frame_in)
    assert isinstance(from_frame, pd.DataFrame)
    assert from_frame.index.equals(table.index)
    assert list(from_frame.columns) == list(table.columns)
    from_array = getattr(Margins().fit(table.to_numpy()), method)(frame_in.to_numpy())
    assert isinstance(from_array, np.ndarray)
    np.testing.assert_array_equal(from_array, from_frame.to_numpy())


def test_kinds_can_be_asked_for(table):
    for kind, name in (("auto", "spline"), ("kernel", "kernel"), ("parametric", "normal")):
        assert {m.name for m in Margins(smooth=kind).fit(table).marginals_} == {name}


def test_pickle_and_clone_change_nothing(table):
    marginals = Margins(ties="random", smooth="kernel").fit(table)
    again = pickle.loads(pickle.dumps(marginals))
    U = pseudo_observations(table)
    pd.testing.assert_frame_equal(again.inverse_transform(U), marginals.inverse_transform(U))
    pd.testing.assert_frame_equal(again.transform(table), marginals.transform(table))
    assert clone(marginals).get_params() == marginals.get_params()
    assert not hasattr(clone(marginals), "marginals_")


def test_marginals_are_immutable(table):
    marginal = Margins().fit(table).marginals_[0]
    with pytest.raises(AttributeError):
        marginal.name = "other"


def test_output_container_and_names_can_be_set(table):
    marginals = Margins().set_output(transform="pandas").fit(table)
    assert list(marginals.get_feature_names_out()) == list(table.columns)
    assert list(marginals.transform(table).columns) == list(table.columns)
    pipeline = make_pipeline(StandardScaler(), Margins())
    np.testing.assert_array_equal(
        pipeline.fit_transform(table), pseudo_observations(table).to_numpy()
    )


def test_one_column_and_four_rows_are_enough():
    marginals = Margins().fit([[1.0], [2.0], [4.0], [3.0]])
    np.testing.assert_array_equal(marginals.transform([[4.0]]), [[0.8]])
    assert np.isfinite(marginals.inverse_transform([[1e-12], [1 - 1e-12]])).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "max"}, "ties must be one of 'auto', 'average', 'random', 'levels', not 'max'"),
        ({"smooth": "spline"}, "smooth must be one of 'auto', 'kernel', 'parametric', not"),
        ({"transform_by": "cdf"}, "transform_by must be one of 'ranks', 'smooth', not 'cdf'"),
    ],
)
def test_unknown_options_are_refused(options, message, table):
    with pytest.raises(InputError, match=message):
        Margins(**options).fit(table)


def test_levels_outside_the_unit_interval_are_refused_by_column_and_row(table):
    U = pseudo_observations(table)
    U.iloc[4, 1] = 1.0
    with pytest.raises(InputError, match=r"column 'counts' reaches 1.0 at row 4"):
        Margins().fit(table).inverse_transform(U)


def test_other_columns_than_the_fitted_ones_are_refused(table):
    marginals = Margins().fit(table)
    with pytest.raises(ValueError, match="feature names"):
        marginals.transform(table[["plain", "skew", "counts"]])
    with pytest.raises(ValueError, match="2 features"):
        Margins().fit(table.to_numpy()).transform(table.to_numpy()[:, :2])
    smooth = Margins(smooth="parametric").fit(table)
    with pytest.raises(InputError, match=r"U has 2 column\(s\), but .* fitted on 3"):
        smooth.inverse_transform(np.full((1, 2), 0.5))
    with pytest.raises(ValueError, match="feature names"):
        smooth.inverse_transform(pseudo_observations(table)[["plain", "skew", "counts"]])
