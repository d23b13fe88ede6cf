"""Settings worth seeing, among them three where the intervals fail, and why."""

from core.comparison import Preset
from core.experiments.intervals.setting import IntervalSetting


def presets() -> dict[str, Preset]:
    """The presets by key."""
    return {
        "good": Preset(
            "Good coverage",
            "Ten batches of one run: the intervals cover the least-squares fit almost as often as they say, at twice the width of the classical ones.",
            IntervalSetting(),
        ),
        "short": Preset(
            "Too few iterations",
            "Batches of ten steps: neighbouring batches resemble each other, their spread is too small, and the intervals are too narrow.",
            IntervalSetting(steps=120),
        ),
        "bites": Preset(
            "Clipping bites",
            "A clip norm that cuts most gradients: little noise and narrow intervals, about the wrong point. Coverage of least squares FAILS.",
            IntervalSetting(clip_factor=0.5),
        ),
        "outliers": Preset(
            "Outliers",
            "One label in twenty has the wrong sign and unit. Clipping resists them, so its target is not least squares, and here it is nearer to the truth.",
            IntervalSetting(design="outliers", clip_factor=2.0),
        ),
        "heavy": Preset(
            "Heavy tails",
            "Long records and wild labels: even at a generous clip norm some gradients are cut in every step.",
            IntervalSetting(design="heavy_tails", clip_factor=1.5),
        ),
        "schedule": Preset(
            "Budget schedule",
            "Ten short runs that spend more on their last steps: the same coverage at the same privacy, with narrower intervals than an even budget.",
            IntervalSetting(construction="independent_runs", schedule="geometric"),
        ),
        "real": Preset(
            "Real data",
            "442 patients. So few records need a large rho, and the blood values resemble each other: what tells them apart is learned too "
            "slowly, and their intervals FAIL. Those of age, sex, weight and blood pressure hold.",
            IntervalSetting(design="diabetes", rho=0.3, clip_factor=1.0, learning_rate=0.4, steps=500),
        ),
    }
