"""What the presets of the KAN page claim, in real runs at their own settings, every arm at the same privacy."""

from dataclasses import replace

import numpy as np
import pytest

from core.experiments import kan
from core.learners.dp_ftrl import dp_ftrl

pytestmark = pytest.mark.slow


def gains(preset: str, *correlations: float) -> dict[float, np.ndarray]:
    """Test accuracy over that of lambda = 0 at the end of a preset's run, by lambda: (replicates,), paired."""
    plan = kan.plan(replace(kan.presets()[preset].setting, device="cpu"))
    arms = [plan.arms[plan.arm(value)] for value in (0.0, *correlations)]
    *_, last = dp_ftrl(plan.problem, arms, replace(plan.config, record_every=plan.config.steps))
    base, *others = last.measures["test_accuracy"]
    return {value: accuracy - base for value, accuracy in zip(correlations, others, strict=True)}


def error(difference: np.ndarray) -> float:
    return difference.std(ddof=1) / len(difference) ** 0.5


def test_the_gain_of_the_sweet_spot_fades_with_many_participations():
    few, many = gains("sweet", 0.75)[0.75], gains("many", 0.75)[0.75]
    assert few.mean() > 4 * error(few) and few.mean() > 0.005
    assert few.mean() - many.mean() > 4 * np.hypot(error(few), error(many))
    assert many.mean() < few.mean() / 2


def test_an_over_correlated_network_collapses():
    over = gains("over", 0.75, 0.99)
    assert over[0.99].mean() < -0.1 and over[0.99].mean() < -4 * error(over[0.99])
    assert over[0.75].mean() > 0
