"""Several participations of one record: against enumeration of every admissible pattern."""

from itertools import combinations

import numpy as np
import pytest

from core import mechanisms
from core.mechanisms.patterns import heaviest, worst_leaves

PATTERNS = [(1, 1), (2, 1), (2, 3), (3, 2), (3, 4), (4, 1), (5, 2)]


def admissible(steps, participations, separation):
    for count in range(1, participations + 1):
        for chosen in combinations(range(steps), count):
            if all(np.diff(chosen) >= separation):
                yield list(chosen)


def enumerated(strategy, participations, separation):
    """Columns are all non-negative in the tests, so the worst contributions of a record all point one way."""
    patterns = admissible(strategy.shape[1], participations, separation)
    return max(np.linalg.norm(strategy[:, chosen].sum(axis=1)) for chosen in patterns)


def blocks(steps):
    """Every complete dyadic block as a row: what a completed tree is charged for."""
    return np.array([
        np.arange(steps) // size == start // size
        for size in (2**level for level in range(steps.bit_length()))
        for start in range(0, steps - size + 1, size)
    ], dtype=float)


@pytest.mark.parametrize(("participations", "separation"), PATTERNS)
@pytest.mark.parametrize("steps", [10, 13, 16])
def test_trees_are_charged_for_their_worst_leaves(steps, participations, separation):
    plain = mechanisms.binary_tree()
    expected = enumerated(plain.strategy_matrix(steps), participations, separation)
    assert plain.sensitivity(steps, participations, separation) == pytest.approx(expected, rel=1e-12)
    expected = enumerated(blocks(steps), participations, separation)
    for completion in ("honaker", "full"):
        tree = mechanisms.binary_tree(completion)
        assert tree.sensitivity(steps, participations, separation) == pytest.approx(expected, rel=1e-12)


def test_the_first_leaves_are_not_always_the_worst():
    """So that the shortcut of Toeplitz mechanisms, columns 0, b, 2b, ..., would undercharge a tree."""
    shortcut = np.linalg.norm(mechanisms.binary_tree().strategy_matrix(32)[:, [0, 23]].sum(axis=1))
    assert mechanisms.binary_tree().sensitivity(32, 2, 23) > 1.09 * shortcut


def test_a_tree_of_a_long_run_is_charged_exactly_or_refused():
    tree = mechanisms.binary_tree()
    assert tree.sensitivity(300, 6, 50) >= np.sqrt(6 * 4)
    with pytest.raises(ValueError, match="participations=10, expected 1 for a tree at separation=1000"):
        tree.sensitivity(10_000, 10, 1000)
    with pytest.raises(ValueError, match="participations=3, expected at most 2"):
        tree.sensitivity(16, 3, 8)


def test_the_whole_tree_chosen_is_every_block_squared():
    assert worst_leaves(8, 8, 1, (1, 1)) == 8 * 1 + 4 * 4 + 2 * 16 + 64
    assert worst_leaves(8, 8, 1, (1, 0)) == 4 * 1 + 2 * 4 + 16 + 64


@pytest.mark.parametrize(("participations", "separation"), PATTERNS)
@pytest.mark.parametrize("bands", [1, 2, 3])
def test_orthogonal_columns_add_up(bands, participations, separation):
    """A banded C whose columns differ in length: exact where the separation reaches the band, and refused below."""
    steps = 11
    strategy = mechanisms.banded_root(bands).strategy_matrix(steps) * np.array([1, 3, 1, 2, 2, 5, 1, 1, 4, 1, 2])
    if separation < bands and participations > 1:
        with pytest.raises(ValueError, match="not known exactly"):
            mechanisms.dense(strategy).sensitivity(steps, participations, separation)
    else:
        expected = enumerated(strategy, participations, separation)
        assert mechanisms.dense(strategy).sensitivity(steps, participations, separation) == pytest.approx(expected, rel=1e-12)


def test_the_heaviest_choice_may_skip_the_heaviest_item():
    assert heaviest(np.array([3.0, 4.0, 3.0]), 2, 2) == 6
    assert heaviest(np.array([3.0, 4.0, 3.0]), 1, 2) == 4
    assert heaviest(np.array([3.0, 4.0, 3.0]), 1, 9) == 4


@pytest.mark.parametrize(("participations", "separation"), [(1, 1), (2, 4), (3, 4), (2, 6), (2, 5)])
@pytest.mark.parametrize("inner", [mechanisms.nu_ftrl(0.1), mechanisms.binary_tree()], ids=["nu", "tree"])
def test_restarts_are_charged_for_their_worst_steps(inner, participations, separation):
    restarted = mechanisms.stamped(inner, 4)
    expected = enumerated(restarted.strategy_matrix(14), participations, separation)
    assert restarted.sensitivity(14, participations, separation) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("participations", "separation"), [(2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (2, 4)])
@pytest.mark.parametrize("inner", [mechanisms.nu_ftrl(0.02), mechanisms.banded_root(3)], ids=["nu", "banded"])
@pytest.mark.parametrize("steps", [9, 10, 12])
def test_a_record_may_return_within_a_period_that_its_separation_divides(inner, participations, separation, steps):
    restarted = mechanisms.stamped(inner, 4)
    expected = enumerated(restarted.strategy_matrix(steps), participations, separation)
    assert restarted.sensitivity(steps, participations, separation) == pytest.approx(expected, rel=1e-9)


def test_restarts_within_reach_of_one_record_are_refused():
    with pytest.raises(ValueError, match="participations=2, expected 1 for nu-DP-FTRL, .* restarted every 8 steps"):
        mechanisms.stamped(mechanisms.nu_ftrl(0.1), 8).sensitivity(32, 2, 3)
