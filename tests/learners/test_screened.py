"""The screen gives the sums of all records one by one, wherever theta is while a run is followed."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.learners import screened
from core.learners.loop import overflow_bound
from core.learners.screened import Screen, full_sums
from core.problems.designs import DESIGNS, Records, isotropic
from core.problems.finite import LeastSquares


def by_records(records: Records, theta: np.ndarray, clip_norm: float) -> tuple[np.ndarray, np.ndarray]:
    """Sums and counts for theta (data sets, chains, p) with every gradient (records, p) written out and scaled."""
    sums, counts = np.zeros_like(theta), np.zeros(theta.shape[:2], dtype=int)
    for index, chain in np.ndindex(*theta.shape[:2]):
        x = records.features[index]
        gradients = (x @ theta[index, chain] - records.labels[index])[:, None] * x
        lengths = np.linalg.norm(gradients, axis=1)
        sums[index, chain] = (gradients * (clip_norm / np.maximum(lengths, clip_norm))[:, None]).sum(axis=0)
        counts[index, chain] = (lengths > clip_norm).sum()
    return sums, counts


def places(centre: torch.Tensor, spread: float, chains: int = 6) -> torch.Tensor:
    source = torch.Generator().manual_seed(1)
    moved = torch.randn(len(centre), chains, centre.shape[1], generator=source, dtype=torch.float64)
    return centre[:, None] + spread * moved


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("data_sets", [1, 3])
@pytest.mark.parametrize("clip_norm", [0.1, 2.0, 6.0, 1000.0])
def test_sums_are_those_of_the_loop(design, data_sets, clip_norm):
    records = DESIGNS[design][1](n_samples=150, dim=4, data_sets=data_sets, seed=2)
    problem = LeastSquares(records)
    screen = Screen.around(problem, clip_norm)
    for spread in (0.0, 0.01, 0.2, 3.0, 1e6):
        theta = places(screen.centre, spread)
        sums, counts = by_records(records, theta.numpy(), clip_norm)
        for found, count in (screen.sums(theta), full_sums(problem, theta, clip_norm)):
            assert np.abs(found.numpy() - sums).max() <= 1e-11 * (np.abs(sums).max() + 150 * clip_norm)
            assert count.tolist() == counts.tolist()


@settings(max_examples=40)
@given(
    features=st.lists(st.lists(st.floats(-4, 4), min_size=2, max_size=2), min_size=6, max_size=20),
    clip_norm=st.floats(0.01, 100),
    shift=st.lists(st.floats(-50, 50), min_size=2, max_size=2),
)
def test_no_record_changes_state_unseen(features, clip_norm, shift):
    """Any data, zeros and doubles among them: the screen and the loop never part."""
    x = np.vstack([features, np.eye(2)])
    records = Records(x[None], (x @ [1.0, -2.0] + np.sin(np.arange(len(x))))[None])
    screen = Screen.around(LeastSquares(records), clip_norm)
    for part in (0.001, 0.1, 1.0):
        theta = screen.centre[:, None] + part * torch.tensor(shift, dtype=torch.float64)
        sums, _ = by_records(records, theta.numpy(), clip_norm)
        scale = np.abs(sums).max() + len(x) * clip_norm
        assert np.abs(screen.sums(theta)[0].numpy() - sums).max() <= 1e-10 * scale


def test_where_nothing_is_clipped_no_record_is_examined(monkeypatch):
    records = isotropic(500, 5, seed=4)
    problem = LeastSquares(records)
    theta = torch.as_tensor(records.theta_hat)[:, None] + 0.05
    longest = np.abs(records.features[0] @ theta[0, 0].numpy() - records.labels[0]) * np.linalg.norm(records.features[0], axis=1)
    screen = Screen.around(problem, 2 * longest.max())
    monkeypatch.setattr(Screen, "_examined", lambda *_: pytest.fail("examined a record"))
    sums, counts = screen.sums(theta)
    gradient = (records.features[0] @ theta[0, 0].numpy() - records.labels[0]) @ records.features[0]
    np.testing.assert_allclose(sums[0, 0].numpy(), gradient, rtol=1e-10)
    assert counts.item() == 0


def test_few_records_are_examined_near_the_centre(monkeypatch):
    examined = []
    original = Screen._examined
    monkeypatch.setattr(Screen, "_examined", lambda self, size, *rest: examined.append(size) or original(self, size, *rest))
    screen = Screen.around(LeastSquares(isotropic(10_000, 10, seed=5)), 5 * 10**0.5)
    screen.sums(places(screen.centre, 0.1, chains=50))
    assert 0 < max(examined) <= 10_000 // 16


def test_infinity_and_nan_examine_everything_and_stay_in_their_chain():
    problem = LeastSquares(isotropic(60, 3, data_sets=2, seed=6))
    screen = Screen.around(problem, 1.0)
    theta = places(screen.centre, 0.1, chains=3)
    clean, counted = screen.sums(theta)
    theta[0, 1], theta[1, 2] = torch.nan, torch.inf
    sums, counts = screen.sums(theta)
    assert counts[0, 1] == 60 and counts[1, 2] == 60
    for place in ((0, 0), (0, 2), (1, 0), (1, 1)):
        assert torch.equal(sums[place], clean[place]) and counts[place] == counted[place]


def test_the_screen_and_the_loop_agree_as_far_as_a_run_is_followed():
    """Up to `overflow_bound`, beyond which a run has diverged; from there on both count every record."""
    problem = LeastSquares(isotropic(60, 2, data_sets=2, seed=9))
    screen = Screen.around(problem, 1.0)
    for size in (1e20, overflow_bound(torch.float64)):
        theta = torch.tensor([[[size, -size], [size, 1.0]]] * 2, dtype=torch.float64)
        (sums, counts), (expected, counted) = screen.sums(theta), full_sums(problem, theta, 1.0)
        torch.testing.assert_close(sums, expected, rtol=1e-11, atol=1e-11)
        assert torch.equal(counts, counted)
    for lost in (torch.nan, torch.inf, -torch.inf):
        theta = torch.full((2, 1, 2), lost, dtype=torch.float64)
        assert screen.sums(theta)[1].tolist() == full_sums(problem, theta, 1.0)[1].tolist() == [[60], [60]]


def test_memory_limit_changes_nothing(monkeypatch):
    for data_sets in (1, 3):
        problem = LeastSquares(isotropic(64, 3, data_sets=data_sets, seed=7))
        screen = Screen.around(problem, 2.0)
        theta = places(screen.centre, 1.0, chains=9)
        whole = screen.sums(theta), full_sums(problem, theta, 2.0)
        monkeypatch.setattr(screened, "_ELEMENTS", 1)
        parts = screen.sums(theta), full_sums(problem, theta, 2.0)
        monkeypatch.undo()
        for (one, count), (other, counted) in zip(whole, parts, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
            assert torch.equal(count, counted)


@settings(max_examples=60)
@given(
    places_of_theta=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    record=st.lists(st.floats(-30, 30), min_size=4, max_size=4),
    clip_norm=st.floats(0.05, 20),
)
def test_replacing_a_record_moves_a_sum_by_at_most_twice_the_clip_norm(places_of_theta, record, clip_norm):
    """What the noise is scaled to. Both data sets have their own screen, as two runs of the learner would."""
    records = isotropic(40, 3, seed=8)
    features, labels = records.features.copy(), records.labels.copy()
    features[0, 11], labels[0, 11] = record[:3], record[3]
    neighbour = Records(features, labels)
    theta = torch.tensor(places_of_theta, dtype=torch.float64)[None, None]
    sums = [Screen.around(LeastSquares(one), clip_norm).sums(theta)[0] for one in (records, neighbour)]
    assert (sums[0] - sums[1]).norm() <= 2 * clip_norm * (1 + 1e-9)
