import numpy as np
import pytest
from scipy.optimize import minimize

from core import mechanisms
from core.theory.optimal_noise import optimal_excess_risk
from core.theory.quadratic import asymptotic_excess_risk
from core.theory.strongly_convex import best_constant, best_noise, best_nu, excess_risk_bound

INDEPENDENT = mechanisms.independent()


def by_general_solver(power, sensitivity, rate, condition_number, sign, lags):
    """Least bound over multipliers with `lags` lags on BOTH sides, eqs. (89) and (93) as complex matrices, by SLSQP."""
    size = 2000
    omega = (np.arange(size) + 0.5) * np.pi / size
    z, mu = np.exp(1j * omega), 1 / condition_number
    lag = np.concatenate([np.arange(1, lags + 1), -np.arange(1, lags + 1)])
    to_multiplier = np.concatenate([np.ones((size, 1)), sign * np.exp(-1j * np.outer(omega, lag))], axis=1)

    def corners(magnitudes):
        multiplier = to_multiplier @ magnitudes
        mixed = mu * multiplier + multiplier.conj()
        middle = np.array([[-2 * mu * multiplier.real, mixed], [mixed.conj(), -2 * multiplier.real]])
        change = np.array([[rate + 0 * z, 0 * z], [1 - z, -rate + 0 * z]])
        whole = np.einsum("kiw,klw,ljw->ijw", change.conj(), middle, change)
        return -(rate**2) - whole[0, 0].real, whole[0, 1], whole[1, 1].real

    def bound(magnitudes):
        slack, off, corner = corners(magnitudes)
        value = np.mean(power(omega) * (np.abs(off) ** 2 / slack + corner))
        return sensitivity**2 / (4 * rate**2) * value if slack.min() > 0 else 1e6

    start = np.concatenate([[condition_number], np.full(2 * lags, 1e-3)])
    constraints = (
        {"type": "ineq", "fun": lambda x: x[0] - x[1:].sum()},
        {"type": "ineq", "fun": lambda x: corners(x)[0].min() - 1e-9},
    )
    limits = [(0, None)] * len(start)
    options = {"maxiter": 300, "ftol": 1e-12}
    return minimize(bound, start, method="SLSQP", bounds=limits, constraints=constraints, options=options).fun


@pytest.mark.parametrize("multiplier, sign", [("corrected", -1), ("as_printed", 1)])
@pytest.mark.parametrize("noise", [INDEPENDENT, mechanisms.nu_ftrl(0.1)], ids=lambda noise: noise.arm)
def test_a_general_solver_with_lags_on_both_sides_finds_nothing_lower(noise, multiplier, sign):
    ours = excess_risk_bound(noise, 0.5, 10, multiplier, lags=4)
    general = by_general_solver(
        lambda omega: np.abs(noise.frequency_response(omega)) ** 2, noise.limit_sensitivity(), 0.5, 10, sign, 4
    )
    assert ours == pytest.approx(general, rel=1e-5)


@pytest.mark.parametrize(
    "rate, condition_number, multiplier, value, tolerance",
    [  # computed independently with a conic solver; the last two with 30 lags
        (0.1, 10, "constant", 0.2812364179784473, 1e-6),
        (0.1, 100, "constant", 8.387455334096872, 1e-6),
        (0.1, 10, "corrected", 0.25616, 1e-3),
        (0.1, 10, "as_printed", 0.18154, 1e-3),
        (0.1, 100, "corrected", 5.4064, 1e-3),
        (0.5, 10, "corrected", 1.4189971736875013, 1e-4),
        (0.5, 10, "as_printed", 0.9644268833612092, 1e-5),
    ],
)
def test_dp_sgd_has_the_bound_that_a_conic_solver_finds(rate, condition_number, multiplier, value, tolerance):
    assert excess_risk_bound(INDEPENDENT, rate, condition_number, multiplier) == pytest.approx(value, rel=tolerance)


