"""Theorem 3.1: a bound on the stationary excess risk of any smooth and strongly convex function, by a convex program.

For theta_t = theta_{t-1} - eta (grad F(theta_{t-1}) + noise_t), curvature of F between mu = 1/condition_number and L = 1,
every `Multiplier` Lambda of the Zames-Falb class whose slack a is positive at all frequencies gives

    F_inf <= L/(2 eta^2) mean over omega of psi |B|^2 sensitivity^2 / (2 rho)
    psi = |M12|^2 / a + M22 = eta^4 (2 Re Lambda + (L - mu)^2 |Lambda|^2) / a,        a = -eta^2 - M11

psi is explicit in the multiplier and convex in it, so that a few Newton steps under a log barrier find the best one.
Here smoothness = clip_norm = rho = dim = 1 without sampling noise, as in Figure 3; the bound grows with dim / rho.

Reference: 2310.06771, Theorems 3.1 and E.1, eqs. (89)-(93). As printed, (10) lacks the 1/eta^2 of Theorem E.1, both write
1/rho for 1/(2 rho), and Theorem E.1 has a factor 2 to spare.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from core import check
from core.mechanisms import Mechanism, from_spectrum, nu_ftrl

MULTIPLIERS = ("corrected", "as_printed", "constant")
_NODES = 8  # of Gauss's rule on each panel of frequencies
_GAP = 1e-6  # share of the value at which the barrier method stops


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
    far the multiplier reaches. More is never worse; None is 60 for each factor 10 of the condition number, at least 60.

    Guarantees: "corrected" is at most "constant" and holds for simulated runs of a function that is not even; within
    1e-5 of what a general solver finds; of degree 1 in |B|^2 sensitivity^2.
    Raises: ValueError unless 0 < learning_rate < 2 and condition_number > 1.
    Reference: 2310.06771, Theorem 3.1 and eq. (93), where `lags` is T_max.
    """
    program = _Program.of(learning_rate, condition_number, multiplier, lags)
    sensitivity = mechanism.limit_sensitivity()
    if not np.isfinite(sensitivity):
        return np.inf
    weight = np.abs(mechanism.frequency_response(program.omega)) ** 2
    return sensitivity**2 * program.bound(weight, program.solve(weight))


def best_nu(
    learning_rate: float, condition_number: float, multiplier: str = "corrected", lags: int | None = None
) -> tuple[float, float]:
    """The nu of nu-FTRL with the least bound, and that bound.

    Guarantees: no nu on a grid between learning_rate / condition_number and 1 does better, to 1e-4 of the bound.
    """
    from scipy.optimize import minimize_scalar

    program = _Program.of(learning_rate, condition_number, multiplier, lags)
    solution = None

    def bound(log_nu: float) -> float:
        nonlocal solution
        noise = nu_ftrl(float(np.exp(log_nu)))
        weight = np.abs(noise.frequency_response(program.omega)) ** 2
        solution = program.solve(weight, near=solution)
        return noise.limit_sensitivity() ** 2 * program.bound(weight, solution)

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

    program = _Program.of(learning_rate, condition_number, "constant", None)
    limit = 2 / (1 + program.curvature)
    check.real("learning_rate", learning_rate, above=0, below=limit)
    slope = limit - learning_rate

    def at(log_excess: float) -> tuple[float, float]:
        constant = program.least * (1 + np.exp(log_excess))
        numerator = learning_rate**4 * constant * (2 + (1 - program.curvature) ** 2 * constant)
        steepness = 2 * constant * slope * (1 + program.curvature)
        ratio = learning_rate**2 * (2 * constant * program.curvature - 1) / steepness
        nu = float(np.sqrt(ratio * (ratio + 2)) - ratio)
        return nu, program.scale * numerator * 2 * (1 - nu) / steepness * nu_ftrl(nu).limit_sensitivity() ** 4

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
    program = _Program.of(learning_rate, condition_number, multiplier, lags)
    steep = learning_rate >= 2 / (1 + program.curvature)  # where no nu is best for the constant multiplier
    nu = 1.0 if steep else best_constant(learning_rate, condition_number)[0]
    weight = np.abs(nu_ftrl(nu).frequency_response(program.omega)) ** 2
    solution, bound = None, np.inf
    while True:
        solution = program.solve(weight, near=solution)
        root = np.sqrt(program.psi(solution))
        earlier, bound = bound, program.scale * float(program.average @ root) ** 2
        if bound > earlier * (1 - 1e-5):
            return BestNoise(bound, from_spectrum(program.omega, 1 / root), program.omega, 1 / root)
        weight = 1 / root


