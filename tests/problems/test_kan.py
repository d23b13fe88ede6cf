"""The KAN against autograd through Cox and de Boor's recursion, printed numbers, and the learner's needs."""

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.batches import Poisson
from core.learners.clipping import clipped_sum
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.problems import kan as kan_module
from core.problems.kan import Kan

DOUBLE = torch.float64


def de_boor(points, n_basis, degree):
    """All B-splines at `points` by their defining recursion, differentiable; for points inside (-1, 1)."""
    knots = -1 + 2 / (n_basis - degree) * torch.arange(-degree, n_basis + 1, dtype=DOUBLE)
    x = points[..., None]
    values = ((x >= knots[:-1]) & (x < knots[1:])).to(DOUBLE)
    for n in range(1, degree + 1):
        left = (x - knots[: -n - 1]) / (knots[n:-1] - knots[: -n - 1])
        right = (knots[n + 1 :] - x) / (knots[n + 1 :] - knots[1:-n])
        values = left * values[..., :-1] + right * values[..., 1:]
    return values


def network(theta, second_layer, x, degree=3):
    """f of one example x (d,), theta (width, d * n_basis), written down as in the paper."""
    width, n_basis = second_layer.shape
    hidden = torch.tanh(theta @ de_boor(x, n_basis, degree).flatten() / len(x) ** 0.5)
    return (second_layer * de_boor(hidden, n_basis, degree)).sum() / width**0.5


def example(n=9, dim=5, n_basis=8, width=6):
    """Inputs, weights and second layer given by sines, so that anybody can write them down again."""
    theta = torch.tensor([[np.sin(1 + 0.37 * (j * dim * n_basis + i)) for i in range(dim * n_basis)] for j in range(width)])
    second_layer = np.array([[np.cos(0.5 + 0.73 * (j * n_basis + k)) for k in range(n_basis)] for j in range(width)])
    x = np.array([[0.9 * np.sin(1 + i + 2.3 * row) / dim**0.5 for i in range(dim)] for row in range(n)])
    y = np.array([(-1.0) ** row for row in range(n)])
    return theta, second_layer, x, y


def test_printed_numbers():
    """d=5, p=8, m=6, the sines of `example`: computed independently, by the recursion and a loop over examples."""
    theta, second_layer, x, y = example()
    problem = Kan(x, y, 6, second_layer=second_layer, dtype=DOUBLE)
    batch = problem.batch(torch.arange(9)[None])
    score = problem.predict(theta[None, None], torch.tensor(x))[0, 0, 0].item()
    assert score == pytest.approx(-0.5136970714751331, abs=1e-10)
    a, h = problem.factors(theta[None, None], batch)
    # the printed |a| is that of df/du: without d^-1/2 and without the derivative of the logistic loss, 1/(1 + exp(f))
    by_hidden = a[0, 0, 0].norm().item() * 5**0.5 * (1 + np.exp(score))
    assert by_hidden == pytest.approx(1.2093894736171904, abs=1e-10)
    total, _ = clipped_sum(a, h, 0.1)
    assert total.norm().item() == pytest.approx(0.1185343567066399, abs=1e-10)


@pytest.mark.parametrize("dim, n_basis, degree, width", [(5, 8, 3, 6), (1, 4, 3, 1), (3, 6, 2, 4), (2, 11, 4, 3)])
@pytest.mark.parametrize("clip_norm", [0.05, 0.2, torch.inf])
def test_factors_and_clipped_sums_equal_autograd_and_an_explicit_loop(dim, n_basis, degree, width, clip_norm):
    source = np.random.default_rng(1)
    x, y = source.uniform(-1, 1, (12, dim)), source.choice((-1.0, 1.0), 12)
    problem = Kan(x, y, width, n_basis, degree=degree, seed=3, dtype=DOUBLE)
    second_layer = second_layer_of(problem)
    picks = torch.tensor([[0, 5, 7, 7], [3, 1, 11, 2]])
    batch = problem.batch(picks)
    theta = torch.randn(2, 2, *problem.start.shape, generator=torch.Generator().manual_seed(0), dtype=DOUBLE)
    a, h = problem.factors(theta, batch)
    gradients = problem.per_example_gradients(theta, batch)
    total, norms = clipped_sum(a, h, clip_norm)
    for arm, replicate in np.ndindex(2, 2):
        expected = torch.zeros_like(problem.start)
        for place, record in enumerate(picks[replicate].tolist()):
            weights = theta[arm, replicate].clone().requires_grad_()
            loss = torch.log1p(torch.exp(-y[record] * network(weights, second_layer, torch.tensor(x[record]), degree)))
            (gradient,) = torch.autograd.grad(loss, weights)
            torch.testing.assert_close(gradients[arm, replicate, place], gradient, rtol=1e-9, atol=1e-11)
            torch.testing.assert_close(norms[arm, replicate, place], gradient.norm(), rtol=1e-9, atol=1e-11)
            expected += gradient * min(1.0, clip_norm / gradient.norm().item())
        torch.testing.assert_close(total[arm, replicate], expected, rtol=1e-9, atol=1e-11)


