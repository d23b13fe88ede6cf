"""The program inside Theorem 3.1. That it is the right program, and its optimum, are tested in test_strongly_convex.py."""

import numpy as np
import pytest

from core import mechanisms
from core.theory import multiplier
from core.theory.multiplier import Program


@pytest.mark.parametrize(
    "smooth", [lambda omega: omega, lambda omega: 1 / (1e-4 + omega**2), lambda omega: np.cos(60 * omega) ** 2]
)
def test_the_weights_are_those_of_a_mean(smooth):
    program = Program(0.1, 0.1, -1, 60)
    fine = (np.arange(4_000_000) + 0.5) * np.pi / 4_000_000
    assert program.average @ smooth(program.omega) == pytest.approx(smooth(fine).mean(), rel=1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_psi_is_what_the_matrix_inequality_needs(sign):
    """psi = |M12|^2 / a + M22 with the matrix M of (89), written out in complex numbers."""
    program = Program(0.3, 0.2, sign, 3)
    x = np.array([8.0, 1.0, 0.5, 0.25])
    z, eta, mu = np.exp(1j * program.omega), 0.3, 0.2
    lags = -sign * np.arange(4)  # causal for the negative sign, anticausal for the positive
    whole = np.exp(-1j * np.outer(program.omega, lags)) @ (x * [1, sign, sign, sign])
    mixed = mu * whole + whole.conj()
    first = 2 * eta * np.real((1 - z) * mixed) - 2 * eta**2 * mu * whole.real - 2 * whole.real * np.abs(1 - z) ** 2
    off = -(eta**2) * mixed + 2 * eta * (1 - z).conj() * whole.real
    assert program.slack(x) == pytest.approx(-(eta**2) - first, rel=1e-10)
    psi = np.abs(off) ** 2 / (-(eta**2) - first) - 2 * eta**2 * whole.real
    assert program.psi(x) == pytest.approx(psi, rel=1e-7, abs=1e-9)


def test_the_least_constant_is_where_the_slack_vanishes():
    for rate, curvature in ((0.1, 0.1), (1.5, 0.01), (1.99, 0.5)):
        program = Program(rate, curvature, -1, 0)
        assert program.slack(np.array([1.0001 * program.least])).min() > 0
        assert program.slack(np.array([0.99 * program.least])).min() < 0


def test_derivatives_are_those_of_the_merit():
    program = Program(0.3, 0.2, -1, 4)
    barrier = multiplier._Barrier(program, program.average * (1 + program.omega))
    x = np.array([6.0, 0.5, 0.4, 0.3, 0.2])
    gradient, curvature = barrier.derivatives(x, 50.0)
    for j in range(5):
        change = np.zeros(5)
        change[j] = 1e-5
        up, down = (barrier.merit(x + sign * change, 50.0) for sign in (1, -1))
        assert (up - down) / 2e-5 == pytest.approx(gradient[j], rel=1e-5, abs=1e-6)
        steeper, flatter = (barrier.derivatives(x + sign * change, 50.0)[0] for sign in (1, -1))
        assert (steeper - flatter) / 2e-5 == pytest.approx(curvature[j], rel=1e-5, abs=1e-5)


def test_a_start_near_by_leads_to_the_same_optimum():
    program = Program(0.1, 0.1, -1, 30)
    weights = [np.abs(mechanisms.nu_ftrl(nu).frequency_response(program.omega)) ** 2 for nu in (0.05, 0.01)]
    near = program.solve(weights[0])
    fresh, warm = program.solve(weights[1]), program.solve(weights[1], near)
    assert program.mean(weights[1], warm) == pytest.approx(program.mean(weights[1], fresh), rel=2e-6)


@pytest.mark.parametrize(
    "rate, condition_number, lags", [(1.5, 5.0, 60), (0.01, 1000.0, 180), (0.1, 1.001, 60), (0.1, 10, 3), (0.1, 1 + 1e-6, 20)]
)
def test_the_multiplier_stays_valid_between_the_frequencies_it_was_found_at(rate, condition_number, lags, monkeypatch):
    program = Program(rate, 1 / condition_number, -1, lags)
    found = program.solve(np.ones_like(program.omega))
    assert found.min() >= 0 and found[0] >= found[1:].sum()
    monkeypatch.setattr(multiplier, "_NODES", 43)
    finer = Program(rate, 1 / condition_number, -1, lags)
    assert finer.slack(found).min() > 0
    assert finer.mean(1.0, found) == pytest.approx(program.mean(1.0, found), rel=1e-4)


@pytest.mark.parametrize("limit", ["_MOST_STAGES", "_MOST_STEPS", "_MOST_HALVINGS"])
def test_a_solution_that_takes_too_long_is_refused_loudly(limit, monkeypatch):
    monkeypatch.setattr(multiplier, limit, 1)
    program = Program(0.1, 0.1, -1, 5)
    with pytest.raises(ValueError, match="=1, expected .* before that$"):
        program.solve(np.ones_like(program.omega))
