"""Condition 2.4 against itself written out with dense matrices; the expected clipping against a run."""

import numpy as np
import pytest
from scipy.stats import norm

from core.intervals import Law, clipping_chance, no_clipping_condition

RNG = np.random.default_rng(2)
FEATURES = RNG.normal(size=(300, 4))
LABELS = FEATURES @ np.array([0.5, -0.5, 0.5, 0.5]) + RNG.normal(size=300)
HAT = np.linalg.lstsq(FEATURES, LABELS, rcond=None)[0]
SIGMA = FEATURES.T @ FEATURES / 300


def condition(theta=HAT, **changes):
    return no_clipping_condition(
        FEATURES, LABELS, theta, **{"learning_rate": 0.25, "steps": 30, "clip_norm": 10.0, "noise_std": 0.1, "label_noise": 1.0} | changes
    )


def test_every_line_is_what_the_paper_writes():
    theta = np.array([0.4, -0.6, 0.5, 0.5])
    found = condition(theta)
    values = np.linalg.eigvalsh(SIGMA)
    powers = [np.linalg.matrix_power(np.eye(4) - 0.25 * SIGMA, step) for step in range(1, 31)]
    pulls = FEATURES.T @ (LABELS - FEATURES @ theta)
    largest = max(np.abs(FEATURES @ (np.eye(4) - power) @ np.linalg.inv(SIGMA) @ pulls).max() for power in powers)
    expected = [
        values[0], values[-1], np.abs(1 - 0.25 * values).max(),
        np.linalg.norm(FEATURES, axis=1).max() / 2, np.abs(LABELS - FEATURES @ theta).max(),
        max(np.abs(FEATURES @ power @ theta).max() for power in powers), largest / (300 * 4) ** 0.5,
        10.0, 10.0 / 0.025,
    ]
    assert [line.value for line in found] == pytest.approx(expected, rel=1e-9)
    constant = max(expected[3:7])
    assert found[-2].asked == f">= {4 * constant**2 * 2:.3g}"
    assert found[-1].asked == f">= {64 * constant**2 * 4 * np.log(2 * 300 * 30 / 0.05) ** 0.5:.3g}"
    assert [line.line for line in found] == ["(i)", "(i)", "(i)", "(ii)", "(iii)", "(iv)", "(v)", "Lemma 2.5", "Lemma 2.5"]


def test_residuals_of_least_squares_pull_nowhere():
    assert condition()[6].value < 1e-10


def test_a_line_holds_or_not():
    assert [line.holds for line in condition()] == [True] * 7 + [False, False]
    assert condition(clip_norm=1e4)[7].holds and condition(clip_norm=1e4)[8].holds
    assert not condition(learning_rate=0.1)[2].holds
    far = no_clipping_condition(3 * FEATURES, LABELS, HAT, 0.02, 30, 10.0, 0.1, 1.0)
    assert not far[1].holds


def test_expected_clipping_is_what_a_run_without_clipping_would_have_clipped():
    law = Law(SIGMA, HAT, np.zeros(4), 0.25, np.full(40, 0.3))
    found = clipping_chance(FEATURES, LABELS, law, 3.0)
    rng, shares, theta = np.random.default_rng(8), [], np.zeros((2000, 4))
    for _ in range(40):
        residuals = LABELS - theta @ FEATURES.T
        shares.append((np.abs(residuals) * np.linalg.norm(FEATURES, axis=1) > 3.0).mean(axis=1))
        theta = theta - 0.25 * ((theta - HAT) @ SIGMA + 0.3 * rng.normal(size=theta.shape))
    each = np.mean(shares, axis=0)
    assert abs(each.mean() - found.expected_share) < 4 * each.std() / len(each) ** 0.5
    assert found.any_at_most == 1.0


def test_expected_clipping_is_the_sum_over_steps_written_out():
    """A long record, one of zeros and noise that changes; every step by the dense covariance of the law."""
    features = np.vstack([FEATURES, np.zeros(4), 30 * np.ones(4)])
    labels = np.append(LABELS, [2.0, -1.0])
    sigma = features.T @ features / 302
    law = Law(sigma, HAT, np.full(4, 2.0), 0.05, np.linspace(0.5, 0.01, 25))
    with np.errstate(all="raise"):
        found = clipping_chance(features, labels, law, 3.0)
    shares = []
    for step in range(25):
        means = labels - features @ law.mean(step)
        spread = np.maximum(np.sqrt(np.einsum("ij,jk,ik->i", features, law.covariance(step), features)), 1e-100)
        lengths = np.linalg.norm(features, axis=1)
        above, below = ((3.0 - lengths * sign * means) / np.maximum(lengths, 1e-100) / spread for sign in (1, -1))
        shares.append((norm.sf(above) + norm.sf(below)).mean())
    assert found.expected_share == pytest.approx(np.mean(shares), abs=1e-12)


def test_a_step_costs_the_same_however_late_it_is(monkeypatch):
    """A covariance by formula is a sum over all steps before: none is asked for."""
    monkeypatch.setattr(Law, "covariance", lambda *_: pytest.fail("summed from the start"))
    law = Law(SIGMA, HAT, np.zeros(4), 1e-4, np.linspace(0.3, 0.2, 20_000))
    assert 0 < clipping_chance(FEATURES[:4], LABELS[:4], law, 3.0).expected_share < 1


def test_a_settled_law_is_not_summed_step_by_step_and_a_wide_clip_norm_clips_nothing():
    alike = Law(SIGMA, HAT, np.zeros(4), 0.25, np.full(400, 0.3))
    nearly = Law(SIGMA, HAT, np.zeros(4), 0.25, np.append(np.full(399, 0.3), 0.3 + 1e-12))
    assert clipping_chance(FEATURES, LABELS, alike, 3.0).expected_share == pytest.approx(
        clipping_chance(FEATURES, LABELS, nearly, 3.0).expected_share, rel=1e-8
    )
    found = clipping_chance(FEATURES, LABELS, alike, 40.0)
    assert 0 <= found.any_at_most < 1e-6 and found.expected_share == pytest.approx(found.any_at_most / (300 * 400))


def test_bad_arguments_are_named():
    for change, words in (({"clip_norm": 0.0}, "clip_norm=0.0"), ({"failure": 1.0}, "failure=1.0"), ({"steps": 0}, "steps=0")):
        with pytest.raises(ValueError, match=words):
            condition(**change)
    with pytest.raises(ValueError, match="^labels="):
        no_clipping_condition(FEATURES, np.full(300, np.nan), HAT, 0.25, 30, 10.0, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"^features=\(300,\), expected rows of"):
        no_clipping_condition(FEATURES[:, 0], LABELS, HAT[:1], 0.25, 30, 10.0, 0.1, 1.0)
    law = Law(SIGMA, HAT, np.zeros(4), 0.25, np.full(40, 0.3))
    for features, labels, words in ((FEATURES[:, :3], LABELS, "^features="), (FEATURES, LABELS[:9], "^labels=")):
        with pytest.raises(ValueError, match=words):
            clipping_chance(features, labels, law, 3.0)
