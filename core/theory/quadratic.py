"""Exact excess risk of SGD with correlated noise on Gaussian linear regression.

Examples x ~ N(0, H) with eigenvalues l_j, labels <x, theta_star> + label_noise * N(0,1), mean gradients of batches of B
fresh examples, seed noise of std s per coordinate, correlated over steps by a lower-triangular matrix `noising`:

    theta_t = theta_{t-1} - eta (mean gradient + sum_k noising[t, k] z_k),       z_k ~ N(0, s^2 I)

In the eigenbasis of H the second moments m_j = E (theta - theta_star)_j^2 obey, with e_j = eta l_j and a_j = 1 - e_j,

    m_j <- (a_j^2 + e_j^2/B) m_j + (eta^2/B) l_j <l, m> + eta^2 label_noise^2 l_j/B + eta^2 s^2 v_{t,j}
    v_{t,j} = sum_{k <= t} (2 - [k = t]) a_j^(t-k) (noising noising^T)[t, k],        excess risk = <l, m> / 2

Moments between different eigen-directions never feed back.

Reference: the setting of 2310.06771, section 2.2 and eq. (25); the paper gives bounds, the recursion is exact.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from core import check
from core.theory.frequency import Correlated, distance_squared, filtered_power
from core.theory.moments import Moments


class RiskParts(NamedTuple):
    """The excess risk by cause, each (..., steps+1): what is left of the start, label noise, and privacy noise."""

    start: np.ndarray
    label_noise: np.ndarray
    privacy_noise: np.ndarray


def excess_risk_curve(
    eigenvalues,
    learning_rate: float,
    steps: int,
    noising_coef,
    noise_std,
    label_noise: float = 0.0,
    batch_size: int = 1,
    initial_error=None,
) -> np.ndarray:
    """Expected excess risk after 0..steps steps, (steps+1,), under Toeplitz noise.

    `eigenvalues` (d,) of the Hessian; `noising_coef` (steps,) first column of the noising matrix; `noise_std` std of
    one coordinate of the seed noise on the MEAN gradient (noise_multiplier * clip_norm / batch_size); `initial_error`
    (d,) is theta_0 - theta_star in the eigenbasis, None for zero. Noise may be batched: `noising_coef` (..., steps)
    with `noise_std` (...) gives (..., steps+1).

    Takes O(d steps) time.

    Guarantees: batches equal loops; equals the dense second-moment recursion; an unstable run grows to inf, never NaN.
    Raises: ValueError naming the argument.
    """
    system = Moments.of(eigenvalues, learning_rate, label_noise, batch_size, initial_error)
    noise = _seed(steps, noising_coef, noise_std)
    return system.risk(noise.shape[:-1], steps, lambda j: system.inputs(j, steps) + system.toeplitz_input(j, noise))


def excess_risk_parts(
    eigenvalues,
    learning_rate: float,
    steps: int,
    noising_coef,
    noise_std,
    label_noise: float = 0.0,
    batch_size: int = 1,
    initial_error=None,
) -> RiskParts:
    """`excess_risk_curve` split into its three causes, arguments the same; each part (..., steps+1).

    Guarantees: the parts sum to the curve.
    """
    system = Moments.of(eigenvalues, learning_rate, label_noise, batch_size, initial_error)
    noise = _seed(steps, noising_coef, noise_std)
    lead = noise.shape[:-1]

    def inputs(j: int) -> np.ndarray:
        causes = np.zeros((3, *lead, steps + 1))
        both = system.inputs(j, steps)
        causes[0, ..., 0], causes[1, ..., 1:] = both[0], both[1:]
        causes[2] = system.toeplitz_input(j, noise)
        return causes

    return RiskParts(*system.risk((3, *lead), steps, inputs))


def excess_risk_curve_dense(
    eigenvalues,
    learning_rate: float,
    noising_matrix,
    noise_std: float,
    label_noise: float = 0.0,
    batch_size: int = 1,
    initial_error=None,
) -> np.ndarray:
    """`excess_risk_curve` for any lower-triangular `noising_matrix` (steps, steps); O(d steps^2) time.

    Guarantees: equals `excess_risk_curve` when the matrix is Toeplitz.
    """
    system = Moments.of(eigenvalues, learning_rate, label_noise, batch_size, initial_error)
    noising = np.asarray(noising_matrix, dtype=float)
    steps = len(noising)
    fits = noising.shape == (steps, steps) and np.all(np.isfinite(noising)) and not np.triu(noising, 1).any()
    check.require(fits, "noising_matrix", noising.shape, "a square lower-triangular matrix of finite numbers")
    noise = check.real("noise_std", noise_std, at_least=0) * noising
    gram = noise @ noise.T
    lag = np.subtract.outer(np.arange(steps), np.arange(steps))
    # row t of `past` holds gram[t, t - lag] for lag = 0..t, so that one matmul with powers of a_j sums over the past
    past = np.where(lag >= 0, np.take_along_axis(gram, np.maximum(lag, 0), axis=1), 0.0)
    past[:, 1:] *= 2
    with np.errstate(over="ignore"):
        powers = system.decay ** np.arange(steps)[:, None]
        # where a power overflows the risk, which grows with its square, is long infinite: 0 * inf must not reach others
        power = past @ np.clip(powers, -1e300, 1e300)
    return system.risk((), steps, lambda j: system.inputs(j, steps) + system.noise_input(j, power[:, j]))


def asymptotic_excess_risk(
    eigenvalues,
    learning_rate: float,
    mechanism: Correlated,
    noise_std: float,
    label_noise: float = 0.0,
    batch_size: int = 1,
) -> float:
    """Excess risk after infinitely many steps; inf when the run is unstable.

        eta/2 sum_j (label_noise^2 l_j/B + s^2 v_j) / (2 - e_j (1 + 1/B)) / (1 - Gamma)
        v_j = e_j (2 - e_j) mean over omega of |B(omega)|^2 / |1 - exp(i omega) - e_j|^2

    Guarantees: the limit of `excess_risk_curve`; equals noise_std^2 mean(|B|^2 noise_weight) without label noise;
    relative error below 1e-10 also for nu and e_j down to 1e-6.
    Reference: sharpens 2310.06771, Theorem C.15 and Lemma C.4 to equality for Gaussian features and any batch size.
    """
    system = Moments.of(eigenvalues, learning_rate, label_noise, batch_size, None)
    check.real("noise_std", noise_std, at_least=0)
    coupling = system.coupling()
    if not coupling < 1:
        return np.inf
    label = system.label_power * system.eigenvalues
    noise = noise_std**2 * filtered_power(mechanism, learning_rate * system.eigenvalues)
    return learning_rate / 2 * float(np.sum(system.counts * (label + noise) / system.damping())) / (1 - coupling)


def largest_stable_learning_rate(eigenvalues, batch_size: int = 1) -> float:
    """Learning rate below which, and only below which, the excess risk stays bounded.

    Stable iff e_max (1 + 1/B) < 2 and Gamma = sum_j (e_j/B) / (2 - e_j (1 + 1/B)) < 1; the second implies the first.

    Guarantees: curves stay bounded just below, grow just above.
    """
    spectrum = check.vector("eigenvalues", eigenvalues, above=0)
    batch = check.whole("batch_size", batch_size, at_least=1)
    limit = 2 / (spectrum.max() * (1 + 1 / batch))

    def margin(share: float) -> float:  # (1 - Gamma) times the factor that vanishes at the limit
        damping = 2 - share * limit * spectrum * (1 + 1 / batch)
        return damping.min() * (1 - np.sum(share * limit * spectrum / batch / damping))

    return limit * brentq(margin, 0.0, 1 - 1e-15, xtol=1e-15, rtol=1e-15)


def best_learning_rate(
    eigenvalues,
    steps: int,
    noise_at: Callable[[float], tuple[np.ndarray, float]],
    label_noise: float = 0.0,
    batch_size: int = 1,
    initial_error=None,
) -> tuple[float, float]:
    """Learning rate with the smallest excess risk after `steps` steps, and that excess risk.

    `noise_at(learning_rate)` gives (noising_coef, noise_std), so that a mechanism may be fixed or follow the rate.

    Guarantees: no stable learning rate on a grid of ratio 1.2 down to 1e-4 of the largest stable one does better.
    """

    def risk(log_rate: float) -> float:
        coef, std = noise_at(float(np.exp(log_rate)))
        arguments = (eigenvalues, float(np.exp(log_rate)), steps, coef, std, label_noise, batch_size, initial_error)
        return float(excess_risk_curve(*arguments)[-1])

    top = np.log(largest_stable_learning_rate(eigenvalues, batch_size))
    grid = top + np.linspace(np.log(1e-4), np.log(0.999), 52)
    risks = [risk(log_rate) for log_rate in grid]
    best = int(np.argmin(risks))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    refined = minimize_scalar(risk, bounds=around, method="bounded", options={"xatol": 1e-6})
    log_rate, value = min((refined.x, refined.fun), (grid[best], risks[best]), key=lambda found: found[1])
    return float(np.exp(log_rate)), float(value)


def iterate_response(eigenvalue: float, learning_rate: float, omega) -> np.ndarray:
    """How strongly an eigen-direction of the iterate amplifies gradient noise at frequency `omega`, same shape.

        learning_rate / |1 - exp(i omega) - learning_rate * eigenvalue|

    Guarantees: 1/eigenvalue at omega = 0, learning_rate/|2 - learning_rate * eigenvalue| at omega = pi (inf at 2).
    Reference: 2310.06771, Property C.8 (transfer function of the iterate).
    """
    decrement = check.real("learning_rate", learning_rate, above=0) * check.real("eigenvalue", eigenvalue, above=0)
    with np.errstate(divide="ignore"):
        return learning_rate / np.sqrt(distance_squared(decrement, np.asarray(omega, dtype=float)))


def noise_weight(eigenvalues, learning_rate: float, omega, batch_size: int = 1) -> np.ndarray:
    """Stationary excess risk that one unit of noise power at frequency `omega` causes, same shape; inf when unstable.

        (eta^2/2) / (1 - Gamma) * sum_j l_j (2 - e_j) / (2 - e_j (1 + 1/B)) / |1 - exp(i omega) - e_j|^2

    Guarantees: the stationary privacy excess is noise_std^2 * mean over omega of |B(omega)|^2 noise_weight(omega).
    """
    system = Moments.of(eigenvalues, learning_rate, 0.0, batch_size, None)
    omega = np.asarray(omega, dtype=float)
    coupling = system.coupling()
    if not coupling < 1:
        return np.full(omega.shape, np.inf)
    decrement = learning_rate * system.eigenvalues
    each = system.counts * system.eigenvalues * (2 - decrement) / system.damping()
    return learning_rate**2 / 2 / (1 - coupling) * np.sum(each / distance_squared(decrement, omega[..., None]), axis=-1)


def _seed(steps: int, noising_coef, noise_std) -> np.ndarray:
    """noise_std * noising_coef, (..., steps)."""
    check.whole("steps", steps, at_least=1)
    coef, std = _numbers(noising_coef), _numbers(noise_std)
    fits = coef.ndim > 0 and coef.shape[-1] == steps and np.all(np.isfinite(coef))
    check.require(fits, "noising_coef", noising_coef, f"finite numbers of shape (..., {steps})")
    check.require(np.all(np.isfinite(std) & (std >= 0)), "noise_std", noise_std, "finite numbers >= 0")
    return std[..., None] * coef


def _numbers(values) -> np.ndarray:
    """`values` as floats; NaN, which no check passes, where they are text, booleans or no array at all."""
    try:
        array = np.asarray(values)
    except ValueError:
        return np.full(1, np.nan)
    return array.astype(float) if array.dtype.kind in "iuf" else np.full(array.shape or 1, np.nan)
