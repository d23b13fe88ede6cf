"""The error of one private estimate: against the number of records, against the number of features, against the clip norm.

The estimate is the last iterate of a short run, as in the paper's Figures 1, 2 and 4, at the viewer's rho, learning rate and
design.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from core.check import require
from core.experiments.intervals.setting import ADJACENCY, LABEL_NOISE, SCHEDULES, IntervalSetting, is_drawn
from core.intervals import Law
from core.learners import budget
from core.learners.one_shot import ada_ssp
from core.learners.summary import bands
from core.names import name
from core.problems.designs import DESIGNS, Records
from core.results import Curve, Result

STEPS = 20
"""Steps of each run here."""
_REPEATS, _DATA_SETS = 20, 4
_EACH = f"{_REPEATS // _DATA_SETS} runs on each of {_DATA_SETS} data sets"
_BAND = "95% confidence interval of the mean over data sets (Student t of the log of the mean, delta method)"
_RATIO = 400
_SAMPLES = (1000, 2000, 4000, 8000, 16_000)
_DIMS = (5, 10, 20, 40)
_FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
_MOST_SAMPLES = 2000
_WORDS = {"uniform": "even budget", "geometric": "geometric budget"}


def error_against_samples(setting: IntervalSetting) -> Result:
    """Distance of the last iterate to the least-squares fit, for both budgets, and of that fit to the truth, against n.

    Exact lines (root mean square, isotropic directions as drawn, no clipping); points are simulated means.
    """
    rows = {words: [] for words in (*_WORDS.values(), "sampling: least squares to truth")}
    points = {words: [] for words in rows}
    for n_samples in _SAMPLES:
        records = _records(setting, n_samples, setting.dim)
        for key, words in _WORDS.items():
            rows[words].append(_rms_error(setting, records, key))
        simulated = _last_iterates(setting, records, tuple(_WORDS))
        sampling = _sampling_errors(setting, n_samples)
        rows["sampling: least squares to truth"].append((LABEL_NOISE**2 * _inverse_trace(records) / n_samples) ** 0.5)
        for words, errors in zip(points, [*simulated, sampling], strict=True):
            points[words].append(errors)  # one mean for each data set
    curves = [Curve(f"{words}, exact", _SAMPLES, values, arm=words, exact=True) for words, values in rows.items()]
    curves += [Curve(words, _SAMPLES, *_band("estimation_error", values), arm=words, discrete=True) for words, values in points.items()]
    slopes = {words: np.polyfit(np.log(_SAMPLES), np.log([np.mean(each) for each in values]), 1)[0] for words, values in points.items()}
    here = {words: rows[words][-1] for words in _WORDS.values()}
    privacy, sampling = (slopes[words] for words in ("even budget", "sampling: least squares to truth"))
    return Result(
        title="The cost of privacy falls faster than that of sampling",
        curves=tuple(curves),
        x_name="n_samples",
        y_name="estimation_error",
        source="arXiv 2402.13531, Figures 2 and 8; the geometric budget is ours",
        band=_BAND,
        caption=(
            f"Last of {STEPS} steps, {setting.dim} features, rho = {setting.rho:g} in all. Lines: exact root mean square, without clipping; "
            f"points: means of {_EACH}, and of least squares on {_REPEATS} data sets."
        ),
        verdict=(
            f"Measured slopes: privacy {privacy:.2f} (theory -1), sampling {sampling:.2f} (theory -1/2). At n = {_SAMPLES[-1]:,} the geometric budget "
            f"makes the error {here['geometric budget']:.3g} instead of {here['even budget']:.3g}: "
            f"{here['geometric budget'] / here['even budget']:.2f} times."
        ),
        settings=asdict(setting) | {"panel_steps": STEPS},
    )


def error_against_dim(setting: IntervalSetting) -> Result:
    """The same against the number of features with n = 400 p, beside AdaSSP at the same rho."""
    names = ("DP-GD", "AdaSSP", "least squares to truth")
    points = {words: [] for words in names}
    for dim in _DIMS:
        records = _records(setting, _RATIO * dim, dim)
        points["DP-GD"].append(_last_iterates(setting, records, ("uniform",))[0])
        adaptive = ada_ssp(records, setting.rho, 1.5 * dim**0.5, 5.0, repeats=_REPEATS // records.data_sets, seed=setting.seed, adjacency=ADJACENCY)
        own = np.repeat(records.theta_hat, len(adaptive) // records.data_sets, axis=0)
        points["AdaSSP"].append(_per_data_set(np.linalg.norm(adaptive - own, axis=1), records))
        points["least squares to truth"].append(np.linalg.norm(records.theta_hat - records.theta_star, axis=1))
    means = {words: [float(np.mean(each)) for each in values] for words, values in points.items()}
    return Result(
        title="Error as the number of features grows with the records",
        curves=tuple(Curve(words, _DIMS, *_band("estimation_error", values), arm=words, discrete=True) for words, values in points.items()),
        x_name="dim",
        y_name="estimation_error",
        source="arXiv 2402.13531, Figures 1 and 9",
        band=_BAND,
        caption=(
            f"{_RATIO} records for each feature, {STEPS} steps, rho = {setting.rho:g}; means of {_EACH}. "
            "AdaSSP perturbs X'X and X'y once, with rho split in three and bounds 1.5 sqrt(p) on a record and 5 on a label."
        ),
        verdict=(
            f"From {_DIMS[0]} to {_DIMS[-1]} features the error of DP-GD goes from {means['DP-GD'][0]:.3g} to {means['DP-GD'][-1]:.3g}, that of AdaSSP "
            f"from {means['AdaSSP'][0]:.3g} to {means['AdaSSP'][-1]:.3g}."
        ),
        settings=asdict(setting) | {"panel_steps": STEPS},
    )


def error_against_clipping(setting: IntervalSetting) -> Result:
    """Squared error, squared bias and variance of the last iterate around the least-squares fit, against clip_factor."""
    n_samples = min(setting.n_samples, _MOST_SAMPLES)
    records = _records(setting, n_samples, setting.dim, 1)
    off = _chains(setting, records, [factor * setting.dim**0.5 for factor in _FACTORS], ("uniform",)) - records.theta_hat[0]
    variance = off.var(axis=1, ddof=1).sum(axis=1)
    bias = np.maximum((off.mean(axis=1) ** 2).sum(axis=1) - variance / off.shape[1], 0.0)
    squares = (off**2).sum(axis=2)
    best = int(squares.mean(axis=1).argmin())
    return Result(
        title="Bias against variance as the clip norm grows",
        curves=(
            Curve("squared error", _FACTORS, *_band("squared_error", squares), arm="error", discrete=True),
            Curve("squared bias", _FACTORS, bias, arm="bias"),
            Curve("variance", _FACTORS, variance, arm="variance"),
        ),
        x_name="clip_factor",
        y_name="squared_error",
        source="arXiv 2402.13531, Figure 4",
        band="95% confidence interval of the mean over runs on this data set (Student t of the log of the mean, delta method)",
        caption=(
            f"{n_samples:,} records, {STEPS} steps, rho = {setting.rho:g}, {off.shape[1]} runs on one data set. A small clip norm asks for little noise "
            "and moves the target."
        ),
        verdict=(
            f"Smallest squared error at {_FACTORS[best]:g} sqrt(p): {squares[best].mean():.3g}, of which bias {bias[best]:.3g}. The paper's 5 sqrt(p), "
            f"which clips almost nothing, has {squares[_FACTORS.index(5.0)].mean():.3g}."
        ),
        settings=asdict(setting) | {"panel_steps": STEPS},
        marks=((setting.clip_factor, "your clip norm"),),
    )


def panel(setting: IntervalSetting) -> Iterator[Result]:
    """The three pictures one after the other, for drawn records.

    Raises: ValueError for a table, whose size is what it is.
    """
    require(is_drawn(setting), "design", setting.design, f"one of {list(DESIGNS)}")
    yield error_against_samples(setting)
    yield error_against_dim(setting)
    yield error_against_clipping(setting)


def _records(setting: IntervalSetting, n_samples: int, dim: int, data_sets: int = _DATA_SETS, seed: int | None = None) -> Records:
    own = setting.seed if seed is None else seed
    return DESIGNS[setting.design][1](n_samples, dim, data_sets=data_sets, label_noise=LABEL_NOISE, seed=own)


def _chains(setting: IntervalSetting, records: Records, clip_norms: list[float], schedules: tuple[str, ...]) -> np.ndarray:
    """Last iterates (arms, replicates, p), one arm for each clip norm and schedule."""
    from core.learners.dp_gd import DpGdConfig, GdArm, dp_gd  # brings torch
    from core.problems.finite import LeastSquares

    arms = [
        GdArm(f"{norm:g} {schedule}", norm, setting.learning_rate, SCHEDULES[schedule]) for norm in clip_norms for schedule in schedules
    ]
    config = DpGdConfig(STEPS, setting.rho, replicates=_REPEATS, seed=setting.seed, device=setting.device, record_every=STEPS, adjacency=ADJACENCY)
    *_, last = dp_gd(LeastSquares(records), arms, config)
    return last.theta[:, :, 0].cpu().numpy()


def _last_iterates(setting: IntervalSetting, records: Records, schedules: tuple[str, ...]) -> list[np.ndarray]:
    """Mean distances (data sets,) of the last iterates to the least-squares fits of their data, one array a schedule."""
    theta = _chains(setting, records, [setting.clip_factor * records.dim**0.5], schedules)
    own = np.repeat(records.theta_hat, _REPEATS // records.data_sets, axis=0)
    return [_per_data_set(each, records) for each in np.linalg.norm(theta - own, axis=2)]


def _per_data_set(values: np.ndarray, records: Records) -> np.ndarray:
    """Means (data_sets,) of values (replicates,): runs on one data set resemble each other, data sets do not."""
    return values.reshape(records.data_sets, -1).mean(axis=1)


def _rms_error(setting: IntervalSetting, records: Records, schedule: str) -> float:
    """sqrt E|theta_T - theta_hat|^2 without clipping, over the data sets at hand; exact."""
    noise = budget.noise_std(
        SCHEDULES[schedule], setting.clip_factor * records.dim**0.5, records.n_samples, STEPS, setting.rho, setting.learning_rate, 1, ADJACENCY
    )
    squares = []
    for gram, hat in zip(records.gram, records.theta_hat, strict=True):
        law = Law(gram, hat, np.zeros(records.dim), setting.learning_rate, noise)
        squares.append(np.trace(law.covariance(STEPS)) + np.square(law.mean(STEPS) - hat).sum())
    return float(np.mean(squares)) ** 0.5


def _sampling_errors(setting: IntervalSetting, n_samples: int) -> np.ndarray:
    """Distances (repeats,) from least squares to the truth, each on records of its own, one data set in memory at a time."""
    streams = np.random.SeedSequence((setting.seed, n_samples)).spawn(_REPEATS)
    seeds = (int(stream.generate_state(1, np.uint64)[0]) for stream in streams)
    found = (_records(setting, n_samples, setting.dim, 1, seed) for seed in seeds)
    return np.array([np.linalg.norm(records.theta_hat - records.theta_star) for records in found])


def _inverse_trace(records: Records) -> float:
    return float(np.mean((1 / records.eigenvalues).sum(axis=1)))


def _band(measure: str, samples: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and 95% interval of the mean of each of the samples, on the scale of the measure's axis."""
    return bands(samples, name(measure).log)
