"""One frozen `NoiseSetting` holds every control of the page; the noises compared and their scale follow from it."""

import math
from dataclasses import dataclass

import numpy as np

from core.check import choice, real, require, whole
from core.comparison.controls import Controls
from core.problems.spectrum import spectrum
from core.theory import quadratic
from core.theory.strongly_convex import MULTIPLIERS

NOISES = {
    "independent": "DP-SGD",
    "nu_ftrl": "nu-DP-FTRL",
    "lambda_cgd": "DP-lambda-CGD",
    "anti_pgd": "anti-PGD",
    "optimal_counting": "optimal counting",
    "optimal_for": "optimum, in the long run",
    "best_toeplitz": "optimum, Toeplitz",
    "binary_tree": "binary tree",
    "honaker": "tree, Honaker",
    "full_honaker": "tree, full Honaker",
    "fft": "FFT mechanism",
    "banded_root": "banded square root",
    "banded_inverse_root": "banded inverse square root",
    "optimal_dense": "multi-epoch (best matrix)",
    "toeplitz": "your own",
}
"""The noises that can be compared, by their name in `core.names.ARMS`, and the short words for them on this page."""
_ONE_OF = "one of " + ", ".join(f"{noise} ({words})" for noise, words in NOISES.items())
OPTIMA = ("optimal_for", "best_toeplitz")
"""Those that are made for the problem at hand: what the others are measured by."""
SPECTRA = {
    "power": lambda dim, decay: spectrum(dim, decay),
    "geometric": lambda dim, decay: np.geomspace(1.0, 10.0**-decay, dim),
    "two_levels": lambda dim, decay: np.where(np.arange(dim) < (dim + 1) // 2, 1.0, 10.0**-decay),
}
"""Eigenvalues (dim,) of the Hessian by the name of their shape, the largest first and 1."""
OWN = ("drawn", "typed")
HANDLES = tuple(float(value) for value in np.pi * 10.0 ** np.linspace(-3, 0, 7))
"""Frequencies [radians per step] at which a drawn spectrum has its handles."""
LONGEST = 1024
"""Steps up to which every matrix can be handled while a viewer waits."""
LOWEST, HIGHEST = -4.0, 2.0
"""Ends of a handle: log10 of the power there."""


@dataclass(frozen=True)
class NoiseSetting(Controls):
    """Every control of the comparison: scalars, checked at birth, hashable; it fits in a URL.

    `shown`: names in `NOISES`, comma between; `pictured`: the one whose matrices are drawn. `participations`: steps that
    one record joins, evenly spaced; `restarts`: blocks of steps after which every noise begins anew. `multiplier`: which
    bound of `core.theory.strongly_convex` is drawn. `own` says where the viewer's own noise comes from: `levels`, log10
    of its power at `HANDLES`, or typed `coefficients`; these two texts are read where they are used, so that a viewer may type.

    Raises: ValueError naming field, value and requirement.
    """

    shown: str = "independent,nu_ftrl,lambda_cgd,optimal_counting,optimal_for,honaker"
    pictured: str = "nu_ftrl"
    nu: float = 0.01
    correlation: float = 0.9
    bands: int = 16
    participations: int = 1
    restarts: int = 1
    learning_rate: float = 0.05
    batch_size: int = 8
    steps: int = 500
    dim: int = 32
    shape: str = "power"
    decay: float = 1.0
    label_noise: float = 0.1
    epsilon: float = 2.0
    delta: float = 1e-6
    multiplier: str = "corrected"
    own: str = "drawn"
    levels: str = "-1.2 -1.2 -1 -0.6 -0.2 0.1 0.3"
    coefficients: str = "1 -0.5 -0.125 -0.0625"

    def __post_init__(self) -> None:
        for noise in self.shown.split(","):
            require(noise in NOISES, "shown", noise, _ONE_OF)
        require(self.pictured in NOISES, "pictured", self.pictured, _ONE_OF)
        real("nu", self.nu, above=0, at_most=1)
        real("correlation", self.correlation, at_least=0, below=1)
        whole("bands", self.bands, at_least=1, at_most=LONGEST)
        whole("participations", self.participations, at_least=1, at_most=64)
        whole("restarts", self.restarts, at_least=1, at_most=64)
        real("learning_rate", self.learning_rate, above=0, at_most=2)
        whole("batch_size", self.batch_size, at_least=1, at_most=100_000)
        whole("steps", self.steps, at_least=1, at_most=LONGEST)
        whole("dim", self.dim, at_least=1, at_most=256)
        choice("shape", self.shape, tuple(SPECTRA))
        real("decay", self.decay, at_least=0, at_most=4)
        real("label_noise", self.label_noise, at_least=0, at_most=100)
        real("epsilon", self.epsilon, at_least=0.01, at_most=100)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        choice("multiplier", self.multiplier, MULTIPLIERS)
        choice("own", self.own, OWN)
        require(len(self.levels) <= 200, "levels", self.levels, "at most 200 signs")
        require(len(self.coefficients) <= 2000, "coefficients", self.coefficients, "at most 2000 signs")

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the Hessian (dim,)."""
        return SPECTRA[self.shape](self.dim, self.decay)

    @property
    def separation(self) -> int:
        """Steps between two participations of one record, at least."""
        return max(1, self.steps // self.participations)

    def problem(self) -> dict:
        """What the exact theory asks about the problem: start at 0, theta_star = 1/sqrt(dim) in every direction."""
        return {
            "eigenvalues": self.eigenvalues,
            "learning_rate": self.learning_rate,
            "label_noise": self.label_noise,
            "batch_size": self.batch_size,
            "initial_error": np.full(self.dim, -1 / math.sqrt(self.dim)),
        }


def stability(setting: NoiseSetting) -> str:
    """Empty when the iterates settle, else a sentence with the largest stable learning rate."""
    limit = quadratic.largest_stable_learning_rate(setting.eigenvalues, setting.batch_size)
    if setting.learning_rate < limit:
        return ""
    return (
        f"The learning rate {setting.learning_rate:g} is not stable here: with these eigenvalues and this batch size "
        f"every method diverges from {limit:.3g} on, whatever its noise."
    )
