"""Toeplitz mechanisms in closed form: powers of one factor, and finitely many coefficients of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ellipkm1

from core import toeplitz
from core.check import whole
from core.mechanisms.base import ToeplitzMechanism, inverse_of, read_only
from core.mechanisms.fading import LONGEST, NODES, fading_coef


@dataclass(frozen=True, kw_only=True)
class Power(ToeplitzMechanism):
    """Noise with generating function B(z) = (1 - root z)^power.

    power 0 is independent noise, 1/2 is nu-FTRL with root = 1 - nu, 1 is DP-lambda-CGD with root = correlation and
    anti-PGD with root = 1 - damping.

    Guarantees: beta_t = beta_{t-1} root (t-1-power)/t and c_t = c_{t-1} root (t-1+power)/t, inverse to each other; c is
    non-negative and never rises.
    Reference: 2310.06771, eq. (7) (nu-FTRL) and Section C.5 (anti-PGD); 2605.12648, Algorithm 1 (lambda).
    """

    root: float
    power: float

    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B: beta_t = root^t (-1)^t binomial(power, t)."""
        return _binomial(self.root, -self.power, whole("steps", steps, at_least=1))

    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C: c_t = root^t (-1)^t binomial(-power, t)."""
        return _binomial(self.root, self.power, whole("steps", steps, at_least=1))

    def limit_sensitivity(self) -> float:
        """1, 1/sqrt(1 - root^2) or sqrt(2 K / pi), K the complete elliptic integral at modulus root; inf at root 1.

        Reference: 2310.06771, eq. (5) and Lemma F.15 for nu-FTRL: (2/pi) K(1 - nu) is the SQUARE.
        """
        if self.power == 0:
            return 1.0
        complement = (1 - self.root) * (1 + self.root)  # 1 - root^2 without cancellation
        if self.power == 0.5:
            return float(np.sqrt(2 / np.pi * ellipkm1(complement)))
        return float(1 / np.sqrt(complement)) if complement > 0 else float("inf")

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega) = (1 - root exp(i omega))^power."""
        return (1 - self.root * np.exp(1j * np.asarray(omega, dtype=float))) ** self.power

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once; see `Mechanism.sample`."""
        if self.power == 0.5:
            return super().sample(steps, shape, generator, device, dtype)
        return _sample_taps(self._taps(), steps, shape, generator, device, dtype)

    def correlate(self, blocks):
        """Noise one step after the other, in one buffer of its shape (32 for power 1/2).

        Guarantees: for power 1/2 the coefficients applied differ from the exact ones by less than 1e-11, for 100,000
        steps, after which the stream ends with a ValueError; the others are exact and never end.
        """
        from core.mechanisms import sampling

        if self.power == 0.5:
            return sampling.stream_fading(self.root, blocks)
        return sampling.stream_taps(self._taps(), blocks)

    def buffers(self, steps: int) -> int:
        """32 fading memories for power 1/2, the last draw for power 1, nothing for independent noise."""
        return NODES if self.power == 0.5 else len(self._taps()) - 1

    def operations(self, steps: int) -> float:
        """Two for each buffer at power 1/2, to read and to renew it; else one."""
        return 2.0 * NODES if self.power == 0.5 else len(self._taps()) - 1.0

    def _taps(self) -> np.ndarray:
        return np.array([1.0, -self.root]) if self.power else np.ones(1)

    def _charged(self, steps: int) -> tuple[np.ndarray, ...]:
        """The exact first column of C; for power 1/2 also that of the coefficients which `stream` applies."""
        exact = self.strategy_coef(steps)
        if self.power != 0.5 or steps > LONGEST:
            return (exact,)
        # scaling beta_t by root^t scales c_t alike, for the stream as well: one inversion serves every nu
        size = min(LONGEST, 1 << (steps - 1).bit_length())
        return exact, _streamed_counting(size)[:steps] * self.root ** np.arange(steps)


@dataclass(frozen=True, kw_only=True)
class Taps(ToeplitzMechanism):
    """Noise of finitely many coefficients `taps`, the first one not zero; zero beyond."""

    taps: tuple[float, ...]

    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B: the taps, zero beyond."""
        return read_only(toeplitz.resize(np.array(self.taps), whole("steps", steps, at_least=1)))

    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C: the power series of 1/B."""
        return inverse_of(self, whole("steps", steps, at_least=1))

    def limit_sensitivity(self) -> float:
        """Root of the sum of all c_t^2, the variance of the autoregression with these taps; inf unless it is stable.

        The step-down recursion shortens the autoregression by one lag at a time; each reflection coefficient k divides
        the variance by 1 - k^2, and |k| < 1 throughout is stability.

        Guarantees: the limit of `sensitivity(steps)`; exactly inf when B has a zero on or inside the unit circle.
        """
        lags = np.array(self.taps[1:]) / self.taps[0]
        variance = 1.0 / self.taps[0] ** 2
        while len(lags):
            reflection = lags[-1]
            if abs(reflection) >= 1:
                return float("inf")
            variance /= 1 - reflection**2
            lags = (lags[:-1] - reflection * lags[-2::-1]) / (1 - reflection**2)
        return float(np.sqrt(variance))

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega) = sum_t taps_t exp(i omega t)."""
        return np.polynomial.polynomial.polyval(np.exp(1j * np.asarray(omega, dtype=float)), np.array(self.taps))

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once; see `Mechanism.sample`."""
        return _sample_taps(np.array(self.taps), steps, shape, generator, device, dtype)

    def correlate(self, blocks):
        """Noise one step after the other, keeping as many past draws as there are taps."""
        from core.mechanisms import sampling

        return sampling.stream_taps(np.array(self.taps), blocks)

    def buffers(self, steps: int) -> int:
        """One for each tap but the first."""
        return min(len(self.taps), whole("steps", steps, at_least=1)) - 1

    def operations(self, steps: int) -> float:
        """One for each tap."""
        return float(len(self.taps))


def _binomial(root: float, power: float, steps: int) -> np.ndarray:
    """Power series (steps,) of (1 - root z)^(-power)."""
    lag = np.arange(1, steps)
    return read_only(np.cumprod(np.concatenate([[1.0], root * ((lag - 1 + power) / lag)])))


def _sample_taps(taps, steps, shape, generator, device, dtype):
    from core.mechanisms import sampling

    return sampling.sample_taps(taps, whole("steps", steps, at_least=1), shape, generator, device, dtype)


@lru_cache(maxsize=18)
def _streamed_counting(steps: int) -> np.ndarray:
    """First column (steps,) of the C that the stream of optimal counting (nu = 0) really has."""
    return read_only(toeplitz.inverse(fading_coef(steps)))
