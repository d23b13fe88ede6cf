"""The Gaussian trade-off against quadrature and printed numbers, the private side of every rounding, conventions."""

import math
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from core import privacy
from core.mechanisms import anti_pgd, independent, lambda_cgd, nu_ftrl, toeplitz

EPSILONS = st.floats(1e-3, 30.0)
DELTAS = st.floats(-12.0, -0.3).map(lambda power: 10.0**power)


def delta_by_quadrature(mu, epsilon):
    """delta(mu) = integral_0^mu phi(epsilon/m - m/2) dm, an identity without any cancellation."""

    def density(m):
        return math.exp(-((epsilon / m - m / 2) ** 2) / 2) / math.sqrt(2 * math.pi)

    edges = mu * np.concatenate([[1e-12], np.linspace(0, 1, 100)[1:]])
    return sum(quad(density, low, high, epsabs=0, epsrel=1e-12)[0] for low, high in pairwise(edges))


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("quantile", [-7.0, -4.0, -1.0, 0.0])
@pytest.mark.parametrize("mu", [1e-3, 0.03, 0.999, 1.0, 3.0, 50.0])
def test_gdp_delta_equals_quadrature_from_tiny_to_large_mu(mu, quantile):
    epsilon = mu * (mu / 2 - quantile)
    assert privacy.gdp_delta(mu, epsilon) == pytest.approx(delta_by_quadrature(mu, epsilon), rel=1e-11)


def test_gdp_delta_without_epsilon_is_the_total_variation_distance():
    for mu in (1e-3, 0.5, 2.0, 50.0):
        assert privacy.gdp_delta(mu, 0.0) == pytest.approx(math.erf(mu / math.sqrt(8)), rel=1e-13)


def test_gdp_delta_far_beyond_floating_point_is_zero_without_a_warning():
    assert privacy.gdp_delta(1e-3, 1.0) == 0.0
    assert privacy.gdp_delta(0.02, 700.0) == 0.0
    assert privacy.gdp_delta(1e-9, 50.0) == 0.0
    assert privacy.gdp_delta(2.0, 1e200) == 0.0


def test_accounting_and_theory_leave_torch_alone():
    """A page's first picture is exact and must not wait for torch, which takes a second to import."""
    rooms = "core.privacy, core.theory.quadratic, core.theory.mean, core.theory.optimal_noise"
    subprocess.run([sys.executable, "-c", f"import {rooms}, sys; assert 'torch' not in sys.modules"], check=True)


@given(mu=st.floats(1e-3, 50.0), epsilon=EPSILONS)
def test_gdp_delta_increases_in_mu_and_decreases_in_epsilon(mu, epsilon):
    delta = privacy.gdp_delta(mu, epsilon)
    assert privacy.gdp_delta(1.01 * mu, epsilon) >= delta >= privacy.gdp_delta(mu, 1.01 * epsilon)


@given(mu=st.floats(1e-3, 50.0), delta=DELTAS)
def test_gdp_epsilon_is_rounded_up(mu, delta):
    epsilon = privacy.gdp_epsilon(mu, delta)
    reached = privacy.gdp_delta(mu, epsilon)
    assert reached <= delta
    assert epsilon == 0 or reached == pytest.approx(delta, rel=1e-9)


@given(power=st.floats(5.0, 153.0), delta=DELTAS)
def test_gdp_epsilon_of_next_to_no_noise_is_a_safe_number(power, delta):
    mu = 10.0**power
    epsilon = privacy.gdp_epsilon(mu, delta)
    assert privacy.gdp_delta(mu, epsilon) <= delta
    assert epsilon == pytest.approx(mu**2 / 2, rel=1e-3) and privacy.gdp_epsilon(10 * mu, delta) > epsilon
    assert privacy.gdp_epsilon(1e300, delta) == math.inf


@given(epsilon=st.one_of(st.just(0.0), EPSILONS), delta=DELTAS)
def test_gdp_mu_for_is_rounded_down(epsilon, delta):
    reached = privacy.gdp_delta(privacy.gdp_mu_for(epsilon, delta), epsilon)
    assert reached <= delta
    assert reached == pytest.approx(delta, rel=1e-9)


def test_printed_numbers_of_the_exact_trade_off():
    """Computed independently: largest mu whose analytic delta(epsilon) is at most delta."""
    assert privacy.gdp_mu_for(1.0, 1e-5) == pytest.approx(0.26805112321129454, rel=1e-9)
    assert privacy.gdp_mu_for(1.0, 1e-6) == pytest.approx(0.23670438066343616, rel=1e-9)
    assert privacy.gdp_epsilon(1.0, 1e-5) == pytest.approx(4.377178, rel=1e-6)
    assert privacy.calibrate(independent(), 1, 1.0, 1e-5) == pytest.approx(3.730632, rel=1e-6)


