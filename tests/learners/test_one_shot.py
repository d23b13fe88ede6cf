"""Least squares, the Huber minimiser and AdaSSP, against scipy's optimiser and brute force over neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from core import mechanisms, privacy
from core.learners.one_shot import ada_ssp, ada_ssp_noise, huber_minimiser, ols, share_clipped
from core.problems.designs import DESIGNS, Records, heavy_tails, isotropic, outliers


def clipped_gradients(records: Records, theta: np.ndarray, clip_norm: float) -> np.ndarray:
    x, y = records.features[0], records.labels[0]
    gradients = (x @ theta - y)[:, None] * x
    return gradients * (clip_norm / np.maximum(np.linalg.norm(gradients, axis=1), clip_norm))[:, None]


def test_ols_is_lstsq():
    records = heavy_tails(50, 4, data_sets=2, seed=1)
    for x, y, theta in zip(records.features, records.labels, ols(records), strict=True):
        np.testing.assert_allclose(theta, np.linalg.lstsq(x, y, rcond=None)[0], rtol=1e-10)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("clip_norm", [0.05, 1.0, 5.0, 40.0])
def test_the_clipped_gradient_vanishes_there(design, clip_norm):
    records = DESIGNS[design][1](300, 5, data_sets=2, seed=2)
    found = huber_minimiser(records, clip_norm)
    for index, theta in enumerate(found):
        mean = clipped_gradients(records.one(index), theta, clip_norm).mean(axis=0)
        assert np.linalg.norm(mean) < 1e-10 * clip_norm


def test_it_minimises_the_huber_losses_of_the_paper():
    """B_i = gamma/|x_i|; the paper's loss handed to a general optimiser."""
    records, clip_norm = outliers(200, 3, seed=3), 3.0
    x, y = records.features[0], records.labels[0]
    bends = clip_norm / np.linalg.norm(x, axis=1)

    def loss(theta):
        size = np.abs(y - x @ theta)
        return np.where(size <= bends, size**2 / 2, bends * (size - bends / 2)).sum()

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    found = huber_minimiser(records, clip_norm)[0]
    np.testing.assert_allclose(found, best.x, atol=1e-6)
    assert np.linalg.norm(found - ols(records)[0]) > 0.1, "least squares is another point here"


def test_it_is_ols_where_nothing_is_clipped():
    records = isotropic(100, 3, seed=4)
    x, y = records.features[0], records.labels[0]
    longest = (np.abs(x @ ols(records)[0] - y) * np.linalg.norm(x, axis=1)).max()
    np.testing.assert_array_equal(huber_minimiser(records, longest * 1.001), ols(records))
    assert not np.array_equal(huber_minimiser(records, longest * 0.9), ols(records))
    assert share_clipped(records, ols(records), longest * 1.001) == 0
    assert share_clipped(records, ols(records), longest * 0.999) == 1 / 100


@settings(max_examples=50)
@given(
    rows=st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=4, max_size=15),
    clip_norm=st.floats(0.05, 50),
)
def test_the_search_ends_on_any_data(rows, clip_norm):
    rows = np.array(rows)
    x = np.vstack([rows[:, :2], np.eye(2)])
    records = Records(x[None], np.concatenate([rows[:, 2], [1.0, -3.0]])[None])
    mean = clipped_gradients(records, huber_minimiser(records, clip_norm)[0], clip_norm).mean(axis=0)
    assert np.linalg.norm(mean) < 1e-10 * clip_norm


@pytest.mark.parametrize("adjacency", ["replace", "zero_out"])
def test_noise_of_adassp_covers_any_neighbour_and_costs_rho(adjacency):
    """The sensitivities by search over pairs of records at and inside the bounds, and the three charges."""
    bound, label = 2.0, 3.0
    noise = ada_ssp_noise(0.6, bound, label, adjacency)
    source, worst = np.random.default_rng(0), np.zeros(3)
    base = source.standard_normal((6, 2))
    gram = base.T @ base
    for _ in range(4000):
        x, z = source.standard_normal((2, 2))
        x, z = (vector / np.linalg.norm(vector) * bound * source.choice([1.0, 0.3]) for vector in (x, z))
        v, w = source.choice([-label, label], 2)
        if adjacency == "zero_out":
            z = np.zeros(2)
        first, second = gram + np.outer(x, x), gram + np.outer(z, z)
        moved = np.triu(first - second)
        changes = (
            abs(np.linalg.eigvalsh(first)[0] - np.linalg.eigvalsh(second)[0]),
            np.linalg.norm(moved),
            np.linalg.norm(v * x - w * z),
        )
        worst = np.maximum(worst, changes)
    mus = worst / [noise.eigenvalue, noise.gram, noise.moment]
    assert np.all(mus**2 / 2 <= 0.2 * (1 + 1e-12)), "each release spends at most rho/3"
    assert mus[2] ** 2 / 2 > 0.19, "and the vector's noise is no larger than needed"
    unit = privacy.gdp_mu(mechanisms.independent(), 1, noise.eigenvalue / bound**2) ** 2 / 2
    assert 0.2 * (1 - 1e-12) < unit <= 0.2


