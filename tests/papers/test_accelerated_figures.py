"""Figures of 2406.02716: counts, exact numbers, and verdicts that follow from what was computed."""

import pytest

from core.papers import accelerated, entries
from core.papers.accelerated import runs

ENTRIES = entries("accelerated")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Runs of a few hundred records, so that every entry can be called."""
    monkeypatch.setattr(runs, "SIZES", {"quick": 400, "full": 400})
    monkeypatch.setattr(runs, "REPLICATES", {"quick": 4, "full": 4})
    monkeypatch.setattr(runs, "RECORDS", {"quick": (256, 400), "full": (256, 400)})


def test_every_public_name_is_an_entry():
    assert {entry.name for entry in ENTRIES} == set(accelerated.__all__)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_streams_to_a_verdict(entry):
    *_, last = entry.stream("quick", 1)
    assert last.fraction == 1
    assert last.result.verdict.startswith(("Matches", "Does not match")) and last.result.source.startswith("arXiv 2406.02716")
    assert last.result.settings["fidelity"] == "quick"


def test_table_1_counts_two_gradients_a_record():
    table = accelerated.table1()
    ours = {row[0]: row for row in table.rows}
    assert ours["this paper, best parameters inside the ball"][3] == "8,192 in 8 steps"
    assert ours["this paper, no assumption"][3] == "8,192 in 64 steps"
    assert table.verdict.startswith("Matches")


def test_the_constants_say_that_corollary_5_7_spends_too_much():
    table = accelerated.constants()
    assert table.verdict.startswith("Does not match the paper: Corollary 5.7's noise at 16 steps spends epsilon 1.295")
    assert table.rows[0][1] == "589,716"


def test_the_price_of_each_noise_is_exact():
    result = accelerated.prefix_noise()
    assert result.curve("tree, as in the paper").y[-1] == pytest.approx(56)
    assert result.curve("square-root Toeplitz").y[-1] == pytest.approx(6.812642184913266, rel=1e-9)


def test_the_rate_is_drawn_through_the_first_point():
    result = accelerated.rate_n()
    rate, ours = result.curve("the theorem's rate"), result.curve("accelerated, tree (the paper)")
    assert rate.y[0] == pytest.approx(ours.y[0])
    assert rate.y[1] / rate.y[0] == pytest.approx((400**-0.5 + 20**0.5 / 400) / (256**-0.5 + 20**0.5 / 256))


@pytest.mark.slow
def test_acceleration_pays_at_few_steps_and_the_sensitivity_is_flat(monkeypatch):
    monkeypatch.setattr(runs, "SIZES", {"quick": 16384})
    monkeypatch.setattr(runs, "REPLICATES", {"quick": 10})
    assert accelerated.excess_steps().verdict.startswith("Matches")
    assert accelerated.flat_sensitivity().verdict.startswith("Matches")
