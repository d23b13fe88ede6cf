"""Theorems 4.1 and 5.2 as calculators: literals, limits, constants against automatic differentiation, conditions."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.problems.kan import Kan
from core.problems.splines import Splines
from core.theory.bounds import (
    KanRun,
    curvature_bound,
    gradient_bound,
    least_width,
    optimisation_bound,
    optimisation_order,
    population_order,
    smoothness_bound,
    width_range,
)
from core.theory.bounds import kan as constants
from core.theory.bounds.kan_proof import Proof

torch.set_num_threads(1)

SMALL = KanRun(
    n_samples=8, dim=2, width=8, margin=0.5, batch_size=4, steps=16, learning_rate=0.25, noise_multiplier=2.0,
    correlation=0.5, clip_norm=1.0, delta=0.1,
)
# the workbench's own setting where correlation helps: margin as measured on 1,500 of its records at width 64
USUAL = KanRun(
    n_samples=18_000, dim=10, width=256, margin=0.018, batch_size=120, steps=300, learning_rate=16.0,
    noise_multiplier=2.299, correlation=0.75, clip_norm=0.5,
)
# where every condition of the proof holds: no network of this world
VAST = KanRun(
    n_samples=1000, dim=2, width=10**20, margin=0.5, batch_size=500, steps=10**8, learning_rate=1e-5,
    noise_multiplier=1e-14, correlation=0.5, clip_norm=150.0,
)
# where every term of the proof can be seen
MIXED = KanRun(
    n_samples=100, dim=1, width=30_000_000, margin=0.9, batch_size=2, steps=3, learning_rate=100.0,
    noise_multiplier=1e-4, correlation=0.5, clip_norm=1.0, n_basis=4,
)


def test_terms_of_theorem_4_1():
    bound = optimisation_order(SMALL)
    expected = [1.0, 0.25 + 0.25 * 0.3125, 0.0625 * 2.5, 0.3125 * 0.25 * 0.25 * 16]
    assert [value for _, value in bound.terms] == pytest.approx(expected)
    assert bound.value == pytest.approx(1.796875)


def test_without_noise_theorem_4_1_is_theorem_e_1_and_a_smaller_term():
    run = replace(SMALL, noise_multiplier=0.0)
    known = 1 / (0.25 * 0.25 * 16) + 1 / (0.5 * 8) + 0.25 / 4
    extra = optimisation_order(run).value - known
    assert extra == pytest.approx(0.25 / 16) and extra < known


@pytest.mark.parametrize("learning_rate", [0.01, 0.25, 1.0])
def test_the_second_order_term_is_least_at_one_over_one_plus_eta_and_so_not_monotone(learning_rate):
    def second_order(correlation):
        return optimisation_order(replace(SMALL, learning_rate=learning_rate, correlation=correlation)).terms[3][1]

    best = 1 / (1 + learning_rate)
    assert second_order(best) < min(second_order(best - 0.005), second_order(best + 0.005), second_order(0.0))


def test_width_range():
    low, high = width_range(SMALL)
    # B^2/(eta kappa gamma)^2/d = 16/.0625/2 = 128, T ((1-lambda)^2 + lambda^2 eta) = 16 * .3125 = 5
    assert (low, high) == pytest.approx((16.0, 25.6))
    assert width_range(replace(SMALL, noise_multiplier=0.0)) == pytest.approx((16.0, math.inf))
    assert width_range(replace(SMALL, steps=1)) == pytest.approx((16.0, 128.0))


def test_conditions_of_the_usual_run_fail_in_words():
    bound = optimisation_order(USUAL)
    assert not bound.applies
    assert bound.status.startswith("Theorem 4.1 does not apply: ")
    assert "width: no value fits, for it must be at least 9.53e+06 and at most 1.21" in bound.status
    assert "learning_rate = 16, to be at most 2.9" in bound.status
    assert "clip_norm = 0.5, to be at least 104" in bound.status
    assert "width for generalisation = 256" in population_order(USUAL).status


def test_step_size_condition():
    run = replace(SMALL, learning_rate=4.0, noise_multiplier=0.0)
    drift = 4 * 0.5 * 4 * 0.5 + 4 * (16 / 4 + 1)  # eta gamma sqrt(T/B) + (eta gamma)^2 (T/B + 1)
    assert f"step-size condition of Theorem 4.1 = {drift:.3g}, to be at most 1" in optimisation_order(run).status
    assert "step-size" not in optimisation_order(replace(run, learning_rate=0.1)).status


def test_population_risk():
    training, bound = optimisation_order(SMALL).value, population_order(SMALL)
    reach = (math.log(16) + math.sqrt(math.log(80))) / 0.5
    assert bound.value == pytest.approx((1 + 0.25 * 16 / 8) * (training + (8**0.5 + reach) * 0.1))
    assert bound.value >= training
    width = bound.conditions[-1]
    likely = math.log(10)
    wander = (math.log(80) + reach) * (math.sqrt(16 * likely / 4) + likely)
    assert width.low == pytest.approx(reach**2 * math.log(80) * 0.25**2 * (16 * training + wander) ** 2)


@pytest.mark.parametrize("n_basis", [4, 5, 8, 13])
def test_constants_of_the_splines(n_basis):
    height, slope, bend = constants.spline_bounds(n_basis)
    points = torch.linspace(-1, 1, 20_001, dtype=torch.float64)
    splines = Splines(n_basis)
    derivatives = splines.derivatives(points)
    assert float(splines.values(points).max()) == pytest.approx(height, rel=1e-3)
    assert float(derivatives.abs().max()) == pytest.approx(slope, rel=1e-3 if n_basis > 4 else 0.3)
    assert float((derivatives.diff(dim=0) / points.diff()[:, None]).abs().max()) == pytest.approx(bend, rel=1e-3)
    assert float(derivatives.abs().max()) <= slope * (1 + 1e-12)
    u = torch.linspace(-3, 3, 60_001, dtype=torch.float64)
    slopes = 1 - torch.tanh(u) ** 2
    assert float((2 * torch.tanh(u) * slopes).max()) == pytest.approx(constants._TANH_BEND, rel=1e-6)


@pytest.fixture(scope="module")
def network():
    rng = np.random.default_rng(3)
    inputs, labels = rng.uniform(-1, 1, (40, 3)), np.where(rng.random(40) < 0.5, 1.0, -1.0)
    return Kan(inputs, labels, 16, 8, dtype=torch.float64), inputs


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
def test_gradients_stay_below_their_bound_by_far(network, spread):
    kan, _ = network
    source = torch.Generator().manual_seed(1)
    theta = spread * torch.randn(20, 1, *kan.start.shape, dtype=torch.float64, generator=source)
    a, h = kan.factors(theta, kan.batch(torch.arange(40)))
    longest = float((torch.linalg.vector_norm(a, dim=-1) * torch.linalg.vector_norm(h, dim=-1)).max())
    assert 50 * longest < gradient_bound(16, 8, 0.01) < 2000 * longest
    # |gradient of the training loss|^2 <= 4 beta training loss, Lemma B.7
    whole = torch.einsum("arno,nf->arof", a, h) / 40
    squares = (whole**2).sum((-2, -1))
    assert bool((squares <= 4 * smoothness_bound(16, 8, 0.01) * kan.risk(theta)["train_loss"]).all())


def test_gradient_bound_at_one_point():
    # B_b B'_b p (4 sqrt(p) + 2 sqrt(ln(2/delta)/m)) with B_b = 2/3, B'_b = 5/3, p = 8
    assert gradient_bound(64, 8, 0.01) == pytest.approx(80 / 9 * (4 * 8**0.5 + 2 * math.sqrt(math.log(200) / 64)))


def test_curvature_stays_below_its_bound():
    rng = np.random.default_rng(4)
    inputs = rng.uniform(-1, 1, (6, 2))
    kan = Kan(inputs, np.ones(6), 3, 5, dtype=torch.float64)
    points = torch.as_tensor(inputs)
    largest = 0.0
    for i in range(6):
        hessian = torch.autograd.functional.hessian(
            lambda flat, i=i: kan.predict(flat.view(1, 1, 3, 10), points[i : i + 1]).sum(), kan.start.flatten()
        )
        largest = max(largest, float(torch.linalg.eigvalsh(hessian).abs().max()))
    assert 0.01 < largest < curvature_bound(3, 5, 0.01)


@pytest.mark.parametrize("run", [VAST, MIXED], ids=["vast", "mixed"])
def test_bound_with_the_constants_of_the_proof(run):
    """The same by the paper's formulas, line by line."""
    share, bound = run.delta / 5, optimisation_bound(run)
    m, d, p, n, steps, batch = run.width, run.dim, run.n_basis, run.n_samples, run.steps, run.batch_size
    eta, kappa, lam, gamma = run.learning_rate, run.noise_multiplier, run.correlation, run.margin
    slope, bend = (p - 3) / 3, (p - 3) ** 2 / 2
    g = 2 / 3 * slope * p * (4 * p**0.5 + 2 * math.sqrt(math.log(2 / share) / m))
    bent = 4 / 9 * (4 / 27**0.5 * slope + bend) * p**1.5 / m**0.5
    h = bent * (4 * p**0.5 + 2 * math.sqrt(math.log(2 * m / share)))
    h_half = bent * (4 * p**0.5 + 2 * math.sqrt(math.log(4 * m / share)))
    beta = g**2 / 4 + h
    c = run.clip_norm * kappa / batch
    needed = 2 / 3 * math.sqrt(2 * p * math.log(4 * n / share)) + math.log(steps)
    tau = 2 * needed / (gamma + math.sqrt(gamma**2 - 2 * h_half * needed))
    assert tau * gamma - tau**2 / 2 * h_half == pytest.approx(needed)  # the good network has loss 1/T
    numbers = (steps - 1) * m * d * p
    v_z = numbers + 2 * math.sqrt(numbers * math.log(2 / share)) + 2 * math.log(2 / share)
    v_delta = 2 * steps * g**2 / batch + 8 * g**2 * math.log(1 / share)
    proof = Proof(run)
    likely = math.log(6 / share)
    potential = (
        4 * 2**0.5 * eta * g * proof.radius * math.sqrt(steps * likely / batch)
        + 4 * (1 - lam) * eta * c * proof.radius * math.sqrt(steps * likely)
        + 4 * (1 - lam) * eta**2 * c * g * math.sqrt(v_z * likely / batch)
    )
    noise = (1 - lam) ** 2 * eta + 12 * beta * lam**2 * eta**2
    left = tau**2 + 8 / 3 * eta + potential + 2 * eta**2 * v_delta + noise * eta * c**2 * v_z
    assert left == pytest.approx(proof.radius**2, rel=1e-9)  # (10) with equality
    expected = 8 / steps + 3 * tau**2 / (eta * steps) + 3 * potential / (eta * steps) + 6 * eta * v_delta / steps
    assert bound.value == pytest.approx(expected + 3 * noise * c**2 * v_z / steps, rel=1e-9)
    assert [value / bound.value for _, value in bound.terms] == pytest.approx(
        [value / bound.value for value in (
            8 / steps, 3 * tau**2 / (eta * steps), 3 * potential / (eta * steps), 6 * eta * v_delta / steps,
            3 * noise * c**2 * v_z / steps,
        )], rel=1e-9,
    )
    z = math.sqrt(m * d * p) + math.sqrt(2 * math.log(2 * steps / share))
    assert proof.bent_run == pytest.approx(h * (proof.radius + eta * c * z) ** 2, rel=1e-9)
    assert [condition.value for condition in bound.conditions[:2]] == [proof.bent_comparator, proof.bent_run]


