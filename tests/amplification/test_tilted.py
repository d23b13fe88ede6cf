"""The tilted chain: exact weights, a bound that no draw passes, and surrogates on the right side of the likelihood."""

import math

import numpy as np
import pytest

from core.amplification.likelihood import LikelihoodRatio, Run
from core.amplification.tilted import GIVEN_UP, TiltedChain, add_surrogate, make_grid, remove_surrogate
from tests.amplification.test_likelihood import exact_log_ratio

RUNS = [Run(0.6, 0.2, 9, 1.0), Run(0.9, 0.1, 8, 2.5), Run(0.2, 0.5, 8, 0.8)]


def chains(run, x):
    """w (samples, steps) of releases x, the last step first, as accumulated by the recursion."""
    w = np.zeros((len(x), run.steps + 1))
    for index, released in enumerate(x.T[::-1]):
        w[:, index + 1] = released + run.correlation * w[:, index]
    return w[:, 1:]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("order", [0.5, 3.0])
def test_surrogates_bound_the_likelihood(run, order):
    nodes = np.linspace(-40 * run.noise_multiplier, 40 * run.noise_multiplier, 40_001)
    x = run.noise_multiplier * 2 * np.random.default_rng(0).standard_normal((2000, run.steps))
    exact, w = exact_log_ratio(run, x), chains(run, x)
    above, below = remove_surrogate(run, 1.0, order, nodes), add_surrogate(run, 1.0, order, nodes)
    tilt = [sum(np.interp(w[:, t], nodes, one.values[t]) for t in range(run.steps)) for one in (above, below)]
    assert np.all(tilt[0] >= (1 + order) * exact - 1e-9)
    assert np.all(tilt[1] >= -order * exact - 1e-9)
    assert np.quantile(tilt[0] / (1 + order) - exact, 0.5) < 1.5  # not far off
    ratio = np.linspace(1e-3, 8, 100_000)
    payoffs = (np.exp(ratio) - math.e) * np.exp(-(1 + order) * ratio), (1 - np.exp(1 - ratio)) * np.exp(-order * ratio)
    assert np.log(payoffs[0].max()) == pytest.approx(above.log_payoff, abs=1e-6)
    assert np.log(payoffs[1].max()) == pytest.approx(below.log_payoff, abs=1e-6)


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("run", [Run(0.6, 0.1, 9, 2.0), Run(0.9, 0.05, 8, 3.0), Run(0.3, 0.2, 8, 1.5)])
def test_draws_estimate_delta_and_none_passes_the_bound(run, remove):
    """delta of a short run by plain draws from Q, with the exact ratio, against weighted draws of the tilted chain."""
    epsilon, order, samples = 0.2, 1.0, 20_000
    grid = make_grid(run, 1e-3, 0.5)
    surrogate = remove_surrogate if remove else add_surrogate
    chain = TiltedChain(run, grid, surrogate(run, epsilon, order, grid.nodes()))
    log_weight, log_ratio = chain.draw(samples, np.random.default_rng(1), above=True)

    def payoff(log_ratio):
        gain = np.exp(log_ratio) - math.exp(epsilon) if remove else 1 - np.exp(epsilon + log_ratio)
        return np.maximum(0.0, gain)

    weighted = np.exp(log_weight) * payoff(log_ratio)
    assert weighted.max() <= math.exp(chain.log_bound) * (1 if not remove else 1.05)  # 5 %: chords of the recursion
    assert weighted.max() > 0.05 * math.exp(chain.log_bound)  # the bound is of use
    x = run.noise_multiplier * np.random.default_rng(2).standard_normal((20_000, run.steps))
    plain = payoff(exact_log_ratio(run, x))
    error = math.hypot(weighted.std(), plain.std()) / math.sqrt(samples)
    assert abs(weighted.mean() - plain.mean()) < 4 * error + 0.02 * plain.mean()
    assert weighted.std() < plain.std()


def test_weights_have_mean_one_but_for_what_leaves_the_grid():
    run = Run(0.7, 0.1, 50, 1.5)
    grid = make_grid(run, 1e-4, 0.5)
    chain = TiltedChain(run, grid, remove_surrogate(run, 1.0, 0.05, grid.nodes()))
    weights = np.exp(chain.draw(40_000, np.random.default_rng(3), above=True)[0])
    assert abs(weights.mean() - 1) < 4 * weights.std() / math.sqrt(len(weights))


def test_the_grid_is_hardly_ever_left():
    run, delta, samples = Run(0.8, 0.05, 40, 1.0), 0.9, 50_000  # a delta at which leaving would be seen
    grid = make_grid(run, delta, 0.5)
    generator = np.random.default_rng(4)
    column = run.correlation ** np.arange(run.steps)
    joins = generator.random((samples, run.steps)) < run.sampling_rate
    x = np.array([np.convolve(one, column)[: run.steps] for one in joins[:5000]])
    x += run.noise_multiplier * generator.standard_normal(x.shape)
    w = chains(run, x)
    left = (w > grid.last * grid.width) | (w < grid.first * grid.width)
    left |= (x[:, ::-1] > grid.above * grid.width) | (x[:, ::-1] < grid.below * grid.width)
    assert left.any(axis=1).mean() <= GIVEN_UP * delta


def test_the_recursion_inside_a_draw_is_that_of_its_chain():
    run = Run(0.5, 0.2, 6, 1.0)
    grid = make_grid(run, 1e-3, 0.5)
    flat = TiltedChain(run, grid, remove_surrogate(run, 1.0, 1e-9, grid.nodes()))
    log_ratio = flat.draw(4000, np.random.default_rng(5), above=True)[1]
    x = np.random.default_rng(6).standard_normal((4000, run.steps))
    ratio, w = LikelihoodRatio(run, 4000, True), np.zeros(4000)
    # tilted by e^L the releases come from P: their ratio is larger than under Q, by the divergences of the two
    for released in x.T[::-1]:
        w = released + run.correlation * w
        ratio.update(w)
    assert log_ratio.mean() > ratio.log.mean() + 4 * ratio.log.std() / math.sqrt(4000)
