"""Settings worth seeing, among them one where correlated noise loses."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.comparison.setting import Setting
from core.comparison.sweeps import risks_over


@dataclass(frozen=True)
class Preset:
    """A setting worth seeing; `says` tells the viewer what to look at."""

    label: str
    says: str
    setting: Setting


@lru_cache(maxsize=1)
def presets() -> dict[str, Preset]:
    """The presets by key; the best nu and lambda among them are computed, not written down.

    Guarantees: "plain" gives exactly 1.00 times DP-SGD; "over" ends below 1; the others end above 1.
    """
    default = Setting()
    return {
        "sweet": Preset("Sweet spot", "The noise of one step is taken back in small pieces over the next hundred steps: little to pay, much cancelled.", default),
        "plain": Preset("Plain DP-SGD", "nu = 1 and lambda = 0 are independent noise.", replace(default, nu=1.0, correlation=0.0)),
        "over": Preset(
            "Over-correlated",
            "A fast optimiser on a flat problem forgets noise by itself: long memory costs more than it gives.",
            Setting(nu=1e-4, correlation=0.99, dim=16, decay=0.0, learning_rate=0.2),
        ),
        "optimal": Preset("Optimal noise", "The best nu and the best lambda, beside the best noise there is.", _tuned(default)),
        "flat": Preset(
            "Flat spectrum", "All directions are alike and none is slow: less to gain.",
            _tuned(replace(default, decay=0.0)),
        ),
        "fast": Preset(
            "Fast-decaying spectrum", "Most directions are almost flat valleys, where independent noise piles up.",
            _tuned(replace(default, decay=2.0)),
        ),
    }


def _tuned(setting: Setting) -> Setting:
    best = {}
    for knob in ("nu", "correlation"):
        values, risks = risks_over(setting, knob)
        best[knob] = values[int(np.argmin(risks[:, -1]))]
    return replace(setting, **best)
