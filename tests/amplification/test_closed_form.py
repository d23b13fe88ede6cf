"""The paper's closed forms: its numbers, its conditions, and that they are larger than what is really needed."""

import math

import pytest
from scipy.stats import binom

from core.amplification import calibrate, closed_form


def test_gives_the_papers_noise_multipliers():
    # r=.05, T=400, epsilon=1, delta=1e-5: the two formulas computed independently
    assert closed_form(0.0, 0.05, 400, 1.0, 1e-5) == pytest.approx(19.606468699871666, rel=1e-12)
    assert closed_form(0.5, 0.05, 400, 1.0, 1e-5) == pytest.approx(136.81481166229796, rel=1e-12)


def test_rises_to_the_row_sum_of_the_strategy_matrix():
    ratio = closed_form(0.9, 0.2, 300, 0.5, 1e-6) / closed_form(1e-12, 0.2, 300, 0.5, 1e-6)
    assert ratio == pytest.approx((1 - 0.9**300) / 0.1, rel=1e-10)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("sampling_rate, steps, epsilon", [(0.05, 400, 1.0), (0.2, 300, 0.5)])
def test_is_never_below_what_is_certified(correlation, sampling_rate, steps, epsilon):
    charged = closed_form(correlation, sampling_rate, steps, epsilon, 1e-5)
    assert charged > 2 * calibrate(correlation, sampling_rate, steps, epsilon, 1e-5)


def test_refuses_correlated_noise_beyond_epsilon_one():
    with pytest.raises(ValueError, match=r"epsilon=1.01, expected <= 1, a condition of Theorem F.12"):
        closed_form(0.5, 0.05, 400, 1.01, 1e-5)


def test_refuses_where_the_count_of_participations_is_not_bounded_as_the_lemma_says():
    with pytest.raises(ValueError, match=r"sampling_rate=0.006.*Theorem F.12 needs r T >= 3 ln\(2/delta\)"):
        closed_form(0.5, 0.006, 400, 1.0, 1e-5)


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-9])
def test_the_papers_own_condition_is_enough(delta):
    steps = 500
    sampling_rate = 3 * math.log(2 / delta) / steps
    assert binom.sf(2 * sampling_rate * steps, steps, sampling_rate) <= delta / 2
    assert closed_form(0.5, sampling_rate, steps, 1.0, delta) > 0


def test_refuses_independent_noise_where_sampling_is_not_rare_enough():
    # there the theorem charges .279, at which the subsampled Gaussian has delta(8) = 6.5e-2
    with pytest.raises(ValueError, match=r"sampling_rate=0.01, expected rarer sampling: Lemma D.7 claims"):
        closed_form(0.0, 0.01, 100, 8.0, 1e-5)


@pytest.mark.parametrize(
    "change", [{"correlation": 1.0}, {"sampling_rate": 0.0}, {"sampling_rate": 1.0}, {"steps": 0}, {"epsilon": 0.0}, {"delta": 0.0}]
)
def test_refuses_what_is_no_setting(change):
    setting = {"correlation": 0.5, "sampling_rate": 0.2, "steps": 300, "epsilon": 0.5, "delta": 1e-5} | change
    with pytest.raises(ValueError, match=f"{next(iter(change))}="):
        closed_form(**setting)
