"""The stable public names: other programs call them, so that each is there, with these arguments in this order."""

import importlib
import inspect

import pytest

from core import mechanisms, papers

SIGNATURES = {
    "core.mechanisms.independent": "",
    "core.mechanisms.nu_ftrl": "nu",
    "core.mechanisms.lambda_cgd": "correlation",
    "core.mechanisms.anti_pgd": "damping",
    "core.mechanisms.optimal_counting": "",
    "core.mechanisms.toeplitz": "noising_coef",
    "core.mechanisms.optimal_for": "eigenvalues learning_rate batch_size",
    "core.mechanisms.binary_tree": "completion",
    "core.mechanisms.dense": "strategy_matrix",
    "core.privacy.gdp_mu": "mechanism steps noise_multiplier adjacency participations separation",
    "core.privacy.gdp_delta": "mu epsilon",
    "core.privacy.gdp_epsilon": "mu delta",
    "core.privacy.gdp_mu_for": "epsilon delta",
    "core.privacy.zcdp_epsilon": "rho delta",
    "core.privacy.zcdp_epsilon_simple": "rho delta",
    "core.privacy.calibrate": "mechanism steps epsilon delta",
    "core.amplification.epsilon": "correlation sampling_rate steps noise_multiplier delta",
    "core.amplification.calibrate": "correlation sampling_rate steps epsilon delta",
    "core.amplification.closed_form": "correlation sampling_rate steps epsilon delta",
    "core.theory.quadratic.excess_risk_curve": (
        "eigenvalues learning_rate steps noising_coef noise_std label_noise batch_size initial_error"
    ),
    "core.theory.quadratic.asymptotic_excess_risk": "eigenvalues learning_rate mechanism noise_std label_noise batch_size",
    "core.theory.quadratic.largest_stable_learning_rate": "eigenvalues batch_size",
    "core.theory.mean.dp_sgd_risk": "learning_rate rho data_std clip_norm",
    "core.theory.mean.optimal_risk": "learning_rate rho data_std clip_norm",
    "core.theory.optimal_noise.best_nu": "eigenvalues learning_rate steps batch_size",
    "core.theory.strongly_convex.excess_risk_bound": "mechanism learning_rate condition_number multiplier",
    "core.intervals.exact_coverage": "construction eigenvalue learning_rate steps groups burn_in level initial_error",
    "core.problems.kan.Kan": "features labels width n_basis",
    "core.learners.dp_ftrl.dp_ftrl": "problem arms config",
    "core.learners.dp_gd.dp_gd": "problem arms config",
    "core.learners.adaptive.dp_ssgd": "problem arms config",
    "core.learners.adaptive.dp_ambssgd": "problem arms config",
    "core.learners.srgd.accelerated_dp_srgd": "problem arms config",
}
OF_A_MECHANISM = {
    "noising_matrix": "steps",
    "strategy_matrix": "steps",
    "sensitivity": "steps participations separation",
    "limit_sensitivity": "",
    "frequency_response": "omega",
    "sample": "steps shape generator device",
    "stream": "shape generator device",
}


def parameters(function) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_public_function_takes_these_arguments(name):
    module, _, function = name.rpartition(".")
    expected = SIGNATURES[name].split()
    assert parameters(getattr(importlib.import_module(module), function))[: len(expected)] == expected


@pytest.mark.parametrize("method", OF_A_MECHANISM)
@pytest.mark.parametrize(
    "mechanism",
    [mechanisms.nu_ftrl(0.1), mechanisms.lambda_cgd(0.5), mechanisms.optimal_for((1.0, 0.5), 0.1), mechanisms.dense([[1.0]])],
    ids=lambda mechanism: mechanism.arm,
)
def test_a_mechanism_answers_to_these(mechanism, method):
    expected = OF_A_MECHANISM[method].split()
    assert parameters(getattr(mechanism, method))[: len(expected)] == expected


@pytest.mark.parametrize("completion", ["none", "honaker", "full"])
def test_the_tree_comes_in_three_completions(completion):
    tree = mechanisms.binary_tree(completion=completion)
    assert tree.sensitivity(7) ** 2 == pytest.approx(3, rel=1e-12)
    for method, expected in OF_A_MECHANISM.items():
        if hasattr(tree, method):
            assert parameters(getattr(tree, method))[: len(expected.split())] == expected.split()


@pytest.mark.parametrize("name", ["correlated_noise", "adaptive_clipping", "accelerated", "dp_gd", "kan"])
def test_a_paper_has_figures_to_be_called_by_their_names(name):
    module = importlib.import_module(f"core.papers.{name}")
    found = papers.entries(name)
    assert len(found) >= 3
    assert all(getattr(module, entry.name) is entry for entry in found)
