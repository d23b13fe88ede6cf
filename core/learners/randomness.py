"""One seed in the config, spawned by role. No global generator is read or written. Seeds alone do without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import torch


class RoleSeeds(NamedTuple):
    """Independent seeds for the roles of chance in a run."""

    data: int
    batches: int
    noise: int
    counts: int


def role_seeds(seed: int) -> RoleSeeds:
    """The seeds of data, batches, noise, and noise on counts that the one seed of a config stands for."""
    roles = np.random.SeedSequence(seed).spawn(len(RoleSeeds._fields))
    return RoleSeeds(*(int(role.generate_state(1, np.uint64)[0]) for role in roles))


def generator(seed: int, device: torch.device) -> torch.Generator:
    """A fresh torch generator on `device`."""
    import torch

    return torch.Generator(device).manual_seed(seed)
