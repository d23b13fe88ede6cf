"""Tables 1, 2 and 4 of 2310.06771 as calculators: rates as printed, the same with their constants, and what is exact.

Gaussian linear regression, stationary, privacy noise alone (no label noise), gradients of norm at most `clip_norm` under
rho-zCDP. A printed rate leaves out all constants; `corrected` is the leading term for a small learning rate, constants
and the 1/2 of the squared loss included, from

    F_sgd = eta d G^2 / (8 rho),     F_nu = eta^2 G^2 / (4 pi^2 rho) log(8/nu) sum_j l_j log(8 / (eta l_j))

The second has ONE log(1/nu), which is the sensitivity; the other logarithm asks how slow a direction is, weighted by its
eigenvalue, so that directions of little weight do not lengthen it. Both leave out the factor 1/(1 - Gamma) that the
randomness of small batches adds (`core.theory.quadratic`).
"""

import math
from typing import NamedTuple

import numpy as np

from core import mechanisms
from core.check import real, vector, whole
from core.problems.spectrum import spectrum
from core.theory.optimal_noise import optimal_excess_risk
from core.theory.quadratic import asymptotic_excess_risk


class Rate(NamedTuple):
    """A rate as the paper prints it (`formula`, its value with all constants 1), with constants, and the exact value."""

    formula: str
    as_printed: float
    corrected: float
    exact: float


class PriorWork(NamedTuple):
    """A noise of Table 2: its words, its squared sensitivity in T steps, and its stationary suboptimality."""

    noise: str
    sensitivity_squared: Rate
    risk: Rate


class Decay(NamedTuple):
    """A row of Table 4, for eigenvalues k^-a: effective dimension, both suboptimalities, and their ratio."""

    effective_dim: Rate
    independent: Rate
    nu_ftrl: Rate
    ratio: Rate


def stationary_rates(
    eigenvalues, learning_rate: float, rho: float = 1.0, clip_norm: float = 1.0, batch_size: int = 1
) -> dict[str, Rate]:
    """Table 1: "lower bound" for every noise, "independent", and "nu_ftrl" with nu = learning_rate * least eigenvalue.

    The exact value of the lower bound is the optimum over all Toeplitz noises.

    Guarantees: the corrected lower bound is below every exact value; the other corrected rates meet the exact values as
    the learning rate tends to 0 in large batches.
    Reference: 2310.06771, Table 1, Theorems 2.2 and C.18 (halved: they drop the 1/2 of the squared loss).
    """
    problem = _Problem.of(eigenvalues, learning_rate, rho, clip_norm, batch_size)
    eta, trace, scale = problem.learning_rate, problem.eigenvalues.sum(), problem.scale
    optimum = optimal_excess_risk(problem.eigenvalues, eta, batch_size) * scale
    return {
        "lower bound": Rate("eta^2 d_eff / rho", eta**2 * trace * scale, eta**2 * trace * scale / 16, optimum),
        "independent": problem.independent(),
        "nu_ftrl": problem.nu_ftrl("eta^2 d_eff log^2(1/(eta mu)) / rho", np.log(1 / problem.nu) ** 2),
    }


def prior_work(
    eigenvalues, learning_rate: float, steps: int, rho: float = 1.0, clip_norm: float = 1.0, batch_size: int = 1
) -> dict[str, PriorWork]:
    """Table 2: the noises of earlier work, their squared sensitivity in `steps` steps and stationary suboptimality.

    nu = learning_rate * least eigenvalue; the damping of anti-PGD is sqrt(2 learning_rate * mean eigenvalue), the best one
    for a small learning rate.

    Guarantees: inf exactly where the sensitivity grows without limit.
    Reference: 2310.06771, Table 2 and Proposition C.24.
    """
    problem = _Problem.of(eigenvalues, learning_rate, rho, clip_norm, batch_size)
    steps = whole("steps", steps, at_least=2)
    eta, trace, dim = problem.learning_rate, problem.eigenvalues.sum(), problem.eigenvalues.size
    damping = min(1.0, math.sqrt(2 * eta * trace / dim))
    never = Rate("inf", np.inf, np.inf, np.inf)
    counting, nu = mechanisms.optimal_counting(), mechanisms.nu_ftrl(problem.nu)
    undamped, damped = mechanisms.anti_pgd(0.0), mechanisms.anti_pgd(damping)
    both = math.sqrt(dim * trace) * eta**1.5 * problem.scale
    return {
        "optimal_counting": PriorWork(
            "optimal counting (nu = 0)",
            Rate(
                "log T",
                math.log(steps),
                (math.log(16 * steps) + np.euler_gamma) / np.pi,
                counting.sensitivity(steps) ** 2,
            ),
            never,
        ),
        "nu_ftrl": PriorWork(
            f"nu-Noisy-FTRL, nu = {problem.nu:.3g}",
            Rate("log(1/nu)", -math.log(problem.nu), math.log(8 / problem.nu) / np.pi, nu.sensitivity(steps) ** 2),
            problem.nu_ftrl("eta^2 G^2 Tr[H] log^2(1/nu) / rho", np.log(1 / problem.nu) ** 2),
        ),
        "anti_pgd": PriorWork("anti-PGD", Rate("T", steps, steps, undamped.sensitivity(steps) ** 2), never),
        "damped_anti_pgd": PriorWork(
            f"anti-PGD, damping = {damping:.3g}",
            Rate("1/nu", 1 / damping, 1 / (damping * (2 - damping)), damped.sensitivity(steps) ** 2),
            Rate("eta^(3/2) G^2 sqrt(d Tr[H]) / rho", both, both * math.sqrt(2) / 8, problem.exact(damped)),
        ),
    }


