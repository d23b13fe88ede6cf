"""Every mechanism of the literature on one problem, at the same privacy, beside the best noise for that problem.

Every function is pure: it takes a `NoiseSetting` and gives a `Result`, a `Grid`, a `Table`, numbers or a sentence.
"""

from core.experiments.mechanisms.arms import arms, count, crowded, handle_levels, mechanism, noise_multiplier, own_noise, refusals, sensitivity
from core.experiments.mechanisms.best_matrix import condition_numbers, condition_stream, dense_optima, last_iterate_trick
from core.experiments.mechanisms.outcome import (
    Winner,
    characteristics,
    excess_risk,
    final_risks,
    optimum,
    optimum_column,
    plain_risk,
    prefix_error,
    privacy_risk,
    spelled,
    verdict,
    winner,
    words,
)
from core.experiments.mechanisms.own import (
    OwnNumbers,
    known_shapes,
    levels_of,
    optimum_curve,
    own_numbers,
    own_risk,
    own_spectrum,
)
from core.experiments.mechanisms.pictures import coefficients, noising_picture, spectra, strategy_picture, visible
from core.experiments.mechanisms.presets import presets
from core.experiments.mechanisms.setting import HANDLES, HIGHEST, LOWEST, MULTIPLIERS, NOISES, OWN, SPECTRA, NoiseSetting, stability
from core.experiments.mechanisms.sweep import knob_values, risk_frames, winners
