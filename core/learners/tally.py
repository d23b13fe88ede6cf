"""What a run counts while it trains, between one snapshot and the next."""

import torch
from torch import Tensor

QUANTILES = {"gradient_norm": 0.5, "gradient_norm_high": 0.9}


class Tally:
    """Counts over (arms, replicates), on the device of the run; `read` gives the measures and starts anew.

    `share_clipped`: the fraction of examples since the last reading whose gradient exceeded `clip_norm`.
    `share_projected`: the fraction of steps since then that ended outside the ball and were projected onto it.
    `gradient_norm`, `gradient_norm_high`: the median and the 90% quantile of the norms of the latest batch.
    `noise_norm`: the norm of the sum of all noise since the start [clip_norm].
    """

    def __init__(self, theta: Tensor, clip_norm: float, projecting: bool) -> None:
        self._clip_norm, self._projecting = clip_norm, projecting
        zeros = torch.zeros(theta.shape[:2], dtype=torch.float64, device=theta.device)
        self._exceeding, self._joined, self._projected = zeros.clone(), zeros.clone(), zeros.clone()
        self._noise = torch.zeros_like(theta)
        self._steps = 0

    def add(self, norms: Tensor, weights: Tensor | None, noise: Tensor, projected: Tensor | None) -> None:
        """One step: norms (arms, replicates, B), weights (replicates, B), noise like theta, projected (arms, replicates)."""
        exceeding = ~(norms <= self._clip_norm)  # a NaN norm exceeds every bound
        if weights is None:
            self._joined += norms.shape[-1]
        else:
            exceeding &= weights > 0
            self._joined += weights.sum(-1)
        self._exceeding += exceeding.sum(-1)
        self._noise += noise
        self._norms, self._weights = norms, weights
        self._steps += 1
        if self._projecting:
            self._projected += projected

    def read(self) -> dict[str, Tensor]:
        """Measures (arms, replicates) since the last reading; a batch without examples has norm 0."""
        measures = {"share_clipped": self._exceeding / self._joined.clamp(min=1)}
        if self._projecting:
            measures["share_projected"] = self._projected / self._steps
        measures |= _quantiles(self._norms, self._weights)
        measures["noise_norm"] = torch.linalg.vector_norm(self._noise, dim=(-2, -1)) / self._clip_norm
        for count in (self._exceeding, self._joined, self._projected):
            count.zero_()
        self._steps = 0
        return measures


def _quantiles(norms: Tensor, weights: Tensor | None) -> dict[str, Tensor]:
    """The smallest norm that this share of the examples does not exceed; empty places do not count."""
    present = torch.ones_like(norms[0], dtype=torch.bool) if weights is None else weights > 0
    ordered = norms.nan_to_num(nan=torch.inf, posinf=torch.inf).masked_fill(~present, torch.inf).sort(-1).values
    sizes = present.sum(-1)
    measures = {}
    for name, share in QUANTILES.items():
        rank = (share * sizes.double()).ceil().long().clamp(min=1) - 1
        norm = ordered.gather(-1, rank.expand(norms.shape[:2])[..., None])[..., 0]
        measures[name] = torch.where(sizes > 0, norm, 0.0)
    return measures
