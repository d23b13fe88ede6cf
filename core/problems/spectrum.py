"""Hessian spectra that are worth trying. Numpy only, so that theory can use it without torch."""

import numpy as np

from core.check import real, whole


def spectrum(dim: int, decay: float) -> np.ndarray:
    """Eigenvalues k^-decay, k = 1..dim, of a Hessian: decay 0 is flat, 1 is 1/k. Largest first, the largest is 1.

    Raises: ValueError for dim < 1 or decay < 0.
    """
    return np.arange(1, whole("dim", dim, at_least=1) + 1, dtype=float) ** -real("decay", decay, at_least=0.0)