def test_tight_zcdp_conversion_is_the_minimum_over_all_orders():
    def bound(alpha):
        return 0.5 * alpha + np.log1p(-1 / alpha) - np.log(1e-5 * alpha) / (alpha - 1)

    epsilon = privacy.zcdp_epsilon(0.5, 1e-5)
    assert epsilon == pytest.approx(bound(np.linspace(5.4, 5.5, 100_001)).min(), rel=1e-12)
    # at the nearest order of the usual grid of tenths the formula gives 4.728507: valid, and a little looser
    assert epsilon == pytest.approx(4.728386984943, rel=1e-10)
    assert bound(5.4) == pytest.approx(4.728507, rel=1e-6)


@given(rho=st.floats(1e-4, 100.0), delta=DELTAS)
def test_zcdp_conversions_are_ordered_and_never_below_the_gaussian_truth(rho, delta):
    tight = privacy.zcdp_epsilon(rho, delta)
    assert tight <= privacy.zcdp_epsilon_simple(rho, delta)
    assert tight >= privacy.gdp_epsilon(math.sqrt(2 * rho), delta) * (1 - 1e-12)


@given(power=st.floats(-300.0, 300.0), delta=st.floats(-300.0, -0.01).map(lambda power: 10.0**power))
def test_zcdp_conversion_knows_every_order_of_magnitude(power, delta):
    rho = 10.0**power
    assert 0 <= privacy.zcdp_epsilon(rho, delta) <= privacy.zcdp_epsilon_simple(rho, delta) * (1 + 1e-12)
    assert privacy.zcdp_epsilon(1e-300, 1e-12) == 0.0
    assert privacy.zcdp_epsilon(rho, delta) <= privacy.zcdp_epsilon(2 * rho, delta)


def test_simple_zcdp_conversion():
    assert privacy.zcdp_epsilon_simple(0.5, 1e-5) == pytest.approx(0.5 + 2 * math.sqrt(0.5 * math.log(1e5)), rel=1e-15)


@given(epsilon=EPSILONS, delta=DELTAS, nu=st.floats(0.01, 1.0), steps=st.integers(1, 30))
def test_calibrate_is_rounded_to_the_private_side(epsilon, delta, nu, steps):
    multiplier = privacy.calibrate(nu_ftrl(nu), steps, epsilon, delta)
    mu = privacy.gdp_mu(nu_ftrl(nu), steps, multiplier)
    target = privacy.gdp_mu_for(epsilon, delta)
    assert target * (1 - 1e-15) <= mu <= target


@given(sensitivity=st.floats(1e-3, 1e6), mu=st.floats(1e-4, 100.0), adjacency=st.sampled_from(["zero_out", "replace"]))
def test_multiplier_for_is_rounded_up(sensitivity, mu, adjacency):
    reach = privacy.ADJACENCY[adjacency] * sensitivity
    found = privacy.multiplier_for(sensitivity, mu, adjacency)
    assert Fraction(found) >= Fraction(reach) / Fraction(mu) and reach / found <= mu
    assert found <= reach / mu * (1 + 1e-15)


@given(rho=st.floats(1e-4, 100.0), correlation=st.floats(0.0, 0.99), steps=st.integers(1, 30))
def test_calibrate_rho_is_rounded_to_the_private_side(rho, correlation, steps):
    multiplier = privacy.calibrate_rho(lambda_cgd(correlation), steps, rho)
    reached = privacy.gdp_mu(lambda_cgd(correlation), steps, multiplier) ** 2 / 2
    assert reached <= rho
    assert reached == pytest.approx(rho, rel=1e-14)


def test_replacing_a_record_moves_a_sum_twice_as_far_as_zeroing_it_out():
    arguments = (lambda_cgd(0.5), 20, 3.0)
    assert privacy.gdp_mu(*arguments, adjacency="replace") == 2 * privacy.gdp_mu(*arguments, adjacency="zero_out")
    needed = [privacy.calibrate(lambda_cgd(0.5), 20, 1.0, 1e-6, adjacency) for adjacency in privacy.ADJACENCY]
    assert needed[1] == pytest.approx(2 * needed[0], rel=1e-15)


def test_more_noise_is_more_private_in_proportion():
    assert privacy.gdp_mu(nu_ftrl(0.1), 100, 4.0) == privacy.gdp_mu(nu_ftrl(0.1), 100, 2.0) / 2


