"""The nearly exact accountant: against known noise multipliers, plain simulation, its limits, and what it remembers."""

import json
import math

import numpy as np
import pytest

from core.amplification import cache, calibrate, epsilon
from core.amplification.independent import independent_calibrate
from core.amplification.likelihood import LikelihoodRatio, Run
from core.amplification.tight import tight_calibrate

# delta = 1e-5: noise multipliers by long Monte Carlo of the exact trade-off, good to .3 %
MANY = {  # r = .05, T = 400
    (0.3, 1): 5.48, (0.3, 2): 3.025, (0.3, 4): 1.763, (0.3, 8): 1.127, (0.5, 1): 7.646, (0.5, 2): 4.197, (0.5, 4): 2.408,
    (0.5, 8): 1.488, (0.7, 1): 12.69, (0.7, 2): 6.944, (0.7, 4): 3.939, (0.7, 8): 2.379, (0.9, 1): 37.57, (0.9, 2): 20.5,
    (0.9, 4): 11.56,
}  # fmt: skip
# r = 1/150, T = 300: upper bounds by another accountant
FEW = {
    (0.25, 1): 0.977, (0.25, 2): 0.795, (0.25, 4): 0.655, (0.5, 1): 1.266, (0.5, 2): 0.987, (0.5, 4): 0.834, (0.75, 1): 2.299,
    (0.75, 2): 1.65, (0.75, 4): 1.387, (0.9, 1): 5.443, (0.9, 2): 3.653, (0.9, 4): 2.864, (0.95, 1): 10.51, (0.95, 2): 6.909,
}  # fmt: skip


def points(table, quick):
    return [pytest.param(key, known, id=f"{key}", marks=() if key == quick else pytest.mark.slow) for key, known in table.items()]


@pytest.mark.parametrize("key, known", points(MANY, quick=(0.5, 4)))
def test_many_participations_are_charged_little_more_than_they_cost(key, known):
    noise = calibrate(key[0], 0.05, 400, key[1], 1e-5, method="tight")
    assert known < noise < 1.04 * known


@pytest.mark.parametrize("key, known", points(FEW, quick=(0.9, 1)))
def test_few_participations_are_charged_no_more_than_elsewhere(key, known):
    noise = calibrate(key[0], 1 / 150, 300, key[1], 1e-5, method="tight")
    assert 0.9 * known < noise < 1.05 * known
    assert noise < 0.85 * calibrate(key[0], 1 / 150, 300, key[1], 1e-5)


@pytest.mark.parametrize("sampling_rate, steps, target", [(0.05, 100, 1.0), (0.02, 100, 2.0), (0.2, 30, 4.0)])
def test_meets_the_loss_distribution_where_noise_is_nearly_independent(sampling_rate, steps, target):
    exact = independent_calibrate(sampling_rate, steps, target, 1e-5)
    noise = tight_calibrate(1e-6, sampling_rate, steps, target, 1e-5, largest=2 * exact)
    assert exact < noise < 1.03 * exact


@pytest.mark.parametrize("setting", [(0.5, 0.05, 60, 1.0, 1e-2), (0.8, 0.02, 60, 2.0, 1e-3)])
def test_plain_simulation_of_poisson_batches_keeps_the_delta(setting):
    """Draw participations and noise, no tilt: E_P (1 - e^(epsilon - L))_+, with the recursion's upper bound for L."""
    correlation, sampling_rate, steps, target, delta = setting
    noise = calibrate(*setting, method="tight")
    samples, generator = 100_000, np.random.default_rng(0)
    joins = generator.random((steps, samples)) < sampling_rate
    released, mean = np.empty((steps, samples)), np.zeros(samples)
    for step in range(steps):
        mean = correlation * mean + joins[step]
        released[step] = mean + noise * generator.standard_normal(samples)
    ratio, w = LikelihoodRatio(Run(correlation, sampling_rate, steps, noise), samples, above=True), np.zeros(samples)
    for step in range(steps - 1, -1, -1):
        w = released[step] + correlation * w
        ratio.update(w)
    payoff = np.maximum(0.0, -np.expm1(target - ratio.log))
    error = payoff.std() / math.sqrt(samples)
    assert payoff.mean() < delta + 4 * error
    assert payoff.mean() > 0.3 * delta  # nearly exact: a tenth less noise would be seen


