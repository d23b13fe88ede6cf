"""A Kolmogorov-Arnold network trained privately with several lambda at once, all at the same (epsilon, delta).

Every function is pure: it takes a `KanSetting`, or a `Plan` and the snapshots of its run, and gives a `Result`, a
`Table` or a sentence.
"""

from core.kan_experiment.counterexample import fixed_size_claim
from core.kan_experiment.edges import busiest_edges, decision_boundary, edge
from core.kan_experiment.noise import accountant_curves, charges, felt_noise, noise_multiplier, noise_multipliers
from core.kan_experiment.outcome import (
    Difference,
    accuracy_against_correlation,
    best_gain,
    ledger,
    noise_path,
    outcome,
    paired_differences,
    verdict,
)
from core.kan_experiment.plan import Plan, arms_of, plan
from core.kan_experiment.presets import presets
from core.kan_experiment.setting import CORRELATIONS, KanSetting, correlations, data_of
