"""The best nu and the closed-form optimum against independently computed numbers and against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mechanisms import independent, lambda_cgd, nu_ftrl, optimal_for
from core.theory import optimal_noise, quadratic


def spectrum(dim, decay=1.0):
    return np.arange(1, dim + 1.0) ** -decay


def stationary(mechanism, eigenvalues, rate, batch_size=1):
    std = mechanism.limit_sensitivity() / np.sqrt(2)
    return quadratic.asymptotic_excess_risk(eigenvalues, rate, mechanism, std, 0.0, batch_size)


def test_best_nu_numbers():
    """Computed independently by a search over nu: eigenvalues 1/k, d = 16, eta = 0.05, batch 1."""
    nu, risk = optimal_noise.best_nu(spectrum(16), 0.05, 64)
    assert nu == pytest.approx(0.015130252659183307, rel=1e-3)
    # the best Toeplitz noise of 64 steps reaches 0.009029823156; nu-FTRL comes within two parts in ten thousand
    assert 0.009029823156064348 < risk < 1.0002 * 0.009029823156064348
    nu, _ = optimal_noise.best_nu(spectrum(16), 0.05)
    assert nu == pytest.approx(0.009296311356569373, rel=2e-3)


def test_margins_to_the_optimum():
    """Computed independently: d = 128, eigenvalues 1/k, eta = 0.02: DP-SGD 77, nu = eta mu 1.090, best nu 1.016."""
    least = optimal_noise.optimal_excess_risk(spectrum(128), 0.02)
    assert stationary(independent(), spectrum(128), 0.02) / least == pytest.approx(77.0, abs=0.1)
    assert stationary(nu_ftrl(0.02 / 128), spectrum(128), 0.02) / least == pytest.approx(1.090, abs=0.001)
    assert optimal_noise.best_nu(spectrum(128), 0.02)[1] / least == pytest.approx(1.016, abs=0.001)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize(("dim", "decay", "rate"), [(16, 1.0, 0.05), (128, 1.0, 0.02), (5, 0.0, 0.1), (32, 2.0, 0.3)])
def test_the_closed_form_optimum_is_attained_by_its_mechanism(dim, decay, rate, batch_size):
    eigenvalues = spectrum(dim, decay)
    attained = stationary(optimal_for(eigenvalues, rate, batch_size), eigenvalues, rate, batch_size)
    assert optimal_noise.optimal_excess_risk(eigenvalues, rate, batch_size) == pytest.approx(attained, rel=1e-9)


@given(dim=st.integers(2, 12), decay=st.floats(0.1, 3.0), rate=st.floats(1e-3, 0.3), nu=st.floats(1e-5, 1.0))
def test_nothing_is_below_the_optimum(dim, decay, rate, nu):
    eigenvalues = spectrum(dim, decay)
    least = optimal_noise.optimal_excess_risk(eigenvalues, rate, 4) * (1 - 1e-10)
    for mechanism in (nu_ftrl(nu), lambda_cgd(1 - nu)):
        assert stationary(mechanism, eigenvalues, rate, 4) >= least


def test_one_direction_makes_nu_ftrl_optimal():
    nu, risk = optimal_noise.best_nu([0.5], 0.2, batch_size=3)
    assert nu == pytest.approx(0.1, rel=1e-3)
    assert risk == pytest.approx(optimal_noise.optimal_excess_risk([0.5], 0.2, 3), rel=1e-8)


@pytest.mark.parametrize("steps", [None, 100])
def test_best_nu_beats_a_fine_grid_and_its_risk_is_that_of_its_curve(steps):
    eigenvalues, rate, batch_size = spectrum(8), 0.1, 2

    def risk_of(nu):
        mechanism = nu_ftrl(nu)
        if steps is None:
            return stationary(mechanism, eigenvalues, rate, batch_size)
        std, coef = mechanism.sensitivity(steps) / np.sqrt(2), mechanism.noising_coef(steps)
        return quadratic.excess_risk_curve(eigenvalues, rate, steps, coef, std, 0.0, batch_size)[-1]

    nu, risk = optimal_noise.best_nu(eigenvalues, rate, steps, batch_size)
    assert risk == pytest.approx(risk_of(nu), rel=1e-10)
    assert risk <= min(risk_of(each) for each in np.geomspace(1e-4, 1.0, 200)) * (1 + 1e-9)


def test_best_nu_is_one_where_a_single_step_leaves_nothing_to_correlate():
    nu, risk = optimal_noise.best_nu([1.0, 0.5], 0.1, 1)
    assert risk == pytest.approx(0.5 * 0.1**2 * 0.5 * 1.5)  # every nu is the same there
    assert 0 < nu <= 1


@pytest.mark.parametrize(
    ("dim", "decay", "rate"), [(16, 1.0, 0.05), (128, 1.0, 0.02), (64, 0.5, 0.02), (16, 0.0, 0.02)]
)
def test_rule_of_thumb_is_within_a_per_cent_of_the_best_nu(dim, decay, rate):
    eigenvalues = spectrum(dim, decay)
    nu = optimal_noise.rule_of_thumb_nu(eigenvalues, rate)
    assert nu == pytest.approx(rate * eigenvalues.sum() / dim)
    assert stationary(nu_ftrl(nu), eigenvalues, rate) <= 1.01 * optimal_noise.best_nu(eigenvalues, rate)[1]


def test_rule_of_thumb_never_exceeds_independent_noise():
    assert optimal_noise.rule_of_thumb_nu([1.0], 1.5) == 1.0


def test_unstable_learning_rates():
    assert optimal_noise.optimal_excess_risk([1.0], 1.0) == np.inf
    with pytest.raises(ValueError, match="^learning_rate="):
        optimal_noise.best_nu([1.0], 1.0)
    with pytest.raises(ValueError, match="^steps="):
        optimal_noise.best_nu([1.0], 0.1, 0)


@pytest.mark.parametrize("function", [optimal_noise.optimal_excess_risk, optimal_noise.best_nu, optimal_noise.rule_of_thumb_nu])
@pytest.mark.parametrize("wrong", [0, -1.0, np.nan, np.inf, "3", True, None])
def test_a_learning_rate_that_is_not_positive_is_refused_in_one_sentence(function, wrong):
    with pytest.raises(ValueError, match=f"^learning_rate={wrong!r}, expected > 0"):
        function([1.0, 0.5], wrong)


@pytest.mark.parametrize(("field", "wrong"), [("eigenvalues", [1.0, np.nan]), ("eigenvalues", []), ("batch_size", 1.5), ("batch_size", True)])
def test_every_other_argument_is_refused_by_its_name(field, wrong):
    with pytest.raises(ValueError, match=f"^{field}="):
        optimal_noise.optimal_excess_risk(**{"eigenvalues": [1.0], "learning_rate": 0.1, field: wrong})
