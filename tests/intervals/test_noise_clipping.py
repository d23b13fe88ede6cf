"""How much the noise of a settled run clips."""

import numpy as np
import pytest

from core.intervals import noise_clipping

GENERATOR = np.random.default_rng(0)
FEATURES = GENERATOR.standard_normal((60, 3))
CENTRE = np.array([0.5, -1.0, 2.0])
LABELS = FEATURES @ CENTRE + GENERATOR.standard_normal(60)
ROOT = np.array([[0.4, 0, 0], [0.2, 0.3, 0], [0, 0.1, 0.5]])


def test_shares_are_those_of_a_simulation():
    thetas = CENTRE + np.random.default_rng(1).standard_normal((20_000, 3)) @ ROOT.T
    lengths = np.abs(LABELS - thetas @ FEATURES.T) * np.linalg.norm(FEATURES, axis=1)
    here = np.abs(LABELS - FEATURES @ CENTRE) * np.linalg.norm(FEATURES, axis=1) > 2.0
    clipped = lengths > 2.0
    found = noise_clipping(FEATURES, LABELS, CENTRE, ROOT @ ROOT.T, 2.0)
    for value, each in ((found.share, clipped.mean(axis=1)), (found.changed, (clipped != here).mean(axis=1))):
        assert abs(value - each.mean()) < 4 * each.std() / 20_000**0.5
    assert found.changed > abs(found.share - here.mean()) + 0.05, "what is clipped more and what is clipped less do not cancel"


def test_without_noise_nothing_changes():
    here = np.abs(LABELS - FEATURES @ CENTRE) * np.linalg.norm(FEATURES, axis=1) > 2.0
    assert noise_clipping(FEATURES, LABELS, CENTRE, np.zeros((3, 3)), 2.0) == (here.mean(), 0.0)


def test_a_bad_argument_is_named():
    with pytest.raises(ValueError, match="^clip_norm="):
        noise_clipping(FEATURES, LABELS, CENTRE, np.eye(3), 0.0)
    with pytest.raises(ValueError, match="^centre"):
        noise_clipping(FEATURES, LABELS, CENTRE[:2], np.eye(3), 1.0)
