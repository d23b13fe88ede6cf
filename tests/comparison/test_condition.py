import numpy as np
import pytest

from core import mechanisms
from core.comparison.condition import condition_numbers
from core.theory.strongly_convex import excess_risk_bound


@pytest.mark.parametrize("multiplier", ["corrected", "as_printed", "constant"])
def test_the_curves_are_the_bounds_and_in_order(multiplier):
    result = condition_numbers(0.2, (3, 12), multiplier)
    sgd, nu, best = (curve.y for curve in result.curves)
    assert sgd == pytest.approx(
        [excess_risk_bound(mechanisms.independent(), 0.2, number, multiplier) for number in (3, 12)]
    )
    assert np.all(best <= nu * (1 + 1e-4)) and np.all(nu < sgd)
    assert np.all(np.diff([sgd, nu, best]) > 0), "a larger condition number is never easier"
    assert result.settings["multiplier"] == multiplier


def test_the_gap_grows_and_the_verdict_says_its_size():
    result = condition_numbers(0.2, (3, 12))
    sgd, nu, best = (curve.y for curve in result.curves)
    assert sgd[1] / nu[1] > sgd[0] / nu[0]
    assert f"{sgd[1] / nu[1]:.3g} times" in result.verdict
    assert "condition number 12" in result.verdict


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="numbers"):
        condition_numbers(0.1, (0.5, 2))
    with pytest.raises(ValueError, match="multiplier"):
        condition_numbers(0.1, (2,), "wrong")
