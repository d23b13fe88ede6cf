"""Rare runs drawn often: samples of the released noise, tilted so that large privacy losses are common, with weights.

Everything that the likelihood ratio L depends on is the chain w_t = x_t + lambda w_{t+1}, an autoregression under Q. A sum
of one function per step bounds L, from above (for P against Q) or from below (for Q against P):

    L <= sum_t f_t(w_t) + constant,   f_t(w) = log(1 - r + r exp(w/kappa^2 - a_t))

Hence drawing the chain from Q tilted by exp(s sum f_t) makes importance weights times payoff bounded, by the moment
bound of order s, which is a small multiple of the delta sought. The tilted chain is drawn on a grid: its transition
densities are bilinear between nodes, so that they can be drawn from, and divided by, exactly.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtri

from core.amplification.likelihood import LikelihoodRatio, Run

GIVEN_UP = 0.03
"""Share of delta that is charged for chains that leave the grid."""


@dataclass(frozen=True)
class Grid:
    """Nodes h * (first, ..., last) for w, and increments w_t - lambda w_{t+1} within h * (below, above)."""

    width: float
    first: int
    last: int
    below: int
    above: int

    def nodes(self) -> np.ndarray:
        return self.width * np.arange(self.first, self.last + 1)


def make_grid(run: Run, delta: float, slack: float) -> Grid:
    """A grid that a chain under P or Q leaves with probability at most `GIVEN_UP` delta, as coarse as `slack` allows.

    exp(slack) is what the grid costs in the bound on weight * payoff.
    """
    noise, steps, correlation = run.noise_multiplier, run.steps, run.correlation
    power = 1 / (1 - correlation**2)
    lags = correlation ** np.arange(steps)
    # nearly all is given up for large w, where the surrogate exaggerates most
    log_share, log_rest = math.log(steps / (0.9 * GIVEN_UP * delta)), math.log(30 * steps / (GIVEN_UP * delta))
    quantile = -noise * ndtri(math.exp(-log_rest))
    step = _largest(run.sampling_rate, lags, noise**2, log_rest)
    chain = _largest(run.sampling_rate, power * np.concatenate([lags, lags[1:]]), noise**2 * power, log_share)
    width = noise * math.sqrt(slack / steps / (0.25 + correlation / 4))
    return Grid(
        width,
        -math.ceil(quantile * math.sqrt(power) / width) - 1, math.ceil(chain / width) + 1,
        -math.ceil(quantile / width) - 2, math.ceil(step / width) + 2,
    )  # fmt: skip


def _largest(rate: float, responses: np.ndarray, variance: float, log_share: float) -> float:
    """Bound that sum_u y_u response_u plus Gaussian noise exceeds with log-probability at most -log_share (Chernoff)."""
    tilts = np.geomspace(0.01, 100, 60)[:, None] / math.sqrt(variance)
    with np.errstate(over="ignore"):
        moment = np.log1p(rate * np.expm1(tilts * responses)).sum(axis=1)
    tilts = tilts[:, 0]
    return float(np.min((moment + tilts**2 * variance / 2 + log_share) / tilts))


@dataclass(frozen=True)
class Surrogate:
    """The tilt: log-weights g_t (steps, nodes), and log of the largest payoff * exp(-sum g_t)."""

    values: np.ndarray
    log_payoff: float


def remove_surrogate(run: Run, epsilon: float, order: float, nodes: np.ndarray) -> Surrogate:
    """Tilt by (1 + order) L from above: participations do not get in each other's way, a_t = gamma_t/(2 kappa^2).

    The payoff is exp(L) - exp(epsilon).
    """
    theta = (nodes - run.column_power()[:, None] / 2) / run.noise_multiplier**2
    log_payoff = order * math.log(order) - (1 + order) * math.log1p(order) - order * epsilon
    return Surrogate((1 + order) * _log_join(run.sampling_rate, theta), log_payoff)


def add_surrogate(run: Run, epsilon: float, order: float, nodes: np.ndarray) -> Surrogate:
    """Tilt by -order L from below: Jensen over the tilted participations p_t, and 2 p_u p_v <= p_u^2 + p_v^2.

    Steps at which that is worse than no participation at all count as none. The payoff is 1 - exp(epsilon + L).
    """
    variance, absent = run.noise_multiplier**2, math.log1p(-run.sampling_rate)
    gamma = run.column_power()[:, None] / variance
    neighbours = run.row_sum()[:, None] / variance - gamma
    theta = nodes / variance - gamma / 2
    odds = math.log(run.sampling_rate) - absent
    joins = expit(theta + odds)
    values = _log_join(run.sampling_rate, theta) - neighbours / 2 * joins**2
    worse = values < absent
    worse[:, 1:] |= worse[:, :-1]  # also at neighbouring nodes, so that chords stay below the kink
    worse[:, :-1] |= worse[:, 1:]
    # elsewhere a chord exceeds this function by at most width^2/8 times its largest second derivative in two cells
    width = nodes[1] - nodes[0]
    highest = expit(theta + odds + width / variance)
    bend = np.minimum(0.25, highest) + 0.065 * neighbours * (highest > 2 / 3)
    values = np.where(worse, absent, values - bend * (width / variance) ** 2 / 8)
    log_payoff = order * math.log(order) - (1 + order) * math.log1p(order) - order * epsilon
    return Surrogate(-order * values, log_payoff)


def _log_join(rate: float, theta: np.ndarray) -> np.ndarray:
    return np.logaddexp(math.log1p(-rate), math.log(rate) + theta)


class TiltedChain:
    """The chain under Q, tilted by a surrogate: weight * payoff of a draw is at most exp(log_bound)."""

    def __init__(self, run: Run, grid: Grid, surrogate: Surrogate):
        self.run, self.grid = run, grid
        self.nodes = grid.nodes()
        offsets = np.arange(grid.below, grid.above + 1)
        self._increment = np.exp(self._log_density(grid.width * offsets)) * grid.width
        # backwards messages: V_i = exp(g_i) n_{i+1}(lambda w), n_i(m) = sum_b N(w_b - m) V_i(w_b)
        self._log_values = np.empty_like(surrogate.values)
        later, below = np.zeros(len(self.nodes)), run.steps * (grid.width / run.noise_multiplier) ** 2 / 4
        for index in range(run.steps - 1, -1, -1):
            # the chord of a kinked line is below it by at most a quarter of what the kink bends within one cell
            below += run.correlation / 4 * max(0.0, -float(np.diff(later, 2).min()))
            values = surrogate.values[index] + np.interp(run.correlation * self.nodes, self.nodes, later)
            self._log_values[index] = np.maximum(values, values.max() - 600)  # raised, never below: nothing underflows
            later = self._log_mean(self._log_values[index])
        self.log_bound = float(later[-grid.first]) + below + surrogate.log_payoff

    def draw(self, samples: int, generator: np.random.Generator, above: bool) -> tuple[np.ndarray, np.ndarray]:
        """Log-weights dQ/d(tilted) and bounds of L, both (samples,); weight 0 for a chain that leaves the grid."""
        ratio = LikelihoodRatio(self.run, samples, above)
        w, log_weight = np.zeros(samples), np.zeros(samples)
        for log_values in self._log_values:
            mean = self.run.correlation * w
            w, log_density = self._step(mean, log_values, generator)
            log_weight += self._log_density(w - mean) - log_density
            ratio.update(w)
        return log_weight, ratio.log

    def _step(self, mean, log_values, generator):
        """Draw w given the mean of its Gaussian, from densities bilinear in both; and the log of that density."""
        grid, uniforms = self.grid, generator.random((4, len(mean)))
        table = self._table(log_values)
        row, row_share = self._locate(mean)
        drawn_row = row + (uniforms[0] < row_share)
        cumulative = np.cumsum(table, axis=1)
        cumulative += np.arange(len(table))[:, None] - cumulative[:, -1:] + 1
        column = np.searchsorted(cumulative.ravel(), drawn_row + uniforms[1]) - drawn_row * table.shape[1]
        node = drawn_row + grid.below + np.clip(column, 0, table.shape[1] - 1) + grid.first
        w = grid.width * (node + uniforms[2] + uniforms[3] - 1)
        place, place_share = self._locate(w)
        column = place - row - grid.below
        inside = (column >= 1) & (column < table.shape[1] - 1) & (w >= self.nodes[0]) & (w <= self.nodes[-1])
        column = np.clip(column, 1, table.shape[1] - 2)
        density = (1 - row_share) * ((1 - place_share) * table[row, column] + place_share * table[row, column + 1])
        density += row_share * ((1 - place_share) * table[row + 1, column - 1] + place_share * table[row + 1, column])
        log_density = np.log(np.where(inside, density, 1.0) / grid.width)
        return np.clip(w, self.nodes[0], self.nodes[-1]), np.where(inside, log_density, np.inf)

    def _table(self, log_values):
        """Probabilities (nodes, offsets) of moving from a node to the nodes around it; each row sums to 1."""
        values = np.exp(log_values - log_values.max())
        padded = np.zeros(len(values) + len(self._increment) - 1)
        padded[-self.grid.below : len(values) - self.grid.below] = values
        windows = np.lib.stride_tricks.sliding_window_view(padded, len(self._increment))
        table = windows * self._increment
        return table / table.sum(axis=1, keepdims=True)

    def _locate(self, at):
        place = (at - self.nodes[0]) / self.grid.width
        index = np.clip(place.astype(int), 0, len(self.nodes) - 2)
        return index, np.clip(place - index, 0.0, 1.0)

    def _log_mean(self, log_values):
        peak = log_values.max()
        full = np.convolve(np.exp(log_values - peak), self._increment[::-1])
        return peak + np.log(full[self.grid.above :][: len(log_values)])

    def _log_density(self, increment):
        noise = self.run.noise_multiplier
        return -((increment / noise) ** 2) / 2 - math.log(noise * math.sqrt(2 * math.pi))
