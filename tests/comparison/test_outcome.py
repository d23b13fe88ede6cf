"""Curves, gains, causes and words of the comparison, against the theory called by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core import comparison, mechanisms, privacy
from core.comparison import Setting
from core.names import ARMS
from core.theory import quadratic


def by_hand(setting, mechanism):
    """The exact curve from the public parts of core, with nothing of the comparison but its numbers."""
    multiplier = privacy.calibrate(mechanism, setting.steps, setting.epsilon, setting.delta)
    return quadratic.excess_risk_curve(
        np.arange(1, setting.dim + 1.0) ** -setting.decay, setting.learning_rate, setting.steps,
        mechanism.noising_coef(setting.steps), multiplier * setting.clip_norm / setting.batch_size,
        setting.label_noise, setting.batch_size, -np.full(setting.dim, setting.dim**-0.5),
    )


@pytest.mark.parametrize("setting", [Setting(), Setting(dim=5, decay=0.5, batch_size=1, steps=123, clip_norm=2.0, epsilon=8.0)])
def test_curves_are_the_theory_of_the_controls_shown(setting):
    result = comparison.excess_risk(setting)
    for label, mechanism in {
        "independent": mechanisms.independent(),
        "lambda_cgd": mechanisms.lambda_cgd(setting.correlation),
        "nu_ftrl": mechanisms.nu_ftrl(setting.nu),
    }.items():
        curve = result.curve(ARMS[label])
        np.testing.assert_allclose(curve.y, by_hand(setting, mechanism)[curve.x.astype(int)], rtol=1e-7)
    assert result.curves[0].x[0] == 0 and result.curves[0].x[-1] == setting.steps
    assert len(result.curves[0].x) <= 201


def test_the_gain_is_the_ratio_of_the_last_points():
    setting = Setting()
    result, gains = comparison.excess_risk(setting), comparison.improvement(setting)
    last = {curve.arm: curve.y[-1] for curve in result.curves}
    for arm, gain in gains.items():
        assert gain == last["independent"] / last[arm]
    assert gains["independent"] == 1.0
    assert gains["nu_ftrl"] > 3 and gains["lambda_cgd"] > 3, "what the page shows first is worth seeing"


def test_independent_noise_by_any_name_is_dp_sgd_to_the_last_bit():
    gains = comparison.improvement(Setting(nu=1.0, correlation=0.0))
    assert gains["nu_ftrl"] == gains["lambda_cgd"] == 1.0


def test_causes_add_up_and_only_the_privacy_part_depends_on_the_noise():
    table = comparison.causes(Setting())
    risks = comparison.final_risks(Setting())
    starts, labels, private, sums = (np.array([row[column] for row in table.rows]) for column in (1, 2, 3, 4))
    np.testing.assert_allclose(starts + labels + private, sums, rtol=1e-12)
    np.testing.assert_allclose(sums, list(risks.values()), rtol=1e-9)
    assert np.ptp(starts) < 1e-12 * starts[0] and np.ptp(labels) < 1e-12 * labels[0]
    assert np.all(np.diff(np.sort(private)) > 0)


@pytest.mark.parametrize(
    ("gain", "words"),
    [(1.0, "exactly 1.00"), (1.002, "within half a percent"), (3.456, "3.46 times less error"), (0.5, "LOSES, with 2 times the error")],
)
def test_a_gain_in_words(gain, words):
    assert words in comparison.in_words(gain)


def test_the_verdict_says_who_wins_and_who_loses_from_the_numbers():
    assert "LOSES" not in comparison.verdict(Setting())
    over = Setting(nu=1e-4, correlation=0.99, dim=16, decay=0.0, learning_rate=0.2)
    assert comparison.verdict(over).count("LOSES") == 2 and "over-correlated" in comparison.verdict(over)
    mixed = replace(over, nu=0.2)
    assert comparison.verdict(mixed).count("LOSES") == 1
    assert "diverges" in comparison.verdict(Setting(learning_rate=2.0))


def test_a_run_beyond_stability_is_a_sentence_not_an_exception():
    setting = Setting(learning_rate=2.0, steps=5000)
    result = comparison.excess_risk(setting)
    assert np.isnan(list(comparison.improvement(setting).values())).all()
    assert result.status and not np.isnan(np.concatenate([curve.y for curve in result.curves])).any()


def test_presets_do_what_they_say():
    gains = {key: comparison.improvement(preset.setting) for key, preset in comparison.presets().items()}
    assert gains["plain"]["nu_ftrl"] == gains["plain"]["lambda_cgd"] == 1.0
    assert max(gains["over"]["nu_ftrl"], gains["over"]["lambda_cgd"]) < 1
    for key in ("sweet", "optimal", "flat", "fast"):
        assert min(gains[key]["nu_ftrl"], gains[key]["lambda_cgd"]) > 1.5, key
    assert gains["optimal"]["nu_ftrl"] >= gains["sweet"]["nu_ftrl"]
    assert gains["flat"]["nu_ftrl"] < gains["fast"]["nu_ftrl"] < gains["sweet"]["nu_ftrl"]
