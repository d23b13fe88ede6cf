"""Adaptive clipping: a clip norm that is found in private before each step, against fixed ones, at equal privacy.

Every function is pure: it takes an `AdaptiveSetting`, or the `Outcome` of its stream, however little is there of it.
"""

from core.experiments.adaptive.methods import DP_GD, EXACT, FULL, PRINTED, TUNED, correlated_label, measure, method_labels
from core.experiments.adaptive.outcome import Outcome, least_squares, median, stream
from core.experiments.adaptive.pictures import (
    WORKS,
    against_label_noise,
    against_sample_size,
    against_steps,
    excess_table,
    gradient_norms,
    ledger,
    thresholds,
)
from core.experiments.adaptive.presets import presets
from core.experiments.adaptive.setting import LABEL_NOISES, AdaptiveSetting
from core.experiments.adaptive.words import START, cost_of_printing, fall, follows, headline, lead, verdict