def test_energy_and_length_of_the_noise_by_lemma_c_5():
    proof = Proof(replace(SMALL, dim=1, width=2, n_basis=4, steps=6, delta=0.5))  # 8 numbers, share .1
    likely = math.log(20)
    assert proof.noise_energy == pytest.approx(40 + 2 * math.sqrt(40 * likely) + 2 * likely)
    assert proof.noise_length == pytest.approx(8**0.5 + math.sqrt(2 * math.log(120)))


def test_all_conditions_hold_somewhere():
    assert [condition.holds for condition in optimisation_bound(VAST).conditions] == [True] * 4
    assert optimisation_bound(VAST).applies


def test_a_wider_network_without_noise_keeps_all_conditions():
    run = replace(VAST, noise_multiplier=0.0)
    for width in (10**20, 10**22, 10**26):
        assert optimisation_bound(replace(run, width=width)).applies


def test_a_bound_above_log_2_says_nothing():
    bound = optimisation_bound(VAST)
    assert bound.value > math.log(2)
    assert bound.status == f"Lemma C.11 says nothing: {bound.value:.3g} is above log 2, the risk of always answering 0."


def test_a_bound_that_says_something_has_no_status():
    run = replace(VAST, learning_rate=1e-7, steps=10**14, batch_size=1000, width=10**26, noise_multiplier=0.0)
    bound = optimisation_bound(run)
    assert bound.status == "" and bound.value < math.log(2)


