"""The log-likelihood ratio against the sum over all participations."""

import itertools

import numpy as np
import pytest

from core.amplification.likelihood import LikelihoodRatio, Run
from core.mechanisms import lambda_cgd


def exact_log_ratio(run, x):
    """log dP/dQ (samples,) of releases x (samples, steps), by all 2^steps participations."""
    matrix = lambda_cgd(run.correlation).strategy_matrix(run.steps)
    joins = np.array(list(itertools.product((0, 1), repeat=run.steps)))
    count = joins.sum(axis=1)
    means = joins @ matrix.T
    log_prior = count * np.log(run.sampling_rate) + (run.steps - count) * np.log1p(-run.sampling_rate)
    exponents = (x @ means.T - (means**2).sum(axis=1) / 2) / run.noise_multiplier**2
    return np.logaddexp.reduce(log_prior + exponents, axis=1)


def bounds(run, x):
    """Lower and upper bound (samples,) by the recursion."""
    ratios = [LikelihoodRatio(run, len(x), above) for above in (False, True)]
    w = np.zeros(len(x))
    for released in x.T[::-1]:
        w = released + run.correlation * w
        for ratio in ratios:
            ratio.update(w)
    return [ratio.log for ratio in ratios]


@pytest.mark.parametrize("run", [Run(0.6, 0.3, 10, 1.2), Run(0.1, 0.05, 9, 0.5), Run(0.9, 0.2, 11, 4.0)])
def test_bounds_hold_the_exact_ratio_between_them(run):
    generator = np.random.default_rng(0)
    x = run.noise_multiplier * generator.standard_normal((500, run.steps)) + generator.integers(0, 3, (500, 1))
    exact = exact_log_ratio(run, x)
    below, above = bounds(run, x)
    assert np.all(below <= exact + 1e-12) and np.all(exact <= above + 1e-12)
    assert np.max(above - exact) < 0.06
    assert np.max(exact - below) < 0.25


def test_upper_bound_of_a_given_release():
    # x_t = 1.5 sin(1 + 2t) + .5, t = 0..9: the sum over 1024 participations is .15969060, with 64 nodes .1597849
    x = 1.5 * np.sin(1 + 2 * np.arange(10.0)) + 0.5
    (above,) = bounds(Run(0.6, 0.3, 10, 1.2), x[None])[1]
    assert 0.15969060 < above < 0.1625


def test_a_long_run_neither_overflows_nor_falls_below_never_having_joined():
    run = Run(0.9, 0.05, 400, 1.0)
    below, above = bounds(run, np.array([[30.0] * 400, [-60.0] * 400]))
    assert np.all(np.isfinite(above))
    assert below[1] == pytest.approx(400 * np.log(0.95), rel=1e-12) == above[1]


def test_products_of_the_strategy_matrix():
    run = Run(0.7, 0.1, 300, 1.0)
    matrix = lambda_cgd(0.7).strategy_matrix(300)
    gram = matrix.T @ matrix
    assert run.column_power() == pytest.approx(np.diag(gram)[::-1], rel=1e-12)
    assert run.row_sum() == pytest.approx(gram.sum(axis=1)[::-1], rel=1e-12)
