"""The closed-form optimal noise: against the functional that it minimises, by quadrature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from core import mechanisms, toeplitz
from core.mechanisms.optimum import interlace

HARMONIC = 1 / np.arange(1, 129)


def grid():
    """Frequencies and weights of a Gauss rule on panels that halve towards 0; the weights sum to 1 over (0, pi)."""
    edges = np.concatenate([[0.0], np.pi * 2.0 ** np.arange(-40, 1)])
    node, weight = np.polynomial.legendre.leggauss(20)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + node)).ravel(), (half * weight).ravel() / np.pi


def gain(eigenvalues, learning_rate, batch_size):
    """h(omega) of the stationary error: sum_j l_j (2-e_j)/(2-e_j(1+1/B)) / |1 - exp(i omega) - e_j|^2."""
    rates = learning_rate * np.asarray(eigenvalues)
    weights = np.asarray(eigenvalues) * (2 - rates) / (2 - rates * (1 + 1 / batch_size))
    distance = np.abs(1 - np.exp(1j * grid()[0])[:, None] - rates) ** 2
    return np.sum(weights / distance, axis=1)


def private_error(mechanism, eigenvalues, learning_rate, batch_size=1):
    """Stationary error of the privacy noise at fixed privacy, up to a factor that no mechanism changes."""
    omega, weight = grid()
    power = np.abs(mechanism.frequency_response(omega)) ** 2
    return weight @ (power * gain(eigenvalues, learning_rate, batch_size)) * mechanism.limit_sensitivity() ** 2


def test_excess_over_the_optimum_on_the_harmonic_spectrum():
    """d = 128, eigenvalues 1/k, learning rate 0.02; the ratios were computed independently."""
    best = private_error(mechanisms.optimal_for(HARMONIC, 0.02), HARMONIC, 0.02)

    def ratio(mechanism):
        return private_error(mechanism, HARMONIC, 0.02) / best

    assert ratio(mechanisms.independent()) == pytest.approx(77, abs=0.5)
    assert ratio(mechanisms.nu_ftrl(0.02 / 128)) == pytest.approx(1.090, abs=5e-4)
    tuned = minimize_scalar(lambda log_nu: ratio(mechanisms.nu_ftrl(np.exp(log_nu))), bounds=(-12, -2))
    assert tuned.fun == pytest.approx(1.016, abs=5e-4)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("eigenvalues", [HARMONIC, 1 / np.arange(1, 17) ** 2, np.array([1.0, 0.3, 0.3, 0.3, 0.01])])
def test_attains_the_bound_of_cauchy_schwarz(eigenvalues, batch_size):
    """(mean |B|^2 h)(mean 1/|B|^2) >= (mean sqrt h)^2, with equality only at |B|^2 proportional to h^(-1/2)."""
    _, weight = grid()
    bound = (weight @ np.sqrt(gain(eigenvalues, 0.1, batch_size))) ** 2
    mechanism = mechanisms.optimal_for(eigenvalues, 0.1, batch_size)
    assert private_error(mechanism, eigenvalues, 0.1, batch_size) == pytest.approx(bound, rel=1e-9)


def test_the_batch_size_matters():
    """The weight (2-e)/(2-e(1+1/B)) is felt: at a large learning rate batches of 1 and of 64 want other noise."""
    eigenvalues = np.array([1.0, 0.01])
    single, many = (mechanisms.optimal_for(eigenvalues, 0.6, batch_size) for batch_size in (1, 64))
    assert private_error(many, eigenvalues, 0.6, 1) > (1 + 1e-3) * private_error(single, eigenvalues, 0.6, 1)


def test_the_response_is_that_of_the_coefficients():
    mechanism = mechanisms.optimal_for(HARMONIC[:16], 0.2, 2)
    lag, omega = np.arange(20_000), np.array([0.0, 0.01, 0.3, 2.0])
    series = mechanism.noising_coef(20_000) @ np.exp(1j * np.outer(lag, omega))
    np.testing.assert_allclose(series, mechanism.frequency_response(omega), rtol=1e-9)


def test_one_eigenvalue_is_nu_ftrl_and_repeated_ones_are_merged():
    assert mechanisms.optimal_for([0.7], 0.1, 3) == mechanisms.nu_ftrl(0.1 * 0.7)
    assert mechanisms.optimal_for([0.7] * 5, 0.1) == mechanisms.nu_ftrl(0.1 * 0.7)
    merged = mechanisms.optimal_for([1.0, 0.2, 0.2], 0.1)
    nearly = mechanisms.optimal_for([1.0, 0.2, 0.2 * (1 + 1e-9)], 0.1)
    np.testing.assert_allclose(merged.noising_coef(500), nearly.noising_coef(500), atol=1e-9)
    assert len(merged.rates) == 2 and len(nearly.rates) == 3
    assert merged.label == mechanisms.optimal_for([0.7], 0.1).label and merged.arm == "optimal_for"


def test_two_close_eigenvalues_tend_to_one():
    close = mechanisms.optimal_for([0.5, 0.5 * (1 + 1e-6)], 0.1)
    np.testing.assert_allclose(close.noising_coef(500), mechanisms.nu_ftrl(0.05).noising_coef(500), atol=1e-6)


@given(st.lists(st.integers(1, 1000).map(lambda whole: whole / 1000), min_size=2, max_size=12, unique=True))
def test_zeros_interlace_and_the_strategy_never_rises(eigenvalues):
    mechanism = mechanisms.optimal_for(eigenvalues, 0.1, 16)
    rates, gaps = np.array(mechanism.rates), np.array(mechanism.gaps)
    assert np.all(rates[:-1] <= gaps * (1 + 1e-12)) and np.all(gaps <= rates[1:] * (1 + 1e-12))
    column = mechanism.strategy_coef(400)
    assert column.min() > -1e-14 and np.diff(column).max() < 1e-14
    product = toeplitz.multiply(column, mechanism.noising_coef(400))
    np.testing.assert_allclose(product, np.eye(1, 400)[0], atol=1e-13)


def test_interlacing_zeros_are_zeros():
    """h written as a polynomial in cos omega over its poles vanishes at cos omega = (b + 1/b)/2."""
    rates, weights = np.array([0.01, 0.05, 0.3]), np.array([1.0, 2.0, 0.5])
    poles, zeros = 1 - rates, 1 - interlace(rates, weights)
    cosine = (zeros + 1 / zeros)[:, None] / 2
    value = weights / (1 + poles**2 - 2 * poles * cosine)
    np.testing.assert_allclose(value.sum(axis=1), 0, atol=1e-9 * np.abs(value).max())


def test_a_thousand_eigenvalues_do_not_underflow():
    mechanism = mechanisms.optimal_for(1 / np.arange(1, 801), 0.1, 4)
    assert mechanism.limit_sensitivity() == pytest.approx(mechanism.sensitivity(100_000), rel=1e-9)


@pytest.mark.parametrize(
    ("eigenvalues", "learning_rate", "words"),
    [
        ([1.0, 0.5], 1.0, "learning_rate=1.0, expected < 1, one over the largest eigenvalue"),
        ([1.0] * 20 + [0.5], 0.1, "learning_rate=0.1, expected a stable one: noise feeds back by 1.1"),
        ([1.0, 0.0], 0.1, "eigenvalues="),
        ([1.0, 0.5], -0.1, "learning_rate=-0.1, expected > 0"),
    ],
)
def test_what_has_no_stationary_error_is_refused(eigenvalues, learning_rate, words):
    with pytest.raises(ValueError) as error:
        mechanisms.optimal_for(eigenvalues, learning_rate)
    assert words in str(error.value)
