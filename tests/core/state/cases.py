"""What the tests of model files share."""

import io
import json

import numpy as np
import pandas as pd

from spinney._core.state import Decoder, Encoder


def round_trip(value):
    encoder = Encoder()
    node = json.loads(json.dumps(encoder.encode(value, "value"), allow_nan=False))
    arrays = []
    for array in encoder.arrays:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        arrays.append(np.load(io.BytesIO(buffer.getvalue()), allow_pickle=False))
    return Decoder(arrays.__getitem__).decode(node)


def assert_same(one, other):
    """Equal in kind and in every bit; NaN equals NaN."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray | np.generic):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if one.dtype == object:
            for a, b in zip(one.ravel(), other.ravel(), strict=True):
                assert_same(a, b)
        else:
            assert one.tobytes() == other.tobytes()
    elif isinstance(one, float):
        assert np.float64(one).tobytes() == np.float64(other).tobytes() or one != one
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, dict):
        assert_same(list(one), list(other))  # the order of insertion, too
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True, check_freq=False)
    elif isinstance(one, pd.Index):
        pd.testing.assert_index_equal(one, other, exact=True)
    elif isinstance(one, np.random.Generator):
        assert_same(one.bit_generator.state, other.bit_generator.state)
    else:
        assert one == other
