"""The log-likelihood ratio of a run on Poisson batches with lambda-correlated noise, bounded from above or below.

With x what is released, in units of the clip norm, L(x) = log dP/dQ(x) is log D_0(0), where backwards from D_T = 1

    D_{t-1}(m) = (1-r) D_t(lambda m) + r exp(theta_t - gamma_t lambda m / kappa^2) D_t(lambda m + 1)
    theta_t = w_t/kappa^2 - gamma_t/(2 kappa^2),   w_t = x_t + lambda w_{t+1},   gamma_t = |C e_t|^2

m is what the record has added so far, 0 <= m <= 1/(1-lambda). D_t is convex and falls in m, so a chord between nodes
bounds it from above and its value at the next node up from below. Arrays over time run backwards here: the last step
comes first.
"""

from dataclasses import dataclass

import numpy as np

from core import toeplitz

NODES_ABOVE = 16  # overstates delta by 1 %, its noise multiplier by 0.1 %
NODES_BELOW = 96  # a bound of first order needs more


@dataclass(frozen=True)
class Run:
    """What is accounted; 0 < correlation < 1 and 0 < sampling_rate < 1, checked by the functions that make one."""

    correlation: float
    sampling_rate: float
    steps: int
    noise_multiplier: float

    def column_power(self) -> np.ndarray:
        """gamma (steps,): diagonal of C'C."""
        return np.cumsum(self.correlation ** (2.0 * np.arange(self.steps)))

    def row_sum(self) -> np.ndarray:
        """C'C 1 (steps,)."""
        column = self.correlation ** np.arange(self.steps)
        return toeplitz.multiply(column, np.cumsum(column)[::-1])


class LikelihoodRatio:
    """The recursion over many runs at once: `update` it with w, the last step first; then `log` bounds L, (samples,)."""

    def __init__(self, run: Run, samples: int, above: bool):
        nodes = NODES_ABOVE if above else NODES_BELOW
        share = np.linspace(0.0, 1.0, nodes)
        largest = 1 / (1 - run.correlation)
        m = largest * (0.3 * share + 0.7 * share**2)  # denser where a record is most of the time: it joins rarely
        stays = run.correlation * m
        joins = np.minimum(stays + 1, largest)
        self._stays = (1 - run.sampling_rate) * _interpolation(m, stays, above)
        self._joins = run.sampling_rate * _interpolation(m, joins, above)
        self._pull = stays[:, None] / run.noise_multiplier**2
        self._variance = run.noise_multiplier**2
        self._gamma = run.column_power()
        self._values = np.ones((nodes, samples))
        self._index = 0
        self.log = np.zeros(samples)

    def update(self, w: np.ndarray) -> None:
        """Take in w_t (samples,), one step further back each time."""
        gamma = self._gamma[self._index]
        joins = (self._joins * np.exp(-gamma * self._pull)) @ self._values
        joins *= np.exp((w - gamma / 2) / self._variance)
        self._values = self._stays @ self._values
        self._values += joins
        self._index += 1
        first = self._values[0].copy()
        self._values /= first
        self.log += np.log(first)


def _interpolation(nodes: np.ndarray, at: np.ndarray, above: bool) -> np.ndarray:
    """Matrix (at, nodes) that takes values at `nodes` to bounds of a convex falling function `at` other points."""
    right = np.clip(np.searchsorted(nodes, at), 1, len(nodes) - 1)
    share = (at - nodes[right - 1]) / (nodes[right] - nodes[right - 1])
    if not above:
        share = np.where(share > 0, 1.0, 0.0)
    matrix = np.zeros((len(at), len(nodes)))
    matrix[np.arange(len(at)), right - 1] = 1 - share
    matrix[np.arange(len(at)), right] = share
    return matrix
