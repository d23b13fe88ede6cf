"""Confidence intervals from the iterates of DP-GD, and their exact law.

`Grouping` turns iterates into estimates, `student_interval` estimates into an interval, `Law` says what the iterates are
in law, and `student_coverage` what that makes of the interval: exactly, in milliseconds.
"""

from core.intervals.classical import ols_interval
from core.intervals.coverage import BatchLength, best_batch_length, exact_coverage, student_coverage
from core.intervals.groups import CONSTRUCTIONS, Grouping, grouping, student_factor, student_interval
from core.intervals.law import Law
from core.intervals.no_clipping import Clipped, Condition, clipping_chance, no_clipping_condition
from core.intervals.noise_clipping import NoiseClipping, noise_clipping

__all__ = [
    "CONSTRUCTIONS", "BatchLength", "Clipped", "Condition", "Grouping", "Law", "NoiseClipping", "best_batch_length", "clipping_chance",
    "exact_coverage", "grouping", "no_clipping_condition", "noise_clipping", "ols_interval", "student_coverage", "student_factor", "student_interval",
]
