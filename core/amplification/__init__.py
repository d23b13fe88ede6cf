"""Privacy of lambda-correlated noise under Poisson subsampling: certified upper bounds, and the paper's closed forms.

Adjacency is zero-out: one record's clipped gradient becomes zero, which for Poisson batches is adding or removing it.
Sampling is Poisson: each record joins each step independently with probability `sampling_rate`, sums are divided by the
expected batch size. With y_t Bernoulli(r), independent, and C_{t,u} = lambda^(t-u), a run is as revealing as telling

    P: C y + noise_multiplier Z      from      Q: noise_multiplier Z,

in both directions (2605.12648, Theorem F.8, which is true for Poisson batches and false for its own fixed-size ones).
"""

from core.amplification.closed_form import closed_form
from core.amplification.fixed_size import Counterexample, calibrate_without_amplification, fixed_size_counterexample
from core.amplification.spectral import spectral_calibrate, spectral_epsilon, spectral_norm
from core.check import choice, real, whole

__all__ = [
    "Counterexample",
    "calibrate",
    "calibrate_without_amplification",
    "closed_form",
    "epsilon",
    "fixed_size_counterexample",
    "spectral_norm",
]

METHODS = ("spectral",)


def epsilon(
    correlation: float,
    sampling_rate: float,
    steps: int,
    noise_multiplier: float,
    delta: float,
    method: str = "spectral",
) -> float:
    """Epsilon at `delta` of lambda-correlated noise on Poisson batches, zero-out adjacency: a certified upper bound.

    Guarantees: at correlation 0 the privacy loss distribution of the Poisson-subsampled Gaussian; at a sampling rate of
    1 the exact Gaussian; `calibrate` gives at most the epsilon that it was asked for.
    Raises: ValueError for a correlation outside [0, 1), a rate outside (0, 1], a delta outside [1e-10, 1).
    """
    return spectral_epsilon(
        *_setting(correlation, sampling_rate, steps, delta, method),
        real("noise_multiplier", noise_multiplier, above=0),
        float(delta),
    )


def calibrate(
    correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float, method: str = "spectral"
) -> float:
    """Noise multiplier that makes the run (epsilon, delta)-private, zero-out adjacency and Poisson batches, rounded up.

    Guarantees: kappa(lambda) <= |C|_2 kappa(0); never below the exact noise multiplier; rises with correlation,
    sampling_rate and steps, falls with epsilon and delta.
    Raises: ValueError for a correlation outside [0, 1), a rate outside (0, 1], a delta outside [1e-10, 1).
    """
    setting = _setting(correlation, sampling_rate, steps, delta, method)
    return spectral_calibrate(*setting, real("epsilon", epsilon, above=0), float(delta))


def _setting(correlation, sampling_rate, steps, delta, method) -> tuple[float, float, int]:
    choice("method", method, METHODS)
    real("delta", delta, at_least=1e-10, below=1)
    return (
        real("correlation", correlation, at_least=0, below=1),
        real("sampling_rate", sampling_rate, above=0, at_most=1),
        whole("steps", steps, at_least=1),
    )
