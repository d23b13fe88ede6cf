"""One frozen `AdaptiveSetting` holds every control; what it asks for is least squares on Gaussian records."""

from dataclasses import dataclass

import numpy as np

from core import privacy
from core.check import choice, real, require, whole
from core.comparison.controls import Controls
from core.devices import DEVICES

LABEL_NOISES = (1.0, 0.1, 0.01, 0.0)
"""The label noises that are compared, in the order of their painting."""
LARGEST_DATA = 2**25
"""Numbers in one replicate's records: more would not fit beside others."""


@dataclass(frozen=True)
class AdaptiveSetting(Controls):
    """Every control of the experiment: scalars, checked at birth, hashable; it fits in a URL.

    x ~ N(0, I) in `dim` dimensions, y = <x, theta_star> + label_noise N(0, 1) with |theta_star| = 1. `label_noise` is the
    one whose run is looked into. `correlation`: lambda of the arm with correlated noise. `as_printed`: look into the
    printed search, with `rungs` doublings, instead of the exact one.

    Raises: ValueError naming field, value and requirement. What does not fit together is said by `check_together`.
    """

    dim: int = 10
    n_samples: int = 20_000
    epsilon: float = 1.0
    delta: float = 1e-6
    steps: int = 6
    correlation: float = 0.3
    label_noise: float = 0.01
    as_printed: bool = False
    rungs: int = 20
    replicates: int = 20
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        whole("dim", self.dim, at_least=1, at_most=1000)
        whole("n_samples", self.n_samples, at_least=100, at_most=1_000_000)
        real("epsilon", self.epsilon, at_least=0.01, at_most=100)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        whole("steps", self.steps, at_least=2, at_most=50)
        real("correlation", self.correlation, at_least=0, at_most=0.999)
        real("label_noise", self.label_noise, at_least=0, at_most=100)
        require(isinstance(self.as_printed, bool), "as_printed", self.as_printed, "True or False")
        whole("rungs", self.rungs, at_least=1, at_most=10_000)
        whole("replicates", self.replicates, at_least=5, at_most=200)
        whole("seed", self.seed, at_most=2**31 - 1)
        choice("device", self.device, DEVICES)

    @property
    def mu(self) -> float:
        """The Gaussian-DP parameter that (epsilon, delta) allows."""
        return privacy.gdp_mu_for(self.epsilon, self.delta)

    @property
    def rho(self) -> float:
        """The budget of one record: mu^2 / 2."""
        return self.mu**2 / 2

    @property
    def label_noises(self) -> tuple[float, ...]:
        """Those compared, the viewer's own among them."""
        return tuple(sorted({*LABEL_NOISES, float(self.label_noise)}, reverse=True))

    @property
    def eigenvalues(self) -> np.ndarray:
        """Those of the Hessian (d,): all 1."""
        return np.ones(self.dim)


def check_together(setting: AdaptiveSetting) -> None:
    """Whether the records fit in memory and leave some for every search. Raises: ValueError in one sentence if not."""
    room = LARGEST_DATA // setting.dim
    require(setting.n_samples <= room, "n_samples", setting.n_samples, f"at most {room} for {setting.dim} parameters")
    enough = 33 * setting.steps
    require(setting.n_samples >= enough, "n_samples", setting.n_samples, f">= {enough}, 33 for each of {setting.steps} steps")
