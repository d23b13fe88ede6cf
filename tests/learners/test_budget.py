"""One total rho over the steps. Literals computed by hand from Lemma 2.1 and Claim A.6 of 2402.13531."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms, privacy
from core.learners.budget import Geometric, Uniform, last_iterate_variance, noise_multipliers, noise_std, spent

CLIP = 5 * math.sqrt(10)
SCHEDULES = (Uniform(), Geometric())
one_of_each = pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: type(schedule).__name__)


def test_letters_of_the_paper_are_our_rho():
    """gamma = 5 sqrt(10), T = 10, rho = .05, n = 1000: lambda^2 = 2 T gamma^2 / (rho n^2) = .1."""
    scales = noise_std(Uniform(), CLIP, 1000, 10, rho=0.05)
    np.testing.assert_allclose(scales**2, 0.1, rtol=1e-12)
    multiplier = noise_multipliers(Uniform(), 10, 0.05, 0.25)[0]
    np.testing.assert_allclose(scales[0], multiplier * CLIP / 1000, rtol=1e-15)  # lambda n / gamma
    all_steps = privacy.gdp_mu(mechanisms.independent(), 10, multiplier, "replace", participations=10)
    assert all_steps**2 / 2 == pytest.approx(0.05, rel=1e-12)
    assert spent(Uniform(), 10, 0.05, 0.25)[-1] == pytest.approx(0.05, rel=1e-12)


def test_the_target_epsilon_is_not_rho():
    """The paper's rho = .015 is epsilon = .925 at delta 1e-6; noise for rho = .925 would be 7.9 times too small."""
    noise = noise_std(Uniform(), CLIP, 10_000, 250, rho=0.015)
    charged = 250 * (2 * CLIP / 10_000) ** 2 / (2 * noise[0] ** 2)
    assert privacy.zcdp_epsilon_simple(charged, 1e-6) == pytest.approx(0.9254562776310877, rel=1e-9)
    assert noise[0] / noise_std(Uniform(), CLIP, 10_000, 250, rho=0.9254562776310877)[0] == pytest.approx(7.8548, rel=1e-4)


def test_replacing_a_record_is_twice_zeroing_it():
    for schedule in SCHEDULES:
        replaced, zeroed = (noise_multipliers(schedule, 7, 0.3, 0.2, 1, adjacency) for adjacency in ("replace", "zero_out"))
        np.testing.assert_allclose(replaced, 2 * zeroed, rtol=1e-14)


def test_independent_runs_share_the_one_total():
    """m = 10 runs of T = 50: the noise of 500 gradients, 2 mT gamma^2 / (rho n^2), not that of 50."""
    scales = noise_std(Uniform(), CLIP, 10_000, 50, rho=0.015, runs=10)
    np.testing.assert_allclose(scales**2, 2 * 500 * CLIP**2 / (0.015 * 1e8), rtol=1e-12)
    np.testing.assert_allclose(scales, noise_std(Uniform(), CLIP, 10_000, 500, rho=0.015)[:50], rtol=1e-12)


@one_of_each
@given(
    steps=st.integers(1, 300),
    rho=st.floats(1e-4, 1e3),
    learning_rate=st.floats(0.01, 0.9),
    runs=st.integers(1, 20),
    adjacency=st.sampled_from(["replace", "zero_out"]),
)
def test_what_is_spent_is_at_most_rho_and_hardly_less(schedule, steps, rho, learning_rate, runs, adjacency):
    shares = schedule.shares(steps, learning_rate)
    assert shares.shape == (steps,) and np.all(shares > 0) and 1 - 1e-12 < math.fsum(shares) <= 1
    ledger = spent(schedule, steps, rho, learning_rate, runs, adjacency)
    assert ledger.shape == (steps + 1,) and ledger[0] == 0 and np.all(np.diff(ledger) > 0 if rho > 1 else ledger >= 0)
    assert rho * (1 - 1e-12) <= ledger[-1] <= rho


@one_of_each
@settings(max_examples=8)
@given(
    steps=st.integers(1, 20_000),
    rho=st.floats(1e-4, 1e3),
    learning_rate=st.floats(1e-3, 0.9),
    runs=st.integers(1, 20),
)
def test_a_long_run_spends_no_more_either(schedule, steps, rho, learning_rate, runs):
    learning_rate = min(learning_rate, 600 / steps)  # lest the first step of a geometric budget gets nothing
    ledger = spent(schedule, steps, rho, learning_rate, runs)
    assert rho * (1 - 1e-12) <= ledger[-1] == ledger.max() <= rho


