"""A Kolmogorov-Arnold network trained privately with several lambda at once, all at the same (epsilon, delta).

Every function is pure: it takes a `KanSetting`, or a `Plan` and the snapshots of its run, and gives a `Result`, a
`Table` or a sentence.
"""

from core.experiments.kan.counterexample import fixed_size_claim
from core.experiments.kan.edges import busiest_edges, decision_boundary, edge
from core.experiments.kan.noise import accountant_curves, charges, felt_noise, noise_multiplier, noise_multipliers
from core.experiments.kan.outcome import (
    Difference,
    accuracy_against_correlation,
    best_gain,
    gain_while_training,
    ledger,
    noise_path,
    outcome,
    paired_differences,
    verdict,
)
from core.experiments.kan.plan import Plan, arms_of, check_size, plan
from core.experiments.kan.presets import presets
from core.experiments.kan.setting import CORRELATIONS, KanSetting, correlations, data_of
from core.experiments.kan.theory import admissible_widths, not_private_as_printed
