"""A run of everything that the page compares, as it grows: what each method did at each label noise and sample size."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import bdtr

from core.experiments.adaptive.methods import EXACT, PRINTED, TUNED, Trace, by_noise, measure
from core.experiments.adaptive.setting import AdaptiveSetting, check_together

RATIOS = (50, 100, 200, 400, 800, 1600, 3200, 6400)
"""Examples for each parameter at which the sample size is studied, as far as the setting's own data reach."""
STEPS = (3, 4, 6, 10, 16, 24)
"""Numbers of steps at which correlated noise is put to the test."""
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Outcome:
    """All that is known so far; every field is growing.

    `traces`: (method, label noise) -> what it did. `sizes`: (method, examples) -> excess risks (replicates,) at the
    setting's own label noise. `steps`: (noise, steps) -> excess risks, there as well. `fraction` of the work that is done.
    """

    setting: AdaptiveSetting
    traces: dict[tuple[str, float], Trace]
    sizes: dict[tuple[str, int], np.ndarray]
    steps: dict[tuple[str, int], np.ndarray]
    fraction: float

    @property
    def looked_into(self) -> Trace | None:
        """The adaptive run of the setting's own label noise that the switch chooses, once it is there."""
        return self.traces.get((PRINTED if self.setting.as_printed else EXACT, self.setting.label_noise))


def stream(setting: AdaptiveSetting) -> Iterator[Outcome]:
    """Everything piece by piece: nothing yet, each label noise with all methods, the sample sizes, the numbers of steps.

    Raises: ValueError in one sentence, before anything is computed, for a setting that does not fit together.
    """
    check_together(setting)
    noises, sizes = setting.label_noises, sample_sizes(setting)
    steps = [steps for steps in STEPS if setting.n_samples >= 33 * steps]
    total, done = 5 * len(noises) + 2 * len(sizes) + 2 * len(steps), 0
    outcome = Outcome(setting, {}, {}, {}, 0.0)
    yield outcome
    for noise in (setting.label_noise, *(noise for noise in noises if noise != setting.label_noise)):
        for run in measure(setting, noise).values():
            done += 1
            outcome = replace(
                outcome, traces=outcome.traces | {(trace.label, noise): trace for trace in run()}, fraction=done / total
            )
            yield outcome
    for n_samples in sizes:
        runs = measure(replace(setting, n_samples=n_samples), setting.label_noise)
        for method in (EXACT, TUNED):
            done += 1
            found = {(trace.label, n_samples): trace.excess for trace in runs[method]()}
            outcome = replace(outcome, sizes=outcome.sizes | found, fraction=done / total)
            yield outcome
    for count in steps:
        done += 2
        found = {(trace.label, count): trace.excess for trace in by_noise(setting, count)}
        outcome = replace(outcome, steps=outcome.steps | found, fraction=done / total)
        yield outcome


def sample_sizes(setting: AdaptiveSetting) -> tuple[int, ...]:
    """The numbers of examples that are tried: `RATIOS` times dim that leave three records for a search, up to the
    setting's own, or to 400 times dim where those are fewer."""
    limit = max(setting.n_samples, 400 * setting.dim)
    return tuple(ratio * setting.dim for ratio in RATIOS if 33 * setting.steps <= ratio * setting.dim <= limit)


def median(values: np.ndarray) -> tuple[float, float, float]:
    """The median of replicates, and the two order statistics that hold the true median with at least 95% confidence.

    The k-th smallest and k-th largest of R values enclose it with probability 1 - 2 P(Bin(R, 1/2) < k), whatever the
    distribution; the printed search now and then runs away, so that a mean would say nothing.
    """
    ordered, count = np.sort(values), len(values)
    misses = [2 * bdtr(place, count, 0.5) for place in range(count // 2)]
    place = max((place for place, miss in enumerate(misses) if miss <= 1 - LEVEL), default=0)
    return float(np.median(ordered)), float(ordered[place]), float(ordered[-1 - place])


def least_squares(setting: AdaptiveSetting, label_noise: float) -> float:
    """Mean excess risk of least squares without privacy, exactly: sigma^2 d / (2 (n - d - 1)) on Gaussian records."""
    return label_noise**2 * setting.dim / (2 * (setting.n_samples - setting.dim - 1))
