"""Theorem 3.1: a bound on the stationary excess risk of any smooth and strongly convex function, by a convex program.

For theta_t = theta_{t-1} - eta (grad F(theta_{t-1}) + noise_t), curvature of F between mu = 1/condition_number and L = 1,

    F_inf <= L/(2 eta^2) mean over omega of psi |B|^2 sensitivity^2 / (2 rho)

for psi of any admissible multiplier (`core.theory.multiplier` finds the best one). Here smoothness = clip_norm = rho = dim =
1 without sampling noise, as in Figure 3; the bound grows with dim / rho.

Reference: 2310.06771, Theorems 3.1 and E.1. As printed, (10) lacks the 1/eta^2 of Theorem E.1, both write 1/rho for
1/(2 rho), and Theorem E.1 has a factor 2 to spare.
"""

from typing import NamedTuple

import numpy as np

from core import check
from core.mechanisms import Mechanism, from_spectrum, nu_ftrl
from core.theory.multiplier import Program

LEAST_CONDITION_NUMBER = 1 + 1e-6
"""Nearer to 1 the function is a quadratic in all but rounding, of which `core.theory.quadratic` gives the exact value."""
MULTIPLIERS = ("corrected", "as_printed", "constant")


class BestNoise(NamedTuple):
    """The noise of least bound: its `bound`, its `mechanism`, and its power |B|^2 (n,) at the frequencies `omega` (n,)."""

    bound: float
    mechanism: Mechanism
    omega: np.ndarray
    power: np.ndarray


def excess_risk_bound(
    mechanism: Mechanism,
    learning_rate: float,
    condition_number: float,
    multiplier: str = "corrected",
    lags: int | None = None,
) -> float:
    """Bound on the stationary excess risk at rho = clip_norm = smoothness = dim = 1; inf where the sensitivity diverges.

    `multiplier`: "corrected" has lambda_t <= 0 for t != 0 and sum over t != 0 of |lambda_t| <= lambda_0, and holds for
    every F; "as_printed" has lambda_t >= 0 instead, which only even F allow; "constant" has lambda_0 alone. `lags`: how
    far the multiplier reaches; None is 60 for each factor 10 of the condition number, at least 60. Whatever their number,
    "corrected" is a valid bound, only larger than with more of them: at learning rate 0.1 twice as many lower that of
    DP-SGD by 0.03% at condition number 10 (.25615 to .25607) and by 1.0% at 100 (5.405 to 5.352), 8 times as many by 0.03%
    (.25606) and 1.5% (5.326).

    Guarantees: more lags are never worse; "corrected" is at most "constant" and holds for simulated runs of a function
    that is not even; within 1e-5 of what a general solver finds; of degree 1 in |B|^2 sensitivity^2.
    Raises: ValueError unless 0 < learning_rate < 2 and condition_number >= 1 + 1e-6.
    Reference: 2310.06771, Theorem 3.1 and eq. (93), where `lags` is T_max.
    """
    program = _program(learning_rate, condition_number, multiplier, lags)
    sensitivity = mechanism.limit_sensitivity()
    if not np.isfinite(sensitivity):
        return np.inf
    weight = np.abs(mechanism.frequency_response(program.omega)) ** 2
    return _scale(program) * sensitivity**2 * program.mean(weight, program.solve(weight))


def best_nu(
    learning_rate: float, condition_number: float, multiplier: str = "corrected", lags: int | None = None
) -> tuple[float, float]:
    """The nu of nu-FTRL with the least bound, and that bound.

    Guarantees: no nu on a grid between learning_rate / condition_number and 1 does better, to 1e-4 of the bound.
    """
    from scipy.optimize import minimize_scalar

    program = _program(learning_rate, condition_number, multiplier, lags)
    solution = None

    def bound(log_nu: float) -> float:
        nonlocal solution
        noise = nu_ftrl(float(np.exp(log_nu)))
        weight = np.abs(noise.frequency_response(program.omega)) ** 2
        solution = program.solve(weight, near=solution)
        return _scale(program) * noise.limit_sensitivity() ** 2 * program.mean(weight, solution)

    slowest = np.log(program.learning_rate * program.curvature / 2)
    found = minimize_scalar(bound, bounds=(slowest, 0.0), method="bounded", options={"xatol": 0.02})
    return float(np.exp(found.x)), float(found.fun)


