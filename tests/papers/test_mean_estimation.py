"""Figure 1 of 2310.06771. Reference ratios computed independently from Theorem 2.1 and a complete elliptic integral."""

import numpy as np
import pytest

from core import mechanisms
from core.papers.correlated_noise import figure1, figure1_coefficients, figure1_spectrum
from core.theory import mean

EXACT = "best noise: nu-DP-FTRL, nu = learning rate"


@pytest.mark.parametrize(
    "learning_rate, ratio, tolerance",
    [
        (0.0001, 0.002582969181746635, 1e-9),
        (0.01, 0.09086834918590363, 1e-9),
        (0.1, 0.400491, 1e-6),
        (0.5, 0.8637897153518537, 1e-9),
        (0.99, 0.9999499984374217, 1e-12),
    ],
)
def test_ratio_is_that_of_the_theorem(learning_rate, ratio, tolerance):
    drawn = mean.optimal_risk(learning_rate, rho=1.0) / mean.dp_sgd_risk(learning_rate, rho=1.0)
    assert drawn == pytest.approx(ratio, rel=tolerance)
    curve = figure1("full").curve(EXACT)
    if curve.x[0] < learning_rate < curve.x[-1]:
        at = np.interp(np.log(learning_rate), np.log(curve.x), curve.y)
        assert at == pytest.approx(ratio, rel=1e-3), "the curve goes through it"


def test_ratio_rises_to_one_while_the_printed_rate_falls_to_zero():
    result = figure1("full")
    exact, printed = result.curve(EXACT), result.curve("printed rate, without constants")
    assert np.all(np.diff(exact.x) > 0) and np.all(np.diff(exact.y) > 0) and np.all(exact.y < 1)
    assert exact.y[-1] > 0.999 and printed.y[-1] < 1e-3
    assert "falls to 0: Matches the paper: at learning rate 0.001 the best noise leaves 1.5% of" in result.verdict
    assert "rises to 1: Does not match the paper: at learning rate 0.982 the best noise leaves 100.0% of" in result.verdict


def test_verdict_follows_the_numbers(monkeypatch):
    monkeypatch.setattr(mean, "optimal_risk", lambda learning_rate, rho: 1e-3 * mean.dp_sgd_risk(learning_rate, rho))
    assert "rises to 1: Matches" in figure1().verdict
    monkeypatch.setattr(mean, "optimal_risk", mean.dp_sgd_risk)
    assert "falls to 0: Does not match" in figure1().verdict


def test_coefficients_are_those_of_the_theorem():
    result = figure1_coefficients()
    half = result.curve("learning rate 0.5")
    # -(-1)^t binomial(1/2, t) (1 - eta)^t for t = 1, 2, 3 by hand
    assert half.x[:3].tolist() == [1, 2, 3]
    np.testing.assert_allclose(half.y[:3], [1 / 2 * 0.5, 1 / 8 * 0.5**2, 1 / 16 * 0.5**3], rtol=1e-12)
    assert all(np.all(curve.y > 0) for curve in result.curves)
    assert "20 steps take back 0.85 at learning rate 0.01, 0.68 at learning rate 0.1, 0.29 at" in result.verdict


def test_coefficients_that_are_not_negative_are_told(monkeypatch):
    monkeypatch.setattr(mechanisms, "nu_ftrl", lambda nu: mechanisms.independent())
    assert figure1_coefficients().verdict.startswith("Does not match the paper: ")


def test_spectrum_is_that_of_the_proof_and_of_the_coefficients():
    result = figure1_spectrum()
    curve = result.curve("learning rate 0.1")
    coef = mechanisms.nu_ftrl(0.1).noising_coef(2000)
    at_pi = abs(np.sum(coef * (-1.0) ** np.arange(2000))) ** 2
    assert curve.x[-1] == pytest.approx(np.pi) and curve.y[-1] == pytest.approx(at_pi, rel=1e-6)
    assert curve.y[0] == pytest.approx(abs(0.9 - np.exp(1e-3j)), rel=1e-9)
    assert result.verdict.startswith("Matches")