def second_layer_of(problem):
    """The network's c, as its docstring says that it is drawn."""
    source = torch.Generator().manual_seed(3)
    torch.randn(*problem.start.shape, generator=source, dtype=DOUBLE)
    return torch.randn(problem.outputs, problem.splines.n_basis, generator=source, dtype=DOUBLE)


def data(n=40, dim=3, seed=0):
    source = np.random.default_rng(seed)
    x = source.uniform(-1, 1, (n, dim))
    return x, np.where(np.sin(3 * x).sum(axis=1) > 0, 1.0, -1.0)


def test_measures_are_losses_and_accuracy_of_the_records_watched():
    x, y = data(50)
    problem = Kan(x[:30], y[:30], 4, test=(x[30:], y[30:]), watched=15, watched_training=10, seed=3, dtype=DOUBLE)
    theta = torch.randn(2, 3, *problem.start.shape, generator=torch.Generator().manual_seed(0), dtype=DOUBLE)
    risk, second_layer = problem.risk(theta), second_layer_of(problem)
    assert set(risk) == {"train_loss", "test_loss", "test_accuracy"}
    for arm, replicate in np.ndindex(2, 3):
        f = np.array([network(theta[arm, replicate], second_layer, torch.tensor(row)).item() for row in x])
        loss = np.log1p(np.exp(-y * f))
        assert risk["train_loss"][arm, replicate].item() == pytest.approx(loss[:10].mean(), rel=1e-10)
        assert risk["test_loss"][arm, replicate].item() == pytest.approx(loss[30:45].mean(), rel=1e-10)
        assert risk["test_accuracy"][arm, replicate].item() == pytest.approx((y * f > 0)[30:45].mean(), abs=1e-12)


