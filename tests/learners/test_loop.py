"""What the training loops share: which replicates survive."""

import torch

from core import mechanisms
from core.learners import Arm
from core.learners.loop import Survivors, overflow_bound

ARMS = tuple(Arm(label, mechanisms.independent(), 1.0, 0.1) for label in ("one", "other"))


def test_what_overflows_is_infinite_from_there_on_and_said():
    theta = torch.ones(2, 3, 4, dtype=torch.float64)
    survivors = Survivors(theta)
    survivors.count(theta)
    assert torch.equal(survivors.shown(theta), theta) and survivors.status(ARMS, 1) == ""
    far = theta.clone()
    far[1, 0, 2], far[1, 2, 0] = overflow_bound(torch.float64), torch.nan
    survivors.count(far)
    survivors.count(theta)  # what was lost does not come back
    shown = survivors.shown(theta)
    assert shown[1, 0].isposinf().all() and shown[1, 2].isposinf().all()
    assert torch.equal(shown[0], theta[0]) and torch.equal(shown[1, 1], theta[1, 1])
    assert survivors.status(ARMS, 3) == "other diverged: 2 of 3 replicates overflowed, the first at step 2."


def test_all_iterates_of_a_replicate_must_stay_and_any_shape_will_do():
    x = torch.zeros(1, 2, 3, 2, dtype=torch.float64)
    y = x.clone()
    y[0, 1, 2, 1] = -torch.inf
    survivors = Survivors(x)
    survivors.count(x, y)
    assert survivors.shown(x)[0, 1].isposinf().all() and not survivors.shown(x)[0, 0].any()
    assert survivors.status(ARMS[:1], 1) == "one diverged: 1 of 2 replicates overflowed, the first at step 1."