def test_repeated_participation_of_independent_noise_costs_the_square_root():
    once = privacy.gdp_mu(independent(), 100, 1.0)
    often = privacy.gdp_mu(independent(), 100, 1.0, participations=9, separation=10)
    assert often == pytest.approx(3 * once, rel=1e-15)


def test_repeated_participation_is_charged_the_norm_of_the_summed_columns():
    """Guards against adding norms of columns (too much) and against adding their squares (too little)."""
    column = 0.9 ** np.arange(1000)
    summed = sum(np.concatenate([np.zeros(100 * k), column[: 1000 - 100 * k]]) for k in range(10))
    mu = privacy.gdp_mu(lambda_cgd(0.9), 1000, 1.0, participations=10, separation=100)
    assert mu == pytest.approx(np.linalg.norm(summed), rel=1e-12)
    assert mu**2 == pytest.approx(52.6340953, rel=1e-8)


def test_sensitivity_is_a_norm_and_not_its_square():
    """Guards against |c|^2 where |c| belongs: lambda = 0.9 for ever has |c|^2 = 1/(1 - 0.81)."""
    assert privacy.gdp_mu(lambda_cgd(0.9), 1000, 1.0) == pytest.approx(math.sqrt(1 / 0.19), rel=1e-12)


def test_a_target_epsilon_is_not_a_target_rho():
    """Guards against spending epsilon as if it were rho: at 1, that is ten times too little privacy by Gaussian mu."""
    by_epsilon = privacy.gdp_mu(independent(), 1, privacy.calibrate(independent(), 1, 1.0, 1e-5))
    by_rho = privacy.gdp_mu(independent(), 1, privacy.calibrate_rho(independent(), 1, 1.0))
    assert by_rho == pytest.approx(math.sqrt(2), rel=1e-14)
    assert by_epsilon == pytest.approx(0.268051, rel=1e-5)
    assert privacy.zcdp_epsilon(by_epsilon**2 / 2, 1e-5) > 1.0  # not even the zCDP of the right answer is loose


@pytest.mark.parametrize(
    "mechanism",
    [independent(), nu_ftrl(0.05), anti_pgd(0.3), toeplitz([1.0, -0.5, 0.1])],
    ids=lambda mechanism: mechanism.label,
)
def test_letters_of_the_correlated_noise_paper_give_our_rho(mechanism):
    """2310.06771: sigma_dp^2 = gamma_T^2 / (2 rho), noise N(0, sigma_dp^2 G^2 I) on one clipped gradient, zero-out."""
    rho, steps, clip_norm = 0.3, 40, 1.7
    gamma = np.linalg.norm(np.linalg.inv(np.asarray(mechanism.noising_matrix(steps))), axis=0).max()
    sigma_dp = gamma / math.sqrt(2 * rho)
    noise_std = sigma_dp * clip_norm
    assert privacy.gdp_mu(mechanism, steps, noise_std / clip_norm) ** 2 / 2 == pytest.approx(rho, rel=1e-9)
    assert privacy.calibrate_rho(mechanism, steps, rho) == pytest.approx(sigma_dp, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: privacy.gdp_mu(independent(), 10, 0.0), "noise_multiplier"),
        (lambda: privacy.gdp_mu(independent(), 10, 1.0, adjacency="remove"), "adjacency"),
        (lambda: privacy.gdp_mu("nu_ftrl", 10, 1.0), "mechanism"),
        (lambda: privacy.calibrate(None, 10, 1.0, 1e-6), "mechanism"),
        (lambda: privacy.calibrate_rho(nu_ftrl, 10, 1.0), "mechanism"),
        (lambda: privacy.multiplier_for(0.0, 1.0), "sensitivity"),
        (lambda: privacy.multiplier_for(1.0, math.inf), "mu"),
        (lambda: privacy.gdp_delta(0.0, 1.0), "mu"),
        (lambda: privacy.gdp_delta(1.0, -1.0), "epsilon"),
        (lambda: privacy.gdp_epsilon(1.0, 0.0), "delta"),
        (lambda: privacy.gdp_mu_for(math.nan, 1e-5), "epsilon"),
        (lambda: privacy.gdp_mu_for(1.0, 1.0), "delta"),
        (lambda: privacy.zcdp_epsilon(-1.0, 1e-5), "rho"),
        (lambda: privacy.zcdp_epsilon_simple(1.0, 2.0), "delta"),
        (lambda: privacy.calibrate_rho(independent(), 10, 0.0), "rho"),
    ],
)
def test_wrong_arguments_are_named(call, field):
    with pytest.raises(ValueError, match=f"^{field}="):
        call()
