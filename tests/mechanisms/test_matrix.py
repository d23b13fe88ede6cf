"""Dense strategy matrices: against Toeplitz ones, and by enumeration."""

from itertools import combinations

import numpy as np
import pytest
import torch

from core import mechanisms

RANDOM = np.tril(np.random.default_rng(0).standard_normal((12, 12))) + 3 * np.eye(12)


@pytest.mark.parametrize("family", [mechanisms.lambda_cgd(0.8), mechanisms.nu_ftrl(0.05), mechanisms.independent()])
def test_a_dense_copy_of_a_toeplitz_mechanism_is_the_same(family):
    dense = mechanisms.dense(family.strategy_matrix(40))
    for steps in (1, 17, 40):
        np.testing.assert_allclose(dense.noising_matrix(steps), family.noising_matrix(steps), atol=1e-13)
        np.testing.assert_array_equal(dense.strategy_matrix(steps), family.strategy_matrix(steps))
        np.testing.assert_allclose(dense.prefix_std(steps), family.prefix_std(steps), rtol=1e-12)
        assert dense.sensitivity(steps) == pytest.approx(family.sensitivity(steps), rel=1e-9)
    assert dense.sensitivity(40, 4, 10) == pytest.approx(family.sensitivity(40, 4, 10), rel=1e-9)
    generator = torch.Generator()
    dense_sample = dense.sample(40, (3,), generator.manual_seed(1), dtype=torch.float64)
    family_sample = family.sample(40, (3,), generator.manual_seed(1), dtype=torch.float64)
    assert torch.allclose(dense_sample, family_sample, atol=1e-12)


def test_single_participation_is_the_longest_column():
    mechanism = mechanisms.dense(RANDOM)
    for steps in (1, 5, 12):
        expected = np.linalg.norm(RANDOM[:steps, :steps], axis=0).max()
        assert mechanism.sensitivity(steps) == pytest.approx(expected, rel=1e-15)


def test_several_participations_are_charged_where_the_gram_matrix_allows():
    """A non-Toeplitz C with non-negative inner products that fall with distance and with time; by enumeration."""
    steps = 9
    matrix = mechanisms.lambda_cgd(0.6).strategy_matrix(steps) * np.linspace(2, 1, steps)
    mechanism = mechanisms.dense(matrix)
    for participations, separation in ((2, 1), (2, 3), (3, 3), (3, 2)):
        patterns = [
            chosen
            for count in range(1, participations + 1)
            for chosen in combinations(range(steps), count)
            if all(np.diff(chosen) >= separation)
        ]
        worst = max(np.linalg.norm(matrix[:, chosen].sum(axis=1)) for chosen in patterns)
        assert mechanism.sensitivity(steps, participations, separation) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize(
    "matrix",
    [
        RANDOM,
        np.tril(np.ones((6, 6))) * np.linspace(1, 3, 6),  # later columns weigh more
        np.eye(6) + 0.5 * np.eye(6, k=-3),  # columns 3 apart meet, columns 2 apart do not
        np.tril(np.ones((5, 5))) @ np.diag([1.0, 1.0, 1.0, 1.0, 3.0]),  # only one later column weighs more
        np.linalg.cholesky(1.1 * np.eye(6) - 0.1)[::-1, ::-1].T,  # all inner products are -0.1
    ],
)
def test_several_participations_are_refused_elsewhere(matrix):
    mechanism = mechanisms.dense(matrix)
    with pytest.raises(ValueError, match="participations=2, expected 1 for dense .* not known exactly"):
        mechanism.sensitivity(len(matrix), 2, 2)


def test_a_dense_mechanism_is_a_value():
    assert mechanisms.dense(RANDOM) == mechanisms.dense(RANDOM.tolist())
    assert hash(mechanisms.dense(RANDOM)) == hash(mechanisms.dense(RANDOM.copy()))
    assert mechanisms.dense(RANDOM) != mechanisms.dense(2 * RANDOM)
    changed = RANDOM.copy()
    mechanism = mechanisms.dense(changed)
    changed[0, 0] = 99
    assert mechanism.strategy_matrix(1)[0, 0] == RANDOM[0, 0]
    assert len(repr(mechanism)) < 200


def test_what_needs_coefficients_is_refused_with_a_sentence():
    mechanism = mechanisms.dense(RANDOM)
    calls = {
        "noising_coef": lambda: mechanism.noising_coef(3),
        "strategy_coef": lambda: mechanism.strategy_coef(3),
        "limit_sensitivity": mechanism.limit_sensitivity,
        "frequency_response": lambda: mechanism.frequency_response(np.zeros(1)),
    }
    for method, call in calls.items():
        with pytest.raises(ValueError, match=f"expected a Toeplitz mechanism for {method}: use"):
            call()


def test_steps_beyond_the_matrix_end_in_a_sentence():
    mechanism = mechanisms.dense(RANDOM)
    with pytest.raises(ValueError, match="steps=13, expected a whole number >= 1 and <= 12"):
        mechanism.noising_matrix(13)
    stream = mechanism.stream((2,), torch.Generator())
    for _ in range(12):
        next(stream)
    with pytest.raises(ValueError, match="steps=13, expected at most 12"):
        next(stream)


@pytest.mark.parametrize(
    "matrix",
    [
        np.ones((3, 3)),
        np.ones(3),
        np.zeros((2, 2)),
        np.tril(np.ones((3, 2))),
        np.full((1, 1), np.nan),
        np.eye(2) * (1 + 1j),
        [[1.0], [1.0, 1.0]],
    ],
)
def test_other_matrices_are_refused(matrix):
    with pytest.raises(ValueError, match="expected a square lower-triangular matrix"):
        mechanisms.dense(matrix)
