"""How far each noise is from the best one: over seven problems in the long run, and step by step in a finite one."""

from dataclasses import dataclass

import numpy as np

from core import mechanisms
from core.check import whole
from core.problems.spectrum import spectrum
from core.results import Curve, Result, Table
from core.theory import optimal_noise, quadratic, workload

COLUMNS = (
    "problem",
    "rate",
    "optimum",
    "DP-SGD",
    "anti-PGD",
    "least nu",
    "nu by rule",
    "best nu",
)


@dataclass(frozen=True, eq=False)
class Problem:
    """Gaussian linear regression: `words` for people, Hessian eigenvalues (d,), learning rate, batch size."""

    words: str
    eigenvalues: np.ndarray
    learning_rate: float
    batch_size: int = 1


PROBLEMS = (
    Problem("1/k, 16 directions", spectrum(16, 1.0), 0.05),
    Problem("1/k, 128 directions", spectrum(128, 1.0), 0.02),
    Problem("1/k, 128 directions, batches of 8", spectrum(128, 1.0), 0.02, 8),
    Problem("1/sqrt(k), 128 directions", spectrum(128, 0.5), 0.02),
    Problem("1/k^2, 128 directions", spectrum(128, 2.0), 0.02),
    Problem("one strong direction, 127 weak ones", np.concatenate([[1.0], np.full(127, 1 / 128)]), 0.02),
    Problem("128 equal directions", np.ones(128), 0.005),
)
"""Spectra of the paper's Table 4 and Section 2.2; the learning rates are stable."""


def relative_excess(problems=PROBLEMS) -> Table:
    """Stationary suboptimality of each noise over that of the optimum among all Toeplitz noises, problem by problem.

    Privacy noise alone at rho = clip_norm = 1, in closed form; the column "optimum" is the suboptimality itself.

    Guarantees: every ratio is at least 1; 1 for nu-FTRL where all directions are equal.
    """
    rows = tuple(_row(problem) for problem in problems)
    best, worst = (column([row[-1] for row in rows]) for column in (min, max))
    sgd = [row[3] for row in rows]
    return Table(
        title="Suboptimality of each noise over that of the best one",
        columns=COLUMNS,
        rows=rows,
        source="arXiv 2310.06771, Section 2.2 and Appendix C; the optimum by Cauchy and Schwarz",
        caption="1 is the best that any noise can do that treats all steps alike, in the long run and at the same "
        "privacy. "
        "Rate: the learning rate. anti-PGD has its best damping. Least nu is learning rate x least eigenvalue; the rule of "
        "thumb is learning rate x mean eigenvalue: nothing to tune.",
        verdict=f"DP-SGD is {min(sgd):.3g} to {max(sgd):.3g} times the optimum. With the best nu, nu-DP-FTRL is "
        f"{_percent(best)} to {_percent(worst)} above it.",
        settings={"rho": 1.0, "clip_norm": 1.0, "label_noise": 0.0},
    )


