"""The ledger: disjoint records compose in parallel, releases on one record add up."""

import itertools

import pytest

from core.learners.ledger import Spending, spent


def entry(records: range, rho: float, arm: str = "a") -> Spending:
    return Spending(arm, 1, "gradient", records, 1, rho)


def test_disjoint_records_pay_the_larger_share_and_a_shared_one_pays_both():
    assert spent([entry(range(0, 3), 1.0), entry(range(3, 9), 2.0)]) == 2.0
    assert spent([entry(range(0, 4), 1.0), entry(range(3, 9), 2.0)]) == 3.0
    assert spent([]) == 0.0


def test_it_is_the_worst_record_found_one_by_one():
    places = [range(a, b) for a, b in itertools.combinations(range(6), 2)]
    for index, chosen in enumerate(itertools.combinations(places, 3)):
        entries = [entry(records, 1.0 + (7 * index + i) % 5) for i, records in enumerate(chosen)]
        worst = max(sum(e.rho for e in entries if record in e.records) for record in range(6))
        assert spent(entries) == worst == spent(entries[::-1])
        assert spent([*entries, entry(range(6), 0.5)]) == worst + 0.5


def test_arms_are_told_apart():
    entries = [entry(range(3), 1.0), entry(range(3), 2.0, "b")]
    assert spent(entries, "a") == 1.0 and spent(entries, "b") == 2.0
    with pytest.raises(ValueError, match="^arm="):
        spent(entries)
    for ledger, unknown in ((entries, "c"), (entries, ""), ([], "a")):
        with pytest.raises(ValueError, match=f"^arm='{unknown}', expected one of"):
            spent(ledger, unknown)