def test_energy_and_length_of_the_noise_in_simulation():
    run = replace(SMALL, dim=1, width=2, n_basis=4, steps=6, delta=0.5)  # 8 numbers, share .1
    proof, replicates = Proof(run), 40_000
    squares = (np.random.default_rng(0).standard_normal((replicates, 6, 8)) ** 2).sum(-1)
    above = (squares[:, :5].sum(-1) > proof.noise_energy) | (squares.max(-1) > proof.noise_length**2)
    assert above.mean() + 4 * above.std() / replicates**0.5 < 0.1
    assert (squares[:, :5].sum(-1) > 0.75 * proof.noise_energy).any()


@pytest.mark.parametrize("margin", [0.008, 0.05, 0.5])
def test_least_width_is_the_edge_of_the_conditions_and_out_of_reach(margin):
    run = replace(USUAL, margin=margin)
    least = least_width(run)

    def hold(width):
        rate = 1 / (12 * smoothness_bound(width, run.n_basis, run.delta / 5))
        return all(c.holds for c in optimisation_bound(replace(
            run, width=width, noise_multiplier=0.0, learning_rate=rate, clip_norm=200.0)).conditions)

    assert hold(math.ceil(least)) and not hold(math.floor(0.99 * least))
    assert least > 1e12 * margin**-4
    low, high = width_range(run)
    assert low > high  # and even without constants no width is left between curvature and noise


@pytest.mark.parametrize(
    "change, words",
    [
        ({"margin": 0.0}, "margin=0"),
        ({"margin": 1.5}, "margin=1.5"),
        ({"batch_size": 9}, "batch_size=9, expected <= n_samples=8"),
        ({"correlation": 1.0}, "correlation=1"),
        ({"noise_multiplier": -1.0}, "noise_multiplier=-1"),
        ({"n_basis": 3}, "n_basis=3"),
        ({"delta": 1.0}, "delta=1"),
        ({"steps": 0}, "steps=0"),
    ],
)
def test_arguments_are_checked(change, words):
    with pytest.raises(ValueError, match=words):
        replace(SMALL, **change)