@dataclass(frozen=True)
class _Program:
    """The convex program: minimise mean(weight psi) over multipliers of `lags` lags.

    A multiplier is the vector (lambda_0, |lambda_1|, ..., |lambda_lags|) >= 0 with lambda_0 at least the sum of the rest.
    `sign` is that of the rest. Only one side is used, causal for the negative sign and anticausal for the positive: the
    other one lowers a where it is small, and is zero at the optimum.
    """

    learning_rate: float
    curvature: float
    sign: int
    lags: int

    @classmethod
    def of(cls, learning_rate, condition_number, multiplier, lags) -> "_Program":
        rate = check.real("learning_rate", learning_rate, above=0, below=2)
        condition_number = check.real("condition_number", condition_number, above=1)
        check.choice("multiplier", multiplier, MULTIPLIERS)
        reach = max(60, round(60 * float(np.log10(condition_number)))) if lags is None else check.whole("lags", lags)
        sign = 1 if multiplier == "as_printed" else -1
        return cls(rate, 1 / condition_number, sign, 0 if multiplier == "constant" else reach)

    @property
    def scale(self) -> float:
        return 1 / (4 * self.learning_rate**2)

    @property
    def least(self) -> float:
        """lambda_0 above which, and only above which, the slack of the constant multiplier is positive."""
        rate = self.learning_rate
        return max(1 / (2 * self.curvature), rate**2 / (2 * (2 - rate) * (2 - rate * self.curvature)))

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies (n,) in (0, pi) and weights of their mean: Gauss panels, short at both ends and for many lags."""
        ends = [
            np.pi * 2.0 ** np.arange(np.floor(np.log2(finest / np.pi)), 0)
            for finest in (self.learning_rate * self.curvature / 8, (2 - self.learning_rate) / 8)
        ]
        edges = np.concatenate([[0.0], ends[0], np.pi - ends[1][-2::-1], [np.pi]])
        panels = np.ceil(np.diff(edges) * max(self.lags, 48) / 6).astype(int)
        edges = np.concatenate([[0.0], *map(_after, edges[:-1], edges[1:], panels)])
        node, weight = np.polynomial.legendre.leggauss(_NODES)
        half = np.diff(edges)[:, None] / 2
        return (edges[:-1, None] + half * (1 + node)).ravel(), (half * weight / np.pi).ravel()

    @property
    def omega(self) -> np.ndarray:
        return self._grid[0]

    @property
    def average(self) -> np.ndarray:
        return self._grid[1]

    @cached_property
    def _maps(self) -> "_Maps":
        return _Maps.at(self.omega, self)

    def psi(self, solution: np.ndarray) -> np.ndarray:
        """psi (n,) at the frequencies of the grid, without the cancellation of |M12|^2 / a + M22."""
        return self._maps.psi(solution, self)

    def bound(self, weight: np.ndarray, solution: np.ndarray) -> float:
        """The bound, at unit sensitivity, of noise of power `weight` (n,)."""
        return self.scale * float(self.average @ (self.psi(solution) * weight))

    def solve(self, weight: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """The multiplier of least mean(weight psi), by Newton steps on it plus a logarithmic barrier that is relaxed.

        `near`, the solution for another weight, saves the first half of the steps.
        """
        maps, constraints = self._maps, self.lags + 1
        weight = weight * self.average
        x = np.full(constraints, 1e-3 * self.least / constraints)
        x[0] = 2 * self.least
        if near is not None:
            x = 0.9 * near + 0.1 * x
        share = -np.ones(constraints)
        share[0] = 1.0

        def parts(x):
            slack = maps.slack @ x - self.learning_rate**2
            real, imaginary = maps.real @ x, maps.imaginary @ x
            value = weight @ ((real**2 + imaginary**2) / slack) + weight @ (maps.corner @ x)
            return slack, real / slack, imaginary / slack, value

        def merit(x):
            rest = share @ x
            slack, _, _, value = parts(x)
            if rest <= 0 or x[1:].min(initial=1.0) <= 0 or slack.min() <= 0:
                return np.inf
            return sharpness * value - np.log(rest) - np.log(x[1:]).sum()

        sharpness = constraints / parts(x)[3] * (1 if near is None else 8000)
        while True:
            for _ in range(60):
                slack, real, imaginary, value = parts(x)
                rest = share @ x
                gradient = weight @ maps.corner + (2 * weight * real) @ maps.real + (2 * weight * imaginary) @ maps.imaginary
                gradient -= (weight * (real**2 + imaginary**2)) @ maps.slack
                root = np.sqrt(2 * weight / slack)[:, None]
                rows = np.concatenate([root * (maps.real - real[:, None] * maps.slack),
                                       root * (maps.imaginary - imaginary[:, None] * maps.slack)])
                curvature = sharpness * rows.T @ rows + np.outer(share, share) / rest**2
                curvature[range(1, constraints), range(1, constraints)] += 1 / x[1:] ** 2
                gradient = sharpness * gradient - share / rest
                gradient[1:] -= 1 / x[1:]
                unit = 1 / np.sqrt(np.diag(curvature))
                scaled = curvature * np.outer(unit, unit) + 1e-14 * np.eye(constraints)
                step = -unit * np.linalg.solve(scaled, unit * gradient)
                decrease = -gradient @ step
                if decrease < 0.3:
                    break
                start, length = merit(x), 1.0
                while merit(x + length * step) > start - 0.1 * length * decrease:
                    length /= 2
                x = x + length * step
            if constraints < sharpness * _GAP * value:
                return x
            sharpness *= 20


def _after(low: float, high: float, pieces: int) -> np.ndarray:
    """The ends of equal pieces of an interval."""
    return np.linspace(low, high, pieces + 1)[1:]


class _Maps(NamedTuple):
    """The linear maps (n, 1 + lags) of a multiplier to what psi is made of at n frequencies.

    With Lambda = R + i I, c = 1 - cos omega and s = sin omega:

        slack      a + eta^2 = 2 R (mu eta^2 + c (2 - eta (mu + 1))) + 2 eta (1 - mu) s I
        real       Re M12 = eta (2 c - eta (mu + 1)) R
        imaginary  Im M12 = 2 eta s R + eta^2 (1 - mu) I
        corner     M22 = -2 eta^2 R
    """

    even: np.ndarray
    odd: np.ndarray
    slack: np.ndarray
    real: np.ndarray
    imaginary: np.ndarray
    corner: np.ndarray

    @classmethod
    def at(cls, omega: np.ndarray, program: _Program) -> "_Maps":
        eta, mu = program.learning_rate, program.curvature
        phase = np.outer(omega, np.arange(program.lags + 1))
        even, odd = program.sign * np.cos(phase), np.sin(phase)
        even[:, 0] = 1.0
        c, s = 2 * np.sin(omega / 2)[:, None] ** 2, np.sin(omega)[:, None]
        slack = 2 * even * (mu * eta**2 + c * (2 - eta * (mu + 1))) + 2 * eta * (1 - mu) * s * odd
        real = eta * (2 * c - eta * (mu + 1)) * even
        return cls(even, odd, slack, real, 2 * eta * s * even + eta**2 * (1 - mu) * odd, -2 * eta**2 * even)

    def psi(self, solution: np.ndarray, program: _Program) -> np.ndarray:
        """eta^4 (2 Re Lambda + (L - mu)^2 |Lambda|^2) / a, (n,)."""
        even, odd = self.even @ solution, self.odd @ solution
        eta, spread = program.learning_rate, 1 - program.curvature
        return eta**4 * (2 * even + spread**2 * (even**2 + odd**2)) / (self.slack @ solution - eta**2)