def test_blocks_of_records_change_nothing(monkeypatch):
    x, y = data(50)
    whole = Kan(x, y, 4, test=(x, y), dtype=DOUBLE)
    theta = whole.start.expand(2, 2, -1, -1)
    expected = whole.risk(theta)
    monkeypatch.setattr(kan_module, "_BLOCK_NUMBERS", {"cpu": 100})
    parts = Kan(x, y, 4, test=(x, y), dtype=DOUBLE)
    assert torch.equal(parts.batch(torch.arange(50)[None]).features, whole.batch(torch.arange(50)[None]).features)
    for name, values in parts.risk(theta).items():
        torch.testing.assert_close(values, expected[name], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("fits", [1, 2, 3, 5, 6, 100], ids=lambda fits: f"{fits} replicates a block")
@pytest.mark.parametrize("shared", [False, True])
def test_blocks_of_arms_and_replicates_change_nothing(monkeypatch, fits, shared):
    x, y = data(50)
    problem = Kan(x, y, 4, dtype=DOUBLE)
    source = torch.Generator().manual_seed(0)
    theta = torch.randn(4, 3, 4, problem.features, generator=source, dtype=DOUBLE)
    batch = problem.batch(torch.arange(10) if shared else torch.arange(30).reshape(3, 10))
    expected, h = problem.factors(theta, batch)
    monkeypatch.setattr(kan_module, "_BLOCK_NUMBERS", {"cpu": fits * 10 * 4})
    a, same = problem.factors(theta, batch)
    assert same is batch.features and a.shape == (4, 3, 10, 4)
    torch.testing.assert_close(a, expected, rtol=1e-12, atol=1e-14)


def test_without_test_records_only_the_training_loss_is_measured():
    problem = Kan(*data(), 4)
    assert set(problem.risk(problem.start.expand(1, 1, -1, -1))) == {"train_loss"}


def test_edge_functions_are_the_splines_between_inputs_and_units():
    problem = Kan(*data(), 4, dtype=DOUBLE)
    points = torch.linspace(-0.99, 0.99, 7, dtype=DOUBLE)
    curves = problem.edge_functions(problem.start.expand(2, 1, -1, -1), points)
    assert curves.shape == (2, 1, 4, 3, 7)
    weights = problem.start.reshape(4, 3, 8)
    expected = torch.einsum("jik,nk->jin", weights, de_boor(points, 8, 3))
    torch.testing.assert_close(curves[1, 0], expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(problem.edge_functions(problem.start[1:2], points), expected[1:2], rtol=1e-12, atol=1e-12)


def test_points_outside_the_interval_are_refused():
    problem = Kan(*data(), 4)
    with pytest.raises(ValueError, match=r"points=1.5, expected within \[-1, 1\]"):
        problem.predict(problem.start.expand(1, 1, -1, -1), torch.full((2, 3), 1.5))
    with pytest.raises(ValueError, match=r"points=-2.0|points=2.0"):
        problem.edge_functions(problem.start, torch.tensor([-2.0]))


def test_the_seed_draws_start_and_second_layer_alike_in_every_precision():
    single, double, other = Kan(*data(), 4, seed=3), Kan(*data(), 4, seed=3, dtype=DOUBLE), Kan(*data(), 4, seed=4)
    assert torch.equal(single.start, double.start.float()) and not torch.equal(single.start, other.start)
    inputs = torch.tensor(data()[0])
    scores = [problem.predict(problem.start.expand(1, 1, -1, -1), inputs) for problem in (single, double)]
    torch.testing.assert_close(scores[0].double(), scores[1], rtol=1e-4, atol=1e-5)
    wide = Kan(*data(), 2000, seed=0)
    assert abs(wide.start.mean()) < 4 / wide.start.numel() ** 0.5
    assert abs(wide.start.std() - 1) < 4 / (2 * wide.start.numel()) ** 0.5


ARMS = [
    Arm("none", mechanisms.independent(), 0.0, 2.0),
    Arm("independent", mechanisms.independent(), 0.8, 2.0),
    Arm("lambda 0", mechanisms.lambda_cgd(0.0), 0.8, 2.0),
    Arm("lambda .75", mechanisms.lambda_cgd(0.75), 1.2, 1.0),
]


@pytest.mark.parametrize("radius", [float("inf"), 0.5])
def test_arms_and_replicates_together_equal_arms_one_by_one(radius):
    x, y = data(60)
    problem = Kan(x[:40], y[:40], 5, test=(x[40:], y[40:]), dtype=DOUBLE)
    config = DpFtrlConfig(20, 10, 0.3, replicates=3, record_every=5, sampling=Poisson(), radius=radius)
    together = list(dp_ftrl(problem, ARMS, config))
    assert torch.equal(together[-1].theta[1], together[-1].theta[2])  # lambda = 0 is independent noise, bit for bit
    for index, one in enumerate(ARMS):
        for both, alone in zip(together, dp_ftrl(problem, [one], config), strict=True):
            torch.testing.assert_close(both.theta[index], alone.theta[0], rtol=1e-9, atol=1e-12)
            for name, values in alone.measures.items():
                np.testing.assert_allclose(both.measures[name][index], values[0], rtol=1e-8)


def test_it_learns():
    x, y = data(700)
    problem = Kan(x[:400], y[:400], 16, test=(x[400:], y[400:]))
    first, *_, last = dp_ftrl(problem, ARMS[:1], DpFtrlConfig(300, 40, 1.0, sampling=Poisson(), record_every=300))
    assert last.measures["test_accuracy"] > 0.9 > first.measures["test_accuracy"] + 0.1
    assert last.measures["train_loss"] < first.measures["train_loss"]


def test_theta_beyond_all_bounds_gives_infinite_risk_and_no_error():
    x, y = data()
    problem = Kan(x, y, 4, test=(x, y))
    theta = torch.full((1, 1, *problem.start.shape), torch.inf)
    a, _ = problem.factors(theta, problem.batch(torch.arange(4)[None]))
    assert a.shape == (1, 1, 4, 4)
    problem.risk(theta)


GOOD = data(10)


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((GOOD[0] * 3, GOOD[1], 4), {}, r"features='up to .*', expected all numbers within \[-1, 1\]"),
        ((GOOD[0][:, 0], GOOD[1], 4), {}, r"features=\(10,\), expected records x inputs"),
        ((np.full((10, 3), np.nan), GOOD[1], 4), {}, "expected all numbers within"),
        ((GOOD[0], GOOD[1] > 0, 4), {}, r"labels=\[.*\], expected -1 or \+1"),
        ((GOOD[0], GOOD[1][:5], 4), {}, r"labels=\(5,\), expected one for each of 10 records"),
        ((*GOOD, 0), {}, "width=0"),
        ((*GOOD, 4, 3), {}, "n_basis=3, expected a whole number >= 4"),
        ((*GOOD, 4), {"test": (GOOD[0][:, :2], GOOD[1])}, "inputs of a test record=2, expected 3"),
        ((*GOOD, 4), {"test": (GOOD[0] * 3, GOOD[1])}, "test features="),
        ((*GOOD, 4), {"second_layer": np.ones((4, 7))}, r"second_layer=\(4, 7\), expected shape \(4, 8\)"),
        ((*GOOD, 4), {"watched": 0}, "watched=0"),
        ((*GOOD, 4), {"watched_training": 0}, "watched_training=0"),
        ((*GOOD, 4), {"seed": -1}, "seed=-1"),
    ],
)
def test_refuses(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Kan(*arguments, **options)


def test_more_spline_features_than_fit_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr(kan_module, "MOST_NUMBERS", 100)
    with pytest.raises(ValueError, match="records x inputs x n_basis=240, expected at most 100"):
        Kan(*GOOD, 4)
