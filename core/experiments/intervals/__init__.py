"""Confidence intervals from a private run on one data set: the law, a simulation of it, and what clipping does to both.

Every function is pure: it takes an `IntervalSetting`, the `Expected` of one, or the `Chains` of its run, and gives a `Result`, a
`Table` or a sentence.
"""

from core.experiments.intervals.budgets import budgets
from core.experiments.intervals.clipping import clipping_verdict, conditions, coverage_against_clipping
from core.experiments.intervals.cloud import chain, cloud, shown_steps
from core.experiments.intervals.coverage import against_steps, caterpillar, coverage_so_far, coverage_verdict
from core.experiments.intervals.errors import error_against_clipping, error_against_dim, error_against_samples, panel
from core.experiments.intervals.expected import Expected, expected, prepare
from core.experiments.intervals.landmarks import is_biased, landmarks
from core.experiments.intervals.plan import Chains, Plan, plan
from core.experiments.intervals.presets import presets
from core.experiments.intervals.setting import CONSTRUCTIONS, IntervalSetting, OwnTable, is_drawn, records_of
from core.experiments.intervals.tables import coefficients, ledger, side_by_side, what_each_covers
from core.experiments.intervals.words import headline

__all__ = [
    "CONSTRUCTIONS", "Chains", "Expected", "IntervalSetting", "OwnTable", "Plan", "against_steps", "budgets", "caterpillar", "chain",
    "clipping_verdict", "cloud", "coefficients", "conditions", "coverage_against_clipping", "coverage_so_far", "coverage_verdict",
    "error_against_clipping", "error_against_dim", "error_against_samples", "expected", "headline", "is_biased", "is_drawn", "landmarks", "ledger",
    "panel", "plan", "prepare", "presets", "records_of", "shown_steps", "side_by_side", "what_each_covers",
]