def test_the_best_noises_at_condition_number_10():
    assert best_nu(0.1, 10)[1] == pytest.approx(0.03764, rel=1e-3)
    assert best_noise(0.1, 10).bound == pytest.approx(0.03764, rel=1e-3)
    assert best_nu(0.1, 10, "as_printed")[1] == pytest.approx(0.02327, rel=5e-3)
    assert best_noise(0.1, 10, "as_printed").bound == pytest.approx(0.02313, rel=5e-3)


def test_the_constant_multiplier_of_dp_sgd_by_hand():
    rate, mu = 0.3, 0.05
    constant = np.geomspace(1.0001, 1e4, 400_001) / (2 * mu)
    level = rate**2 * (2 * constant * mu - 1)
    slope = 2 * constant * (2 - rate * (1 + mu))
    mean = rate**4 * constant * (2 + (1 - mu) ** 2 * constant) / np.sqrt(level * (level + 2 * slope))
    assert excess_risk_bound(INDEPENDENT, rate, 20, "constant") == pytest.approx(mean.min() / (4 * rate**2), rel=1e-6)


@pytest.mark.parametrize("rate, condition_number", [(0.1, 10), (0.5, 3)])
def test_nu_ftrl_is_the_best_noise_of_the_constant_multiplier(rate, condition_number):
    nu, bound = best_constant(rate, condition_number)
    assert excess_risk_bound(mechanisms.nu_ftrl(nu), rate, condition_number, "constant") == pytest.approx(
        bound, rel=1e-6
    )
    assert best_nu(rate, condition_number, "constant")[1] == pytest.approx(bound, rel=1e-4)
    assert best_noise(rate, condition_number, "constant").bound == pytest.approx(bound, rel=1e-5)
    for other in (nu / 1.5, min(nu * 1.5, 1.0)):
        assert excess_risk_bound(mechanisms.nu_ftrl(other), rate, condition_number, "constant") > bound * (1 + 1e-4)


def test_more_lags_are_never_worse_and_none_is_the_constant_multiplier():
    bounds = [excess_risk_bound(INDEPENDENT, 0.1, 30, lags=lags) for lags in (0, 1, 4, 16, 64)]
    assert all(np.diff(bounds) < 0)
    assert bounds[0] == pytest.approx(excess_risk_bound(INDEPENDENT, 0.1, 30, "constant"), rel=1e-6)


@pytest.mark.parametrize("condition_number, lags, lowers", [(10, 60, 3.05e-4), (100, 120, 9.83e-3)])
def test_twice_the_usual_lags_lower_the_bound_of_dp_sgd_a_little(condition_number, lags, lowers):
    usual, same, twice = (excess_risk_bound(INDEPENDENT, 0.1, condition_number, lags=count) for count in (None, lags, 2 * lags))
    assert usual == same
    assert 1 - twice / usual == pytest.approx(lowers, rel=0.01)


@pytest.mark.parametrize("multiplier", ["corrected", "as_printed"])
def test_the_optimised_noise_beats_every_nu_and_its_neighbours(multiplier):
    best = best_noise(0.3, 10, multiplier, lags=20)
    assert best.bound <= best_nu(0.3, 10, multiplier, lags=20)[1] * (1 + 1e-4)
    assert excess_risk_bound(best.mechanism, 0.3, 10, multiplier, lags=20) == pytest.approx(best.bound, rel=1e-4)
    power = np.abs(best.mechanism.frequency_response(best.omega)) ** 2
    assert power / power[-1] == pytest.approx(best.power / best.power[-1], rel=1e-4)
    taps = best.mechanism.noising_coef(400)
    for lag, change in ((1, 0.02), (1, -0.02), (5, 0.01), (30, -0.01)):
        moved = taps.copy()
        moved[lag] += change
        assert excess_risk_bound(mechanisms.toeplitz(tuple(moved)), 0.3, 10, multiplier, lags=20) > best.bound


