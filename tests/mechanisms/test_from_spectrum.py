"""A drawn spectrum becomes causal noise with exactly that spectrum, and of the least sensitivity that it allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.fft import irfft

from core import mechanisms, toeplitz
from core.mechanisms import from_spectrum

OMEGA = np.geomspace(np.pi / 2000, np.pi, 7)
DRAWN = from_spectrum(OMEGA, np.exp([-6.0, -5.0, -3.0, -2.0, -1.0, 0.5, 1.0]))
levels = st.lists(st.floats(-8, 8), min_size=7, max_size=7)


def cepstral(frequencies, power, steps, size=2**21):
    """The coefficients by sampling log |B|^2 at `size` frequencies: the textbook's method, with its aliasing."""
    omega = 2 * np.pi * np.arange(size // 2 + 1) / size
    cepstrum = irfft(np.interp(np.log(np.maximum(omega, 1e-300)), np.log(frequencies), np.log(power)), size)[:steps]
    cepstrum[0] /= 2
    return toeplitz.exponential(cepstrum)


def test_the_coefficients_are_those_of_the_sampled_cepstrum():
    power = np.exp(np.array(DRAWN.levels))
    np.testing.assert_allclose(DRAWN.noising_coef(1024), cepstral(OMEGA, power, 1024), atol=5e-11)


def test_power_of_the_coefficients_is_the_power_drawn():
    """Parseval, for B and for its inverse, which has the inverse power: a filter with zeros inside would not."""
    for sign, coef in ((1, DRAWN.noising_coef(60_000)), (-1, DRAWN.strategy_coef(60_000))):
        mirrored = from_spectrum(OMEGA, np.exp(sign * -np.array(DRAWN.levels)))
        np.testing.assert_allclose(coef @ coef, mirrored.limit_sensitivity() ** 2, rtol=1e-7)


def test_the_response_passes_through_the_points_and_is_the_series_of_the_coefficients():
    np.testing.assert_allclose(np.abs(DRAWN.frequency_response(OMEGA)) ** 2, np.exp(DRAWN.levels), rtol=1e-12)
    omega = np.array([-1.0, 0.0, 0.003, OMEGA[3], 0.5, 2.0, 3.1, np.pi, 4.0])
    coef = DRAWN.noising_coef(200_000)
    series = np.exp(1j * np.outer(omega, np.arange(len(coef)))) @ coef
    np.testing.assert_allclose(DRAWN.frequency_response(omega), series, atol=2e-6)


def test_the_phase_of_a_steep_and_long_spectrum_is_that_of_the_power_law_it_approaches():
    """|B|^2 = |1 - z| has the phase of (1 - z)^(1/2), which is (omega - pi)/4."""
    fine = np.geomspace(1e-9, np.pi, 4000)
    drawn = from_spectrum(fine, 2 * np.sin(fine / 2))
    omega = np.array([0.01, 0.3, 1.7, 2.9])
    np.testing.assert_allclose(np.angle(drawn.frequency_response(omega)), (omega - np.pi) / 4, atol=4e-6)  # what 4000 straight pieces leave


def test_a_spectrum_of_a_known_family_gives_its_coefficients():
    nu = mechanisms.nu_ftrl(0.05)
    fine = np.geomspace(1e-5, np.pi, 4000)
    drawn = from_spectrum(fine, np.abs(nu.frequency_response(fine)) ** 2)
    np.testing.assert_allclose(drawn.noising_coef(500), nu.noising_coef(500), atol=1e-6)
    assert drawn.sensitivity(500) == pytest.approx(nu.sensitivity(500), rel=1e-6)
    assert drawn.limit_sensitivity() == pytest.approx(nu.limit_sensitivity(), rel=1e-6)


def test_flat_power_is_independent_noise():
    flat = from_spectrum([0.1, 1.0], [4.0, 4.0])
    np.testing.assert_allclose(flat.noising_coef(5), [2, 0, 0, 0, 0], atol=1e-15)
    assert flat.limit_sensitivity() == pytest.approx(0.5) == flat.sensitivity(9)
    np.testing.assert_allclose(from_spectrum([1.0], [9.0]).noising_coef(3), [3, 0, 0], atol=1e-15)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(levels)
def test_any_drawing_gives_inverse_series_and_a_sensitivity_that_grows_to_its_limit(drawn):
    mechanism = from_spectrum(OMEGA, np.exp(drawn))
    noising, strategy = mechanism.noising_coef(300), mechanism.strategy_coef(300)
    np.testing.assert_allclose(toeplitz.multiply(noising, strategy), np.eye(300)[0], atol=1e-10 * np.abs(noising).max() * np.abs(strategy).max())
    sizes = [mechanism.sensitivity(steps) for steps in (1, 10, 300)] + [mechanism.limit_sensitivity()]
    assert all(before <= after * (1 + 1e-12) for before, after in zip(sizes, sizes[1:], strict=False))


@settings(derandomize=True, max_examples=10, deadline=None)
@given(levels, st.floats(0.1, 10))
def test_the_scale_of_the_power_costs_what_it_hides(drawn, scale):
    one, other = from_spectrum(OMEGA, np.exp(drawn)), from_spectrum(OMEGA, scale * np.exp(drawn))
    assert other.sensitivity(50) * scale**0.5 == pytest.approx(one.sensitivity(50), rel=1e-9)


@pytest.mark.parametrize(
    ("frequencies", "power", "words"),
    [
        ([0.1, 0.1], [1, 1], "frequencies=.*rise in"), ([0.1, 4.0], [1, 1], "frequencies=.*rise in"),
        ([0.0, 1.0], [1, 1], "frequencies="), ([0.1, 1.0], [1, 0], "power="), ([0.1, 1.0], [1.0], "power=.*2 numbers"),
    ],
)
def test_what_is_no_spectrum_is_refused_in_words(frequencies, power, words):
    with pytest.raises(ValueError, match=words):
        from_spectrum(frequencies, power)
