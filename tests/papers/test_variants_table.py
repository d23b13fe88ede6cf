"""Table 3 of 2310.06771."""

import pytest

from core.papers.correlated_noise import table3, variants


@pytest.fixture(scope="module")
def table():
    return table3()


def cells(table, noise):
    return next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0].startswith(noise))


def test_the_rows_of_the_paper_come_first_with_their_printed_columns(table):
    printed = [row[8:] for row in table.rows if row[8]]
    assert printed == list(variants._PRINTED.values()) == [row[8:] for row in table.rows[:7]]


def test_anytime_agrees_with_the_paper(table):
    assert all(row[7] == row[8] for row in table.rows[:7])


def test_measured_columns(table):
    # prefix-sum errors computed independently by dense linear algebra: the tree and Honaker at 64 steps
    tree, sgd, counting = cells(table, "binary tree"), cells(table, "DP-SGD"), cells(table, "optimal counting")
    assert tree["sensitivity"] == pytest.approx(7**0.5, abs=1e-4)
    assert sgd["error of the sum, largest"] == 8 and sgd["tensors kept"] == 0
    assert counting["error of the sum, largest"] == pytest.approx(counting["sensitivity"] ** 2, rel=1e-4)
    best = min(row[table.columns.index("error of the sum, rms")] for row in table.rows)
    assert cells(table, "best matrix")["error of the sum, rms"] == best


def test_the_verdict_says_how_many_agree(table):
    assert table.verdict.startswith("Matches the paper: 7 of 7 noises are anytime or not as printed")


def test_rows_arrive_one_after_the_other():
    counts = [len(progress.result.rows) for progress in table3.stream()]
    assert counts == list(range(1, len(counts) + 1))


def test_a_noise_that_is_not_anytime_as_printed_does_not_match():
    rows = [("optimal counting", 2.0) + ("yes",) * 10, ("best", 1.9) + ("no",) * 10]
    assert variants._verdict(rows, [True, True]).startswith("Matches")
    assert variants._verdict(rows, [True, False]).startswith("Does not match")
