"""Square roots with a short memory, against optimal counting and published sensitivities."""

import numpy as np
import pytest

from core import mechanisms


def test_the_bands_are_those_of_optimal_counting():
    counting = mechanisms.optimal_counting()
    np.testing.assert_allclose(mechanisms.banded_root(5).strategy_coef(9)[:5], counting.strategy_coef(5), rtol=1e-15)
    np.testing.assert_allclose(mechanisms.banded_inverse_root(5).noising_coef(9)[:5], counting.noising_coef(5), rtol=1e-15)
    for family in (mechanisms.banded_root(5).strategy_coef, mechanisms.banded_inverse_root(5).noising_coef):
        assert not family(9)[5:].any()


@pytest.mark.parametrize("family", [mechanisms.banded_root, mechanisms.banded_inverse_root])
def test_all_bands_are_optimal_counting_and_one_is_independent_noise(family):
    counting, steps = mechanisms.optimal_counting(), 40
    np.testing.assert_allclose(family(steps).noising_coef(steps), counting.noising_coef(steps), atol=1e-14)
    np.testing.assert_allclose(family(1).noising_matrix(steps), np.eye(steps), atol=0)
    with pytest.raises(ValueError, match="bands=0, expected a whole number >= 1"):
        family(0)


def test_a_record_that_returns_after_the_band_pays_by_the_root_of_its_participations():
    banded = mechanisms.banded_root(8)
    assert banded.sensitivity(1000, 10, 8) == pytest.approx(np.sqrt(10) * banded.sensitivity(1000), rel=1e-12)
    assert banded.sensitivity(1000, 10, 7) > 1.01 * np.sqrt(10) * banded.sensitivity(1000)


def prefix_rms(mechanism, steps, participations, separation):
    error = mechanism.prefix_std(steps) * mechanism.sensitivity(steps, participations, separation)
    return np.sqrt(np.mean(error**2))


def test_a_band_helps_a_record_that_returns():
    """1024 steps, 8 participations 128 apart: cutting the memory costs error but saves more sensitivity."""
    pattern = (1024, 8, 128)
    counting = prefix_rms(mechanisms.optimal_counting(), *pattern)
    assert prefix_rms(mechanisms.banded_root(128), *pattern) < 0.95 * counting
    assert prefix_rms(mechanisms.banded_inverse_root(64), *pattern) < 0.95 * counting


def test_buffers_are_the_memory():
    assert mechanisms.banded_root(8).buffers(1000) == mechanisms.banded_inverse_root(8).buffers(1000) == 7
    assert mechanisms.banded_root(8).buffers(3) == 2
