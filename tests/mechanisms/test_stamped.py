"""Restarts: blocks, errors that add up, what they are good for."""

import numpy as np
import pytest

from core import mechanisms

INNER = [
    mechanisms.nu_ftrl(0.05),
    mechanisms.binary_tree("honaker"),
    mechanisms.binary_tree("full"),
    mechanisms.dense(np.tril(np.ones((9, 9)))),
]
every_inner = pytest.mark.parametrize("inner", INNER, ids=lambda mechanism: mechanism.label)


@every_inner
def test_matrices_are_block_diagonal(inner):
    restarted = mechanisms.stamped(inner, 8)
    noising, strategy = restarted.noising_matrix(19), restarted.strategy_matrix(19)
    np.testing.assert_allclose(noising @ strategy, np.eye(19), atol=1e-12)
    np.testing.assert_array_equal(noising[8:16, 8:16], inner.noising_matrix(8))
    np.testing.assert_array_equal(noising[16:, 16:], inner.noising_matrix(8)[:3, :3])
    assert not noising[8:, :8].any() and not noising[16:, :16].any()
    np.testing.assert_array_equal(restarted.noising_matrix(11), noising[:11, :11])


@every_inner
def test_errors_of_whole_periods_add_up(inner):
    restarted = mechanisms.stamped(inner, 8)
    rows = np.linalg.norm(np.cumsum(restarted.noising_matrix(27), axis=0), axis=1)
    np.testing.assert_allclose(restarted.prefix_std(27), rows, rtol=1e-12)


@every_inner
def test_one_participation_costs_one_period(inner):
    restarted = mechanisms.stamped(inner, 8)
    assert restarted.sensitivity(100) == restarted.limit_sensitivity() == inner.sensitivity(8)
    assert restarted.anytime


EXACT = [INNER[0], INNER[2], INNER[3], mechanisms.fft_mechanism()]  # Honaker's tree is charged more than it shows


@pytest.mark.parametrize("inner", EXACT, ids=lambda mechanism: mechanism.label)
@pytest.mark.parametrize("steps", [1, 3, 7, 8])
def test_within_the_first_period_it_costs_what_the_steps_so_far_show(inner, steps):
    restarted = mechanisms.stamped(inner, 8)
    longest = np.linalg.norm(restarted.strategy_matrix(steps), axis=0).max()
    assert restarted.sensitivity(steps) == pytest.approx(longest, rel=1e-9)


def test_restarts_at_every_step_are_independent_noise_and_none_are_the_mechanism():
    inner = mechanisms.nu_ftrl(0.05)
    np.testing.assert_array_equal(mechanisms.stamped(inner, 1).noising_matrix(5), np.eye(5))
    np.testing.assert_array_equal(mechanisms.stamped(inner, 20).noising_matrix(20), inner.noising_matrix(20))


def test_a_period_longer_than_its_matrix_is_refused_at_birth():
    with pytest.raises(ValueError, match="steps=10, expected a whole number >= 1 and <= 9"):
        mechanisms.stamped(INNER[3], 10)
    with pytest.raises(ValueError, match="period=0, expected"):
        mechanisms.stamped(INNER[0], 0)


def test_what_is_no_mechanism_is_refused_at_birth():
    with pytest.raises(ValueError, match="mechanism='nu_ftrl', expected a mechanism"):
        mechanisms.stamped("nu_ftrl", 10)
