"""Risk of private linear regression in finite time: Theorems D.11 and D.13, Corollaries D.14 and D.15 of 2310.06771.

D.11 is complete, and holds as it stands. The others leave universal constants and powers of logarithms open: a calculator
sets every constant to 1, drops "polylog(T)", and says by its conditions where the statement begins. `initial_error` (d,) is
theta_0 - theta_star in the eigenbasis of the Hessian, `label_noise` the standard deviation of the labels, `failure` the
probability p that some gradient is clipped after all.
"""

import math
from typing import NamedTuple

import numpy as np

from core.check import real, require, vector, whole
from core.mechanisms import Mechanism
from core.theory.bounds.statement import Bound, Condition
from core.theory.quadratic import asymptotic_excess_risk, excess_risk_curve


class Claim(NamedTuple):
    """What Theorem D.13 chooses and promises, beside what happens: `exact` is the excess risk at the same settings.

    `learning_rate` is the largest allowed, `clip_norm` the one that clips nothing with probability 1 - failure.
    """

    learning_rate: float
    clip_norm: float
    bound: Bound
    exact: float


def decay_to_stationary(
    eigenvalues,
    learning_rate: float,
    steps: int,
    mechanism: Mechanism,
    noise_std: float,
    label_noise: float = 0.0,
    initial_error=None,
) -> Bound:
    """Theorem D.11, one example a step: a bound on the excess risk E F(theta_t) - F*.

        (sqrt((L/mu) exp(-eta mu t) (F(theta_0) - F*)) + sqrt(F_inf))^2

    The terms are the two squares and twice the product. F_inf is exact.

    Guarantees: never below `excess_risk_curve` where its condition holds.
    Reference: 2310.06771, Theorem D.11; for Gaussian examples R^2 = 2 L + Tr[H] is exact (Property C.3 has 3 Tr[H]).
    """
    values, error = _problem(eigenvalues, initial_error)
    rate = real("learning_rate", learning_rate, above=0)
    start = 0.5 * float(values @ error**2)
    left = values.max() / values.min() * math.exp(-rate * values.min() * whole("steps", steps)) * start
    stationary = asymptotic_excess_risk(values, rate, mechanism, noise_std, label_noise)
    terms = (
        ("what is left of the start", left),
        ("stationary suboptimality", stationary),
        ("both together", 2 * math.sqrt(left * stationary)),
    )
    conditions = (Condition("learning rate", rate, high=1 / _fourth_moment(values)),)
    return Bound("Theorem D.11", terms, conditions, start, _START)


def private_in_time(
    eigenvalues,
    steps: int,
    mechanism: Mechanism,
    rho: float,
    label_noise: float,
    initial_error,
    failure: float = 0.01,
) -> Claim:
    """Theorem D.13: DP-FTRL at the largest learning rate and the clip norm that the theorem allows, all constants 1.

        2 (L/mu) exp(-eta mu T) (F(theta_0) - F*) + 2 F_inf

    Guarantees: `exact` is below the bound; the privacy cost is that of `steps` steps of the mechanism at the clip norm.
    Reference: 2310.06771, Theorem D.13, with nu = eta mu or any noise of half-exponential decay.
    """
    values, error = _problem(eigenvalues, initial_error)
    steps, rho = whole("steps", steps, at_least=1), real("rho", rho, above=0)
    label_noise, logarithm = real("label_noise", label_noise, at_least=0), _logarithm(steps, failure)
    moment, mu = _fourth_moment(values), float(values.min())
    sensitivity = mechanism.limit_sensitivity()
    require(math.isfinite(sensitivity), "mechanism", mechanism.label, "a sensitivity that has a limit")
    size = float(np.abs(mechanism.noising_coef(steps)).sum())
    private = mu * rho / (8 * moment**2 * values.size * sensitivity**2 * size**2 * logarithm**5)
    rate = min(1 / (moment * logarithm), private)
    away = float(np.linalg.norm(error))
    gradient = max(away, rate * moment * label_noise**2 / mu, label_noise / math.sqrt(moment))
    clip_norm = moment * gradient * logarithm**2.5
    noise_std = sensitivity * clip_norm / math.sqrt(2 * rho)
    start = 0.5 * float(values @ error**2)
    stationary = asymptotic_excess_risk(values, rate, mechanism, noise_std, label_noise)
    left = values.max() / mu * math.exp(-rate * mu * steps) * start
    terms = (("what is left of the start", 2 * left), ("stationary suboptimality", 2 * stationary))
    bound = Bound("Theorem D.13", terms, (Condition("probability of clipping", failure, low=0, high=1),), start, _START)
    exact = excess_risk_curve(values, rate, steps, mechanism.noising_coef(steps), noise_std, label_noise, 1, error)
    return Claim(rate, clip_norm, bound, float(exact[-1]))


