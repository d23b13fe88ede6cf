"""The filter that the recursion of second moments is solved with."""

import numpy as np
import pytest
from scipy.signal import lfilter

from core.theory.moments import geometric_filter


@pytest.mark.parametrize("ratio", [0.0, 0.99, -0.5, 1.2])
@pytest.mark.parametrize("shape", [(50,), (3, 50), (2, 3, 50), (1,)])
def test_geometric_filter_is_the_one_pole_filter(ratio, shape):
    x = np.random.default_rng(0).standard_normal(shape)
    kept = x.copy()
    expected = lfilter([1.0], [1.0, -ratio], x)
    np.testing.assert_allclose(geometric_filter(x, ratio), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(x, kept)


def test_geometric_filter_overflows_to_infinity():
    grown = geometric_filter(np.ones(2000), 2.0)
    assert grown[1000] == 2.0**1001 - 1 and np.all(np.isinf(grown[1024:]))