def decay_rates(dim: int, decay: float, learning_rate: float, rho: float = 1.0, batch_size: int = 1) -> Decay:
    """Table 4: what both noises cost where the eigenvalues are k^-decay, k = 1..dim, at clip_norm 1.

    Guarantees: `nu_ftrl` and `independent` are those of `stationary_rates` but for the printed logarithms.
    Reference: 2310.06771, Table 4. Its row k^-2 prints log^3 in the ratio; its own columns give log^2, used here.
    """
    problem = _Problem.of(spectrum(dim, decay), learning_rate, rho, 1.0, batch_size)
    eta, logarithm = problem.learning_rate, math.log(dim / learning_rate)
    if decay == 0:
        words, effective, power, factor, logs = "d", dim, "log^2(1/eta)", 1.0, math.log(1 / eta) ** 2
    elif decay < 1:
        words, effective = "d^(1-a)/(1-a)", dim ** (1 - decay) / (1 - decay)
        power, factor, logs = "log^2(d/eta)", 1.0, logarithm**2
    elif decay == 1:
        words, effective, power, factor, logs = "log d", math.log(dim), "log^3(d/eta)", 1 / math.log(dim), logarithm**3
    else:
        words, effective, power, factor, logs = "a/(a-1)", decay / (decay - 1), "a log^2(d/eta)", decay, logarithm**2
    independent = problem.independent()
    corrected, exact = problem.leading_nu(), problem.exact(mechanisms.nu_ftrl(problem.nu))
    name = "" if decay == 1 else "d_eff "
    nu = Rate(f"eta^2 {name}{power} / rho", eta**2 * effective * factor * logs * problem.scale, corrected, exact)
    printed = nu.as_printed / independent.as_printed
    ratio = Rate(f"eta {name}{power} / d", printed, corrected / independent.corrected, exact / independent.exact)
    trace = float(problem.eigenvalues.sum())
    return Decay(Rate(words, effective, trace, trace), independent, nu, ratio)


class _Problem(NamedTuple):
    eigenvalues: np.ndarray
    learning_rate: float
    batch_size: int
    scale: float  # G^2 / rho

    @classmethod
    def of(cls, eigenvalues, learning_rate, rho, clip_norm, batch_size) -> "_Problem":
        values = vector("eigenvalues", eigenvalues, above=0)
        rate = real("learning_rate", learning_rate, above=0, below=1 / values.max())
        scale = real("clip_norm", clip_norm, above=0) ** 2 / real("rho", rho, above=0)
        return cls(values, rate, whole("batch_size", batch_size, at_least=1), scale)

    @property
    def nu(self) -> float:
        return self.learning_rate * float(self.eigenvalues.min())

    def exact(self, noise: mechanisms.Mechanism) -> float:
        std = noise.limit_sensitivity() * math.sqrt(self.scale / 2)
        return asymptotic_excess_risk(self.eigenvalues, self.learning_rate, noise, std, batch_size=self.batch_size)

    def independent(self) -> Rate:
        value = self.learning_rate * self.eigenvalues.size * self.scale
        return Rate("eta d / rho", value, value / 8, self.exact(mechanisms.independent()))

    def leading_nu(self) -> float:
        slow = self.eigenvalues @ np.log(8 / (self.learning_rate * self.eigenvalues))
        return float(self.learning_rate**2 * self.scale / (4 * np.pi**2) * math.log(8 / self.nu) * slow)

    def nu_ftrl(self, formula: str, logarithms: float) -> Rate:
        value = float(self.learning_rate**2 * self.eigenvalues.sum() * logarithms * self.scale)
        return Rate(formula, value, self.leading_nu(), self.exact(mechanisms.nu_ftrl(self.nu)))
