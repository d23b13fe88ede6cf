"""Section 2.2 of 2310.06771: near-optimality, measured."""

import pytest

from core.comparison import excess
from core.papers.correlated_noise import near_optimality, optimality


def test_the_quick_table_is_the_beginning_of_the_full_one():
    quick, full = near_optimality(), near_optimality("full")
    assert quick.rows == full.rows[:3] == excess.relative_excess().rows[:3]
    assert len(full.rows) == 7


@pytest.mark.parametrize("fidelity", ["quick", "full"])
def test_theorem_22_holds_within_a_factor_of_two(fidelity):
    table = near_optimality(fidelity)
    assert table.verdict.startswith("Matches the paper: with the nu of Theorem 2.2, nu-DP-FTRL has 1")


def test_a_noise_far_from_the_optimum_does_not_match(monkeypatch):
    monkeypatch.setattr(optimality, "LOGARITHMIC", 1.05)
    assert near_optimality().verdict.startswith("Does not match")
