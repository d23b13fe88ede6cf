"""The workbench's central experiment: noises compared on linear regression at the SAME privacy, by exact theory.

Every function is pure: it takes a `Setting` and gives a `Result`, a `Table`, a `Sweep`, a number or a sentence.
"""

from core.comparison.anatomy import (
    felt_spectrum,
    running_sum,
    sensitivity_growth,
    stays_visible,
    taken_back,
    transfer_functions,
)
from core.comparison.outcome import causes, excess_risk, final_risks, improvement, in_words, verdict
from core.comparison.presets import Preset, presets
from core.comparison.setting import (
    ADJACENCY,
    Setting,
    arms,
    gdp_mu,
    largest_stable_learning_rate,
    noise_multiplier,
    noise_std,
    stability,
)
from core.comparison.spectra import noise_power, noise_spectrum
from core.comparison.sweeps import (
    CORRELATION_GRID,
    KNOBS,
    NU_GRID,
    gains_over,
    memory_frames,
    risk_against_learning_rate,
    risk_against_memory,
    risk_frames,
    risks_over,
    says_gain,
    spectrum_frames,
    spell_gain,
)
from core.comparison.told import Told, spell_factor, tell
