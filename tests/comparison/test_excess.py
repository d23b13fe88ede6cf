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


def test_the_ratios_of_seven_problems(table):
    # computed independently by quadrature over frequency; columns: DP-SGD, anti-PGD, nu = eta mu, rule of thumb, best nu
    expected = {
        "1/k, 16 directions": (11.0384, 1.6109, 1.0693, 1.0079, 1.0067),
        "1/k, 128 directions": (77.0389, 3.1820, 1.0897, 1.0203, 1.0163),
        "1/k, 128 directions, batches of 8": (77.1554, 3.1832, 1.0895, 1.0203, 1.0163),
        "1/sqrt(k), 128 directions": (24.9179, 2.0289, 1.0195, 1.0011, 1.0010),
        "1/k^2, 128 directions": (290.2712, 6.6084, 1.5330, 1.2214, 1.1839),
        "one strong direction, 127 weak ones": (184.2687, 4.6203, 1.0254, 1.0255, 1.0193),
        "128 equal directions": (18.0991, 1.8076, 1.0000, 1.0000, 1.0000),
    }
    assert [values[0] for values in table.rows] == list(expected)
    for values in table.rows:
        assert values[3:] == pytest.approx(expected[values[0]], rel=1e-4)


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
