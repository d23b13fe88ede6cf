"""Private thresholds: what one record can move (found by search over neighbours), what that costs, and what is found."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import privacy
from core.learners.threshold import DpStat, FixedClip, PrivateQuantile, noisy_count

VALUES = (0.0, 0.4, 0.5, 1.0, 2.0, 3.9, 50.0)
"""Sizes between, on and beyond the thresholds of the rules below."""


def counts_along(rule, path, sizes) -> list[float]:
    """The counts (without noise) that a search makes when the noise sends it along a path; True: the count was low."""
    seen, steps = [], iter(path)

    class Steered:
        def __init__(self, true):
            self.true = true

        def __lt__(self, level):
            seen.append(float(self.true))
            return torch.tensor([[next(steps)]])

    def steered(sizes, gamma, noise):
        return Steered(noisy_count(sizes, gamma, 0.0))

    import core.learners.threshold as room

    original, room.noisy_count = room.noisy_count, steered
    try:
        rule.find(torch.tensor([[sizes]], dtype=torch.float64), lambda: torch.zeros(1))
    finally:
        room.noisy_count = original
    return seen


@pytest.mark.parametrize(
    "rule",
    [DpStat(largest=4.0, rungs=3, alpha=2.0, scale=1.0), PrivateQuantile(largest=4.0, search_rho=0.3, scale=1.0, counts=3)],
    ids=["printed", "exact"],
)
def test_rho_is_what_the_worst_neighbour_on_the_worst_path_moves(rule):
    """Every path that noise can send the search along, every replacement of one record among the values above."""
    worst = 0.0
    others = (0.5, 3.0)
    for path in itertools.product([True, False], repeat=rule.counts):
        for first, second in itertools.product(VALUES, repeat=2):
            ours, theirs = (counts_along(rule, path, (value, *others)) for value in (first, second))
            worst = max(worst, math.dist(ours, theirs) ** 2)
    assert worst / (2 * rule.noise_std**2) == pytest.approx(rule.rho, rel=1e-12)


def test_the_printed_search_costs_more_than_it_says():
    """K = 20 and alpha = 7.566..., where 1/alpha^2-zCDP would be (1, 1e-6)-private: computed by hand from 21 counts."""
    rule = DpStat(largest=1.0, rungs=20, alpha=7.56601436207253, scale=1.0)
    assert rule.rho == pytest.approx(0.009171175003789802, rel=1e-12)
    assert rule.rho > 1 / (2 * rule.alpha**2)


def test_the_exact_search_costs_what_it_was_given():
    for counts in (1, 5, 8):
        assert PrivateQuantile(1.0, 0.02, 1.0, counts).rho == pytest.approx(0.02, rel=1e-12)
    five = PrivateQuantile(1.0, 0.02, 1.0)
    assert five.counts == 5 and five.noise_std**2 == pytest.approx(5 / (2 * 0.02), rel=1e-12)


@given(search_rho=st.floats(1e-6, 1e6), counts=st.integers(1, 10))
def test_the_exact_search_is_rounded_to_the_private_side(search_rho, counts):
    assert search_rho * (1 - 1e-15) <= PrivateQuantile(1.0, search_rho, 1.0, counts).rho <= search_rho


def test_counting_noise_has_the_standard_deviation_that_is_charged():
    drawn = []
    rule = PrivateQuantile(largest=1.0, search_rho=0.5, scale=1.0, counts=1)
    generator = torch.Generator().manual_seed(0)

    def normal():
        drawn.append(torch.randn(4000, generator=generator))
        return drawn[-1]

    # one count at threshold 1/2 of a single record that lies below: it stops there when 1 + noise >= 1/2
    found = rule.find(torch.full((1, 4000, 1), 0.1), normal)[0]
    assert torch.equal(found == 0.5, 1 + rule.noise_std * drawn[0] >= 0.5)
    share, expected = float((found == 0.5).double().mean()), 0.5 * math.erfc(-0.5 / rule.noise_std / 2**0.5)
    assert abs(share - expected) <= 4 * (expected * (1 - expected) / 4000) ** 0.5


@pytest.mark.parametrize("true", [1e-9, 0.003, 0.1, 0.9, 1.0, 7.0, 1e6])
def test_without_noise_the_exact_search_brackets_the_median(true):
    rule = PrivateQuantile(largest=16.0, search_rho=1e30, scale=3.0)
    sizes = true * torch.tensor([[[0.2, 1.0, 1.0, 1.0, 4.0]]], dtype=torch.float64)
    gamma = float(rule.find(sizes, lambda: torch.zeros(1))) / 3
    lowest, highest = 16.0 * 2.0**-31, 16.0
    if true <= lowest:
        assert gamma == lowest
    elif true > highest:
        assert gamma == highest
    else:
        assert true <= gamma < 2 * true


def test_without_noise_the_printed_search_doubles_until_s_of_its_records_are_covered():
    rule = DpStat(largest=8.0, rungs=10, alpha=1e-30, scale=1.0)
    sizes = torch.tensor([[[0.1, 0.2, 0.9, 5.0]]], dtype=torch.float64)  # s = 3 of them must be at most gamma
    assert float(rule.find(sizes, lambda: torch.zeros(1))) == 1.0
    unstopped = torch.full((1, 1, 4), 1e9, dtype=torch.float64)
    assert float(rule.find(unstopped, lambda: torch.zeros(1))) == 16.0


def test_the_papers_own_width_is_zero_in_double_precision():
    n = 10_000
    assert n**-200.0 == 0.0
    rule = DpStat(largest=1.0, rungs=math.ceil(200 * math.log2(n)), alpha=10.5, scale=1.0)
    generator = torch.Generator().manual_seed(0)
    found = rule.find(torch.ones(1, 50, 300), lambda: torch.randn(50, generator=generator))
    assert rule.counts == 2659 and not found.any()


def test_a_fixed_clip_norm_looks_at_nothing_and_costs_nothing():
    rule = FixedClip(2.5)
    assert rule.counts == 0 and rule.rho == 0.0
    assert torch.equal(rule.find(torch.empty(2, 3, 0), lambda: 1 / 0), torch.full((2, 3), 2.5))


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: FixedClip(0.0), "clip_norm"),
        (lambda: DpStat(1.0, 0, 1.0, 1.0), "rungs"),
        (lambda: DpStat(1.0, 5, 0.0, 1.0), "alpha"),
        (lambda: PrivateQuantile(-1.0, 1.0, 1.0), "largest"),
        (lambda: PrivateQuantile(1.0, 0.0, 1.0), "search_rho"),
        (lambda: PrivateQuantile(1.0, 1.0, 1.0, counts=11), "counts"),
        (lambda: PrivateQuantile(1.0, 1.0, 1.0, quantile=1.0), "quantile"),
    ],
)
def test_bad_arguments_are_named(make, field):
    with pytest.raises(ValueError, match=rf"^{field}="):
        make()


def test_gaussian_counts_compose_to_exactly_the_charge():
    """k counts that each move by 1 are one Gaussian release of mu = sqrt(k)/noise_std: rho is mu^2/2 in core.privacy's terms."""
    rule = PrivateQuantile(1.0, privacy.gdp_mu_for(1.0, 1e-6) ** 2 / 2, 1.0)
    assert privacy.gdp_epsilon(rule.counts**0.5 / rule.noise_std, 1e-6) == pytest.approx(1.0, rel=1e-9)
