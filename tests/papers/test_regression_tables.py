"""Tables 1, 2 and 4 of 2310.06771."""

import math

import numpy as np
import pytest

from core.papers.correlated_noise import table1, table2, table4, tables
from core.theory.bounds.regression import Rate, stationary_rates


def column(table, name):
    return [row[table.columns.index(name)] for row in table.rows]


def test_table_1_has_exact_values_and_matches():
    table = table1()
    rows = {row[:3]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    # computed independently by quadrature over frequency
    assert rows["Noisy-SGD", 128, 0.02]["exact"] == pytest.approx(0.33879, rel=1e-4)
    assert rows["nu-Noisy-FTRL", 128, 0.02]["exact"] == pytest.approx(0.0043977 * 1.0897, rel=1e-4)
    assert rows["lower bound; exact: the best noise", 128, 0.02]["exact"] == pytest.approx(0.0043977, rel=1e-4)
    assert column(table, "exact / printed") == pytest.approx(
        np.array(column(table, "exact")) / np.array(column(table, "its value")), rel=1e-3
    )
    assert table.verdict.startswith("Matches the paper: exact over printed lies from 0.125 to 0.132 for Noisy-SGD")


def test_a_wrong_rate_does_not_match(monkeypatch):
    def wrong(eigenvalues, learning_rate):
        rates = stationary_rates(eigenvalues, learning_rate)
        sgd = rates["independent"]
        return rates | {"independent": Rate(sgd.formula, sgd.as_printed * learning_rate, sgd.corrected, sgd.exact)}

    monkeypatch.setattr(tables, "stationary_rates", wrong)
    assert table1().verdict.startswith("Does not match")


def test_table_2_has_two_noises_without_a_stationary_error():
    table = table2()
    assert column(table, "error: exact")[::2] == [math.inf, math.inf]
    assert column(table, "sensitivity^2: exact")[2] == 10_000
    assert column(table, "sensitivity^2: with constants") == pytest.approx(
        column(table, "sensitivity^2: exact"), rel=0.05
    )
    assert table.verdict.startswith(
        "Matches the paper: only optimal counting and undamped anti-PGD have an infinite error"
    )


def test_table_4_counts_down_with_the_dimension():
    table = table4()
    for name in dict.fromkeys(column(table, "eigenvalues")):
        ratios = [row[-1] for row in table.rows if row[0] == name]
        assert ratios[1] <= ratios[0]
    assert table.verdict.startswith("Matches the paper: correlated noise is ahead in every row")
    assert column(table, "ratio: exact")[0] == pytest.approx(0.0908683, rel=1e-4), (
        "equal directions are mean estimation"
    )


@pytest.mark.parametrize("entry", [table1, table2, table4], ids=lambda entry: entry.name)
def test_full_is_longer_or_larger_and_matches_too(entry):
    quick, full = entry(), entry("full")
    assert full.verdict.startswith("Matches the paper")
    assert len(full.rows) > len(quick.rows) or full.settings["steps"] > quick.settings["steps"]