def test_adassp_without_noise_is_least_squares_within_the_bounds():
    records = isotropic(200, 3, data_sets=2, seed=5)
    far = ada_ssp(records, 1e14, 20.0, 20.0, repeats=2)
    np.testing.assert_allclose(far, np.repeat(ols(records), 2, axis=0), rtol=1e-3)
    cut = ada_ssp(records, 1e14, 1.0, 0.5)[0]
    lengths = np.linalg.norm(records.features[0], axis=1, keepdims=True)
    inside = Records((records.features[0] / np.maximum(lengths, 1.0))[None], np.clip(records.labels[:1], -0.5, 0.5))
    np.testing.assert_allclose(cut, ols(inside)[0], rtol=1e-3)


def test_adassp_adds_the_noise_it_says():
    """One feature: theta = (y'x + noise) / (x'x + noise + ridge); the spread of the first to first order, over 4000 repeats."""
    x = np.full((1, 10_000, 1), 1.0)
    records = Records(x, np.tile([0.5, 1.5], 5000)[None])
    noise = ada_ssp_noise(1.0, 1.0, 2.0)
    found = ada_ssp(records, 1.0, 1.0, 2.0, repeats=4000, seed=6)[:, 0]
    assert np.all(np.abs(found - 1) < 0.01), "the ridge is zero where the data are plenty"
    expected = np.hypot(noise.moment, noise.gram) / 10_000  # d theta = (dv - theta dG) / G, theta = 1
    assert abs(found.std() / expected - 1) < 4 / 8000**0.5
    again = ada_ssp(records, 1.0, 1.0, 2.0, repeats=4000, seed=6)[:, 0]
    assert np.array_equal(found, again) and not np.array_equal(found, ada_ssp(records, 1.0, 1.0, 2.0, 4000, seed=7)[:, 0])


def test_the_noise_of_adassp_is_not_that_of_records_drawn_with_the_same_seed():
    """One feature, plenty of records: theta - theta_hat is the noise, to first order; against what the first draws would make it."""
    noise, found, drawn = ada_ssp_noise(1.0, 10.0, 10.0), [], []
    for seed in range(40):
        records = isotropic(4000, 1, seed=seed)
        found.append((ada_ssp(records, 1.0, 10.0, 10.0, seed=seed) - records.theta_hat)[0, 0])
        _, gram, moment = np.random.default_rng(seed).standard_normal(3)
        drawn.append((noise.moment * moment - records.theta_hat[0, 0] * noise.gram * gram) / 4000)
    assert np.std(found) == pytest.approx(np.std(drawn), rel=0.5)
    assert abs(np.corrcoef(found, drawn)[0, 1]) < 4 / 40**0.5


def test_adassp_of_the_papers_first_figure():
    """p = 50, n = 5000, rho = .05, |x| <= 1.5 sqrt p, |y| <= 5: an independent program finds .80."""
    errors = [
        np.linalg.norm(ada_ssp(one, 0.05, 1.5 * 50**0.5, 5.0, seed=seed) - one.theta_star)
        for seed in range(6)
        for one in [isotropic(5000, 50, seed=seed)]
    ]
    assert abs(np.mean(errors) - 0.80) < 4 * np.std(errors) / 6**0.5 + 0.005


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ada_ssp(isotropic(9, 2), 0.0, 1.0, 1.0), r"rho=0\.0"),
        (lambda: ada_ssp(isotropic(9, 2), 1.0, -1.0, 1.0), r"feature_bound=-1\.0"),
        (lambda: ada_ssp(isotropic(9, 2), 1.0, 1.0, np.nan), "label_bound=nan"),
        (lambda: ada_ssp(isotropic(9, 2), 1.0, 1.0, 1.0, repeats=0), "repeats=0"),
        (lambda: ada_ssp(isotropic(9, 2), 1.0, 1.0, 1.0, adjacency="add"), "adjacency='add'"),
        (lambda: huber_minimiser(isotropic(9, 2), 0.0), r"clip_norm=0\.0"),
        (lambda: share_clipped(isotropic(9, 2), np.zeros((1, 2)), np.nan), "clip_norm=nan"),
        (lambda: share_clipped(isotropic(9, 2), np.zeros((1, 2)), True), "clip_norm=True"),
        (lambda: share_clipped(isotropic(9, 2), np.zeros((1, 2)), 1 + 2j), r"clip_norm=\(1\+2j\)"),
    ],
)
def test_errors_are_sentences(call, words):
    with pytest.raises(ValueError, match=words):
        call()
