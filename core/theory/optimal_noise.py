"""The best correlation of the noise for a given quadratic: over nu, and over all Toeplitz mechanisms.

Privacy noise alone counts here: rho = clip_norm = 1 under zero-out adjacency and no label noise, so that seed noise on
the mean gradient has variance sensitivity^2 / 2 per coordinate.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from core import check
from core.mechanisms import nu_ftrl
from core.theory.frequency import log_frequencies
from core.theory.quadratic import excess_risk_curve, largest_stable_learning_rate, noise_weight


def best_nu(
    eigenvalues, learning_rate: float, steps: int | None = None, batch_size: int = 1
) -> tuple[float, float]:
    """The nu of nu-FTRL with the smallest excess risk after `steps` steps (None: stationary), and that excess risk.

    Guarantees: no nu in [1e-3 / steps, 1] does better, to 1e-9 relative in the excess risk; stationary, no nu at all.
    Raises: ValueError when no stationary value exists because `learning_rate` is not stable.
    Reference: 2310.06771, Theorem 2.2 chooses nu below eta l_min; the best is larger.
    """
    if steps is None:
        risk, smallest = _stationary_risk(eigenvalues, learning_rate, batch_size)
    else:
        smallest = 1e-3 / check.whole("steps", steps, at_least=1)

        def risk(nu: float) -> float:
            noise = nu_ftrl(nu)
            std = noise.sensitivity(steps) / np.sqrt(2)
            arguments = (eigenvalues, learning_rate, steps, noise.noising_coef(steps), std, 0.0, batch_size)
            return float(excess_risk_curve(*arguments)[-1])

    grid = np.geomspace(smallest, 1.0, 24)
    risks = [risk(nu) for nu in grid]
    best = int(np.argmin(risks))
    around = np.log([grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]])
    options = {"xatol": 1e-6}
    refined = minimize_scalar(lambda log_nu: risk(np.exp(log_nu)), bounds=around, method="bounded", options=options)
    candidates = ((float(np.exp(refined.x)), float(refined.fun)), (float(grid[best]), risks[best]))
    return min(candidates, key=lambda candidate: candidate[1])


def optimal_excess_risk(eigenvalues, learning_rate: float, batch_size: int = 1) -> float:
    """Smallest stationary excess risk of any Toeplitz mechanism, attained by `core.mechanisms.optimal_for`.

    The excess is mean(|B|^2 w) mean(1/|B|^2) / 2 with w = `noise_weight`; by Cauchy and Schwarz the product is smallest
    for |B|^2 proportional to w^(-1/2), where it is mean(w^(1/2))^2. It is inf where the learning rate is not stable.

    Guarantees: below every nu-FTRL; equals it in one dimension.
    Raises: ValueError naming the argument.
    """
    rate = check.real("learning_rate", learning_rate, above=0)
    smallest = rate * float(np.min(check.vector("eigenvalues", eigenvalues, above=0)))
    _, omega, average = log_frequencies(smallest)
    return float(average @ np.sqrt(noise_weight(eigenvalues, learning_rate, omega, batch_size))) ** 2 / 2


def rule_of_thumb_nu(eigenvalues, learning_rate: float) -> float:
    """min(1, eta tr(H) / d): within a per cent or so of the best stationary excess risk on most spectra."""
    spectrum = check.vector("eigenvalues", eigenvalues, above=0)
    return min(1.0, check.real("learning_rate", learning_rate, above=0) * float(spectrum.mean()))


def _stationary_risk(eigenvalues, learning_rate: float, batch_size: int) -> tuple[Callable[[float], float], float]:
    """Stationary excess risk as a function of nu, and the smallest nu worth trying."""
    limit = largest_stable_learning_rate(eigenvalues, batch_size)
    check.real("learning_rate", learning_rate, above=0, below=limit)
    smallest = 1e-3 * min(1.0, learning_rate * float(np.min(eigenvalues)))
    _, omega, average = log_frequencies(smallest)
    cost = average * noise_weight(eigenvalues, learning_rate, omega, batch_size)

    def risk(nu: float) -> float:
        noise = nu_ftrl(nu)
        return noise.limit_sensitivity() ** 2 / 2 * float(cost @ np.abs(noise.frequency_response(omega)) ** 2)

    return risk, smallest
