"""What the papers prove about risk, as calculators: values, constants and conditions, and a sentence where one fails.

`kan`, `kan_proof`, `regimes`: the theorems of 2605.12648. `margin`: its assumption on the data, measured. `noise`: the
energy of correlated noise, exactly. `adaptive_clipping`: constants and bounds of 2207.04686, called by its own name.
So are `accelerated` (constants and bounds of 2406.02716), `regression` (Tables 1, 2 and 4) and `finite_time` (Theorems D.11 and
D.13, Corollaries D.14 and D.15) of 2310.06771.
"""

from core.theory.bounds.kan import (
    KanRun,
    curvature_bound,
    gradient_bound,
    optimisation_order,
    population_order,
    smoothness_bound,
    width_range,
)
from core.theory.bounds.kan_proof import least_width, optimisation_bound
from core.theory.bounds.margin import NtkMargin, ntk_margin, output_factors
from core.theory.bounds.noise import crossing_step, cumulative_noise, felt_noise
from core.theory.bounds.regimes import Regime, representative_regimes, revealed_delta
from core.theory.bounds.statement import Bound, Condition

__all__ = [
    "Bound",
    "Condition",
    "KanRun",
    "NtkMargin",
    "Regime",
    "crossing_step",
    "cumulative_noise",
    "curvature_bound",
    "felt_noise",
    "gradient_bound",
    "least_width",
    "ntk_margin",
    "optimisation_bound",
    "optimisation_order",
    "output_factors",
    "population_order",
    "representative_regimes",
    "revealed_delta",
    "smoothness_bound",
    "width_range",
]
