"""The best Toeplitz noise for so many steps: stationary, and better than every family it contains."""

import numpy as np
import pytest
from scipy.optimize import minimize

from core import mechanisms
from core.theory import workload

SPECTRUM = 1 / np.arange(1, 9)


def private_error(mechanism, gram):
    return mechanism.sensitivity(len(gram)) ** 2 * workload.error(gram, mechanism.noising_matrix(len(gram)))


@pytest.mark.parametrize(
    "gram",
    [workload.prefix_sums(6), workload.last_iterate(SPECTRUM, 0.2, 6, 4), workload.average_iterate(SPECTRUM, 0.2, 6, 4)],
    ids=["prefix sums", "last iterate", "average iterate"],
)
def test_a_simplex_search_finds_nothing_better(gram):
    best = mechanisms.best_toeplitz(gram)

    def error(tail):
        return private_error(mechanisms.toeplitz((1.0, *tail)), gram)

    start = mechanisms.optimal_counting().noising_coef(6)[1:]
    options = {"xatol": 1e-9, "fatol": 1e-14, "maxiter": 10_000, "maxfev": 10_000}
    searched = minimize(error, start, method="Nelder-Mead", options=options)
    assert private_error(best, gram) == pytest.approx(searched.fun, rel=1e-8)


@pytest.mark.parametrize("name", ["prefix_sums", "last_iterate", "average_risk"])
def test_it_beats_the_families(name):
    steps, rate = 120, 0.2
    build = getattr(workload, name)
    gram = build(steps) if name == "prefix_sums" else build(SPECTRUM, rate, steps, 4)
    best = private_error(mechanisms.best_toeplitz(gram), gram)
    families = [mechanisms.nu_ftrl(nu) for nu in (0.0, 0.01, 0.1, 1.0)]
    families += [mechanisms.optimal_for(SPECTRUM, rate, 4), mechanisms.lambda_cgd(0.5), mechanisms.banded_inverse_root(10)]
    assert all(best < private_error(family, gram) for family in families)


def test_the_stationary_optimum_is_its_limit_in_long_runs():
    """At 400 steps of a problem that forgets in 25, the mean risk prefers what the stationary theory does, nearly."""
    gram = workload.average_risk([1.0, 0.4], 0.1, 400, 4)
    best, stationary = mechanisms.best_toeplitz(gram), mechanisms.optimal_for([1.0, 0.4], 0.1, 4)
    assert private_error(best, gram) <= private_error(stationary, gram) < 1.02 * private_error(best, gram)


def test_one_step_needs_no_search_and_the_horizon_is_known():
    single = mechanisms.best_toeplitz(np.array([[2.0]]))
    assert single == mechanisms.best_toeplitz(np.array([[5.0]])) and single.noising_coef(3).tolist() == [1, 0, 0]
    assert not single.anytime and single.arm == "best_toeplitz"
