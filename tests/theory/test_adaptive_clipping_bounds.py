"""Constants of 2207.04686: printed numbers, what they really cost, and from how many records on the bound speaks."""

import math

import pytest

from core import privacy
from core.learners.threshold import DpStat
from core.theory.bounds import adaptive_clipping as paper


def test_the_three_alphas():
    """epsilon = 1, delta = 1e-6; the first two computed independently from the formulas, the third follows from them."""
    assert paper.alpha_for_claim(1, 1e-6) == pytest.approx(7.56601436207253, abs=1e-9)
    assert paper.alpha_printed(1, 1e-6) == pytest.approx(10.513043539513864, abs=1e-9)
    assert paper.alpha_any_epsilon(1, 1e-6) == pytest.approx(2 * math.sqrt(1 + math.log(1e6)), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5])
def test_the_printed_alphas_round_up_the_one_that_the_claim_needs(epsilon, delta):
    needed = paper.alpha_for_claim(epsilon, delta)
    assert privacy.zcdp_epsilon_simple(needed**-2, delta) == pytest.approx(epsilon, rel=1e-9)
    assert needed <= paper.alpha_any_epsilon(epsilon, delta) <= paper.alpha_printed(epsilon, delta) * math.sqrt(2)
    assert needed <= paper.alpha_printed(epsilon, delta)


def test_the_short_alpha_is_refused_where_the_theorem_leaves_it_out():
    with pytest.raises(ValueError, match="^epsilon="):
        paper.alpha_printed(20.0, 1e-6)


def test_what_dp_stat_and_the_shared_record_cost():
    alpha = 7.56601436207253
    assert paper.dp_stat_rho(20, alpha) == pytest.approx(0.009171175003789802, rel=1e-12)
    assert paper.printed_rho(20, alpha) == pytest.approx(41 / (40 * alpha**2), rel=1e-12)
    for rungs in (1, 20, 2858):
        assert paper.printed_rho(rungs, alpha) > alpha**-2
        assert paper.dp_stat_rho(rungs, alpha) == DpStat(largest=2.0, rungs=rungs, alpha=alpha, scale=3.0).rho


def test_disjoint_records_would_need_half_the_claimed_rho():
    """Each record in one release of 1/(2 alpha^2): alpha = 1/sqrt(2 rho) at the rho of (1, 1e-6), computed independently."""
    rho = paper.alpha_for_claim(1, 1e-6) ** -2
    assert (2 * rho) ** -0.5 == pytest.approx(5.3499800619762965, abs=1e-9)


def test_rungs_rates_and_scales():
    assert paper.printed_rungs(10_000) == 2658 and paper.printed_rungs(20_000) == 2858
    assert paper.learning_rate(900, 10, 1) == pytest.approx(0.9900990099009901, abs=1e-12)
    assert paper.ssgd_alpha_printed(10_000, 1.0, 1e-6) == pytest.approx(0.230259, abs=1e-6)
    assert paper.clip_scale(10, 20_000) == pytest.approx(math.sqrt(10 * math.log(20_000)), rel=1e-12)


def test_the_corollarys_rate_needs_many_times_log_n_steps():
    """1/(4d) halves the error in 2.8 d steps: at d = 10 the log N = 10 steps of the method leave three quarters of it."""
    assert paper.steps_to_halve(1 / 40) == pytest.approx(27.38, abs=0.01)
    assert (1 - 1 / 40) ** math.log(20_000) > 0.75
    assert paper.steps_to_halve(paper.learning_rate(3000, 10, 1.0)) < 0.2


def test_k2_is_the_one_at_which_a_gaussian_has_expectation_two():
    """E exp(z^2/K^2) = (1 - 2/K^2)^(-1/2) for a standard Gaussian; an expectation of at most 1 has no solution."""
    assert (1 - 2 / paper.TAIL**2) ** -0.5 == pytest.approx(2.0, rel=1e-12)


def test_the_bound_term_by_term_at_a_point():
    """d = 2, n = 10^6, c = 3, sigma = .5, written out again."""
    n, d, c, sigma, log_n = 10**6, 2, 3.0, 0.5, math.log(10**6)
    steps = c * log_n
    b = n / (1.1 * steps)
    alpha2 = 8 * math.log(1e6)
    eta = b / (d + b - 1)
    k2 = 8 / 3
    first = 4 / (eta * steps) ** 2 * math.exp(-eta) + 96 * alpha2 / (steps * b**2) * k2 * d * log_n**2 * d
    second = n ** (-eta * c / 4) + 2 * eta / b * sigma**2 * d + 24 * eta * alpha2 / b**2 * k2 * d * log_n**2 * sigma**2 * d
    third = 8 / (steps * b) * (sigma**2 * d + 12 * alpha2 / b * k2 * d * log_n**2 * sigma**2 * d)
    bound = paper.excess_risk_bound(d, n, 1.0, 1e-6, sigma, contraction=c)
    assert bound.value == pytest.approx(first * second + third, rel=1e-9)
    assert not bound.applies


