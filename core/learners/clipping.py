"""Clipped sums of per-example gradients, without ever holding a per-example gradient."""

import torch
from torch import Tensor


def clipped_sum(a: Tensor, h: Tensor, clip_norm: float | Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """sum_i weights_i min(1, clip_norm / |g_i|) g_i for gradients g_i = a_i h_i', and the norms |g_i| = |a_i| |h_i|.

    `a` (arms, replicates, B, outputs), `h` (replicates, B, features), `weights` (replicates, B) or None for ones.
    Returns the sum (arms, replicates, outputs, features) and the norms before clipping (arms, replicates, B). The
    factors are scaled before they meet, so the sum is one batched matmul. `clip_norm` may be math.inf, or a tensor
    with a value for every norm, such as (arms, replicates, 1).

    Guarantees: equals the loop over per-example autograd gradients; no summand is longer than clip_norm * weight.
    Reference: arXiv 2310.06771, Algorithm 1, line 3 (clip is the projection onto the ball of radius clip_norm).
    """
    norms = torch.linalg.vector_norm(a, dim=-1) * torch.linalg.vector_norm(h, dim=-1)
    scale = (clip_norm / norms).clamp(max=1.0)  # a zero gradient gives inf, hence 1
    if weights is not None:
        scale = scale * weights
    return torch.einsum("arbo,rbf->arof", a * scale[..., None], h), norms
