"""What correlated noise does to a quadratic in finitely many steps, as a Gram matrix that an optimiser can be given.

Every risk here is quadratic in the noising matrix B of the run: with seed noise of std s on the mean gradient it is

    s^2 error(gram, B),     error = sum over t, k of gram[t, k] (B B^T)[t, k]

so that the best noise for the problem at hand is a matrix factorisation with this Gram matrix (`core.mechanisms`:
`best_toeplitz(gram)`, `optimal_dense(gram)`). The setting is that of `core.theory.quadratic`: Gaussian examples, batches
of B fresh ones, step t of the run in row t. Gram matrices are (steps, steps), symmetric and positive semidefinite.

Reference: the quadratic objective of matrix mechanisms (2310.06771, eq. (3)), with the learner's own map in place of
the prefix sum.
"""

import numpy as np

from core import check
from core.theory.moments import Moments


def last_iterate(eigenvalues, learning_rate: float, steps: int, batch_size: int = 1) -> np.ndarray:
    """Gram matrix of the excess risk F(theta_T) that noise causes after `steps` steps T.

        gram[t, k] = sum_j w_j(T-1 - max(t, k)) (1 - eta l_j)^|t - k|

    w_j(n) is the excess risk n steps after unit power has entered direction j.

    Guarantees: equals `excess_risk_curve_dense` at its last step, for any lower-triangular matrix.
    """
    system, steps = _system(eigenvalues, learning_rate, steps, batch_size)
    return _assemble(system, _responses(system, steps))


def average_risk(eigenvalues, learning_rate: float, steps: int, batch_size: int = 1) -> np.ndarray:
    """Gram matrix of the mean of F(theta_1), ..., F(theta_T): no step can be sacrificed for the last one.

    Guarantees: equals the mean of `excess_risk_curve_dense` over its steps 1 to T.
    """
    system, steps = _system(eigenvalues, learning_rate, steps, batch_size)
    return _assemble(system, np.cumsum(_responses(system, steps), axis=1) / steps)


def average_iterate(eigenvalues, learning_rate: float, steps: int, batch_size: int = 1) -> np.ndarray:
    """Gram matrix of the excess risk of the averaged iterate (theta_1 + ... + theta_T) / T.

    With Q_t = I - eta (mean of x x^T) and R_t = I + R_{t+1} Q_{t+1}, noise of step t reaches the sum of iterates through
    R_t, A = E Q = I - eta H, and for k > t

        gram[t, k] = eta^2 / (2 T^2) (tr E[R_k]^T H (A^0 + ... + A^(k-t-1)) + tr E[R_k^T H R_k] A^(k-t))

    Guarantees: equals a simulation of the averaged iterate; exact without sampling noise (batch_size -> infinity).
    """
    system, steps = _system(eigenvalues, learning_rate, steps, batch_size)
    powers = system.decay[:, None] ** np.arange(steps)
    sums = np.cumsum(powers, axis=1)  # E R_t = sums[:, T-1-t]
    second = np.empty_like(sums)  # E R_t^T H R_t = second[:, T-1-t]
    second[:, 0] = system.eigenvalues
    for n in range(1, steps):
        mixed = 2 * system.decay * sums[:, n - 1]
        second[:, n] = system.eigenvalues * (1 + mixed) + _carried(system, second[:, n - 1])
    togo, apart = _places(steps)
    gram = np.zeros((steps, steps))
    for j, (count, eigenvalue) in enumerate(zip(system.counts, system.eigenvalues, strict=True)):
        between = np.concatenate([[0.0], sums[j, :-1]])
        gram += count * (eigenvalue * sums[j][togo] * between[apart] + second[j][togo] * powers[j][apart])
    return gram * system.learning_rate**2 / (2 * steps**2)


def prefix_sums(steps: int) -> np.ndarray:
    """Gram matrix of the mean, over steps, of the squared running sum of the noise: the usual error of counting.

    Guarantees: equals the mean square of `Mechanism.prefix_std`.
    """
    steps = check.whole("steps", steps, at_least=1)
    row = np.arange(steps)
    return (steps - np.maximum.outer(row, row)) / steps


def error(gram: np.ndarray, noising_matrix: np.ndarray) -> float:
    """sum(gram * (B @ B.T)) for a noising matrix B of as many steps: the risk at unit seed noise."""
    noising = np.asarray(noising_matrix, dtype=float)
    check.require(noising.shape == gram.shape, "noising_matrix", noising.shape, f"shape {gram.shape}")
    return float(np.sum((gram @ noising) * noising))


def _carried(system: Moments, weight: np.ndarray) -> np.ndarray:
    """E Q diag(weight) Q, diagonal again: one step of the adjoint of the recursion of second moments, (k,)."""
    shared = system.eigenvalues * np.sum(system.counts * system.eigenvalues * weight)
    sampling = (system.eigenvalues**2 * weight + shared) * system.learning_rate**2 / system.batch_size
    return system.decay**2 * weight + sampling


def _responses(system: Moments, steps: int) -> np.ndarray:
    """Excess risk w_j(n) that unit noise power in direction j leaves n = 0, ..., steps-1 steps later, (k, steps)."""
    weight = system.learning_rate**2 * system.eigenvalues / 2
    found = np.empty((len(weight), steps))
    for n in range(steps):
        found[:, n] = weight
        weight = _carried(system, weight)
    return found


def _system(eigenvalues, learning_rate, steps, batch_size) -> tuple[Moments, int]:
    return Moments.of(eigenvalues, learning_rate, 0.0, batch_size, None), check.whole("steps", steps, at_least=1)


def _places(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps to go after the later one of two, and how far they are apart, each (steps, steps)."""
    row = np.arange(steps)
    return steps - 1 - np.maximum.outer(row, row), np.abs(np.subtract.outer(row, row))


def _assemble(system: Moments, weights: np.ndarray) -> np.ndarray:
    """sum_j count_j weights_j(T-1 - max(t, k)) a_j^|t-k|, (steps, steps)."""
    steps = weights.shape[1]
    # one matrix product holds every pair of (steps to go, steps apart); the Gram matrix only looks it up
    table = (system.counts[:, None] * weights).T @ (system.decay[:, None] ** np.arange(steps))
    return table[_places(steps)]
