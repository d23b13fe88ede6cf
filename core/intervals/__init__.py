"""Confidence intervals from the iterates of DP-GD, and their exact law."""

from core.intervals.coverage import BatchLength, best_batch_length, exact_coverage, student_coverage
from core.intervals.groups import CONSTRUCTIONS, Grouping, grouping, student_interval
from core.intervals.law import Law