BASE = {"correlation": 0.6, "sampling_rate": 0.05, "steps": 60, "epsilon": 2.0, "delta": 1e-5}


@pytest.mark.parametrize(
    "name, values, sign",
    [
        ("correlation", [0.0, 0.3, 0.6, 0.9], 1), ("sampling_rate", [0.02, 0.05, 0.2], 1), ("steps", [30, 60, 120], 1),
        ("epsilon", [1.0, 2.0, 4.0], -1), ("delta", [1e-6, 1e-5, 1e-3], -1),
    ],
)  # fmt: skip
def test_noise_moves_one_way_with_everything(name, values, sign):
    noises = [calibrate(**BASE | {name: value}, method="tight") for value in values]
    assert np.all(sign * np.diff(noises) > 0)


@pytest.mark.parametrize("correlation, sampling_rate", [(0.0, 0.05), (0.6, 1.0), (0.001, 0.05)])
def test_is_never_above_the_proved_bound_and_equals_it_at_its_limits(correlation, sampling_rate):
    setting = BASE | {"correlation": correlation, "sampling_rate": sampling_rate, "epsilon": 1.0}
    assert calibrate(**setting, method="tight") == calibrate(**setting)
    asked = {name: value for name, value in setting.items() if name != "epsilon"}
    assert epsilon(**asked, noise_multiplier=9.0, method="tight") <= epsilon(**asked, noise_multiplier=9.0)


def test_epsilon_of_calibrated_noise_is_nearly_what_was_asked_for():
    noise = calibrate(**BASE, method="tight")
    asked = {name: value for name, value in BASE.items() if name != "epsilon"}
    assert epsilon(**asked, noise_multiplier=noise, method="tight") == pytest.approx(BASE["epsilon"], rel=0.02)
    assert epsilon(**asked, noise_multiplier=noise) > 1.05 * BASE["epsilon"]


def test_same_arguments_same_result():
    first = calibrate(**BASE, method="tight")
    for file in cache.FOLDER.iterdir():
        file.unlink()
    assert calibrate(**BASE, method="tight") == first


@pytest.mark.parametrize("change", [{"correlation": 0.995}, {"steps": 2001}])
def test_refuses_what_would_take_minutes(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))}=.*method 'tight'"):
        calibrate(**BASE | change, method="tight")


# what is remembered


def test_what_was_computed_is_remembered_by_its_arguments():
    asked = []
    for key in (("a", 1, 0.5), ("a", 1, 0.25), ("a", 1, 0.5)):
        assert cache.remembered(key, lambda key=key: asked.append(key) or key[2] * 2) == key[2] * 2
    assert asked == [("a", 1, 0.5), ("a", 1, 0.25)]
    assert [file.suffix for file in cache.FOLDER.iterdir()] == [".json"] * 2


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"key": ["a", 1], "value": "3"}', b'{"key": ["a", 1], "value": NaN}',
                                    b'{"key": ["b", 1], "value": 5.0}'])  # fmt: skip
def test_a_damaged_file_is_computed_anew(damage):
    cache.remembered(("a", 1), lambda: 3.0)
    (file,) = cache.FOLDER.iterdir()
    file.write_bytes(damage)
    assert cache.remembered(("a", 1), lambda: 4.0) == 4.0
    assert json.loads(file.read_text())["value"] == 4.0


def test_an_unusable_folder_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "file" / "below")
    assert cache.remembered(("a", 1), lambda: 3.0) == 3.0
