"""Theorem 2.1: stationary risk of private mean estimation, where everything has a closed form.

theta_t = theta_{t-1} - eta (theta_{t-1} - x_t + noise_t) for one-dimensional records x_t of standard deviation
`data_std`, gradients at most `clip_norm`, and noise calibrated to rho-zCDP under zero-out adjacency over an unbounded
run: seed variance limit_sensitivity^2 clip_norm^2 / (2 rho). Risks carry the 1/2 of the squared loss.

Reference: 2310.06771, Theorem 2.1 and Figure 1.
"""

from typing import Protocol

import numpy as np
from scipy.special import ellipkm1

from core import check
from core.theory.frequency import Correlated, filtered_power


class Released(Correlated, Protocol):
    """A mechanism that can run for ever: its response and its limit sensitivity, in units of the clip norm."""

    def limit_sensitivity(self) -> float: ...


def dp_sgd_risk(learning_rate: float, rho: float, data_std: float = 0.0, clip_norm: float = 1.0) -> float:
    """Stationary risk of DP-SGD: eta (clip_norm^2/(2 rho) + data_std^2) / (2 (2 - eta)), for 0 < eta < 2."""
    return _risk(learning_rate, rho, data_std, clip_norm, 1.0)


def optimal_risk(learning_rate: float, rho: float, data_std: float = 0.0, clip_norm: float = 1.0) -> float:
    """Smallest stationary risk of any correlation of the noise, attained by nu-FTRL with nu = eta, for 0 < eta < 2.

        1/2 [ eta^2 clip_norm^2/(2 rho) (2 K / (pi (2 - eta)))^2 + eta data_std^2 / (2 - eta) ]

    with K the complete elliptic integral of parameter 4 (1 - eta)/(2 - eta)^2.

    Guarantees: at most `dp_sgd_risk`; the same at eta = 1.
    """
    check.real("learning_rate", learning_rate, above=0, below=2)
    rate = learning_rate / (2 - learning_rate)
    felt = rate * (2 * ellipkm1(rate**2) / np.pi) ** 2
    return _risk(learning_rate, rho, data_std, clip_norm, felt)


def stationary_risk(
    mechanism: Released, learning_rate: float, rho: float, data_std: float = 0.0, clip_norm: float = 1.0
) -> float:
    """Stationary risk of any mechanism; inf where its limit sensitivity is.

    Guarantees: equals `dp_sgd_risk` for independent noise and `optimal_risk` for nu_ftrl(learning_rate).
    """
    check.real("learning_rate", learning_rate, above=0, below=2)
    sensitivity = mechanism.limit_sensitivity()
    if not np.isfinite(sensitivity):
        return np.inf
    felt = sensitivity**2 * float(filtered_power(mechanism, [learning_rate])[0])
    return _risk(learning_rate, rho, data_std, clip_norm, felt)


def _risk(learning_rate: float, rho: float, data_std: float, clip_norm: float, felt: float) -> float:
    check.real("learning_rate", learning_rate, above=0, below=2)
    check.real("rho", rho, above=0)
    check.real("data_std", data_std, at_least=0)
    check.real("clip_norm", clip_norm, above=0)
    power = felt * clip_norm**2 / (2 * rho) + data_std**2
    return float(learning_rate * power / (2 * (2 - learning_rate)))
