"""The comparison at every value of a knob, for a chart and a headline that follow the slider."""

from dataclasses import replace

import numpy as np

from core.comparison import KNOBS
from core.experiments.mechanisms.arms import arms, mechanism
from core.experiments.mechanisms.outcome import Winner, excess_risk, risk_curve, winner, words
from core.experiments.mechanisms.setting import NoiseSetting, stability
from core.results import Result

_BUDGET = 1.6e6  # numbers that all curves of a sweep may take


def knob_values(setting: NoiseSetting, knob: str, grid: tuple[float, ...]) -> tuple[float, ...]:
    """The values of `grid` that a page can wait for, and the setting's own; none where the knob moves nothing cheap.

    `knob` is a key of `core.comparison.KNOBS`.
    """
    if KNOBS[knob] not in arms(setting).chosen or setting.restarts > 1 or stability(setting):
        return ()
    affordable = int(max(5, _BUDGET // (setting.dim * setting.steps)))
    kept = np.unique(np.linspace(0, len(grid) - 1, min(affordable, len(grid))).round().astype(int))
    return tuple(sorted({*(grid[index] for index in kept), getattr(setting, knob)}))


def risk_frames(setting: NoiseSetting, knob: str, values: tuple[float, ...]) -> dict[float, Result]:
    """`excess_risk` as it is at each value of the knob."""
    base, noise = excess_risk(setting), KNOBS[knob]
    label = words(setting, noise)
    steps = base.curve(label).x.astype(int)
    frames = {}
    for value in values:
        there = replace(setting, **{knob: value})
        frames[value] = base.moved(label, y=risk_curve(there, mechanism(there, noise))[steps])
    return frames


def winners(setting: NoiseSetting, knob: str, values: tuple[float, ...]) -> dict[float, Winner]:
    """`winner` as it is at each value of the knob."""
    return {value: winner(replace(setting, **{knob: value})) for value in values}
