"""Snapshots of a run -> a Result: the mean over replicates with its 95% confidence band."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import stdtrit

from core.check import require
from core.learners import Arm, Snapshot
from core.names import name
from core.results import Curve, Result

LEVEL = 0.95


def curves(snapshots: Iterable[Snapshot], arms: Sequence[Arm], measure: str) -> Result:
    """One curve an arm: the mean of `measure` over replicates at each step, with a 95% confidence band of that mean.

    With m, s the mean and standard deviation over R replicates and t the Student quantile with R-1 degrees of freedom,
    the band is m +- t s/sqrt(R) on a linear axis. On a logarithmic axis (glossary) it is m exp(+- t s/(m sqrt(R))): the
    same interval carried to the logarithm of the mean (delta method), which stays above zero without being cut there.
    Snapshots that lack the measure are left out (step 0 has no share_clipped). Only `step`, `measures` and `status`
    of a snapshot are read, so a job may keep records without theta.

    Guarantees: no NaN; a diverged replicate makes mean and band infinite from there on and is named in `status`; one
    replicate has no band.
    Raises: ValueError when no snapshot has the measure.
    """
    snapshots = list(snapshots)
    having = [snapshot for snapshot in snapshots if measure in snapshot.measures]
    known = sorted({key for snapshot in snapshots for key in snapshot.measures})
    require(bool(having), "measure", measure, f"one of {known}")
    steps = [snapshot.step for snapshot in having]
    values = np.stack([snapshot.measures[measure] for snapshot in having])  # (snapshots, arms, replicates)
    mean, low, high = band(values, name(measure).log)
    replicates = values.shape[-1]
    return Result(
        title=f"{name(measure).words} of {len(arms)} simulated arms",
        curves=tuple(
            Curve(
                arm.label, steps, mean[:, index], arm=look,
                **({} if replicates == 1 else {"low": low[:, index], "high": high[:, index]}),
            )
            for index, (arm, look) in enumerate(zip(arms, looks(arms), strict=True))
        ),
        x_name="step",
        y_name=measure,
        source="simulation of Algorithm 1, arXiv 2310.06771",
        band=_words(replicates, name(measure).log),
        status=snapshots[-1].status,
    )


def looks(arms: Sequence[Arm]) -> list[str]:
    """The `Curve.arm` of each arm: its mechanism's name ("none" without noise), or its label where arms share that name."""
    kinds = [arm.mechanism.arm if arm.noise_multiplier > 0 else "none" for arm in arms]
    return [kind if kinds.count(kind) == 1 else arm.label for arm, kind in zip(arms, kinds, strict=True)]


def noise_norm_rms(arm: Arm, numbers: int, steps: int) -> np.ndarray:
    """Root mean square (steps,) of the measure `noise_norm` for a theta of so many `numbers`, exactly [clip_norm].

        E |xi_1 + ... + xi_t|^2 = noise_multiplier^2 * numbers * sum_{s<t} (beta_0 + ... + beta_s)^2

    For DP-lambda-CGD the last sum is 1 + (1 - lambda)^2 (t - 1).
    """
    return arm.noise_multiplier * numbers**0.5 * arm.mechanism.prefix_std(steps)


def band(values: np.ndarray, log: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and the ends of its 95% confidence band (see `curves`) over the last axis; infinite where a replicate is.

    What lies along the last axis must be independent: runs on one data set are, for that data set; runs on several data
    sets are not, and enter as one mean for each data set. A single replicate has a band of no width.
    """
    values = np.asarray(values, dtype=float)
    replicates = values.shape[-1]
    finite = np.isfinite(values).all(axis=-1)
    shown = np.where(finite[..., None], values, 0.0)
    mean = shown.mean(axis=-1)
    half = np.zeros_like(mean)
    if replicates > 1:
        half = stdtrit(replicates - 1, 0.5 + LEVEL / 2) * shown.std(axis=-1, ddof=1) / replicates**0.5
    if log:
        factor = np.exp(np.divide(half, mean, out=np.zeros_like(mean), where=mean > 0))
        ends = mean, mean / factor, mean * factor
    else:
        ends = mean, mean - half, mean + half
    return tuple(np.where(finite, end, np.inf) for end in ends)


def bands(samples: Iterable[np.ndarray], log: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`band` of each of several samples (n,), which may differ in size: three arrays (samples,)."""
    mean, low, high = zip(*(band(each, log) for each in samples), strict=True)
    return np.array(mean), np.array(low), np.array(high)


def _words(replicates: int, log: bool) -> str:
    if replicates == 1:
        return ""
    scale = " of the log of the mean, delta method" if log else ""
    return f"{LEVEL:.0%} confidence interval of the mean of {replicates} replicates (Student t{scale})"