@pytest.mark.parametrize("steps", [2000, 20_000])
def test_running_sums_are_exact_to_the_last_digit(steps):
    """Summed naively, 2000 even shares of .015 came to more than .015."""
    multiplier = noise_multipliers(Uniform(), steps, 0.015, 0.25)[0]
    each = privacy.gdp_mu(mechanisms.independent(), 1, multiplier, "replace") ** 2 / 2
    ledger = spent(Uniform(), steps, 0.015, 0.25)
    for step in (1, 2, 7, steps // 3, steps):
        assert ledger[step] == math.fsum([each] * step)
    assert ledger[-1] <= 0.015


def test_geometric_budgets_grow_by_the_contraction():
    shares = Geometric().shares(4, 0.25)
    np.testing.assert_allclose(shares, np.array([27, 36, 48, 64]) / 175, rtol=1e-12)


@given(tilt=st.lists(st.floats(0.5, 2.0), min_size=12, max_size=12))
def test_geometric_budgets_make_the_last_iterate_most_exact(tilt):
    """Variance of theta_T for the Hessian I is eta^2 sum_t (1-eta)^(2(T-t)) / rho_t, up to a constant."""
    felt = (1 - 0.3) ** (2 * np.arange(11, -1, -1.0))
    best = Geometric().shares(12, 0.3)
    other = best * np.array(tilt)
    assert np.sum(felt / best) <= np.sum(felt / (other / other.sum())) * (1 + 1e-12)


def test_variance_of_the_last_iterate_by_hand():
    """Ten steps, eta = 1/4, Hessian I, in units of 2 (gamma/n)^2 / rho; correlated noise by the recursion, from each seed."""
    ages = np.arange(9, -1, -1)
    variances = {each: last_iterate_variance(noise_std(each, 1.0, 1, 10, rho=1.0), 0.25) / 2 for each in SCHEDULES}
    assert variances[Uniform()] == pytest.approx(1.4240411258015229, rel=1e-12)
    assert variances[Geometric()] == pytest.approx(0.25**2 * (np.sum(0.75**ages)) ** 2, rel=1e-12)
    noising, scales = mechanisms.optimal_counting().noising_matrix(10), np.linspace(1, 2, 10)
    thetas = np.zeros(10)  # what each unit of seed noise has made of theta
    for row in noising:
        thetas = 0.75 * thetas - 0.25 * row * scales
    assert last_iterate_variance(scales, 0.25, noising) == pytest.approx(np.sum(thetas**2), rel=1e-12)


def test_no_noise_is_not_private():
    assert not np.any(noise_multipliers(Uniform(), 3, math.inf, 0.25))
    assert spent(Uniform(), 3, math.inf, 0.25).tolist() == [0.0, math.inf, math.inf, math.inf]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: noise_std(Uniform(), 1.0, 10, 5, rho=0.0), r"rho=0\.0, expected > 0"),
        (lambda: noise_std(Uniform(), 1.0, 10, 5, rho=math.nan), "rho=nan"),
        (lambda: noise_std(Uniform(), -1.0, 10, 5, rho=1.0), "clip_norm=-1.0"),
        (lambda: noise_std(Uniform(), 1.0, 10, 5, rho=1.0, adjacency="add"), "adjacency='add'"),
        (lambda: noise_std(Uniform(), 1.0, 10, 5, rho=1.0, runs=0), "runs=0"),
        (lambda: noise_std("uniform", 1.0, 10, 5, rho=1.0), r"schedule='uniform', expected Uniform\(\) or Geometric\(\)"),
        (lambda: noise_multipliers(None, 5, 1.0, 0.25), "schedule=None"),
        (lambda: spent(Uniform, 5, 1.0, 0.25), "schedule=<class"),
        (lambda: last_iterate_variance(np.ones(3), -0.25), "learning_rate=-0.25"),
        (lambda: Uniform().shares(0, 0.25), "steps=0"),
        (lambda: Geometric().shares(5, 1.0), "learning_rate=1.0, expected < 1 for geometric budgets"),
        (lambda: Geometric().shares(5000, 0.25), "steps=5000, expected so few"),
    ],
)
def test_errors_are_sentences(call, words):
    with pytest.raises(ValueError, match=words):
        call()