@pytest.mark.parametrize(("dim", "contraction"), [(5, 4.0), (10, 400.0), (80, 400.0)])
def test_the_bound_speaks_only_from_millions_of_records_a_parameter_on(dim, contraction):
    first = paper.speaks_from(dim, 1.0, 1e-6, contraction=contraction)
    assert first / dim > 5e5
    at, before = (paper.excess_risk_bound(dim, round(first * factor), 1.0, 1e-6, 0.1, contraction) for factor in (1.001, 0.99))
    assert at.applies and at.value < 0.5
    assert not (before.applies and before.value < 0.5)
    beyond = paper.excess_risk_bound(dim, round(10 * first), 1.0, 1e-6, 0.1, contraction)
    assert beyond.applies and beyond.value < at.value


NOT_POSITIVE = (-1.0, math.nan, math.inf, -math.inf, True, "3", None)
NOT_A_CHANCE = (0.0, 1.0, *NOT_POSITIVE)
NOT_A_COUNT = (0, 1.5, *NOT_POSITIVE)
TOP = {"dim": 10, "n_samples": 1000, "signal": 1.0, "label_noise": 0.1}
RATE, HALVE = {"batch_size": 9, "r_squared": 10.0, "largest_eigenvalue": 1.0}, {"learning_rate": 0.1, "least_eigenvalue": 1.0}
SHUFFLED, RHO = {"n_samples": 1000, "epsilon": 1.0, "delta": 1e-6}, {"rungs": 20, "alpha": 7.0}
BOUND = {"dim": 10, "n_samples": 10**6, "epsilon": 1.0, "delta": 1e-6, "label_noise": 0.1, "contraction": 4.0, "signal": 1.0}
FROM = {"dim": 10, "epsilon": 1.0, "delta": 1e-6, "label_noise": 0.1, "contraction": 4.0}
CHECKED = [
    (paper.largest_threshold, TOP, {"dim": NOT_A_COUNT, "n_samples": NOT_A_COUNT, "signal": NOT_POSITIVE, "label_noise": NOT_POSITIVE}),
    (paper.clip_scale, {"dim": 10, "n_samples": 1000}, {"dim": NOT_A_COUNT, "n_samples": (1, *NOT_A_COUNT)}),
    (paper.learning_rate, RATE, dict.fromkeys(("r_squared", "largest_eigenvalue"), (0.0, *NOT_POSITIVE)) | {"batch_size": NOT_A_COUNT}),
    (paper.steps_to_halve, HALVE, dict.fromkeys(HALVE, (0.0, *NOT_POSITIVE))),
    (paper.ssgd_alpha_printed, SHUFFLED, {"n_samples": NOT_A_COUNT, "epsilon": (0.0, *NOT_POSITIVE), "delta": NOT_A_CHANCE}),
    (paper.dp_stat_rho, RHO, {"rungs": NOT_A_COUNT, "alpha": (0.0, *NOT_POSITIVE)}),
    (paper.printed_rho, RHO, {"rungs": NOT_A_COUNT, "alpha": (0.0, *NOT_POSITIVE)}),
    (paper.printed_rungs, {}, {"n_samples": (1, *NOT_A_COUNT)}),
    (
        paper.excess_risk_bound,
        BOUND,
        {
            **dict.fromkeys(("dim", "n_samples"), NOT_A_COUNT),
            **dict.fromkeys(("epsilon", "contraction"), (0.0, *NOT_POSITIVE)),
            **dict.fromkeys(("label_noise", "signal"), NOT_POSITIVE),
            "delta": NOT_A_CHANCE,
        },
    ),
    (paper.speaks_from, FROM, {"dim": NOT_A_COUNT, "epsilon": (0.0, *NOT_POSITIVE), "label_noise": NOT_POSITIVE, "contraction": (0.0,)}),
]


@pytest.mark.parametrize(("function", "arguments", "wrong"), CHECKED, ids=lambda value: getattr(value, "__name__", None))
def test_every_argument_is_refused_in_one_sentence(function, arguments, wrong):
    for field, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=f"^{field}={value!r}, expected "):
                function(**{**arguments, field: value})
