"""Privacy of lambda-correlated noise under Poisson subsampling: certified upper bounds, and the paper's closed forms.

Adjacency is zero-out: one record's clipped gradient becomes zero, which for Poisson batches is adding or removing it.
Sampling is Poisson: each record joins each step independently with probability `sampling_rate`, sums are divided by the
expected batch size. With y_t Bernoulli(r), independent, and C_{t,u} = lambda^(t-u), a run is as revealing as telling

    P: C y + noise_multiplier Z      from      Q: noise_multiplier Z,

in both directions (2605.12648, Theorem F.8, which is true for Poisson batches and false for its own fixed-size ones).

`shuffling` is the exception: one pass over shuffled records, replacement adjacency.
"""

from core.amplification.cache import remembered
from core.amplification.closed_form import closed_form
from core.amplification.fixed_size import Counterexample, calibrate_without_amplification, fixed_size_counterexample
from core.amplification.shuffling import calibrate_shuffled, shuffled_epsilon
from core.amplification.spectral import spectral_calibrate, spectral_epsilon, spectral_norm
from core.amplification.tight import FAILURE, tight_calibrate, tight_epsilon
from core.check import choice, real, require, whole

__all__ = [
    "Counterexample",
    "FAILURE",
    "calibrate",
    "calibrate_shuffled",
    "calibrate_without_amplification",
    "closed_form",
    "epsilon",
    "fixed_size_counterexample",
    "shuffled_epsilon",
    "spectral_norm",
]

METHODS = ("spectral", "tight")
_LONGEST, _CLOSEST = 2000, 0.99  # what method "tight" can account in seconds
_VERSION = 2  # of method "tight": results of another one are not remembered


def epsilon(
    correlation: float,
    sampling_rate: float,
    steps: int,
    noise_multiplier: float,
    delta: float,
    method: str = "spectral",
) -> float:
    """Epsilon at `delta` of lambda-correlated noise on Poisson batches, zero-out adjacency: a certified upper bound.

    Method "spectral" is proved; "tight" is a smaller bound by seeded Monte Carlo, which is false with probability at most
    `FAILURE` = 1e-6 over its draws; it takes seconds, and is kept on disk.

    Guarantees: at correlation 0 both are the privacy loss distribution of the Poisson-subsampled Gaussian, at a sampling
    rate of 1 the exact Gaussian; "tight" is at most "spectral".
    Raises: ValueError for a correlation outside [0, 1), a rate outside (0, 1], a delta outside [1e-10, 1); method
    "tight" also for a correlation above .99 and for more than 2000 steps.
    """
    setting = _setting(correlation, sampling_rate, steps, delta, method)
    given = (*setting, real("noise_multiplier", noise_multiplier, above=0), float(delta))
    proved = spectral_epsilon(*given)
    if method == "spectral" or correlation == 0 or sampling_rate == 1 or proved == 0:
        return proved
    return remembered(("epsilon", _VERSION, *given), lambda: tight_epsilon(*given, proved))


def calibrate(
    correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float, method: str = "spectral"
) -> float:
    """Noise multiplier that makes the run (epsilon, delta)-private, zero-out adjacency and Poisson batches, rounded up.

    Methods as in `epsilon`.

    Guarantees: "spectral" is at most |C|_2 kappa(0), "tight" at most "spectral"; neither is below the exact noise
    multiplier, to within `FAILURE` for "tight", which is within 4 % of it where records join often, and looser where they
    join a few times and epsilon is large; both rise with correlation, sampling_rate and steps, and fall with epsilon and
    delta, "tight" to within its Monte Carlo error of 1 %.
    Raises: ValueError where `epsilon` does.
    """
    setting = _setting(correlation, sampling_rate, steps, delta, method)
    given = (*setting, real("epsilon", epsilon, above=0), float(delta))
    proved = spectral_calibrate(*given)
    if method == "spectral" or correlation == 0 or sampling_rate == 1:
        return proved
    return remembered(("calibrate", _VERSION, *given), lambda: tight_calibrate(*given, proved))


def _setting(correlation, sampling_rate, steps, delta, method) -> tuple[float, float, int]:
    choice("method", method, METHODS)
    real("delta", delta, at_least=1e-10, below=1)
    correlation = real("correlation", correlation, at_least=0, below=1)
    steps = whole("steps", steps, at_least=1)
    if method == "tight":
        require(correlation <= _CLOSEST, "correlation", correlation, f"<= {_CLOSEST} for method 'tight'")
        require(steps <= _LONGEST, "steps", steps, f"<= {_LONGEST} for method 'tight'")
    return correlation, real("sampling_rate", sampling_rate, above=0, at_most=1), steps
