"""The simulated mean excess risk lies inside 4 standard errors of the exact curve, at steps fixed beforehand."""

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.problems.regression import GaussianDesign, MeanEstimation
from core.problems.spectrum import spectrum
from core.theory import mean as mean_theory
from core.theory.quadratic import excess_risk_curve

STEPS = 60
SHOWN = (1, 5, 20, STEPS)
CLIP_NORM = 1.5
CASES = [  # dim, batch_size, learning_rate, noise_multiplier, replicates
    (16, 1, 0.05, 0.5, 2000),
    (16, 8, 0.2, 2.0, 1500),
    (128, 1, 0.05, 0.5, 500),
    (128, 8, 0.2, 2.0, 400),
]


def run(problem, arms, config):
    """Mean and standard error (snapshots, arms) of the excess risk, and the steps."""
    snapshots = [snapshot for snapshot in dp_ftrl(problem, arms, config) if snapshot.step in SHOWN]
    values = np.stack([snapshot.measures["excess_risk"] for snapshot in snapshots])
    assert [snapshot.step for snapshot in snapshots] == list(SHOWN)
    return values.mean(axis=-1), values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])


@pytest.mark.parametrize("dim, batch_size, learning_rate, noise_multiplier, replicates", CASES)
def test_excess_risk_meets_the_exact_curve(dim, batch_size, learning_rate, noise_multiplier, replicates):
    problem = GaussianDesign(spectrum(dim, 1.0), label_noise=0.3)
    compared = {
        "independent": mechanisms.independent(),
        "nu": mechanisms.nu_ftrl(0.05),
        "lambda": mechanisms.lambda_cgd(0.7),
        "anti-PGD": mechanisms.anti_pgd(0.05),
        "optimal": mechanisms.optimal_for(problem.eigenvalues, learning_rate, batch_size),
    }
    arms = [Arm(label, mechanism, noise_multiplier, learning_rate) for label, mechanism in compared.items()]
    config = DpFtrlConfig(STEPS, batch_size, CLIP_NORM, clipping=False, replicates=replicates, seed=11)
    means, errors = run(problem, arms, config)

    def exact(mechanism, factor):
        noise_std = factor * CLIP_NORM * noise_multiplier / batch_size
        coef = mechanism.noising_coef(STEPS)
        curve = excess_risk_curve(
            problem.eigenvalues, learning_rate, STEPS, coef, noise_std, 0.3, batch_size, problem.initial_error
        )
        return curve[list(SHOWN)]

    for index, mechanism in enumerate(compared.values()):
        scores = (means[:, index] - exact(mechanism, 1.0)) / errors[:, index]
        assert np.all(np.abs(scores) < 4), (mechanism.label, scores)
    # and the test can tell: 10% more noise is seen
    scores = (means[-1, 0] - exact(compared["independent"], 1.1)[-1]) / errors[-1, 0]
    assert scores < -4


def test_a_clip_norm_that_nothing_exceeds_changes_nothing():
    problem = GaussianDesign(spectrum(16, 1.0), label_noise=0.3, dtype=torch.float64)
    arms = [Arm("nu", mechanisms.nu_ftrl(0.05), 1e-3, 0.05)]
    configs = [DpFtrlConfig(40, 2, 1e3, clipping, 5, record_every=40) for clipping in (True, False)]
    clipped, plain = (list(dp_ftrl(problem, arms, config))[-1] for config in configs)
    assert not clipped.measures["share_clipped"].any()
    assert torch.equal(clipped.theta, plain.theta)


@pytest.mark.parametrize("nu", [1.0, 0.2])
def test_mean_estimation_meets_theorem_2_1(nu):
    rate, rho, replicates, steps = 0.2, 0.5, 6000, 60
    problem, mechanism = MeanEstimation(0.3, 0.7), mechanisms.nu_ftrl(nu)
    arm = Arm("arm", mechanism, mechanism.limit_sensitivity() / np.sqrt(2 * rho), rate)
    *_, snapshot = dp_ftrl(problem, [arm], DpFtrlConfig(steps, replicates=replicates, seed=5, record_every=steps))
    risk = snapshot.measures["excess_risk"][0]
    assert not snapshot.measures["share_clipped"].any()  # bounded by construction, clipping on
    exact = (mean_theory.dp_sgd_risk if nu == 1 else mean_theory.optimal_risk)(rate, rho, data_std=0.7)
    error = risk.std(ddof=1) / np.sqrt(replicates)
    assert abs(risk.mean() - exact) < 4 * error
    assert 4 * error < 0.1 * exact