def dp_sgd_in_time(
    eigenvalues, steps: int, rho: float, label_noise: float, initial_error, failure: float = 0.01
) -> Bound:
    """Corollary D.14: DP-SGD at an appropriate learning rate, constants 1, polylog(T) left out.

    Guarantees: the privacy terms fall like 1/T.
    Reference: 2310.06771, Corollary D.14; its first term lacks the factor F(theta_0) - F* of Theorem D.13, put back here.
    """
    problem = _Corollary.of(eigenvalues, steps, rho, label_noise, initial_error, failure)
    dim, rho_t = problem.dim, problem.rho * problem.steps
    threshold = problem.hardness / problem.rho
    started = problem.steps / problem.logarithm**5
    return problem.bound(
        "Corollary D.14", started / threshold, dim * problem.trace / rho_t, dim / rho_t, started, threshold
    )


def nu_ftrl_in_time(
    eigenvalues, steps: int, rho: float, label_noise: float, initial_error, failure: float = 0.01
) -> Bound:
    """Corollary D.15: nu-DP-FTRL at an appropriate nu and learning rate, constants 1, polylog(T) left out.

    Guarantees: the privacy terms fall like 1/T^2: the dimension of Corollary D.14 becomes condition number x effective
    dimension / T.
    Reference: 2310.06771, Corollary D.15; its first term lacks the factor F(theta_0) - F*, put back here, and the last
    line of its proof has mu^2 T^2 where mu T is meant.
    """
    problem = _Corollary.of(eigenvalues, steps, rho, label_noise, initial_error, failure)
    weak, rho_t = problem.condition_number * problem.effective_dim, problem.rho * problem.steps**2
    threshold = problem.hardness / problem.rho * max(1.0, math.log(problem.hardness / problem.rho))
    started = problem.steps / problem.logarithm**7
    return problem.bound(
        "Corollary D.15", started / threshold, weak * problem.trace / rho_t, weak / rho_t, started, threshold
    )


_START = "the risk of staying at the start"


class _Corollary(NamedTuple):
    condition_number: float
    effective_dim: float
    dim: int
    trace: float
    steps: int
    rho: float
    label_noise: float
    away_squared: float
    start: float
    logarithm: float

    @classmethod
    def of(cls, eigenvalues, steps, rho, label_noise, initial_error, failure) -> "_Corollary":
        values, error = _problem(eigenvalues, initial_error)
        steps, largest = whole("steps", steps, at_least=1), float(values.max())
        return cls(
            largest / float(values.min()),
            float(values.sum()) / largest,
            values.size,
            float(values.sum()),
            steps,
            real("rho", rho, above=0),
            real("label_noise", label_noise, at_least=0),
            float(error @ error),
            0.5 * float(values @ error**2),
            _logarithm(steps, failure),
        )

    @property
    def hardness(self) -> float:
        """kappa^2 d_eff^2 d: over rho, the steps from which the corollaries speak, up to logarithms."""
        return self.condition_number**2 * self.effective_dim**2 * self.dim

    def bound(
        self, source: str, decays: float, by_distance: float, by_label_noise: float, started: float, threshold: float
    ) -> Bound:
        scale = self.condition_number * self.effective_dim
        terms = (
            ("what is left of the start", self.condition_number * math.exp(-decays) * self.start),
            ("privacy, by the distance of the start", scale * by_distance * self.away_squared),
            ("privacy, by label noise", scale * by_label_noise * self.label_noise**2),
            ("label noise", scale * self.label_noise**2 / self.steps),
        )
        return Bound(
            source, terms, (Condition("steps over powers of log(T/p)", started, low=threshold),), self.start, _START
        )


def _problem(eigenvalues, initial_error) -> tuple[np.ndarray, np.ndarray]:
    values = vector("eigenvalues", eigenvalues, above=0)
    error = np.zeros(values.size) if initial_error is None else initial_error
    return values, vector("initial_error", error, length=values.size)


def _fourth_moment(eigenvalues: np.ndarray) -> float:
    """R^2, the least number with E |x|^2 x x^T <= R^2 H: E |x|^2 x x^T = (2 H + Tr[H]) H for Gaussian x."""
    return float(2 * eigenvalues.max() + eigenvalues.sum())


def _logarithm(steps: int, failure: float) -> float:
    return math.log(steps / real("failure", failure, above=0, below=1))
