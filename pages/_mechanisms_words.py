"""The headline of Compare noise, and how it follows the sliders."""

import html

from core.comparison import KNOBS
from core.experiments import mechanisms
from core.experiments.mechanisms import NoiseSetting, Winner
from core.results import Result
from pages._mechanisms_controls import GRIDS


def headline(setting: NoiseSetting, found: Winner | None) -> str:
    """The winner, its gain over DP-SGD and its distance from the optimum, as HTML; dashes where everything diverges."""
    gain, says, joined, best, over = (html.escape(text) for text in _texts(setting, found))
    optimum = "best Toeplitz noise" if setting.participations == 1 else "Toeplitz noise best for one use"
    return (
        f'<div class="headline"><div><b id="gain">{gain}</b><small><span id="gain-says">{says}</span><br>'
        f'<span id="joined">{joined}</span> <span id="winner">{best}</span></small></div>'
        f'<div><b id="over-optimum">{over}</b><small>the error from privacy that<br>the {optimum} leaves</small></div></div>'
    )


def kept(setting: NoiseSetting, found: Winner | None) -> dict[str, str]:
    """The headline as a row of the table of results tried; empty where everything diverges."""
    if found is None:
        return {}
    gain, says, _, best, over = _texts(setting, found)
    return {"best noise": best, "against DP-SGD": f"{gain} {says}".rstrip(",:"), mechanisms.optimum_column(setting): over}


def following(
    setting: NoiseSetting, found: Winner | None
) -> tuple[dict[str, dict[float, Result]], dict[str, dict[float, dict[str, str]]], dict[str, str]]:
    """The chart and the headline at each value of the knobs that can be dragged, and the headline now: what `_figure.show` takes."""
    frames, texts = {}, {}
    for knob in KNOBS:
        values = mechanisms.knob_values(setting, knob, GRIDS[knob])
        if values:
            frames[knob] = mechanisms.risk_frames(setting, knob, values)
            there = mechanisms.winners(setting, knob, values)
            texts[knob] = {value: _spots(setting, best) for value, best in there.items()}
    return frames, texts, _spots(setting, found)


def _spots(setting: NoiseSetting, found: Winner | None) -> dict[str, str]:
    return dict(zip(("#gain", "#gain-says", "#joined", "#winner", "#over-optimum"), _texts(setting, found), strict=True))


def _texts(setting: NoiseSetting, found: Winner | None) -> tuple[str, str, str, str, str]:
    if found is None:
        return "-", _no_answer(setting), "with", "any noise shown", "-"
    gain, over = f"{max(found.gain, 1 / found.gain):.3g}x", f"{found.over_optimum:.3g}x"
    if found.tied:
        return gain, "the error of DP-SGD", "with", "every noise shown", over
    if found.noise == "independent":
        return gain, "no noise shown beats it:", "best is plain", "DP-SGD", over
    says = "less error than DP-SGD" + (", but at the last step only," if found.late else "")
    return gain, says if found.gain >= 1 else "LOSES: the error of DP-SGD", "with", mechanisms.words(setting, found.noise), over


def _no_answer(setting: NoiseSetting) -> str:
    if mechanisms.crowded(setting):
        return f"no answer: {setting.participations} uses do not fit into {mechanisms.count(setting.steps, 'step')}"
    return "no answer: every method diverges" if mechanisms.stability(setting) else "no answer: nothing to compare"
