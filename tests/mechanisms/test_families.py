"""Coefficients, sensitivities and frequency responses of the closed-form families."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from core import mechanisms, toeplitz
from core.names import ARMS

STEPS = 300
EIGENVALUES = tuple(1 / k for k in range(1, 17))
TOEPLITZ = [
    mechanisms.independent(),
    mechanisms.nu_ftrl(0.0),
    mechanisms.nu_ftrl(0.03),
    mechanisms.lambda_cgd(0.8),
    mechanisms.anti_pgd(0.0),
    mechanisms.anti_pgd(0.3),
    mechanisms.optimal_counting(),
    mechanisms.toeplitz((2.0, -0.5, 0.25)),
    mechanisms.optimal_for(EIGENVALUES, 0.1, 4),
    mechanisms.banded_root(1),
    mechanisms.banded_root(9),
    mechanisms.banded_inverse_root(9),
]
every_toeplitz = pytest.mark.parametrize("mechanism", TOEPLITZ, ids=lambda mechanism: mechanism.label)


@every_toeplitz
def test_strategy_is_the_inverse_of_the_noising_matrix(mechanism):
    product = mechanism.strategy_matrix(STEPS) @ mechanism.noising_matrix(STEPS)
    np.testing.assert_allclose(product, np.eye(STEPS), atol=1e-12)
    np.testing.assert_array_equal(mechanism.noising_matrix(STEPS)[:, 0], mechanism.noising_coef(STEPS))
    np.testing.assert_array_equal(mechanism.strategy_matrix(STEPS)[:, 0], mechanism.strategy_coef(STEPS))


@every_toeplitz
def test_shorter_columns_are_the_beginning_of_longer_ones(mechanism):
    for steps in (1, 2, STEPS):
        np.testing.assert_allclose(mechanism.noising_coef(steps), mechanism.noising_coef(700)[:steps], atol=1e-14)
        np.testing.assert_allclose(mechanism.strategy_coef(steps), mechanism.strategy_coef(700)[:steps], atol=1e-14)


@every_toeplitz
def test_arrays_are_read_only_and_arms_are_named(mechanism):
    methods = (mechanism.noising_coef, mechanism.strategy_coef, mechanism.noising_matrix, mechanism.strategy_matrix)
    for array in (*(method(5) for method in methods), mechanism.prefix_std(5)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert mechanism.arm in ARMS and mechanism.label


@every_toeplitz
def test_frequency_response_is_the_fourier_series_of_the_coefficients(mechanism):
    """Integrated against exp(-i lag omega) it gives the coefficients back, and |B|^2 integrates to their squares."""
    grid = 2 * np.pi * (np.arange(2**18) + 0.5) / 2**18
    response = mechanism.frequency_response(grid)
    coef = mechanism.noising_coef(20_000)
    np.testing.assert_allclose(np.mean(np.abs(response) ** 2), coef @ coef, rtol=1e-8)
    for lag in (0, 1, 5):
        np.testing.assert_allclose(np.mean(response * np.exp(-1j * lag * grid)), coef[lag], atol=1e-8)


def test_noising_coefficients_of_nu_ftrl_as_published():
    """beta_t = (1-nu)^t (-1)^t binomial(1/2, t), computed independently with rational numbers, nu = 0.1."""
    coef = mechanisms.nu_ftrl(0.1).noising_coef(6)
    np.testing.assert_allclose(coef[[1, 5]], [-0.45, -0.016146210937500002], rtol=1e-12)


def test_sensitivities_computed_independently():
    """By dense linear algebra and adaptive quadrature."""
    assert mechanisms.nu_ftrl(0.0).sensitivity(256) ** 2 == pytest.approx(2.8310499318613496, rel=1e-9)
    assert mechanisms.anti_pgd(0.0).sensitivity(100) ** 2 == pytest.approx(100.0, rel=1e-10)
    assert mechanisms.nu_ftrl(0.0001).limit_sensitivity() ** 2 == pytest.approx(3.593812972779377, rel=1e-8)
    assert mechanisms.nu_ftrl(0.01).limit_sensitivity() ** 2 == pytest.approx(2.13687826, rel=1e-8)
    assert mechanisms.nu_ftrl(0.1).limit_sensitivity() ** 2 == pytest.approx(1.45184267, rel=1e-8)
    assert mechanisms.lambda_cgd(0.9).sensitivity(1000, 10, 100) ** 2 == pytest.approx(52.6340953, rel=1e-8)


def test_sensitivity_of_lambda_cgd_in_closed_form():
    for correlation, steps in ((0.5, 1), (0.5, 3), (0.9, 40)):
        expected = (1 - correlation ** (2 * steps)) / (1 - correlation**2)
        assert mechanisms.lambda_cgd(correlation).sensitivity(steps) ** 2 == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("nu", [1e-4, 0.01, 0.3, 0.9])
def test_limit_sensitivity_of_nu_ftrl_is_the_mean_inverse_power(nu):
    """Guard: the elliptic integral is the square; |C| in place of |C|^2 would give another mean."""
    power = lambda omega: 1 / np.abs(mechanisms.nu_ftrl(nu).frequency_response(omega)) ** 2  # noqa: E731
    mean = quad(power, 0, np.pi, points=[nu, 10 * nu], limit=200)[0] / np.pi
    assert mechanisms.nu_ftrl(nu).limit_sensitivity() ** 2 == pytest.approx(mean, rel=1e-7)


@every_toeplitz
def test_sensitivity_rises_to_its_limit(mechanism):
    limit = mechanism.limit_sensitivity()
    reached = [mechanism.sensitivity(steps) for steps in (10, 100, 1000, 10_000)]
    assert all(np.diff(reached) >= 0)
    if np.isinf(limit):
        assert reached[3] ** 2 > reached[2] ** 2 + 0.7  # nu = 0 gains log(10)/pi a decade
    else:
        assert reached[3] == pytest.approx(limit, rel=1e-12)


def test_limit_sensitivity_diverges_at_the_end_of_the_families():
    assert mechanisms.nu_ftrl(0.0).limit_sensitivity() == np.inf
    assert mechanisms.optimal_counting().limit_sensitivity() == np.inf
    assert mechanisms.anti_pgd(0.0).limit_sensitivity() == np.inf
    assert mechanisms.lambda_cgd(0.5).limit_sensitivity() == pytest.approx(np.sqrt(4 / 3), rel=1e-15)
    assert mechanisms.independent().limit_sensitivity() == 1


@pytest.mark.parametrize("taps", [(1.0, -1.0), (1.0, -2.0, 1.0), (1.0, 0.0, 1.0), (1.0, 2.5, 1.0), (1.0, 0.3, -1.7)])
def test_limit_sensitivity_of_taps_with_zeros_on_or_inside_the_circle_is_infinite(taps):
    assert mechanisms.toeplitz(taps).limit_sensitivity() == np.inf


@pytest.mark.parametrize(
    "taps", [(2.0,), (1.0, -0.7), (1.0, -0.9, 0.5), (3.0, 1.0, 0.0, -1.0, 0.0), (1.0, -1.2, 0.9, -0.3, 0.1)]
)
def test_limit_sensitivity_of_stable_taps(taps):
    column = toeplitz.inverse(np.array(taps), 2000)
    assert mechanisms.toeplitz(taps).limit_sensitivity() == pytest.approx(np.linalg.norm(column), rel=1e-12)


def test_prefix_sums_of_the_square_root_mechanism():
    """Per unit of sensitivity at 1024 steps; computed independently by dense linear algebra."""
    mechanism = mechanisms.optimal_counting()
    normalised = mechanism.prefix_std(1024) * mechanism.sensitivity(1024)
    assert normalised.max() == pytest.approx(3.272554, abs=1e-6)
    assert np.sqrt(np.mean(normalised**2)) == pytest.approx(3.109790, abs=1e-6)


@every_toeplitz
def test_prefix_std_is_the_row_norm_of_the_summed_noising_matrix(mechanism):
    rows = np.linalg.norm(np.cumsum(mechanism.noising_matrix(60), axis=0), axis=1)
    np.testing.assert_allclose(mechanism.prefix_std(60), rows, rtol=1e-12)


# families meet at their limits


def test_families_that_meet_are_equal():
    assert mechanisms.lambda_cgd(0) == mechanisms.nu_ftrl(1) == mechanisms.anti_pgd(1) == mechanisms.independent()
    assert mechanisms.nu_ftrl(0) == mechanisms.optimal_counting()
    assert mechanisms.lambda_cgd(0.25) == mechanisms.anti_pgd(0.75)
    assert mechanisms.optimal_for([0.5, 0.5], 0.1) == mechanisms.nu_ftrl(0.05)
    assert len({mechanisms.lambda_cgd(0), mechanisms.nu_ftrl(1), mechanisms.independent()}) == 1
    assert mechanisms.nu_ftrl(0.1) != mechanisms.nu_ftrl(0.2)
    assert mechanisms.nu_ftrl(0.1) != mechanisms.lambda_cgd(0.9)
    assert mechanisms.lambda_cgd(0).arm == "lambda_cgd" and mechanisms.nu_ftrl(1).arm == "nu_ftrl"


def test_families_that_meet_have_the_same_numbers():
    identity = mechanisms.independent()
    others = (mechanisms.lambda_cgd(0), mechanisms.nu_ftrl(1), mechanisms.anti_pgd(1), mechanisms.toeplitz((1.0,)))
    for mechanism in others:
        np.testing.assert_array_equal(mechanism.noising_coef(50), np.eye(1, 50)[0])
        np.testing.assert_array_equal(mechanism.strategy_coef(50), np.eye(1, 50)[0])
        assert mechanism.sensitivity(50) == identity.sensitivity(50) == 1.0
        np.testing.assert_array_equal(mechanism.frequency_response(np.array([0.0, 1.0])), [1, 1])
    np.testing.assert_array_equal(mechanisms.anti_pgd(0).strategy_coef(50), np.ones(50))


@given(st.floats(0, 1), st.integers(1, 400))
def test_strategy_of_every_nu_is_decreasing_and_inverse(nu, steps):
    mechanism = mechanisms.nu_ftrl(nu)
    column = mechanism.strategy_coef(steps)
    assert np.all(column >= 0) and np.all(np.diff(column) <= 0)
    product = toeplitz.multiply(column, mechanism.noising_coef(steps))
    np.testing.assert_allclose(product, np.eye(1, steps)[0], atol=1e-13)


# several participations


def worst_pattern(matrix, participations, separation):
    """Largest norm of a signed sum of admissible columns, by enumeration."""
    steps, worst = len(matrix), 0.0
    for count in range(1, participations + 1):
        for chosen in combinations(range(steps), count):
            if all(np.diff(chosen) >= separation):
                for signs in np.ndindex(*[2] * count):
                    worst = max(worst, np.linalg.norm(matrix[:, chosen] @ (1 - 2 * np.array(signs))))
    return worst


DECREASING = [mechanism for mechanism in TOEPLITZ if mechanism.arm != "toeplitz"]
DECREASING.append(mechanisms.toeplitz((2.0, -1.0, -0.5)))


@pytest.mark.parametrize("mechanism", DECREASING, ids=lambda mechanism: mechanism.label)
@pytest.mark.parametrize("pattern", [(2, 1), (2, 4), (3, 3)])
def test_sensitivity_is_the_worst_pattern(mechanism, pattern):
    expected = worst_pattern(mechanism.strategy_matrix(10), *pattern)
    assert mechanism.sensitivity(10, *pattern) == pytest.approx(expected, rel=1e-9)


def test_sensitivity_is_the_norm_of_the_sum_and_not_the_sum_of_norms():
    mechanism = mechanisms.lambda_cgd(0.9)
    columns = mechanism.strategy_matrix(30)[:, [0, 10, 20]]
    assert mechanism.sensitivity(30, 3, 10) == pytest.approx(np.linalg.norm(columns.sum(axis=1)), rel=1e-14)
    assert mechanism.sensitivity(30, 3, 10) < 0.85 * np.linalg.norm(columns, axis=0).sum()
    assert mechanism.sensitivity(30, 3, 10) > 1.1 * np.sqrt(np.sum(columns**2))
    assert mechanisms.independent().sensitivity(30, 9, 3) == pytest.approx(3.0, rel=1e-15)


FALLS_BELOW_ZERO = tuple(toeplitz.inverse(1 - 0.1 * np.arange(20)))


@pytest.mark.parametrize("taps", [(1.0, 0.5), (1.0, -0.5, -0.7), (1.0, -0.9, 0.5), FALLS_BELOW_ZERO])
def test_several_participations_are_refused_where_c_rises_or_changes_sign(taps):
    mechanism = mechanisms.toeplitz(taps)
    assert mechanism.sensitivity(20) > 0
    with pytest.raises(ValueError, match="participations=2, expected 1 for Toeplitz .* C is >= 0 and never rises"):
        mechanism.sensitivity(20, 2, 5)


@pytest.mark.parametrize(("steps", "participations", "separation"), [(10, 2, 10), (10, 11, 1), (9, 3, 5)])
def test_participations_that_do_not_fit_are_refused(steps, participations, separation):
    for mechanism in (mechanisms.independent(), mechanisms.dense(np.eye(10))):
        words = f"participations={participations}, expected at most .* at separation={separation}"
        with pytest.raises(ValueError, match=words):
            mechanism.sensitivity(steps, participations, separation)


def test_participations_that_just_fit_are_charged():
    assert mechanisms.independent().sensitivity(11, 2, 10) == pytest.approx(np.sqrt(2))


# arguments and imports


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mechanisms.nu_ftrl(1.5), "nu=1.5, expected >= 0 and <= 1"),
        (lambda: mechanisms.nu_ftrl(float("nan")), "nu=nan"),
        (lambda: mechanisms.lambda_cgd(1), "correlation=1, expected >= 0 and < 1"),
        (lambda: mechanisms.lambda_cgd(-0.1), "correlation=-0.1"),
        (lambda: mechanisms.anti_pgd(1.1), "damping=1.1"),
        (lambda: mechanisms.toeplitz(()), "noising_coef=()"),
        (lambda: mechanisms.toeplitz((0.0, 1.0)), "a first coefficient other than 0"),
        (lambda: mechanisms.independent().noising_coef(0), "steps=0, expected a whole number >= 1"),
        (lambda: mechanisms.independent().sensitivity(5, 0), "participations=0"),
        (lambda: mechanisms.independent().sensitivity(5, 1, 0), "separation=0"),
    ],
)
def test_wrong_arguments_end_in_a_sentence(make, words):
    with pytest.raises(ValueError) as error:
        make()
    assert words in str(error.value)


def test_importing_mechanisms_imports_no_torch():
    code = "import sys, core.mechanisms as m; m.nu_ftrl(.1).sensitivity(9); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
