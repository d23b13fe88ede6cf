"""Why batches are Poisson: what Theorem F.8 claims for its fixed-size batches, beside what is true of one data set."""

from dataclasses import asdict

import numpy as np

from core.amplification import fixed_size_counterexample
from core.experiments.kan.setting import KanSetting, data_of
from core.privacy import gdp_mu_for
from core.problems.datasets import TwoClasses
from core.results import Curve, Result

_LEAST_NOISE = 0.15  # below it the densities of the counterexample underflow


def fixed_size_claim(setting: KanSetting, data: TwoClasses | None = None) -> Result:
    """delta of one step against epsilon: claimed by Theorem F.8, and actual, at the noise that F.8 asks of one step.

    Guarantees: at the setting's epsilon the claimed delta is the setting's, or less where no noise is needed for it.
    """
    n_samples = len((data or data_of(setting)).labels)
    rate = setting.batch_size / n_samples
    noise = _one_step(rate, setting.epsilon, setting.delta)
    grid = np.union1d(np.geomspace(setting.epsilon / 4, setting.epsilon * 4, 33), [setting.epsilon])
    found = [fixed_size_counterexample(rate, noise, epsilon) for epsilon in grid]
    here = found[int(np.searchsorted(grid, setting.epsilon))]
    said = f"It is {here.actual / here.claimed:,.3g} times what was claimed." if here.actual > 1.01 * here.claimed else (
        "Every record is in every batch, so none is displaced, and the claim holds."
    )
    return Result(
        title="Why the batches are Poisson",
        curves=(
            Curve("true: fixed-size batches", grid, [each.actual for each in found], exact=True),
            Curve("claimed by Theorem F.8", grid, [each.claimed for each in found], exact=True),
        ),
        x_name="epsilon",
        y_name="delta",
        source="arXiv 2605.12648, Theorem F.8 with T = 1 (a counterexample to it)",
        caption=(
            f"One step at sampling rate {rate:.3g} and noise multiplier {noise:.3g}. A record that joins a batch of fixed size "
            "pushes another one out: with Poisson batches the claim is true. If all others pull one way and this record the other, its coming is seen twice as far."
        ),
        verdict=(
            f"At epsilon = {setting.epsilon:g} the paper's Theorem F.8 claims delta = {here.claimed:.2g} for batches of a fixed size; "
            f"there is a data set where it is {here.actual:.2g}. {said}"
        ),
        settings=asdict(setting) | {"noise_multiplier": noise},
        marks=((setting.epsilon, "your epsilon"),),
    )


def _one_step(rate: float, epsilon: float, delta: float) -> float:
    """Noise multiplier at which one step is claimed to be (epsilon, delta)-private, within a millionth, rounded up."""
    high = 1 / gdp_mu_for(epsilon, delta)  # what a record that is in for certain asks
    low = _LEAST_NOISE
    if low >= high or fixed_size_counterexample(rate, low, epsilon).claimed <= delta:
        return high
    while high > low * (1 + 1e-6):
        middle = (low * high) ** 0.5
        enough = fixed_size_counterexample(rate, middle, epsilon).claimed <= delta
        low, high = (low, middle) if enough else (middle, high)
    return high