def stationary_half_square(noise, rate, gradient, steps, runs=400, seed=0):
    """Mean and standard error of theta^2 / 2 over the second half of simulated runs at rho = clip_norm = 1."""
    from core import toeplitz

    draws = np.random.default_rng(seed).standard_normal((steps, runs))
    noises = toeplitz.multiply(noise.noising_coef(steps), draws) * noise.limit_sensitivity() / np.sqrt(2)
    theta, total = np.zeros(runs), np.zeros(runs)
    for step in range(steps):
        theta = theta - rate * (gradient(theta) + noises[step])
        if step >= steps // 2:
            total += theta**2 / 2
    means = total / (steps - steps // 2)
    return means.mean(), means.std() / np.sqrt(runs)


GRADIENTS = {
    "quadratic": lambda theta: 0.1 * theta,
    "steep quadratic": lambda theta: theta,
    "steep on the right": lambda theta: np.where(theta > 0, theta, 0.1 * theta),
    "steep in the middle": lambda theta: 0.1 * theta + 0.9 * np.clip(theta, -0.5, 0.5),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize(
    "noise", [INDEPENDENT, mechanisms.nu_ftrl(0.02), mechanisms.anti_pgd(0.05)], ids=lambda noise: noise.arm
)
def test_no_simulated_function_exceeds_the_bound(noise, name):
    mean, error = stationary_half_square(noise, 0.5, GRADIENTS[name], steps=1200)
    assert mean + 4 * error < excess_risk_bound(noise, 0.5, 10)


def test_the_bound_is_not_far_above_the_flattest_quadratic():
    mean, _ = stationary_half_square(INDEPENDENT, 0.5, GRADIENTS["quadratic"], steps=1200)
    assert 1 < excess_risk_bound(INDEPENDENT, 0.5, 10) / mean < 3


def test_scaling_the_noise_changes_nothing():
    noise = mechanisms.toeplitz((1.0, -0.4, -0.1))
    louder = mechanisms.toeplitz((3.0, -1.2, -0.3))
    assert excess_risk_bound(noise, 0.2, 5) == pytest.approx(excess_risk_bound(louder, 0.2, 5), rel=1e-6)


def test_a_sensitivity_without_limit_has_no_bound():
    assert excess_risk_bound(mechanisms.optimal_counting(), 0.1, 10) == np.inf


@pytest.mark.parametrize(
    "arguments, field",
    [
        ((2.0, 10), "learning_rate"),
        ((0.1, 1.0), "condition_number"),
        ((0.1, 1 + 1e-7, "corrected", 20), "condition_number"),
        ((0.1, 10, "printed"), "multiplier"),
        ((0.1, 10, "corrected", -1), "lags"),
    ],
)
def test_what_does_not_fit_is_named(arguments, field):
    with pytest.raises(ValueError, match=f"^{field}="):
        excess_risk_bound(INDEPENDENT, *arguments)


def test_no_other_nu_is_better():
    nu, bound = best_nu(0.3, 10, lags=20)
    grid = np.geomspace(0.03, 1.0, 12)
    assert grid[0] < nu < grid[-1]
    assert min(excess_risk_bound(mechanisms.nu_ftrl(other), 0.3, 10, lags=20) for other in grid) > bound * (1 - 1e-4)


@pytest.mark.parametrize("multiplier", ["corrected", "as_printed", "constant"])
@pytest.mark.parametrize("rate", [1e-3, 0.1, 1.9])
@pytest.mark.parametrize("nu", [0.01, 1.0])
def test_near_condition_number_1_the_bound_is_the_excess_of_the_quadratic(nu, rate, multiplier):
    """There the best multiplier is a million times the least one; its search ends, and its value has six digits."""
    noise = mechanisms.nu_ftrl(nu)
    std = noise.limit_sensitivity() / np.sqrt(2)
    quadratic = asymptotic_excess_risk([1.0], rate, noise, std, batch_size=10**12)
    assert excess_risk_bound(noise, rate, 1 + 1e-6, multiplier, 20) == pytest.approx(quadratic, rel=1e-5)


def test_the_best_noise_near_condition_number_1_is_that_of_the_quadratic():
    least = optimal_excess_risk([1.0], 0.1, batch_size=10**12)
    assert best_noise(0.1, 1 + 1e-6, "constant").bound == pytest.approx(least, rel=1e-4)
    for function in (best_noise, best_nu, best_constant):
        with pytest.raises(ValueError, match="^condition_number=1.0000001, expected at least 1 "):
            function(0.1, 1 + 1e-7)
