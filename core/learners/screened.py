"""Sums of clipped gradients over all records, at the price of the few records whose clipping is in doubt."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.learners.clipping import clipped_sum
from core.learners.one_shot import huber_search
from core.problems import Batch
from core.problems.finite import LeastSquares

_LEVELS = 7  # a chain examines no record, or the first n/2^_LEVELS, ..., n/2, n records in doubt
_ELEMENTS = 2**19  # numbers in one temporary, however many chains and records there are


def full_sums(problem: LeastSquares, theta: Tensor, clip_norm: float) -> tuple[Tensor, Tensor]:
    """sum_i clip(g_i) over all records, one by one, and how many gradients are longer than clip_norm.

    `theta` (data sets, chains, p): the chains of each data set. Returns sums of that shape and counts (data sets, chains).
    """
    everything = problem.everything()
    sums, counts = torch.empty_like(theta), torch.empty(theta.shape[:2], dtype=torch.int64, device=theta.device)
    for index in range(len(theta)):
        one = Batch(everything.features[index, None], everything.labels[index, None])
        for chains in torch.arange(theta.shape[1]).split(max(1, _ELEMENTS // problem.n_samples)):
            a, h = problem.factors(theta[index, chains][:, None, None], one)  # (chains, 1, n, 1) and (1, n, p)
            total, norms = clipped_sum(a, h, clip_norm)
            sums[index, chains] = total[:, 0, 0]
            counts[index, chains] = (~(norms <= clip_norm)).sum(-1)[:, 0]  # a NaN norm exceeds every bound
    return sums, counts


@dataclass(frozen=True, eq=False)
class Screen:
    """The same sums as `full_sums`, in which records whose state is proven enter through statistics of theirs.

    Clipping (r x) at C is pulling at most C/|x| on x, r = <theta, x> - y. By Cauchy-Schwarz r moves by at most
    |x| |theta - centre|, so that a record keeps its state, unclipped or clipped on one side, within the distance

        switch = | |r(centre)| - C/|x| | / |x|        of the centre.

    Records are sorted by it. A chain examines one by one those with a switch up to its distance. Of all others, the
    unclipped add X'X theta - X'y and the clipped a constant; where none can be clipped, and none switches, that is all.
    Statistics are kept for a few prefixes of the records, so a chain examines up to twice as many as it must.

    Guarantees: sums equal `full_sums` to rounding, and counts but for ties, wherever a run is followed (|theta| up to
    `overflow_bound`); at infinity and NaN, where a run has diverged, both count every record and their sums mean nothing.
    """

    centre: Tensor  # (data sets, p)
    columns: Tensor  # (data sets, p, n): X', the record of least switch first
    labels: Tensor  # (data sets, n)
    bends: Tensor  # (data sets, n): C/|x|
    sizes: tuple[int, ...]  # (levels,) records that a level examines
    reach: Tensor  # (data sets, levels - 1): least switch among those that a level leaves out; the last leaves out none
    gram: Tensor  # (levels, data sets, p, p): X'X of the unclipped records that a level leaves out
    constant: Tensor  # (levels, data sets, p): -X'y of those, and what the clipped ones pull
    clipped: Tensor  # (levels, data sets): how many clipped records a level leaves out

    @classmethod
    def around(cls, problem: LeastSquares, clip_norm: float) -> Screen:
        """A screen centred where clipped gradient descent settles; costs a few passes over the records."""
        everything = problem.everything()
        centre = torch.as_tensor(huber_search(problem.records, clip_norm), dtype=problem.dtype).to(problem.start.device)
        residuals = (everything.features @ centre[..., None])[..., 0] - everything.labels
        lengths = everything.features.norm(dim=-1)
        bends = clip_norm / lengths  # infinite for a record of zeros, which has no gradient
        slack = 1e-12 * (residuals.abs() + bends)  # rounding could turn a record that much earlier
        switch = ((residuals.abs() - bends).abs() - slack).clamp(min=0.0) / lengths * (1 - 1e-12)
        switch, order = torch.where(lengths > 0, switch, torch.inf).sort(dim=1)
        features = everything.features.gather(1, order[..., None].expand_as(everything.features))
        labels, bends, residuals = (values.gather(1, order) for values in (everything.labels, bends, residuals))

        clipped = residuals.abs() > bends
        unclipped_features = features * ~clipped[..., None]
        pulls = torch.where(clipped, residuals.sign() * bends, -labels)
        sizes = (0, *(problem.n_samples >> shift for shift in range(_LEVELS, -1, -1)))
        between = [slice(*ends) for ends in zip(sizes, (*sizes[1:], problem.n_samples), strict=True)]  # the last is empty
        return cls(
            centre, features.mT.contiguous(), labels, bends, sizes,
            reach=switch[:, list(sizes[:-1])],
            gram=_from_the_end([unclipped_features[:, part].mT @ features[:, part] for part in between]),
            constant=_from_the_end([(pulls[:, None, part] @ features[:, part])[:, 0] for part in between]),
            clipped=_from_the_end([clipped[:, part].sum(-1) for part in between]),
        )  # fmt: skip

    def sums(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """What `full_sums` gives for theta (data sets, chains, p)."""
        distance = (theta - self.centre[:, None]).norm(dim=-1)
        # the first level that leaves out nothing in doubt; NaN and infinity examine everything
        level = (~(distance[..., None] < self.reach[:, None])).sum(-1)
        data = torch.arange(len(theta), device=theta.device)[:, None].expand_as(level)
        total = (self.gram[level, data] @ theta[..., None])[..., 0] + self.constant[level, data]
        count = self.clipped[level, data]
        for index in level.unique().tolist():
            size = self.sizes[index]
            if size == 0:
                continue
            width = size if len(theta) == 1 else size * theta.shape[-1]
            for chosen in (level == index).nonzero().split(max(1, _ELEMENTS // width)):
                place = (chosen[:, 0], chosen[:, 1])
                sums, exceeding = self._examined(size, theta[place], place[0])
                # all records examined: nothing of the statistics is meant, and nothing of theirs may turn infinity to NaN
                total[place] = sums if index == len(self.sizes) - 1 else total[place] + sums
                count[place] += exceeding
        return total, count

    def _examined(self, size: int, theta: Tensor, data: Tensor) -> tuple[Tensor, Tensor]:
        """Sums (chains, p) and counts (chains,) over the first `size` records of data set data[c], for theta (chains, p)."""
        if len(self.columns) == 1:
            columns, labels, bends = self.columns[0, :, :size], self.labels[0, :size], self.bends[0, :size]
            pulls, exceeding = _pulls(theta @ columns - labels, bends)
            return pulls @ columns.mT, exceeding
        columns, labels, bends = self.columns[data, :, :size], self.labels[data, :size], self.bends[data, :size]
        pulls, exceeding = _pulls((theta[:, None] @ columns)[:, 0] - labels, bends)
        return (columns @ pulls[..., None])[..., 0], exceeding


def _pulls(residuals: Tensor, bends: Tensor) -> tuple[Tensor, Tensor]:
    """Residuals (chains, records) cut to the bends, and how many of each chain were."""
    return residuals.clamp(-bends, bends), (~(residuals.abs() <= bends)).sum(-1)


def _from_the_end(parts: list[Tensor]) -> Tensor:
    """Of each part, its sum with all later ones."""
    return torch.stack(parts).flip(0).cumsum(0).flip(0)
