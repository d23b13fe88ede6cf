"""Each noise over the optimum, against quadrature; the last-iterate trick, against dense algebra."""

import numpy as np
import pytest

from core import mechanisms
from core.comparison import excess
from core.results import Table
from core.theory import quadratic


@pytest.fixture(scope="module")
def table() -> Table:
    return excess.relative_excess()


def row(table, words):
    return next(dict(zip(table.columns, values, strict=True)) for values in table.rows if values[0] == words)


EDGES = np.concatenate([[0.0], np.geomspace(1e-10, np.pi, 80)])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
OMEGA = ((EDGES[1:] + EDGES[:-1])[:, None] / 2 + np.diff(EDGES)[:, None] / 2 * NODES).ravel()
SHARE = (np.diff(EDGES)[:, None] / 2 * WEIGHTS).ravel() / np.pi
"""Gauss's rule on panels that shrink towards frequency 0, where slow directions and long memories live."""


def test_the_ratios_are_those_of_quadrature_over_frequency(table):
    """Noise of power |B|^2 leaves (mean of |B|^2 h)(mean of 1/|B|^2), at least (mean of sqrt h)^2, with h written out here."""
    turn = np.exp(1j * OMEGA)
    for problem, values in zip(excess.PROBLEMS, table.rows, strict=True):
        rates = problem.learning_rate * problem.eigenvalues
        weights = problem.eigenvalues * (2 - rates) / (2 - rates * (1 + 1 / problem.batch_size))
        heard = sum(weight / abs(1 - turn - rate) ** 2 for rate, weight in zip(rates, weights, strict=True))

        def ratio(power, heard=heard):
            return SHARE @ (power * heard) * (SHARE @ (1 / power)) / (SHARE @ np.sqrt(heard)) ** 2

        def damped(damping):
            return abs(1 - (1 - damping) * turn) ** 2

        grid = np.geomspace(rates.min() / 2, 1.0, 1000)
        anti_pgd, best_nu = (min(ratio(damped(damping) ** power) for damping in grid) for power in (1.0, 0.5))
        least, mean = (ratio(np.sqrt(damped(nu))) for nu in (rates.min(), rates.mean()))
        assert values[0] == problem.words
        # a grid of 1000 values stops within a thousandth above the minimum
        assert values[3:] == pytest.approx((ratio(np.ones_like(OMEGA)), anti_pgd, least, mean, best_nu), rel=1e-3)
        assert values[3::2] == pytest.approx((ratio(np.ones_like(OMEGA)), least, best_nu), rel=2e-4)


def test_nothing_is_better_than_the_optimum(table):
    assert min(min(values[3:]) for values in table.rows) >= 1 - 1e-9


def test_the_optimum_is_that_of_its_mechanism(table):
    noise = mechanisms.optimal_for(1 / np.arange(1, 17), 0.05)
    risk = quadratic.asymptotic_excess_risk(1 / np.arange(1, 17), 0.05, noise, noise.limit_sensitivity() / np.sqrt(2))
    assert row(table, "1/k, 16 directions")["optimum"] == pytest.approx(risk, rel=1e-9)


def test_the_verdict_says_the_largest_and_the_smallest(table):
    assert "11 to 290 times" in table.verdict and "0.00% to 18.39%" in table.verdict


@pytest.mark.parametrize("problem", excess.PROBLEMS[:5], ids=lambda problem: problem.words)
def test_no_other_damping_is_better(problem):
    best = excess._best_damping(problem)

    def risk(damping):
        noise = mechanisms.anti_pgd(damping)
        return quadratic.asymptotic_excess_risk(
            problem.eigenvalues, problem.learning_rate, noise, noise.limit_sensitivity(), batch_size=problem.batch_size
        )

    assert risk(best) <= min(risk(best * 1.02), risk(best / 1.02))
    assert risk(best * 1.3) > risk(best) < risk(best / 1.3)


@pytest.fixture(scope="module")
def trick():
    return excess.last_iterate_trick(1 / np.arange(1, 17), 0.05, 64)


def test_the_best_matrix_wins_at_the_last_step_only(trick):
    last, mean, toeplitz, nu = (curve.y for curve in trick.curves)
    assert last[-1] == min(curve.y[-1] for curve in trick.curves)
    assert mean[1:].mean() == min(curve.y[1:].mean() for curve in trick.curves)
    # computed independently: least excess risk of a Toeplitz matrix after 64 steps, by dense linear algebra
    assert toeplitz[-1] == pytest.approx(0.009029823156064348, rel=1e-5)
    assert toeplitz[-1] <= nu[-1]


def test_one_step_earlier_it_is_several_times_worse_and_the_verdict_says_so(trick):
    last, toeplitz = trick.curves[0].y, trick.curves[2].y
    assert last[-2] / last[-1] == pytest.approx(4.33, rel=0.01)
    assert 0.27 < last[-1] / toeplitz[-1] < 0.85
    assert f"{last[-2] / last[-1]:.3g} times" in trick.verdict
    assert f"{last[-1] / toeplitz[-1]:.3g} times" in trick.verdict


def test_every_curve_is_at_the_same_privacy(trick):
    noise = mechanisms.nu_ftrl(float(trick.curves[3].label.split(" = ")[1]))
    std = noise.sensitivity(64) / np.sqrt(2)
    curve = quadratic.excess_risk_curve(1 / np.arange(1, 17), 0.05, 64, noise.noising_coef(64), std)
    assert trick.curves[3].y == pytest.approx(curve, rel=0.01)
