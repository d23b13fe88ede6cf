"""What is worth knowing of a mechanism at one number of steps, in numbers that do not depend on the machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.check import vector, whole
from core.mechanisms.base import Mechanism, ToeplitzMechanism, check_mechanism


@dataclass(frozen=True)
class Characteristics:
    """A row of the table of mechanisms. Errors are at the same privacy: standard deviations times the sensitivity.

    `step_error` is the root mean square over steps of the noise of a single step, `prefix_rms` and `prefix_max` the root
    mean square and the largest of its running sum [clip_norm, at noise multiplier 1 over the sensitivity]; `buffers` the
    tensors kept from step to step, `operations` the multiplications for each number of a step.
    """

    sensitivity: float
    step_error: float
    prefix_rms: float
    prefix_max: float
    buffers: int
    operations: float
    anytime: bool


def characterise(mechanism: Mechanism, steps: int, participations: int = 1, separation: int = 1) -> Characteristics:
    """Sensitivity, errors, memory and time of `mechanism` over `steps` steps.

    Guarantees: independent noise under one participation has sensitivity 1, step error 1 and prefix_max sqrt(steps).
    Raises: ValueError for what is no mechanism, and for participations whose worst pattern is not known.
    Reference: the columns of 2310.06771, Table 3, with numbers in place of orders.
    """
    sensitivity = check_mechanism(mechanism).sensitivity(steps, participations, separation)
    step, prefix = mechanism.step_std(steps), mechanism.prefix_std(steps)
    return Characteristics(
        sensitivity=sensitivity,
        step_error=sensitivity * float(np.sqrt(np.mean(step**2))),
        prefix_rms=sensitivity * float(np.sqrt(np.mean(prefix**2))),
        prefix_max=sensitivity * float(prefix.max()),
        buffers=mechanism.buffers(steps),
        operations=mechanism.operations(steps),
        anytime=mechanism.anytime,
    )


def noise_power(mechanism: Mechanism, omega, steps: int) -> np.ndarray:
    """Power of the noise of `steps` steps at frequencies `omega` (k,), E |sum_t noise_t exp(i omega t)|^2 / steps, (k,).

    It exists for matrices that treat steps unlike, where B(omega) does not.

    Guarantees: its mean over all frequencies is the mean of `step_std` squared; tends to |B(omega)|^2 for Toeplitz noise.
    """
    check_mechanism(mechanism)
    omega, steps = vector("omega", omega), whole("steps", steps, at_least=1)
    waves = np.exp(1j * np.outer(omega, np.arange(steps)))
    if isinstance(mechanism, ToeplitzMechanism):  # the draw of step s is heard through the first steps - s coefficients
        heard = np.cumsum(waves * mechanism.noising_coef(steps), axis=1)
    else:
        heard = waves @ mechanism.noising_matrix(steps)
    return np.mean(np.abs(heard) ** 2, axis=1)
