"""Independent noise by privacy loss distributions, correlated noise by the spectral norm of C."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from core import privacy
from core.amplification import calibrate, epsilon, spectral_norm
from core.amplification.independent import LEAST_NOISE, independent_delta, loss_distribution
from core.mechanisms import lambda_cgd


@pytest.mark.parametrize("correlation, steps", [(0.0, 5), (0.5, 1), (0.3, 2), (0.9, 400), (0.99, 250), (0.999, 30)])
def test_spectral_norm_is_that_of_the_dense_matrix(correlation, steps):
    dense = np.linalg.norm(lambda_cgd(correlation).strategy_matrix(steps), 2)
    assert spectral_norm(correlation, steps) == pytest.approx(dense, rel=1e-11)
    assert spectral_norm(correlation, steps) >= dense * (1 - 1e-12)


def test_spectral_norm_nears_its_limit_from_below():
    # T=400, lambda=.9: computed independently
    assert spectral_norm(0.9, 400) == pytest.approx(9.973681530542395, rel=1e-9)
    assert spectral_norm(0.9, 100) < spectral_norm(0.9, 400) < 10


@pytest.mark.parametrize(
    "sampling_rate, steps, target, expected",
    [
        # privacy loss distributions on a ten times finer grid, delta = 1e-5
        (0.05, 400, 1.0, 3.874), (0.05, 400, 2.0, 2.187), (0.05, 400, 4.0, 1.340), (0.05, 400, 8.0, 0.916),
        (1 / 150, 300, 1.0, 0.886), (1 / 150, 300, 2.0, 0.727), (1 / 150, 300, 4.0, 0.591), (0.1, 100, 2.0, 2.2477),
    ],
)
def test_independent_noise_is_charged_as_the_subsampled_gaussian(sampling_rate, steps, target, expected):
    assert calibrate(0.0, sampling_rate, steps, target, 1e-5) == pytest.approx(expected, rel=1.5e-3)


@pytest.mark.parametrize("sigma, rate, target", [(1.0, 0.05, 0.5), (0.6, 0.3, 1.0), (3.0, 0.5, 0.05)])
def test_one_step_is_the_exact_hockey_stick_rounded_up(sigma, rate, target):
    x = np.linspace(-12 * sigma, 1 + 12 * sigma, 2_000_001)
    p = (1 - rate) * norm.pdf(x, 0, sigma) + rate * norm.pdf(x, 1, sigma)
    exact = np.maximum(0.0, p - math.exp(target) * norm.pdf(x, 0, sigma)).sum() * (x[1] - x[0])
    assert exact * (1 - 1e-9) <= independent_delta(rate, 1, sigma, target) <= exact * (1 + 1e-3)


@pytest.mark.parametrize("setting", [(1 / 150, 300, 0.886), (0.05, 400, 3.876), (0.01, 20, 1.205), (0.9, 5, 60.0), (1.0, 10, 12.0)])
@pytest.mark.parametrize("remove", [True, False])
def test_hockey_stick_curves_are_those_of_the_library(setting, remove):
    from dp_accounting.pld import privacy_loss_distribution

    rate, steps, sigma = setting
    ours = loss_distribution(*setting, remove)
    theirs = privacy_loss_distribution.from_gaussian_mechanism(
        sigma, value_discretization_interval=ours._discretization, sampling_prob=rate
    ).self_compose(steps)
    theirs = theirs._pmf_remove if remove else theirs._pmf_add
    for target in (0.05, 0.3, 1.0, 3.0):
        assert ours.get_delta_for_epsilon(target) == pytest.approx(theirs.get_delta_for_epsilon(target), rel=1e-6, abs=1e-13)


def test_correlated_noise_is_charged_the_spectral_norm():
    expected = spectral_norm(0.7, 400) * calibrate(0.0, 0.05, 400, 2.0, 1e-5)
    assert calibrate(0.7, 0.05, 400, 2.0, 1e-5) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_every_step_a_participation_is_the_exact_gaussian(correlation):
    release = {"steps": 60, "participations": 60}
    mu = privacy.gdp_mu(lambda_cgd(correlation), noise_multiplier=20.0, **release)
    assert epsilon(correlation, 1.0, 60, 20.0, 1e-5) == pytest.approx(privacy.gdp_epsilon(mu, 1e-5), rel=1e-3)
    expected = privacy.calibrate(lambda_cgd(correlation), epsilon=2.0, delta=1e-5, **release)
    assert calibrate(correlation, 1.0, 60, 2.0, 1e-5) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.parametrize("sampling_rate, steps, target, delta", [(0.05, 100, 1.0, 1e-5), (0.2, 30, 4.0, 1e-7), (0.01, 50, 0.1, 1e-6)])
def test_calibrated_noise_keeps_the_epsilon_asked_for(correlation, sampling_rate, steps, target, delta):
    noise = calibrate(correlation, sampling_rate, steps, target, delta)
    assert epsilon(correlation, sampling_rate, steps, noise, delta) <= target * (1 + 1e-9)
    assert epsilon(correlation, sampling_rate, steps, 0.99 * noise, delta) > target


BASE = {"correlation": 0.5, "sampling_rate": 0.05, "steps": 100, "epsilon": 1.0, "delta": 1e-5}


@pytest.mark.parametrize(
    "name, values, sign",
    [
        ("correlation", [0.0, 0.2, 0.21, 0.6, 0.95], 1), ("sampling_rate", [0.02, 0.05, 0.051, 0.3, 1.0], 1),
        ("steps", [10, 100, 101, 300], 1), ("epsilon", [0.1, 1.0, 1.02, 4.0], -1), ("delta", [1e-8, 1e-5, 1.1e-5, 1e-3], -1),
    ],
)
def test_noise_moves_one_way_with_everything(name, values, sign):
    noises = [calibrate(**BASE | {name: value}) for value in values]
    assert np.all(sign * np.diff(noises) > 0)


def test_a_record_that_hardly_ever_joins_is_given_the_least_noise():
    assert calibrate(0.0, 1e-6, 2, 1.0, 1e-5) == pytest.approx(LEAST_NOISE, rel=1e-6)
    assert epsilon(0.0, 1e-6, 2, LEAST_NOISE * 1.01, 1e-5) == 0.0


def test_little_noise_is_charged_as_if_every_step_were_a_participation():
    noise = LEAST_NOISE / 2
    expected = privacy.gdp_epsilon(math.sqrt(20) / noise, 1e-5)
    assert epsilon(0.0, 0.01, 20, noise, 1e-5) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("change", [{"correlation": 1.0}, {"correlation": -0.1}, {"sampling_rate": 0.0}, {"sampling_rate": 1.5},
                                    {"steps": 0}, {"epsilon": 0.0}, {"delta": 1e-11}, {"delta": 1.0}, {"method": "exact"}])  # fmt: skip
def test_refuses_what_is_no_setting(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))}="):
        calibrate(**BASE | change)


def test_refuses_no_noise():
    with pytest.raises(ValueError, match="noise_multiplier=0.0, expected > 0"):
        epsilon(0.5, 0.05, 100, 0.0, 1e-5)