def best_constant(learning_rate: float, condition_number: float) -> tuple[float, float]:
    """The noise of least "constant" bound, which is nu-FTRL: its nu and the bound, for a learning rate below 2/(L + mu).

    For Lambda = lambda_0 the function psi is a Poisson kernel, proportional to 1/|1 - (1 - nu) exp(i omega)|^2. By Cauchy
    and Schwarz |B|^2 = psi^(-1/2) is best, and the mean of psi^(1/2) is the squared sensitivity of nu-FTRL.

    Guarantees: equals `best_noise` and `best_nu` for "constant"; below the constant bound of every other mechanism.
    """
    from scipy.optimize import minimize_scalar

    program = _program(learning_rate, condition_number, "constant", None)
    limit = 2 / (1 + program.curvature)
    check.real("learning_rate", learning_rate, above=0, below=limit)
    slope = limit - learning_rate

    def at(log_excess: float) -> tuple[float, float]:
        constant = program.least * (1 + np.exp(log_excess))
        numerator = learning_rate**4 * constant * (2 + (1 - program.curvature) ** 2 * constant)
        steepness = 2 * constant * slope * (1 + program.curvature)
        ratio = learning_rate**2 * (2 * constant * program.curvature - 1) / steepness
        nu = float(np.sqrt(ratio * (ratio + 2)) - ratio)
        return nu, _scale(program) * numerator * 2 * (1 - nu) / steepness * nu_ftrl(nu).limit_sensitivity() ** 4

    found = minimize_scalar(lambda x: at(x)[1], bounds=(-12.0, 12.0), method="bounded", options={"xatol": 1e-7})
    return at(float(found.x))


def best_noise(
    learning_rate: float, condition_number: float, multiplier: str = "corrected", lags: int | None = None
) -> BestNoise:
    """The noise of least bound: the multiplier for a noise and the noise for a multiplier in turn, until neither changes.

    For a multiplier the bound is mean(psi |B|^2) mean(1/|B|^2), least for |B|^2 = psi^(-1/2). Neither half step can
    raise it.

    Guarantees: never above `best_nu`, to 1e-4; `mechanism` has this bound, to 1e-4; no noise near it has a lower one.
    Reference: 2310.06771, Section 3, "Optimized" in Figure 3.
    """
    program = _program(learning_rate, condition_number, multiplier, lags)
    steep = learning_rate >= 2 / (1 + program.curvature)  # where no nu is best for the constant multiplier
    nu = 1.0 if steep else best_constant(learning_rate, condition_number)[0]
    weight = np.abs(nu_ftrl(nu).frequency_response(program.omega)) ** 2
    solution, bound = None, np.inf
    while True:
        solution = program.solve(weight, near=solution)
        root = np.sqrt(program.psi(solution))
        earlier, bound = bound, _scale(program) * float(program.average @ root) ** 2
        if bound > earlier * (1 - 1e-5):
            return BestNoise(bound, from_spectrum(program.omega, 1 / root), program.omega, 1 / root)
        weight = 1 / root


def _program(learning_rate: float, condition_number: float, multiplier: str, lags: int | None) -> Program:
    rate = check.real("learning_rate", learning_rate, above=0, below=2)
    number = check.real("condition_number", condition_number)
    check.require(number >= LEAST_CONDITION_NUMBER, "condition_number", number, "at least 1 + 1e-6")
    check.choice("multiplier", multiplier, MULTIPLIERS)
    reach = max(60, round(60 * float(np.log10(number)))) if lags is None else check.whole("lags", lags)
    sign = 1 if multiplier == "as_printed" else -1
    return Program(rate, 1 / number, sign, 0 if multiplier == "constant" else reach)


def _scale(program: Program) -> float:
    """From the mean of psi |B|^2 sensitivity^2 to the bound: L/(2 eta^2) of the theorem times 1/(2 rho)."""
    return 1 / (4 * program.learning_rate**2)
