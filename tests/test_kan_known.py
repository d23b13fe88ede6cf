"""The table of tight noise multipliers: whole, between what is known from elsewhere, and taken for the very same arguments alone."""

import json
from dataclasses import replace

import pytest

from core import amplification
from core.amplification import cache
from core.experiments.kan import KanSetting, correlations, known, noise

TABLE = json.loads(known.TABLE.read_text())
SAMPLED = ((0.25, 1 / 150, 300, 0.5, 1e-5), (0.75, 1 / 150, 200, 1.0, 1e-5), (0.9, 1 / 30, 300, 1.0, 1e-5))


def test_no_preset_waits_for_the_accountant():
    assert set(TABLE) == {" ".join(map(repr, each)) for each in known.arguments_known()}


def test_what_is_in_the_table_is_below_the_spectral_bound_and_rises_with_lambda():
    for correlation, rate, steps, epsilon, delta in known.arguments_known():
        arguments = rate, steps, epsilon, delta
        value = known.tight(correlation, *arguments)
        assert amplification.calibrate(0.0, *arguments) <= value <= amplification.calibrate(correlation, *arguments)
    shown = [known.tight(correlation, 1 / 150, 300, 1.0, 1e-5) for correlation in known.SHOWN]
    assert all(later > earlier for earlier, later in zip(shown, shown[1:], strict=False))


@pytest.mark.parametrize(
    ("epsilon", "correlation", "bound"),
    [(1.0, 0.25, 0.977), (1.0, 0.5, 1.266), (1.0, 0.75, 2.299), (1.0, 0.9, 5.443), (2.0, 0.75, 1.650), (4.0, 0.9, 2.864)],
)
def test_it_agrees_with_bounds_found_by_another_program(epsilon, correlation, bound):
    """Certified upper bounds at rate 1/150, 300 steps, delta 1e-5, computed independently, up to 3% above the truth."""
    assert known.tight(correlation, 1 / 150, 300, epsilon, 1e-5) == pytest.approx(bound, rel=0.04)


@pytest.mark.parametrize("entry", [each for each in known.arguments_known() if each[0] == 0])
def test_independent_noise_in_the_table_is_found_again(entry):
    assert TABLE[" ".join(map(repr, entry))] == pytest.approx(amplification.calibrate(*entry, method="tight"), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("entry", SAMPLED)
def test_a_sampled_entry_of_the_table_is_found_again(entry, monkeypatch, tmp_path):
    """Monte Carlo with a fixed seed: alike to rounding, which another processor may do otherwise."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    assert TABLE[" ".join(map(repr, entry))] == pytest.approx(amplification.calibrate(*entry, method="tight"), rel=2e-3)


def test_another_argument_however_near_is_not_looked_up(monkeypatch):
    asked = []
    monkeypatch.setattr(amplification, "calibrate", lambda *arguments, method: asked.append((arguments, method)) or 7.0)
    assert known.tight(0.75, 1 / 150, 300, 1.0 + 1e-15, 1e-5) == 7.0
    assert asked == [((0.75, 1 / 150, 300, 1.0 + 1e-15, 1e-5), "tight")]


def test_a_curve_has_every_lambda_that_takes_no_time(monkeypatch):
    monkeypatch.setattr(amplification, "calibrate", pytest.fail)
    everything = tuple(sorted({*noise.GRID, *correlations(KanSetting())}))
    assert noise.lambdas_of_a_curve(KanSetting(), 18_000) == everything
    elsewhere = KanSetting(epsilon=1.5, correlation=0.6)
    assert noise.lambdas_of_a_curve(elsewhere, 18_000) == correlations(elsewhere)
    assert noise.lambdas_of_a_curve(replace(elsewhere, accountant="spectral", correlation=0.75), 18_000) == everything