def last_iterate_trick(eigenvalues, learning_rate: float, steps: int, batch_size: int = 1) -> Result:
    """Suboptimality at every step under the matrix that is best for the last one, and under noises that are fair to all.

    All at rho = clip_norm = 1 over the whole run, privacy noise alone, started at the optimum.

    Guarantees: at the last step nothing is below the matrix that is best for it; the mean over steps is least for the
    matrix that is best for that.
    """
    steps = whole("steps", steps, at_least=2)
    problem = (eigenvalues, learning_rate, steps, batch_size)
    nu, _ = optimal_noise.best_nu(eigenvalues, learning_rate, steps, batch_size)
    last, mean = workload.last_iterate(*problem), workload.average_risk(*problem)
    arms = (
        ("best matrix for the last step", "optimal_dense", mechanisms.optimal_dense(last)),
        ("best matrix for the mean over steps", "dense", mechanisms.optimal_dense(mean)),
        ("best Toeplitz noise for the last step", "best_toeplitz", mechanisms.best_toeplitz(last)),
        (f"nu-DP-FTRL, best nu = {nu:.3g}", "nu_ftrl", mechanisms.nu_ftrl(nu)),
    )
    curves = tuple(
        Curve(
            label,
            np.arange(steps + 1),
            _curve(noise, eigenvalues, learning_rate, steps, batch_size),
            arm=arm,
            exact=True,
        )
        for label, arm, noise in arms
    )
    dense, toeplitz = curves[0].y, curves[2].y
    return Result(
        title="A matrix that is best at the last step, and what it does before",
        curves=curves,
        x_name="step",
        y_name="privacy_excess_risk",
        source="arXiv 2310.06771, Section 4 (dense matrices); the workload is the last iterate of Noisy-FTRL",
        caption="The part of the suboptimality that privacy noise causes, at rho = 1. The best matrix for the last step buys its advantage there: it lets noise stand in earlier steps and "
        "takes it back "
        "in the very last one. Whoever stops one step earlier, or watches the run, pays for it. Optimised for the "
        "mean over all "
        "steps, a matrix has no such trick to play.",
        verdict=f"At step {steps} the best matrix has {dense[-1] / toeplitz[-1]:.3g} times the suboptimality of the "
        f"best Toeplitz noise; "
        f"one step earlier it has {dense[-2] / dense[-1]:.3g} times what it has at the end, and "
        f"{dense[-2] / toeplitz[-2]:.3g} times "
        "that of the Toeplitz noise.",
        settings={
            "learning_rate": learning_rate,
            "steps": steps,
            "batch_size": batch_size,
            "rho": 1.0,
            "clip_norm": 1.0,
            "label_noise": 0.0,
        },
    )


def _row(problem: Problem) -> tuple:
    arguments = (problem.eigenvalues, problem.learning_rate)
    optimum = optimal_noise.optimal_excess_risk(*arguments, problem.batch_size)

    def over(noise: mechanisms.Mechanism) -> float:
        std = noise.limit_sensitivity() / np.sqrt(2)
        return quadratic.asymptotic_excess_risk(*arguments, noise, std, batch_size=problem.batch_size) / optimum

    nu, risk = optimal_noise.best_nu(*arguments, batch_size=problem.batch_size)
    return (
        problem.words,
        problem.learning_rate,
        optimum,
        over(mechanisms.independent()),
        over(mechanisms.anti_pgd(_best_damping(problem))),
        over(mechanisms.nu_ftrl(problem.learning_rate * float(problem.eigenvalues.min()))),
        over(mechanisms.nu_ftrl(optimal_noise.rule_of_thumb_nu(*arguments))),
        risk / optimum,
    )


def _best_damping(problem: Problem) -> float:
    """The damping of least suboptimality, in closed form.

    At damping q the power felt in a direction of decrement e is q^2 + 2 (1 - q) e and the squared sensitivity 1/(q (2 - q)),
    so that with weighted sums alpha of 1 and beta of e the risk goes with (alpha q^2 + 2 beta (1 - q)) / (q (2 - q)), least
    at the positive root of (alpha - beta) q^2 + 2 beta q - 2 beta.
    """
    decrement = problem.learning_rate * problem.eigenvalues
    weight = 1 / (2 - decrement * (1 + 1 / problem.batch_size))
    alpha, beta = weight.sum(), weight @ decrement
    return float(2 * beta / (beta + np.sqrt(beta * (2 * alpha - beta))))


def _curve(noise, eigenvalues, learning_rate: float, steps: int, batch_size: int) -> np.ndarray:
    std = noise.sensitivity(steps) / np.sqrt(2)
    return quadratic.excess_risk_curve_dense(
        eigenvalues, learning_rate, noise.noising_matrix(steps), std, batch_size=batch_size
    )


def _percent(ratio: float) -> str:
    return f"{ratio - 1:.2%}"
