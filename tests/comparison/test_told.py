"""What a headline says of a comparison: a number of at least 1, and the side in words."""

import math

import pytest

from core.comparison import spell_factor, tell


@pytest.mark.parametrize(
    ("gain", "clear", "number", "says", "short"),
    [
        (3.6, True, "3.6x", "less error than DP-SGD", "3.6x less"),
        (0.12, True, "8.3x", "MORE error than DP-SGD: LOSES", "8.3x MORE"),
        (0.72, False, "1.39x", "MORE error than DP-SGD, within chance", "1.39x MORE"),
        (1.2, False, "1.20x", "less error than DP-SGD, within chance", "1.20x less"),
        (1.001, True, "1x", "the same error as DP-SGD", "1x"),
        (4e-5, True, "25,000x", "MORE error than DP-SGD: LOSES", "25,000x MORE"),
        (0.0, True, ">1,000,000x", "MORE error than DP-SGD: LOSES", ">1,000,000x MORE"),
        (math.inf, True, ">1,000,000x", "less error than DP-SGD", ">1,000,000x less"),
        (math.nan, True, "-", "no answer against DP-SGD: runs diverged", "-"),
        (None, True, "...", "at work: error against DP-SGD", "..."),
    ],
)
def test_the_words_name_the_side(gain, clear, number, says, short):
    told = tell(gain, "DP-SGD", "at 11 steps", clear)
    assert told == (number, says, "at 11 steps") and told.short == short


@pytest.mark.parametrize(("ratio", "text"), [(1.04, "1.04"), (9.87, "9.9"), (87.6, "88"), (12_345, "12,000"), (1e6, ">1,000,000")])
def test_factors_are_short(ratio, text):
    assert spell_factor(ratio) == text
