"""Tables 1, 2 and 4 of 2310.06771 beside what is exact."""

import math

import numpy as np
import pytest

from core import mechanisms
from core.theory.bounds.regression import decay_rates, prior_work, stationary_rates
from core.theory.optimal_noise import best_nu

SPECTRUM = 1 / np.arange(1, 33)
LARGE = 10**12


def test_exact_values_are_those_of_the_reference():
    # computed independently by quadrature over frequency, at the limit sensitivity and rho = 1
    rates = stationary_rates(1 / np.arange(1, 129), 0.02)
    assert rates["independent"].exact == pytest.approx(0.33879303279957695, rel=1e-7)
    assert rates["nu_ftrl"].exact / rates["lower bound"].exact == pytest.approx(1.0897, rel=1e-4)


def test_printed_rates_by_hand():
    rates = stationary_rates((1.0, 0.5), 0.1, rho=2.0, clip_norm=3.0)
    assert rates["lower bound"].as_printed == pytest.approx(0.01 * 1.5 * 4.5)
    assert rates["independent"].as_printed == pytest.approx(0.1 * 2 * 4.5)
    assert rates["nu_ftrl"].as_printed == pytest.approx(0.01 * 1.5 * math.log(20) ** 2 * 4.5)


def test_rates_scale_with_clip_norm_squared_over_rho():
    for name, rate in stationary_rates(SPECTRUM, 0.05).items():
        scaled = stationary_rates(SPECTRUM, 0.05, rho=0.5, clip_norm=3.0)[name]
        assert scaled[1:] == pytest.approx([18 * value for value in rate[1:]], rel=1e-12)


@pytest.mark.parametrize("learning_rate", [1e-5, 1e-3, 0.1, 0.6])
def test_the_corrected_lower_bound_is_below_every_noise(learning_rate):
    rates = stationary_rates(SPECTRUM, learning_rate, batch_size=LARGE)
    assert (
        rates["lower bound"].corrected
        < rates["lower bound"].exact
        <= rates["nu_ftrl"].exact
        < rates["independent"].exact
    )
    assert rates["lower bound"].exact <= best_nu(SPECTRUM, learning_rate, batch_size=LARGE)[1]


def test_corrected_rates_meet_the_exact_values_at_small_learning_rates():
    for learning_rate, slack in ((1e-2, 0.1), (1e-4, 0.07), (1e-8, 0.04)):
        rates = stationary_rates(SPECTRUM, learning_rate, batch_size=LARGE)
        assert rates["independent"].exact == pytest.approx(rates["independent"].corrected, rel=learning_rate)
        assert rates["nu_ftrl"].exact == pytest.approx(rates["nu_ftrl"].corrected, rel=slack)


def test_one_logarithm_of_nu_and_not_two():
    """Eigenvalues k^-2: nu falls with the square of the dimension; the corrected rate follows, the printed one drifts."""
    rates = [decay_rates(dim, 2.0, 1e-3, batch_size=LARGE).nu_ftrl for dim in (16, 4096)]
    corrected = [rate.exact / rate.corrected for rate in rates]
    printed = [
        rate.exact / (rate.corrected * math.log(8e3 * dim**2)) for rate, dim in zip(rates, (16, 4096), strict=True)
    ]
    assert corrected[1] == pytest.approx(corrected[0], rel=1e-3)
    assert printed[1] < 0.7 * printed[0]


@pytest.mark.parametrize("name", ["optimal_counting", "nu_ftrl", "anti_pgd", "damped_anti_pgd"])
def test_sensitivities_with_constants_are_the_exact_ones(name):
    work = prior_work(SPECTRUM, 0.01, 20_000)[name]
    assert work.sensitivity_squared.corrected == pytest.approx(work.sensitivity_squared.exact, rel=0.01)


def test_printed_sensitivities_by_hand():
    works = prior_work((1.0, 0.25), 0.01, 1000)
    damping = math.sqrt(2 * 0.01 * 0.625)
    expected = {
        "optimal_counting": math.log(1000),
        "nu_ftrl": math.log(400),
        "anti_pgd": 1000,
        "damped_anti_pgd": 1 / damping,
    }
    assert {name: work.sensitivity_squared.as_printed for name, work in works.items()} == pytest.approx(expected)


def test_noises_whose_sensitivity_has_no_limit_have_no_stationary_risk():
    works = prior_work(SPECTRUM, 0.01, 100)
    assert {name for name, work in works.items() if work.risk.exact == np.inf} == {"optimal_counting", "anti_pgd"}


def test_damped_anti_pgd_lies_between_the_two_as_their_geometric_mean():
    work = prior_work(SPECTRUM, 1e-5, 100, batch_size=LARGE)["damped_anti_pgd"].risk
    assert work.exact == pytest.approx(work.corrected, rel=0.01)
    rates = stationary_rates(SPECTRUM, 1e-5, batch_size=LARGE)
    assert work.as_printed == pytest.approx(
        math.sqrt(rates["lower bound"].as_printed * rates["independent"].as_printed)
    )


@pytest.mark.parametrize(
    "decay, effective, logarithms",
    [
        (0.0, 64, math.log(100) ** 2),
        (0.5, 16, math.log(6400) ** 2),
        (1.0, math.log(64), math.log(6400) ** 3 / math.log(64)),
        (2.0, 2, 2 * math.log(6400) ** 2),
    ],
)
def test_table_4_by_hand(decay, effective, logarithms):
    row = decay_rates(64, decay, 0.01)
    assert row.effective_dim.as_printed == pytest.approx(effective)
    assert row.nu_ftrl.as_printed == pytest.approx(1e-4 * effective * logarithms)
    assert row.independent.as_printed == pytest.approx(0.64)
    assert row.ratio.as_printed == pytest.approx(row.nu_ftrl.as_printed / 0.64)


@pytest.mark.parametrize("decay", [0.0, 0.5, 1.0, 1.5, 2.0])
def test_table_4_has_the_exact_values_of_table_1(decay):
    row = decay_rates(40, decay, 0.01, rho=0.3)
    rates = stationary_rates(np.arange(1.0, 41.0) ** -decay, 0.01, rho=0.3)
    assert row.nu_ftrl[2:] == pytest.approx(rates["nu_ftrl"][2:], rel=1e-12)
    assert row.independent[1:] == pytest.approx(rates["independent"][1:], rel=1e-12)
    assert row.ratio.exact == pytest.approx(row.nu_ftrl.exact / row.independent.exact)
    assert row.effective_dim.exact == pytest.approx((np.arange(1.0, 41.0) ** -decay).sum())


def test_noise_at_nu_is_the_mechanism_itself():
    nu = 0.05 * SPECTRUM.min()
    assert (
        prior_work(SPECTRUM, 0.05, 500)["nu_ftrl"].sensitivity_squared.exact
        == mechanisms.nu_ftrl(nu).sensitivity(500) ** 2
    )


@pytest.mark.parametrize(
    "field, change", [("learning_rate", {"learning_rate": 1.0}), ("rho", {"rho": 0}), ("clip_norm", {"clip_norm": -1})]
)
def test_what_does_not_fit_is_named(field, change):
    with pytest.raises(ValueError, match=f"^{field}="):
        stationary_rates(**{"eigenvalues": SPECTRUM, "learning_rate": 0.1} | change)
