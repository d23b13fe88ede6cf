"""The controls of the workbench as one frozen setting, and what every arm is charged for it."""

from dataclasses import fields, replace

import pytest

from core import comparison, privacy
from core.comparison import Setting
from core.names import ARMS

BAD = {
    "nu": (0.0, -1, 1.01, float("nan"), "0.1", True),
    "correlation": (1.0, -0.1, float("inf")),
    "learning_rate": (0.0, 2.1),
    "batch_size": (0, 2.5, "8"),
    "steps": (0, 20_001, 1e3),
    "dim": (0, 513),
    "decay": (-0.1, 5.0),
    "label_noise": (-1.0, float("nan")),
    "epsilon": (0.0, 1000.0),
    "delta": (0.0, 0.5),
    "clip_norm": (0.0, -1.0),
    "replicates": (1, 0),
    "seed": (-1, 2**31),
    "device": ("tpu", ""),
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD.items() for value in values])
def test_a_bad_value_is_named_with_its_field_and_what_is_expected(field, value):
    with pytest.raises(ValueError, match=f"^{field}=.*expected"):
        Setting(**{field: value})


def test_every_field_is_checked():
    assert set(BAD) == {field.name for field in fields(Setting)}


def test_a_permalink_carries_what_differs_from_the_defaults_and_nothing_else():
    assert Setting().changes() == {}
    changed = Setting(nu=0.2, dim=7)
    assert changed.changes() == {"nu": 0.2, "dim": 7}
    assert Setting(**changed.changes()) == changed


@pytest.mark.parametrize("setting", [Setting(), Setting(epsilon=0.3, delta=1e-9, steps=77, nu=0.3, correlation=0.5)])
def test_every_arm_is_charged_at_most_the_privacy_asked_for_and_nearly_all_of_it(setting):
    for arm, mechanism in comparison.arms(setting).items():
        multiplier = comparison.noise_multiplier(setting, mechanism)
        mu = privacy.gdp_mu(mechanism, setting.steps, multiplier, comparison.ADJACENCY)
        spent = privacy.gdp_epsilon(mu, setting.delta)
        assert spent <= setting.epsilon * (1 + 1e-9), arm
        assert spent > 0.999 * setting.epsilon, arm


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 8.0])
def test_the_noise_of_every_arm_is_that_of_calibration_to_the_last_digit(epsilon):
    setting = Setting(nu=0.05, correlation=0.7, epsilon=epsilon)
    for mechanism in comparison.arms(setting).values():
        calibrated = privacy.calibrate(mechanism, setting.steps, setting.epsilon, setting.delta, comparison.ADJACENCY)
        assert comparison.noise_multiplier(setting, mechanism) == calibrated


def test_the_optimum_joins_only_where_its_closed_form_holds():
    assert set(comparison.arms(Setting())) == {"independent", "lambda_cgd", "nu_ftrl", "optimal_for"} <= set(ARMS)
    assert "optimal_for" not in comparison.arms(Setting(learning_rate=1.2, dim=2, batch_size=64))
    assert "optimal_for" not in comparison.arms(replace(Setting(), learning_rate=0.9, batch_size=1))


def test_stability_speaks_exactly_when_the_curves_grow():
    limit = comparison.largest_stable_learning_rate(Setting())
    below, above = replace(Setting(), learning_rate=0.97 * limit, steps=3000), replace(Setting(), learning_rate=1.03 * limit, steps=3000)
    assert comparison.stability(below) == "" and f"{limit:.3g}" in comparison.stability(above)
    grows = [comparison.final_risks(setting)["independent"] / comparison.final_risks(replace(setting, steps=1500))["independent"] for setting in (below, above)]
    assert grows[0] < 1.5 < 100 < grows[1]
