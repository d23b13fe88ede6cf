"""The pictures of why it works, each against the sum that it claims to show."""

import math

import numpy as np
import pytest

from core import comparison
from core.comparison import Setting
from core.names import ARMS
from core.theory import quadratic

SETTING = Setting(steps=400, dim=8, nu=0.05, correlation=0.8)
PICTURES = (
    comparison.taken_back, comparison.stays_visible, comparison.sensitivity_growth, comparison.transfer_functions,
    comparison.felt_spectrum, comparison.running_sum, comparison.noise_spectrum,
)


def test_the_error_of_privacy_is_the_mean_of_what_the_iterate_feels():
    """Integrated over all frequencies, noise times response is the stationary error, up to one constant for all arms."""
    omega = (np.arange(200_000) + 0.5) * math.pi / 200_000
    weight = quadratic.noise_weight(SETTING.eigenvalues, SETTING.learning_rate, omega, SETTING.batch_size)
    ratios = []
    for mechanism in comparison.arms(SETTING).values():
        felt = np.mean(comparison.noise_power(SETTING, mechanism, omega) * weight)
        std = comparison.noise_std(SETTING, mechanism)
        ratios.append(felt / quadratic.asymptotic_excess_risk(SETTING.eigenvalues, SETTING.learning_rate, mechanism, std, 0.0, SETTING.batch_size))
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)


def test_the_shown_spectrum_is_noise_times_response():
    felt, noise = comparison.felt_spectrum(SETTING), comparison.noise_spectrum(SETTING)
    heard = noise.curves[-1]
    for arm in ("independent", "nu_ftrl"):
        ratio = felt.curve(ARMS[arm]).y / (noise.curve(ARMS[arm]).y * heard.y)
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    np.testing.assert_allclose(noise.curve(ARMS["independent"]).y, 1.0)


def test_sensitivity_grows_to_what_the_noise_multiplier_pays():
    result = comparison.sensitivity_growth(SETTING)
    for arm, mechanism in comparison.arms(SETTING).items():
        curve = result.curve(ARMS[arm])
        assert np.all(np.diff(curve.y) >= 0)
        np.testing.assert_allclose(curve.y[-1], mechanism.sensitivity(SETTING.steps), rtol=1e-8)


def test_what_is_taken_back_and_what_stays_visible_are_the_coefficients():
    back, visible = comparison.taken_back(SETTING), comparison.stays_visible(SETTING)
    assert {curve.arm for curve in back.curves} == {"lambda_cgd", "nu_ftrl", "optimal_for"}
    assert list(back.curve(ARMS["lambda_cgd"]).y) == [SETTING.correlation]
    nu = comparison.arms(SETTING)["nu_ftrl"]
    for result, coef in ((back, -nu.noising_coef(SETTING.steps)), (visible, nu.strategy_coef(SETTING.steps))):
        curve = result.curve(ARMS["nu_ftrl"])
        np.testing.assert_allclose(curve.y, coef[curve.x.astype(int)])


def test_running_sums_share_their_seed_noise_and_stay_in_their_bands():
    plain = comparison.running_sum(Setting(nu=1.0, correlation=0.0, steps=400, dim=8))
    np.testing.assert_allclose(plain.curve(ARMS["nu_ftrl"]).y, plain.curve(ARMS["independent"]).y)
    inside = []
    for seed in range(40):
        result = comparison.running_sum(Setting(steps=50, dim=4, seed=seed))
        inside += [curve.low[-1] < curve.y[-1] < curve.high[-1] for curve in result.curves[:1]]
    assert 0.954 - 4 * 0.033 < np.mean(inside) <= 1.0  # two standard deviations, 40 independent paths
    std = comparison.running_sum(SETTING).curve(ARMS["independent"]).high / 2
    multiplier = comparison.noise_multiplier(SETTING, comparison.arms(SETTING)["independent"])
    np.testing.assert_allclose(std[-1], multiplier * SETTING.steps**0.5)


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("setting", [Setting(steps=1, dim=1), Setting(steps=2, nu=1.0, correlation=0.0), Setting(learning_rate=2.0)])
def test_every_picture_can_be_drawn_at_the_edges(picture, setting):
    result = picture(setting)
    assert result.title and result.caption and result.source
    assert not any(np.isnan(curve.y).any() for curve in result.curves)
