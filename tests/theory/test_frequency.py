"""Means over frequency at every scale, against adaptive quadrature, closed forms and coefficients."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from core.mechanisms import anti_pgd, from_spectrum, independent, lambda_cgd, nu_ftrl, toeplitz
from core.theory import frequency


@pytest.mark.parametrize(
    ("nu", "decrement", "expected"), [(0.01, 0.2, 7.148359062027857), (0.0001, 0.05, 9.168228250420693)]
)
def test_integral_of_equation_49(nu, decrement, expected):
    """Computed independently: I(nu, e) = integral of |1-(1-nu)exp(iw)| / |1-e-exp(iw)|^2 over a period."""
    power = frequency.filtered_power(nu_ftrl(nu), [decrement])[0]
    assert power * 2 * np.pi / (decrement * (2 - decrement)) == pytest.approx(expected, rel=1e-10)


def by_quadrature(nu, decrement):
    """The same mean piece by piece between powers of ten, with nothing that cancels."""

    def integrand(omega):
        half = 4 * np.sin(omega / 2) ** 2
        return np.sqrt(nu**2 + (1 - nu) * half) / (decrement**2 + (1 - decrement) * half)

    edges = [0.0, *np.geomspace(1e-9, np.pi, 40)]
    pieces = [quad(integrand, low, high, epsabs=0, epsrel=1e-13)[0] for low, high in pairwise(edges)]
    return decrement * (2 - decrement) * sum(pieces) / np.pi


@pytest.mark.parametrize("nu", [1e-6, 1e-3, 0.5, 1.0])
@pytest.mark.parametrize("decrement", [1e-6, 1e-2, 0.9, 1.9])
def test_filtered_power_holds_ten_digits_at_every_scale(nu, decrement):
    power = frequency.filtered_power(nu_ftrl(nu), [decrement])[0]
    assert power == pytest.approx(by_quadrature(nu, decrement), rel=1e-10)


def test_filtered_power_closed_forms():
    decrements = np.array([1e-6, 0.01, 0.5, 1.0, 1.7])
    np.testing.assert_allclose(frequency.filtered_power(independent(), decrements), 1.0, rtol=1e-11)
    for correlation in (0.3, 0.99):
        expected = 1 + correlation**2 - 2 * correlation * (1 - decrements)
        for mechanism in (lambda_cgd(correlation), anti_pgd(1 - correlation)):
            np.testing.assert_allclose(frequency.filtered_power(mechanism, decrements), expected, rtol=1e-10)


def test_filtered_power_of_any_coefficients_is_their_gram_sum():
    rng = np.random.default_rng(1)
    coef = rng.standard_normal(60)
    decrements = np.array([0.05, 0.4, 1.5])
    lag = np.abs(np.subtract.outer(np.arange(60), np.arange(60)))
    expected = [coef @ (1 - decrement) ** lag @ coef for decrement in decrements]
    np.testing.assert_allclose(frequency.filtered_power(toeplitz(coef), decrements), expected, rtol=1e-10)


def test_filtered_power_of_a_drawn_spectrum():
    """A spectrum of two points against quadrature piece by piece; a constant one against independent noise."""
    low, high = (0.02, 3.0), (1.0, 7.0)
    drawn = from_spectrum((low[0], high[0]), (low[1], high[1]))
    slope = np.log(high[1] / low[1]) / np.log(high[0] / low[0])
    for decrement in (1e-5, 0.03, 1.5):

        def integrand(omega, decrement=decrement):
            power = low[1] * (np.clip(omega, low[0], high[0]) / low[0]) ** slope
            return power / frequency.distance_squared(decrement, omega)

        edges = [0.0, *np.geomspace(1e-8, low[0], 20), *np.geomspace(low[0], high[0], 8)[1:], np.pi]
        total = sum(quad(integrand, *pair, epsabs=0, epsrel=1e-13)[0] for pair in pairwise(edges))
        expected = decrement * (2 - decrement) * total / np.pi
        assert frequency.filtered_power(drawn, [decrement])[0] == pytest.approx(expected, rel=1e-10)
    flat = from_spectrum((0.01, 0.1, 3.0, np.pi), (4.0, 4.0, 4.0, 4.0))
    np.testing.assert_allclose(frequency.filtered_power(flat, [1e-6, 0.5, 1.9]), 4.0, rtol=1e-12)


def test_a_response_that_cannot_be_resolved_is_refused():
    class Comb:
        def frequency_response(self, omega):
            return 1 + 0.5 * np.exp(1e7j * omega)

    with pytest.raises(ValueError, match="^mechanism="):
        frequency.filtered_power(Comb(), [0.1])


def test_log_frequencies_average_to_one_and_their_cosine_to_zero():
    _, omega, average = frequency.log_frequencies(1e-8)
    assert average.sum() == pytest.approx(1.0, rel=1e-14)
    assert average @ np.cos(omega) == pytest.approx(0.0, abs=1e-14)
    assert average @ np.cos(omega) ** 2 == pytest.approx(0.5, rel=1e-12)


def test_distance_squared_is_that_of_the_complex_plane():
    omega = np.array([0.0, 0.1, 2.0, np.pi])
    expected = np.abs(1 - np.exp(1j * omega) - 0.3) ** 2
    np.testing.assert_allclose(frequency.distance_squared(0.3, omega), expected, rtol=1e-13)
    assert frequency.distance_squared(1e-9, 1e-9) == pytest.approx(2e-18, rel=1e-8)
