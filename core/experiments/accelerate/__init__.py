"""One pass over n records in few large batches: acceleration, recursive gradients and the noise of their running sum.

Every function is pure: it takes an `AccelerateSetting`, or also what its runs have shown so far, and gives a `Result`, a
`Table` or a sentence.
"""

from core.experiments.accelerate.outcome import Gain, Headline, excess, gain, headline, ledger, start_risk, verdict
from core.experiments.accelerate.pictures import prefix_noise, prefix_variance, sensitivity, speaks_from, theorem
from core.experiments.accelerate.presets import presets
from core.experiments.accelerate.runs import METHODS, SCALINGS, Point, Seen, cross_fitted, run_at, stream, watched
from core.experiments.accelerate.setting import PROBLEMS, AccelerateSetting, marks, problem_of, records, step_counts
