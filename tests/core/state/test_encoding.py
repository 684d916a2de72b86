"""Values that a model file can hold come back bit for bit; others are refused by name."""

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.core.state.cases import assert_same, round_trip

from spinney._core.state import Encoder
from spinney.exceptions import InputError
from spinney.pairs.copulas import Clayton, Gaussian
from spinney.tables import Table


def object_array(items):
    array = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):  # all at once, numpy would look inside lists
        array[k] = item
    return array


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from([-0.0, 5e-324, 2**200, "\ud800", Clayton, Gaussian(0.5)]),
)
dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(sizes=(64, 128)),
    hnp.unicode_string_dtypes(endianness="=", min_len=1, max_len=5),
    hnp.datetime64_dtypes(endianness="="),
)
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4))
keys = st.one_of(st.text(), st.integers(), st.tuples(st.integers(), st.text()))
values = st.recursive(
    st.one_of(scalars, arrays),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
        st.lists(inner, max_size=4).map(object_array),
    ),
    max_leaves=12,
)


@given(values)
def test_values_come_back_bit_for_bit(value):
    assert_same(round_trip(value), value)


@given(hnp.arrays(st.sampled_from(["f8", "f4", "i2", "?", "M8[ns]", "c16"]), 1))
def test_numpy_scalars_come_back_bit_for_bit(array):
    assert_same(round_trip(array[0]), array[0])


FRAMES = [
    pd.DataFrame({"a": [1.5, np.nan], "b": ["x", "y"], "c": [(1.0,), (2.0, 3.0)]}),
    pd.DataFrame({"a": [1, 2], "b": [True, False]}),
    pd.DataFrame({"a": np.ones(2, np.float16), "t": pd.to_datetime(["2020-01-01", "2021-06-01"])}),
    pd.DataFrame({"a": np.array(["x", None, ("y",)], dtype=object)}),
    pd.DataFrame({"a": pd.array(["x", "y"], dtype="string")}),
    pd.DataFrame({"a": []}),
    pd.DataFrame(index=pd.RangeIndex(3)),
]


@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_data_frames_come_back(frame):
    assert_same(round_trip(frame), frame)


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_generators_go_on_where_they_were(name):
    rng = np.random.Generator(getattr(np.random, name)(5))
    rng.normal(size=3)
    again = round_trip(rng)
    np.testing.assert_array_equal(again.normal(size=5), rng.normal(size=5))


def test_sets_and_classes():
    assert round_trip({"b", "a", 3}) == {"b", "a", 3}
    assert round_trip(frozenset([1.5])) == frozenset([1.5])
    assert round_trip([Clayton, "gumbel"]) == [Clayton, "gumbel"]


@pytest.mark.parametrize(
    "value",
    [
        np.sin,
        nx.path_graph(3),
        np.ma.masked_array([1.0], [True]),
        1j,
        b"bytes",
        np.zeros(2, dtype=[("a", object)]),
        pd.DataFrame({"a": pd.Categorical(["x", "y"])}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": [1, 2]}, index=["r", "s"]),
        pd.DataFrame({0: [1, 2]}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.Index(["a"]),
        np.random.RandomState(0),
        Path("x"),
        np.bytes_(b"x"),
        dict.fromkeys,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_stored_is_named(value):
    with pytest.raises(InputError, match=r"model\.x.*(cannot hold|cannot be stored)"):
        Encoder().encode(value, "model.x")


def test_tables_come_back():
    table = Table.plain(np.ones((2, 1)), ("a",))
    loaded = round_trip(table)
    assert_same(loaded.values, table.values)
    assert loaded.names == ("a",)
